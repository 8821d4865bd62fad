package memory

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

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
//
// An answer that wants an update without saying what MEMORY.md is to be is refused: nobody can tell whether its text was lost
// or the file was to be emptied.
func ParseConsolidation(raw string) (Consolidation, error) {
	if len(raw) > MaxAnswerBytes {
		return Consolidation{}, errTooBig
	}
	fields, err := consolidationForm.find(unwrapped(raw))
	if err != nil {
		return Consolidation{}, err
	}
	return fields.consolidation()
}

var consolidationForm = formOf("should_update", "reason", "memory_content", "retired")

// consolidation decodes the fields of the contract; others are ignored.
func (o object) consolidation() (Consolidation, error) {
	var (
		c   Consolidation
		err error
	)
	if c.ShouldUpdate, err = o.yesNo("should_update"); err != nil {
		return Consolidation{}, err
	}
	if c.Reason, err = o.text("reason"); err != nil {
		return Consolidation{}, err
	}
	if c.MemoryContent, err = o.text("memory_content"); err != nil {
		return Consolidation{}, err
	}
	if c.Retired, err = o.retired(); err != nil {
		return Consolidation{}, err
	}
	switch {
	case !c.ShouldUpdate:
		return Consolidation{Reason: c.Reason}, nil
	case strings.TrimSpace(c.MemoryContent) == "":
		return Consolidation{}, errNoContent
	}
	return c, nil
}

var errNoContent = unreadable("should_update is true and memory_content is empty: give the full new text of MEMORY.md, or answer with should_update false")

// consolidationContract is what a model is asked for: Consolidation with every field required.
type consolidationContract struct {
	ShouldUpdate  bool             `json:"should_update" jsonschema:"whether MEMORY.md changes"`
	Reason        string           `json:"reason" jsonschema:"one sentence: why MEMORY.md changes, or why not"`
	MemoryContent string           `json:"memory_content" jsonschema:"the full new text of MEMORY.md; empty when it stays as it is"`
	Retired       []retireContract `json:"retired" jsonschema:"lines written by a person that no longer hold and are left out of the full text above; usually empty"`
}

type retireContract struct {
	Line   string `json:"line" jsonschema:"the line, exactly as it stands"`
	Reason string `json:"reason" jsonschema:"what the notes say that ends it"`
}

var consolidationSchema = strictSchema[consolidationContract]()

// ConsolidationSchema is the JSON schema of the answer that a model is asked for, strict: every field is required and no other
// one is allowed. ParseConsolidation accepts more than it.
func ConsolidationSchema() json.RawMessage { return bytes.Clone(consolidationSchema) }
