package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// Outcome is the result of a run. Every run records one.
type Outcome string

const (
	// OutcomeWritten means that at least one document changed.
	OutcomeWritten Outcome = "written"
	// OutcomeNothing means that the messages were read and nothing in them was worth keeping.
	OutcomeNothing Outcome = "nothing"
	// OutcomeSkipped means that a gate was closed. The messages stay ahead of the cursor and count next time.
	OutcomeSkipped Outcome = "skipped"
	// OutcomeQuarantined means that the proposal was refused. It is kept with the reason and can be retried.
	OutcomeQuarantined Outcome = "quarantined"
	// OutcomeFailed means that there is no proposal, for example because the provider refused the key. The messages stay
	// ahead of the cursor.
	OutcomeFailed Outcome = "failed"
	// OutcomeWaiting means that the run will continue automatically, for the recorded reason (a budget, an unavailable
	// provider).
	OutcomeWaiting Outcome = "waiting"
	// OutcomeRunning means that the run has begun and has not ended.
	OutcomeRunning Outcome = "running"
)

// ReasonCode is the reason for an outcome, as one stable word that programs can compare.
type ReasonCode string

// Reason codes of closed gates, in the order in which the gates are checked.
const (
	GateMemoryOff      ReasonCode = "memory_off"
	GateTeamMember     ReasonCode = "team_member" // the agent has a leader
	GateSource         ReasonCode = "source"      // cron or dream
	GateFewMessages    ReasonCode = "few_messages"
	GateShortMessage   ReasonCode = "short_message"
	GateAbnormalFinish ReasonCode = "abnormal_finish"
)

// ReasonApproval means that what would have been written waits for a person.
const ReasonApproval ReasonCode = "awaits_approval"

// Severity orders outcomes: a run with several steps reports the most severe one.
func (o Outcome) Severity() int {
	switch o {
	case OutcomeFailed:
		return 5
	case OutcomeQuarantined:
		return 4
	case OutcomeWritten:
		return 3
	case OutcomeNothing:
		return 2
	case OutcomeSkipped:
		return 1
	}
	return 0
}

// DreamMode is the kind of a dream.
type DreamMode string

// Modes of dreams.
const (
	// DreamNightly consolidates what is new: up to the scheduled night, or up to now if a person started it.
	DreamNightly DreamMode = "nightly"
	// DreamFocused looks at one topic first.
	DreamFocused DreamMode = "focused"
	// DreamPromote ranks and promotes by rules, without a model.
	DreamPromote DreamMode = "promote"
	// DreamREM looks for themes and likely truths and writes the diary; it promotes nothing.
	DreamREM DreamMode = "rem"
)

// Valid reports whether m is a known mode.
func (m DreamMode) Valid() bool {
	return m == DreamNightly || m == DreamFocused || m == DreamPromote || m == DreamREM
}

// DreamTrigger names the event that started a dream.
type DreamTrigger string

// Triggers of dreams.
const (
	DreamBySchedule DreamTrigger = "schedule" // a run, trigger or backfill of the schedule
	DreamByRequest  DreamTrigger = "request"  // the API or the CLI
	DreamByReplay   DreamTrigger = "replay"   // a replay of an earlier dream
)

// DreamPhase is the progress of a dream.
type DreamPhase string

// Phases of a dream, in order.
const (
	DreamQueued     DreamPhase = "queued"
	DreamLightSleep DreamPhase = "light"
	DreamREMSleep   DreamPhase = "rem"
	DreamDeepSleep  DreamPhase = "deep"
	DreamWriting    DreamPhase = "writing"
	DreamEnded      DreamPhase = "ended"
)

// CompactTrigger names the event that started a compaction.
type CompactTrigger string

// Triggers of compactions.
const (
	CompactByTurn     CompactTrigger = "turn"     // the window is filled above its share
	CompactByOverflow CompactTrigger = "overflow" // the model reported that the context is too long
	CompactByRequest  CompactTrigger = "request"  // a client requested it
)

// Valid reports whether t is a known trigger.
func (t CompactTrigger) Valid() bool {
	return t == CompactByTurn || t == CompactByOverflow || t == CompactByRequest
}

// EmbeddingIdentity identifies the model that made a vector. Vectors with different identities cannot be compared.
type EmbeddingIdentity struct {
	Provider   string `json:"provider"`
	Model      string `json:"model"`
	Endpoint   string `json:"endpoint"` // scheme, host and path; never credentials
	Dimensions int    `json:"dimensions"`
}

// Key returns the identity as a string of fixed length.
func (e EmbeddingIdentity) Key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", e.Provider, e.Model, e.Endpoint, e.Dimensions))
	return hex.EncodeToString(sum[:])
}

// String returns provider, model and dimensions, for display.
func (e EmbeddingIdentity) String() string {
	return fmt.Sprintf("%s/%s (%d)", e.Provider, e.Model, e.Dimensions)
}

// Budget is a workspace's daily limit (UTC) for model calls. Zero fields are unlimited.
type Budget struct {
	Tokens     int64 // input and output
	CostMicros int64 // millionths of a US dollar
}

// Spent reports whether usage has reached the budget.
func (b Budget) Spent(used Usage) bool {
	return b.Tokens > 0 && int64(used.InputTokens+used.OutputTokens) >= b.Tokens ||
		b.CostMicros > 0 && used.CostMicros >= b.CostMicros
}

// BudgetRenewal returns the next midnight UTC after now, when budgets renew.
func BudgetRenewal(now time.Time) time.Time {
	y, m, d := now.UTC().Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
}

// Usage is the cost of model calls.
type Usage struct {
	Calls        int   `json:"calls"`
	InputTokens  int   `json:"inputTokens"`
	OutputTokens int   `json:"outputTokens"`
	CostMicros   int64 `json:"costMicros"` // millionths of a US dollar, estimated from the configured prices
}

// Add returns the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Calls + v.Calls, u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens, u.CostMicros + v.CostMicros}
}
