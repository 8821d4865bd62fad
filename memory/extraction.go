package memory

import (
	"strings"
	"time"
	"unicode/utf8"
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
	// OutcomeWaiting means that the run will continue by itself, for the recorded reason (a budget, an unavailable
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

// GateInput is the input of Gate for a range of messages.
type GateInput struct {
	Settings             ExtractSettings
	Trigger              Trigger
	ConversationMessages int       // user and assistant messages of the conversation, up to the end of the range
	Pending              []Message // of the range, oldest first
}

// normalFinish lists the finish reasons of complete answers, as providers and agent frameworks report them, without case
// and separators. A turn that ends with a tool result ends with a tool call; it counts as complete, because the client that
// reported it expects nothing more. After any other reason (length, max_tokens, content_filter, safety, refusal, error,
// cancelled, …) the turn waits ahead of the cursor for a better answer.
var normalFinish = map[string]bool{
	"": true, "stop": true, "endturn": true, "stopsequence": true, "eos": true, "eostoken": true, "complete": true, "completed": true,
	"normal": true, "returndirect": true, "toolcalls": true, "tooluse": true, "functioncall": true,
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

func endedNormally(finish string) bool {
	return normalFinish[separators.Replace(strings.ToLower(finish))]
}

// Gate checks whether a range of messages may be extracted. It returns the reason of the first closed gate, or true if all
// are open. The length of the last user message is counted in characters, without surrounding white space; a range without
// a user message is too short.
func Gate(in GateInput) (ReasonCode, bool) {
	lastUser, lastFinish := "", ""
	for _, m := range in.Pending {
		switch m.Role {
		case RoleOfUser:
			lastUser = m.Content
		case RoleOfAssistant:
			lastFinish = m.FinishReason
		}
	}
	switch {
	case in.Settings.Stopped() != "":
		return in.Settings.Stopped(), false
	case in.Trigger == TriggerCron || in.Trigger == TriggerDream:
		return GateSource, false
	case in.ConversationMessages < in.Settings.MinMessages:
		return GateFewMessages, false
	case utf8.RuneCountInString(strings.TrimSpace(lastUser)) < in.Settings.MinUserChars:
		return GateShortMessage, false
	case !endedNormally(lastFinish):
		return GateAbnormalFinish, false
	}
	return "", true
}

// Timing delays extractions. Both durations are durable timers, which never drop work.
type Timing struct {
	Quiet    time.Duration `json:"quiet" from:"QuietPeriod"` // time without new messages before an extraction starts
	Cooldown time.Duration `json:"cooldown" from:"Cooldown"` // time since the last extraction of the same agent and owner
}

// Timing returns when extractions run.
func (s Settings) Timing() Timing {
	var out Timing
	s.Resolve(&out)
	return out
}

// DefaultTiming returns the documented defaults.
func DefaultTiming() Timing { return DefaultSettings().Timing() }

// With returns t with the agent's overrides.
func (t Timing) With(a AgentSettings) Timing {
	a.Override(&t)
	return t
}
