package memory

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
	MemoryEnabled  bool `json:"memoryEnabled"`  // if false, nothing is recalled or flushed
	OwnerIsolation bool `json:"ownerIsolation"` // on: PERSONAL documents per owner; off: TEAM

	MaxTokens        int     `json:"maxTokens"`        // of everything sent to a model
	CompactShare     float64 `json:"compactShare"`     // of MaxTokens, above which earlier turns are summarized
	KeepTurns        int     `json:"keepTurns"`        // number of last turns kept verbatim
	SummaryMaxTokens int     `json:"summaryMaxTokens"` // of the summary of earlier turns
	GoalMaxTokens    int     `json:"goalMaxTokens"`    // of the first user message, which is kept when its turn is summarized

	AutoInject          bool    `json:"autoInject"`          // adds recalled memory to the context automatically
	AutoInjectThreshold float64 `json:"autoInjectThreshold"` // minimum score, 0 to 1
	AutoInjectMaxTokens int     `json:"autoInjectMaxTokens"`

	// A flush begins when fewer than FlushSoftTokens are left, when more than FlushShare of the window is used, or when
	// more than FlushMessages messages or FlushBytes bytes are not flushed.
	FlushSoftTokens int           `json:"flushSoftTokens"`
	FlushShare      float64       `json:"flushShare"`
	FlushMessages   int           `json:"flushMessages"`
	FlushBytes      int           `json:"flushBytes"`
	FlushDeadline   time.Duration `json:"flushDeadline"` // for the model; the built-in engine has the same time again
	FlushPolicy     FlushPolicy   `json:"flushPolicy"`

	// SummaryDeadline bounds the calls that write one summary. After it the built-in engine writes the summary.
	SummaryDeadline time.Duration `json:"summaryDeadline"`
	MaxToolRounds   int           `json:"maxToolRounds"` // per turn
	// Paid is true if Model answers, summarizes and flushes. Otherwise rules do.
	Paid           bool          `json:"paid"`
	Model          string        `json:"model"`
	ModelTimeout   time.Duration `json:"modelTimeout"`
	ModelHeartbeat time.Duration `json:"modelHeartbeat"`
}

// DefaultWindowSettings returns the documented defaults.
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

// With returns s with the agent's overrides.
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
	Quiet    time.Duration `json:"quiet"`    // time without new messages before an extraction starts
	Cooldown time.Duration `json:"cooldown"` // time since the last extraction of the same agent and owner
}

// DefaultTiming returns the documented defaults.
func DefaultTiming() Timing { return Timing{Quiet: 20 * time.Second, Cooldown: 5 * time.Minute} }

// With returns t with the agent's overrides.
func (t Timing) With(a AgentSettings) Timing {
	if a.QuietSeconds != nil {
		t.Quiet = time.Duration(*a.QuietSeconds) * time.Second
	}
	if a.CooldownSeconds != nil {
		t.Cooldown = time.Duration(*a.CooldownSeconds) * time.Second
	}
	return t
}
