package setting

import (
	"time"
)

// FlushPolicy decides what happens if the model has not flushed a range of messages before the deadline.
type FlushPolicy string

// Flush policies.
const (
	// FlushFallback lets the built-in engine flush the range, with its own deadline. The ordinary extraction of the same
	// messages later replaces what the rules noted.
	FlushFallback FlushPolicy = "fallback"
	// FlushWait keeps asking the model. The messages stay in the window until it has answered.
	FlushWait FlushPolicy = "wait"
)

// Valid reports whether p is a known policy.
func (p FlushPolicy) Valid() bool { return p == FlushFallback || p == FlushWait }

// WindowSettings are the resolved settings of a context window: its size, its contents, and when messages are flushed.
type WindowSettings struct {
	MemoryEnabled  bool `json:"memoryEnabled" from:"MemoryEnabled"`   // if false, nothing is recalled or flushed
	OwnerIsolation bool `json:"ownerIsolation" from:"OwnerIsolation"` // on: PERSONAL documents per owner; off: TEAM

	MaxTokens        int     `json:"maxTokens" from:"WindowMaxTokens"`               // of everything sent to a model
	CompactShare     float64 `json:"compactShare" from:"WindowCompactShare"`         // of MaxTokens, above which earlier turns are summarized
	KeepTurns        int     `json:"keepTurns" from:"WindowKeepTurns"`               // number of last turns kept verbatim
	SummaryMaxTokens int     `json:"summaryMaxTokens" from:"WindowSummaryMaxTokens"` // of the summary of earlier turns
	GoalMaxTokens    int     `json:"goalMaxTokens" from:"WindowGoalMaxTokens"`       // of the first user message, kept after its turn

	AutoInject          bool    `json:"autoInject" from:"AutoInject"`                   // adds recalled memory to the context automatically
	AutoInjectThreshold float64 `json:"autoInjectThreshold" from:"AutoInjectThreshold"` // minimum score, 0 to 1
	AutoInjectMaxTokens int     `json:"autoInjectMaxTokens" from:"AutoInjectMaxTokens"`
	InjectShares

	ProviderMaxTokens int `json:"providerMaxTokens" from:"ProviderMaxTokens"` // of what other programs recall

	// A flush begins when fewer than FlushSoftTokens are left, when more than FlushShare of the window is used, or when
	// more than FlushMessages messages or FlushBytes bytes are not flushed.
	FlushSoftTokens int           `json:"flushSoftTokens" from:"FlushSoftTokens"`
	FlushShare      float64       `json:"flushShare" from:"FlushShare"`
	FlushMessages   int           `json:"flushMessages" from:"FlushMessages"`
	FlushBytes      int           `json:"flushBytes" from:"FlushBytes"`
	FlushDeadline   time.Duration `json:"flushDeadline" from:"FlushDeadline"` // for the model; the built-in engine has the same time again
	FlushPolicy     FlushPolicy   `json:"flushPolicy" from:"FlushPolicy"`

	// SummaryDeadline bounds the calls that write one summary. After it the built-in engine writes the summary.
	SummaryDeadline time.Duration `json:"summaryDeadline" from:"WindowSummaryDeadline"`
	MaxToolRounds   int           `json:"maxToolRounds" from:"ChatMaxToolRounds"` // per turn
	// Paid is true if Model answers, summarizes and flushes. Otherwise rules do.
	Paid           bool          `json:"paid"`
	Model          string        `json:"model" from:"LLMModel"`
	ModelTimeout   time.Duration `json:"modelTimeout" from:"LLMTimeout"`
	ModelHeartbeat time.Duration `json:"modelHeartbeat" from:"LLMHeartbeat"`
}

// InjectShares are the shares of AutoInjectMaxTokens, 0 to 1 together, for memory that does not depend on the message.
type InjectShares struct {
	Identity float64 `json:"injectIdentityShare" from:"InjectIdentityShare"` // facts about the person
	Trusted  float64 `json:"injectTrustedShare" from:"InjectTrustedShare"`   // the most trusted facts
}

// rounding is the difference from 1 of a sum of decimal fractions in binary.
const rounding = 1e-9

// TooLarge reports whether the shares are more than all tokens together.
func (s InjectShares) TooLarge() bool { return s.Identity+s.Trusted > 1+rounding }

// Window returns the settings of context windows.
func (s Settings) Window() WindowSettings {
	var out WindowSettings
	s.Resolve(&out)
	return out
}

// DefaultWindowSettings returns the documented defaults.
func DefaultWindowSettings() WindowSettings { return DefaultSettings().Window() }

// With returns s with the agent's overrides.
func (s WindowSettings) With(a AgentSettings) WindowSettings {
	a.Override(&s)
	return s
}

// FlushSettings are the resolved settings of one flush. They are part of the workflow's input, so that a retry uses the
// same values.
type FlushSettings struct {
	Extract  ExtractSettings `json:"extract"`
	Paid     bool            `json:"paid"`     // ask a model; otherwise use rules
	Deadline time.Duration   `json:"deadline"` // for the model, after which Policy applies
	Policy   FlushPolicy     `json:"policy"`
}

// Flush returns the settings of a flush of this window. e are the agent's extraction settings.
func (s WindowSettings) Flush(e ExtractSettings) FlushSettings {
	return FlushSettings{Extract: e, Paid: s.Paid, Deadline: s.FlushDeadline, Policy: s.FlushPolicy}
}

// CompactSettings are the resolved settings of one compaction.
type CompactSettings struct {
	Flush            FlushSettings `json:"flush"`
	Window           int           `json:"window"` // MaxTokens of the window
	SummaryMaxTokens int           `json:"summaryMaxTokens"`
	SummaryDeadline  time.Duration `json:"summaryDeadline"`
	Paid             bool          `json:"paid"` // a model writes the summary; otherwise rules do. Off in an emergency.
	Model            string        `json:"model"`
	ModelTimeout     time.Duration `json:"modelTimeout"`
	ModelHeartbeat   time.Duration `json:"modelHeartbeat"`
}

// Compact returns the settings of a compaction of this window. e are the agent's extraction settings.
func (s WindowSettings) Compact(e ExtractSettings) CompactSettings {
	return CompactSettings{
		Flush: s.Flush(e), Window: s.MaxTokens, SummaryMaxTokens: s.SummaryMaxTokens, SummaryDeadline: s.SummaryDeadline,
		Paid: s.Paid, Model: s.Model, ModelTimeout: s.ModelTimeout, ModelHeartbeat: s.ModelHeartbeat,
	}
}

// Timing delays extractions. Both durations are durable timers, which never drop work.
type Timing struct {
	Quiet    time.Duration `json:"quiet" from:"QuietPeriod"` // time without new messages before an extraction starts
	Cooldown time.Duration `json:"cooldown" from:"Cooldown"` // time since the last extraction of the same agent and owner
}

// Timing returns the delays of extractions.
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
