package memory

import "time"

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
	MemoryEnabled  bool `json:"memoryEnabled" from:"MemoryEnabled"`   // without it nothing is recalled and nothing flushed
	OwnerIsolation bool `json:"ownerIsolation" from:"OwnerIsolation"` // on: PERSONAL documents per owner; off: TEAM

	MaxTokens        int     `json:"maxTokens" from:"WindowMaxTokens"`               // of everything that a model is sent
	CompactShare     float64 `json:"compactShare" from:"WindowCompactShare"`         // of MaxTokens, above which earlier turns are summarised
	KeepTurns        int     `json:"keepTurns" from:"WindowKeepTurns"`               // last turns that stay verbatim
	SummaryMaxTokens int     `json:"summaryMaxTokens" from:"WindowSummaryMaxTokens"` // of the summary of earlier turns
	GoalMaxTokens    int     `json:"goalMaxTokens" from:"WindowGoalMaxTokens"`       // of the first user message, which stays when its turn is summarised

	AutoInject          bool    `json:"autoInject" from:"AutoInject"`                   // recalled memory goes into the context by itself
	AutoInjectThreshold float64 `json:"autoInjectThreshold" from:"AutoInjectThreshold"` // least score, 0 to 1
	AutoInjectMaxTokens int     `json:"autoInjectMaxTokens" from:"AutoInjectMaxTokens"`

	// A flush begins when the room that is left falls below FlushSoftTokens, when more than FlushShare of the window is used,
	// or when more than FlushMessages messages or FlushBytes bytes of them have not been flushed.
	FlushSoftTokens int           `json:"flushSoftTokens" from:"FlushSoftTokens"`
	FlushShare      float64       `json:"flushShare" from:"FlushShare"`
	FlushMessages   int           `json:"flushMessages" from:"FlushMessages"`
	FlushBytes      int           `json:"flushBytes" from:"FlushBytes"`
	FlushDeadline   time.Duration `json:"flushDeadline" from:"FlushDeadline"` // for the model; for the built-in engine the same again
	FlushPolicy     FlushPolicy   `json:"flushPolicy" from:"FlushPolicy"`

	// SummaryDeadline bounds the calls that write one summary. After it the built-in engine writes one.
	SummaryDeadline time.Duration `json:"summaryDeadline" from:"WindowSummaryDeadline"`
	MaxToolRounds   int           `json:"maxToolRounds" from:"ChatMaxToolRounds"` // of one turn
	// Model answers, summarises and flushes; without one (Paid false) rules do.
	Paid           bool          `json:"paid"`
	Model          string        `json:"model" from:"LLMModel"`
	ModelTimeout   time.Duration `json:"modelTimeout" from:"LLMTimeout"`
	ModelHeartbeat time.Duration `json:"modelHeartbeat" from:"LLMHeartbeat"`
}

// Window returns the settings of context windows.
func (s Settings) Window() WindowSettings {
	var out WindowSettings
	s.Resolve(&out)
	return out
}

// DefaultWindowSettings returns the documented defaults.
func DefaultWindowSettings() WindowSettings { return DefaultSettings().Window() }

// With returns s with the values that a sets.
func (s WindowSettings) With(a AgentSettings) WindowSettings {
	a.Override(&s)
	return s
}
