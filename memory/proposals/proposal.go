// Package proposals reads the answers of engines, repairs their syntax, and checks them before anything is written.
package proposals

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"reverie/memory"
	"reverie/memory/transcripts"

	"github.com/google/jsonschema-go/jsonschema"
)

// ExtractionInput is everything that an engine sees for one extraction. All of it is data, never instruction.
type ExtractionInput struct {
	Agent      string             // display name
	Today      time.Time          // now, in the owner's time zone
	Profile    string             // current PROFILE.md of the target scope; may be empty
	Memory     string             // current MEMORY.md of the target scope; may be empty
	Shared     string             // shared MEMORY.md if the target is PERSONAL: already known, not to be repeated; may be empty
	Note       string             // tail of today's note; may be empty
	Transcript []transcripts.Line // oldest first
	// Before are messages of the conversation before Transcript, oldest first. Nothing is proposed from them: they show how Transcript is
	// meant. May be empty.
	Before []transcripts.Line
	// Protected lists the lines of Profile and Memory that a person wrote or edited. They survive unless retired by name.
	Protected []string
	// Newer lists the lines of Profile and Memory that were said after Transcript, of old messages. It neither replaces nor retires them.
	Newer           []string
	ProfileMaxChars int // limit of PROFILE.md, in characters
	MemoryMaxChars  int // limit of MEMORY.md, in characters
	// Disagreements are pairs of shown statements that cannot both hold, and of which nobody has chosen one.
	Disagreements [][2]string
	// Violations lists, in the one repair round, what was wrong with Previous.
	Violations []string
	Previous   string // raw output of the first round
	Model      string // overrides the server's model; empty for the default
}

// Answer is the raw output of an engine.
type Answer struct {
	Raw           string // JSON of a Proposal, possibly malformed or surrounded by fences and prose
	Model         string // "provider/model" or "builtin/extractive"
	PromptVersion string
	Usage         memory.Usage
}

// Proposal is the answer of an extraction. Nothing of it is written before it has passed Guard.
type Proposal struct {
	ShouldUpdate  bool      `json:"should_update"`
	Reason        string    `json:"reason"`
	DailyEntry    string    `json:"daily_entry,omitempty"`    // Markdown appended to today's note
	MemoryUpdate  string    `json:"memory_update,omitempty"`  // the full new MEMORY.md
	ProfileUpdate string    `json:"profile_update,omitempty"` // the full new PROFILE.md
	Retired       []Retired `json:"retired,omitempty"`
	// Evidence links lines to messages. The built-in engine fills it; for other engines Attribute derives it.
	Evidence []memory.LineSource `json:"evidence,omitempty"`
}

// Retired names one line written by a person that no longer holds, with the reason for removing it.
type Retired struct {
	Line   string `json:"line"`
	Reason string `json:"reason"`
}

var proposalForm = formOf("should_update", "reason", "daily_entry", "memory_update", "profile_update", "retired", "evidence")

// ParseProposal reads a proposal from an engine's answer.
//
// It tolerates what models add around JSON (fences, prose, thinking, an enclosing string, array or object) and common
// mistakes within it (Python literals, single quotes, raw line breaks, trailing or missing commas).
//
// It repairs syntax, never content. MEMORY.md and PROFILE.md are replaced as a whole, so an answer that was cut off, or
// whose repair would lose or move words, is an error and not a shorter document. The error is a *Error.
func ParseProposal(raw string) (Proposal, error) {
	fields, err := proposalForm.parse(raw)
	if err != nil {
		return Proposal{}, err
	}
	return fields.proposal()
}

// proposal decodes the known fields and ignores all others.
func (o object) proposal() (Proposal, error) {
	var (
		p   Proposal
		err error
	)
	if p.ShouldUpdate, err = o.yesNo("should_update"); err != nil {
		return Proposal{}, err
	}
	if err := o.texts(map[string]*string{
		"reason": &p.Reason, "daily_entry": &p.DailyEntry, "memory_update": &p.MemoryUpdate, "profile_update": &p.ProfileUpdate,
	}); err != nil {
		return Proposal{}, err
	}
	if p.Retired, err = o.retired(); err != nil {
		return Proposal{}, err
	}
	if p.Evidence, err = o.evidence(); err != nil {
		return Proposal{}, err
	}
	if !p.ShouldUpdate {
		return Proposal{Reason: p.Reason}, nil
	}
	return p, nil
}

func (o object) retired() ([]Retired, error) {
	list, err := o.list("retired")
	if err != nil {
		return nil, err
	}
	var out []Retired
	for i, item := range list {
		var fields object
		if json.Unmarshal(item, &fields) != nil || fields == nil {
			return nil, unreadable(`retired[%d] must be an object such as {"line": "…", "reason": "…"}, not %s`, i, kindOf(item))
		}
		var r Retired
		if err := fields.texts(map[string]*string{"line": &r.Line, "reason": &r.Reason}); err != nil {
			return nil, unreadable("in retired[%d], %s", i, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (o object) evidence() ([]memory.LineSource, error) {
	list, err := o.list("evidence")
	if err != nil {
		return nil, err
	}
	var out []memory.LineSource
	for i, item := range list {
		var source memory.LineSource
		if json.Unmarshal(item, &source) != nil {
			return nil, unreadable(`evidence[%d] must be an object such as {"line": "…", "messages": [1, 2]}`, i)
		}
		if source.Line != "" && len(source.Messages) > 0 {
			slices.Sort(source.Messages)
			source.Messages = slices.Compact(source.Messages)
			out = append(out, source)
		}
	}
	return out, nil
}

// NoReply is the answer of an engine that stores nothing, instead of an object or an entry.
const NoReply = "NO_REPLY"

// flushForm also accepts the answer of an extraction. Fields about other documents are ignored.
var flushForm = formOf("should_update", "reason", "daily_entry")

// ParseFlush reads the answer of a flush, {should_update, reason, daily_entry}, as tolerantly as ParseProposal.
//
// It keeps only the entry for today's note and its evidence. should_update false, an empty entry, or NoReply alone mean
// that nothing is stored. The error is a *Error.
func ParseFlush(raw string) (Proposal, error) {
	if len(raw) <= maxAnswerBytes && isNoReply(unwrapped(raw)) {
		return Proposal{}, nil
	}
	fields, err := flushForm.parse(raw)
	if err != nil {
		return Proposal{}, err
	}
	all, err := fields.proposal()
	switch {
	case err != nil:
		return Proposal{}, err
	case strings.TrimSpace(all.DailyEntry) == "" || isNoReply(all.DailyEntry):
		return Proposal{Reason: all.Reason}, nil
	}
	return Proposal{ShouldUpdate: all.ShouldUpdate, Reason: all.Reason, DailyEntry: all.DailyEntry, Evidence: all.Evidence}, nil
}

// isNoReply reports whether a text is NoReply, with nothing but punctuation around it.
func isNoReply(text string) bool {
	return strings.EqualFold(strings.Trim(text, " \t\r\n`*\"'.()[]"), NoReply)
}

// ConsolidationInput is everything that a model sees when it rewrites MEMORY.md. All of it is data, never instruction.
type ConsolidationInput struct {
	Agent      string    // display name
	Today      time.Time // in the owner's time zone
	Topic      string    // of a focused dream; otherwise empty
	Memory     string    // current MEMORY.md; may be empty
	Shared     string    // shared MEMORY.md if Memory is personal: already known, not to be repeated
	Notes      []ConsolidationNote
	Candidates []ConsolidationCandidate // that passed the thresholds, best first
	Protected  []string                 // lines of Memory that a person wrote or confirmed
	Forgotten  []string                 // statements that must not come back
	// Contradictions are pairs of statements. Neither side may be chosen silently.
	Contradictions [][2]string
	MemoryMaxChars int
	Violations     []string // in the one repair round: what was wrong with Previous
	Previous       string   // raw output of the first round
	Model          string   // overrides the server's model; empty for the default
}

// ConsolidationNote is a daily note.
type ConsolidationNote struct {
	Path string
	Text string
	Cut  bool // Text is only a part of the note
}

// ConsolidationCandidate is a statement worth keeping permanently.
type ConsolidationCandidate struct {
	Text  string
	Score float64
	Days  int // number of days on which it was said or noted
	Asked bool
}

// Consolidation is the answer of a model that rewrites MEMORY.md. Nothing of it is written before it has passed
// GuardReplacement.
type Consolidation struct {
	ShouldUpdate  bool      `json:"should_update"`
	Reason        string    `json:"reason"`
	MemoryContent string    `json:"memory_content,omitempty"` // the full new MEMORY.md
	Retired       []Retired `json:"retired,omitempty"`
}

var consolidationForm = formOf("should_update", "reason", "memory_content", "retired")

// ParseConsolidation reads a consolidation from a model's answer, as tolerantly as ParseProposal. The error is a
// *Error.
//
// An answer with should_update true and without content is refused: the text may have been lost.
func ParseConsolidation(raw string) (Consolidation, error) {
	fields, err := consolidationForm.parse(raw)
	if err != nil {
		return Consolidation{}, err
	}
	return fields.consolidation()
}

// consolidation decodes the known fields and ignores all others.
func (o object) consolidation() (Consolidation, error) {
	var (
		c   Consolidation
		err error
	)
	if c.ShouldUpdate, err = o.yesNo("should_update"); err != nil {
		return Consolidation{}, err
	}
	if err := o.texts(map[string]*string{"reason": &c.Reason, "memory_content": &c.MemoryContent}); err != nil {
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

var errNoContent = unreadable("should_update is true but memory_content is empty: " +
	"give the full new text of MEMORY.md, or set should_update to false")

// The contracts are the schemas of the answers that models are asked for. Every field is required, because providers with
// strict schemas have no optional ones. Evidence is left out: it is derived.
type (
	proposalContract struct {
		ShouldUpdate  bool            `json:"should_update" jsonschema:"whether anything new and durable was said"`
		Reason        string          `json:"reason" jsonschema:"one sentence: why memory is updated, or why not"`
		DailyEntry    string          `json:"daily_entry" jsonschema:"Markdown to append to today's note; empty for nothing"`
		MemoryUpdate  string          `json:"memory_update" jsonschema:"the full new text of MEMORY.md; empty to leave it as it is"`
		ProfileUpdate string          `json:"profile_update" jsonschema:"the full new text of PROFILE.md; empty to leave it as it is"`
		Retired       []retiredInTalk `json:"retired" jsonschema:"lines written by a person that no longer hold and are left out of a full text above; usually empty"`
	}
	retiredInTalk struct {
		Line   string `json:"line" jsonschema:"the line, exactly as it stands"`
		Reason string `json:"reason" jsonschema:"what the conversation says that ends it"`
	}

	flushContract struct {
		ShouldUpdate bool   `json:"should_update" jsonschema:"whether anything worth keeping was said that no file and no note says"`
		Reason       string `json:"reason" jsonschema:"one sentence: what is kept, or why nothing is"`
		DailyEntry   string `json:"daily_entry" jsonschema:"Markdown to append to today's note; empty for nothing"`
	}

	consolidationContract struct {
		ShouldUpdate  bool             `json:"should_update" jsonschema:"whether MEMORY.md changes"`
		Reason        string           `json:"reason" jsonschema:"one sentence: why MEMORY.md changes, or why not"`
		MemoryContent string           `json:"memory_content" jsonschema:"the full new text of MEMORY.md; empty when it stays as it is"`
		Retired       []retiredInNotes `json:"retired" jsonschema:"lines written by a person that no longer hold and are left out of the full text above; usually empty"`
	}
	retiredInNotes struct {
		Line   string `json:"line" jsonschema:"the line, exactly as it stands"`
		Reason string `json:"reason" jsonschema:"what the notes say that ends it"`
	}
)

var (
	proposalSchema      = strictSchema[proposalContract]()
	flushSchema         = strictSchema[flushContract]()
	consolidationSchema = strictSchema[consolidationContract]()
)

// ProposalSchema returns the strict JSON schema of an extraction's answer. ParseProposal accepts more than it.
func ProposalSchema() json.RawMessage { return bytes.Clone(proposalSchema) }

// FlushSchema returns the strict JSON schema of a flush's answer. ParseFlush accepts more than it.
func FlushSchema() json.RawMessage { return bytes.Clone(flushSchema) }

// ConsolidationSchema returns the strict JSON schema of a consolidation's answer. ParseConsolidation accepts more than it.
func ConsolidationSchema() json.RawMessage { return bytes.Clone(consolidationSchema) }

// strictSchema returns the JSON schema of a contract.
func strictSchema[T any]() json.RawMessage {
	schema, err := jsonschema.For[T](nil)
	if err == nil {
		if list := schema.Properties["retired"]; list != nil {
			list.Type, list.Types = "array", nil // a slice is inferred as array or null
		}
		var out []byte
		if out, err = json.Marshal(schema); err == nil {
			return out
		}
	}
	panic(fmt.Sprintf("schema of %T: %v", *new(T), err))
}
