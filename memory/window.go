package memory

import (
	"time"
)

// FlushPolicy says what happens when the model has not flushed a range of messages before the deadline.
type FlushPolicy string

// Policies.
const (
	// FlushFallback has the built-in engine flush the range, with a deadline of its own. The model's version follows with the
	// ordinary extraction of the same messages, which takes the place of what the rules noted.
	FlushFallback FlushPolicy = "fallback"
	// FlushWait goes on asking the model: the messages stay in the window until it has answered.
	FlushWait FlushPolicy = "wait"
)

// Valid reports whether p is a known policy.
func (p FlushPolicy) Valid() bool { return p == FlushFallback || p == FlushWait }

// WindowSettings are the resolved settings of a context window: how large it is, what it holds, and what is saved before
// something leaves it.
type WindowSettings struct {
	MemoryEnabled  bool `json:"memoryEnabled"`  // without it nothing is recalled and nothing flushed
	OwnerIsolation bool `json:"ownerIsolation"` // on: PERSONAL documents per owner; off: TEAM

	MaxTokens        int     `json:"maxTokens"`        // of everything that a model is sent
	CompactShare     float64 `json:"compactShare"`     // of MaxTokens, above which earlier turns are summarised
	KeepTurns        int     `json:"keepTurns"`        // last turns that stay verbatim
	SummaryMaxTokens int     `json:"summaryMaxTokens"` // of the summary of earlier turns
	GoalMaxTokens    int     `json:"goalMaxTokens"`    // of the first user message, which stays when its turn is summarised

	AutoInject          bool    `json:"autoInject"`          // recalled memory goes into the context by itself
	AutoInjectThreshold float64 `json:"autoInjectThreshold"` // least score, 0 to 1
	AutoInjectMaxTokens int     `json:"autoInjectMaxTokens"`

	// A flush begins when the room that is left falls below FlushSoftTokens, when more than FlushShare of the window is used,
	// or when more than FlushMessages messages or FlushBytes bytes of them have not been flushed.
	FlushSoftTokens int           `json:"flushSoftTokens"`
	FlushShare      float64       `json:"flushShare"`
	FlushMessages   int           `json:"flushMessages"`
	FlushBytes      int           `json:"flushBytes"`
	FlushDeadline   time.Duration `json:"flushDeadline"` // for the model; for the built-in engine the same again
	FlushPolicy     FlushPolicy   `json:"flushPolicy"`

	// SummaryDeadline bounds the calls that write one summary. After it the built-in engine writes one.
	SummaryDeadline time.Duration `json:"summaryDeadline"`
	MaxToolRounds   int           `json:"maxToolRounds"` // of one turn
	// Model answers, summarises and flushes; without one (Paid false) rules do.
	Paid           bool          `json:"paid"`
	Model          string        `json:"model"`
	ModelTimeout   time.Duration `json:"modelTimeout"`
	ModelHeartbeat time.Duration `json:"modelHeartbeat"`
}

// DefaultWindowSettings are the documented defaults.
func DefaultWindowSettings() WindowSettings {
	return WindowSettings{
		MemoryEnabled: true, OwnerIsolation: true,
		MaxTokens: 128_000, CompactShare: .75, KeepTurns: 2, SummaryMaxTokens: 300, GoalMaxTokens: 400,
		AutoInject: true, AutoInjectThreshold: .3, AutoInjectMaxTokens: 200,
		FlushSoftTokens: 4000, FlushShare: .85, FlushMessages: 50, FlushBytes: 2 << 20,
		FlushDeadline: 90 * time.Second, FlushPolicy: FlushFallback,
		SummaryDeadline: 60 * time.Second, MaxToolRounds: 8,
		ModelTimeout: 3 * time.Minute, ModelHeartbeat: 30 * time.Second,
	}
}

// With returns s with everything that a sets.
func (s WindowSettings) With(a AgentSettings) WindowSettings {
	set(&s.MemoryEnabled, a.MemoryEnabled)
	set(&s.OwnerIsolation, a.OwnerIsolation)
	set(&s.MaxTokens, a.WindowMaxTokens)
	set(&s.CompactShare, a.WindowCompactShare)
	set(&s.KeepTurns, a.WindowKeepTurns)
	set(&s.SummaryMaxTokens, a.SummaryMaxTokens)
	set(&s.AutoInject, a.AutoInject)
	set(&s.AutoInjectThreshold, a.AutoInjectThreshold)
	set(&s.AutoInjectMaxTokens, a.AutoInjectMaxTokens)
	set(&s.FlushSoftTokens, a.FlushSoftTokens)
	set(&s.FlushShare, a.FlushShare)
	set(&s.FlushMessages, a.FlushMessages)
	set(&s.FlushBytes, a.FlushBytes)
	if a.FlushDeadlineSeconds != nil {
		s.FlushDeadline = time.Duration(*a.FlushDeadlineSeconds) * time.Second
	}
	if a.FlushPolicy != "" {
		s.FlushPolicy = a.FlushPolicy
	}
	set(&s.MaxToolRounds, a.MaxToolRounds)
	if a.Model != "" {
		s.Model = a.Model
	}
	return s
}

// FlushSettings are the resolved settings of one flush. They travel in the workflow's input, so that a re-run sees what the
// first run saw.
type FlushSettings struct {
	Extract  ExtractSettings `json:"extract"`
	Paid     bool            `json:"paid"`     // a model is asked; else rules
	Deadline time.Duration   `json:"deadline"` // for the model; after it Policy decides
	Policy   FlushPolicy     `json:"policy"`
}

// Flush are the settings of a flush of this window; e are those of the agent's extractions.
func (s WindowSettings) Flush(e ExtractSettings) FlushSettings {
	return FlushSettings{Extract: e, Paid: s.Paid, Deadline: s.FlushDeadline, Policy: s.FlushPolicy}
}

// CompactTrigger says why a conversation is compacted.
type CompactTrigger string

// Triggers of compactions.
const (
	CompactByTurn     CompactTrigger = "turn"     // the window is fuller than its share
	CompactByOverflow CompactTrigger = "overflow" // the model said that the context is too long
	CompactByRequest  CompactTrigger = "request"  // somebody asked
)

// Valid reports whether t is a known trigger.
func (t CompactTrigger) Valid() bool {
	return t == CompactByTurn || t == CompactByOverflow || t == CompactByRequest
}

// CompactSettings are the resolved settings of one compaction.
type CompactSettings struct {
	Flush            FlushSettings `json:"flush"`
	Window           int           `json:"window"` // MaxTokens of the window that it is made for
	SummaryMaxTokens int           `json:"summaryMaxTokens"`
	SummaryDeadline  time.Duration `json:"summaryDeadline"`
	Paid             bool          `json:"paid"` // a model writes the summary; else rules. Off in an emergency.
	Model            string        `json:"model"`
	ModelTimeout     time.Duration `json:"modelTimeout"`
	ModelHeartbeat   time.Duration `json:"modelHeartbeat"`
}

// Compact are the settings of a compaction of this window.
func (s WindowSettings) Compact(e ExtractSettings) CompactSettings {
	return CompactSettings{
		Flush: s.Flush(e), Window: s.MaxTokens, SummaryMaxTokens: s.SummaryMaxTokens, SummaryDeadline: s.SummaryDeadline,
		Paid: s.Paid, Model: s.Model, ModelTimeout: s.ModelTimeout, ModelHeartbeat: s.ModelHeartbeat,
	}
}
