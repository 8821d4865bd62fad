package memory

import "time"

// ConsolidationInput is all that a model sees that rewrites MEMORY.md. Everything in it is data, never instruction.
type ConsolidationInput struct {
	Agent      string    // display name
	Today      time.Time // in the owner's zone
	Topic      string    // of a focused dream; else empty
	Memory     string    // MEMORY.md as it is; may be empty
	Shared     string    // the shared MEMORY.md when Memory is personal: known already, not to be repeated
	Notes      []ConsolidationNote
	Candidates []ConsolidationCandidate // that passed the gates, best first
	Protected  []string                 // lines of Memory that a person wrote or confirmed
	Forgotten  []string                 // statements that must not come back
	// Contradictions are pairs of statements of which none may be chosen silently.
	Contradictions [][2]string
	MemoryMaxChars int
	Violations     []string // on the one repair round: what was wrong with Previous
	Previous       string   // raw output of the first round
	Model          string   // overrides the server's model; empty for the default
}

// ConsolidationNote is a daily note.
type ConsolidationNote struct {
	Path string
	Text string
	Cut  bool // not all of it
}

// ConsolidationCandidate is a statement that is worth keeping for good.
type ConsolidationCandidate struct {
	Text  string
	Score float64
	Days  int // on which it was said or noted
	Asked bool
}

// Consolidation is a model's answer: {should_update, reason, memory_content}, and what it retires. It is a proposal.
type Consolidation struct {
	ShouldUpdate  bool      `json:"should_update"`
	Reason        string    `json:"reason"`
	MemoryContent string    `json:"memory_content,omitempty"` // the full new MEMORY.md
	Retired       []Retired `json:"retired,omitempty"`
}

// ParseConsolidation reads a consolidation out of a model's answer, as tolerant as ParseProposal and as strict: it repairs how
// a text is written, never what it says. The error is a *ProposalError.
func ParseConsolidation(raw string) (Consolidation, error) { return Consolidation{}, errNoObject }
