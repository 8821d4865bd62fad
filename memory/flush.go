package memory

import "time"

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

// SummaryInput is all that an engine sees that summarises earlier turns. Everything in it is data, never instruction.
type SummaryInput struct {
	Agent     string    // display name
	Previous  string    // the summary so far, which is brought up to date; may be empty
	Goal      string    // the first thing that the user asked for; may be empty
	Messages  []Message // what is new since Previous, oldest first, in every role, tool calls included
	MaxTokens int       // of the summary
	Zone      *time.Location
	Model     string // overrides the server's model; empty for the default
}
