package memory

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Outcome is how a run ended. Every run ends in one; there is no silence.
type Outcome string

const (
	// OutcomeWritten means that at least one document changed.
	OutcomeWritten Outcome = "written"
	// OutcomeNothing means that the messages were read and nothing in them was worth keeping.
	OutcomeNothing Outcome = "nothing"
	// OutcomeSkipped means that a gate closed; the messages stay in front of the cursor and count next time.
	OutcomeSkipped Outcome = "skipped"
	// OutcomeQuarantined means that the proposal was refused; it is kept with the reason and can be retried.
	OutcomeQuarantined Outcome = "quarantined"
	// OutcomeFailed means that no proposal could be had (for example the model's key was refused); the messages stay in front of the cursor.
	OutcomeFailed Outcome = "failed"
	// OutcomeWaiting means that the run goes on by itself later, for the recorded reason (a budget, a provider that is down).
	OutcomeWaiting Outcome = "waiting"
	// OutcomeRunning means that the run has begun and has not ended.
	OutcomeRunning Outcome = "running"
)

// ReasonCode says why, in one stable word that a program can compare.
type ReasonCode string

// Gates, in the order in which they are tried.
const (
	GateMemoryOff      ReasonCode = "memory_off"
	GateTeamMember     ReasonCode = "team_member" // the agent has a leader
	GateSource         ReasonCode = "source"      // cron or dream
	GateFewMessages    ReasonCode = "few_messages"
	GateShortMessage   ReasonCode = "short_message"
	GateAbnormalFinish ReasonCode = "abnormal_finish"
)

// Tells ranks outcomes: of a run with several steps, the outcome that tells most is reported.
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

// GateInput is what decides whether a range of messages is extracted from.
type GateInput struct {
	Settings             ExtractSettings
	Trigger              Trigger
	ConversationMessages int       // user and assistant messages of the conversation up to the end of the range
	Pending              []Message // of the range, oldest first
}

// normalFinish are the finish reasons of an answer that ended as it was meant to, as the providers and agent frameworks
// say them, without case and separators. A turn that ends with a tool's result ends with a call of it; that counts as
// normal, since whoever reported the turn as complete waits for nothing more. All others (length, max_tokens,
// content_filter, safety, refusal, error, cancelled, …) leave an answer that is not what was meant, and the turn waits in
// front of the cursor for a better one.
var normalFinish = map[string]bool{
	"": true, "stop": true, "endturn": true, "stopsequence": true, "eos": true, "eostoken": true, "complete": true, "completed": true,
	"normal": true, "returndirect": true, "toolcalls": true, "tooluse": true, "functioncall": true,
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

func endedNormally(finish string) bool {
	return normalFinish[separators.Replace(strings.ToLower(finish))]
}

// Gate tries the gates in their order and returns the first that is closed; true means that all are open. The last message
// of the user counts in characters without the space around it; a range without one is closed by it.
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

// Timing is when an extraction runs: both are durable timers that delay work and never drop it.
type Timing struct {
	Quiet    time.Duration `json:"quiet"`    // nothing new for this long
	Cooldown time.Duration `json:"cooldown"` // since the last extraction of the same agent and owner
}

// DefaultTiming is the documented default.
func DefaultTiming() Timing { return Timing{Quiet: 20 * time.Second, Cooldown: 5 * time.Minute} }

// With returns t with everything that a sets.
func (t Timing) With(a AgentSettings) Timing {
	if a.QuietSeconds != nil {
		t.Quiet = time.Duration(*a.QuietSeconds) * time.Second
	}
	if a.CooldownSeconds != nil {
		t.Cooldown = time.Duration(*a.CooldownSeconds) * time.Second
	}
	return t
}
