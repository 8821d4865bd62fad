package activities

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// changes returns the writes of a guarded proposal: MEMORY.md and PROFILE.md replaced on the version that the engine
// saw, the daily note appended to, or the rules' entries in it replaced. Each carries its source messages, per line
// where known.
func (p *proposing) changes(g memory.Guarded, proposal memory.Proposal, transcript []memory.Line) []memory.Change {
	var out []memory.Change
	add := func(c memory.Change, before, after string) {
		if c.Scope == "" {
			c.Scope = p.load.Scope
		}
		c.Reason = proposal.Reason
		c.Sources = memory.Sources{
			Conversation: p.load.Conversation.ID, From: p.in.From, To: p.load.To,
			Lines: evidence(proposal, before, after, transcript),
		}
		out = append(out, c)
	}
	replace := func(path string, doc memory.Document, text string) {
		if text != "" {
			add(memory.Change{Ref: memory.Ref{Path: path}, Op: memory.OpReplace, Content: text, Base: doc.Version}, doc.Content, text)
		}
	}
	replace(memory.MemoryPath, p.load.Memory, g.Memory)
	replace(memory.ProfilePath, p.load.Profile, g.Profile)
	switch {
	case g.Daily == "":
	case p.load.Noted != nil:
		was := p.load.Noted.Note
		if text, possible := p.replaced(g.Daily); possible {
			add(memory.Change{
				Ref: memory.Ref{Scope: was.Scope, Path: was.Path}, Op: memory.OpReplace, Content: text, Base: was.Version,
			}, was.Content, text)
		}
	default:
		add(memory.Change{
			Ref: memory.Ref{Path: memory.DailyNotePath(p.load.Today)}, Op: memory.OpAppend,
			Content: g.Daily, Create: "# " + p.load.Today.Format("2006-01-02") + "\n",
		}, "", g.Daily)
	}
	return out
}

// evidence returns the source messages of each written line. It uses those that the engine named, if it was shown
// them, and derives the rest from the words.
func evidence(proposal memory.Proposal, before, after string, transcript []memory.Line) []memory.LineSource {
	shown := map[int64]bool{}
	for _, line := range transcript {
		shown[line.Seq] = true
	}
	written := map[string]bool{}
	for line := range strings.Lines(after) {
		written[strings.TrimRight(line, "\r\n")] = true
	}
	known := map[string]bool{}
	var out []memory.LineSource
	for _, e := range proposal.Evidence {
		named := slices.DeleteFunc(slices.Clone(e.Messages), func(seq int64) bool { return !shown[seq] })
		if written[e.Line] && len(named) > 0 && !known[e.Line] {
			known[e.Line] = true
			out = append(out, memory.LineSource{Line: e.Line, Messages: named})
		}
	}
	for _, e := range memory.Attribute(before, after, transcript) {
		if !known[e.Line] {
			out = append(out, e)
		}
	}
	return out
}

// ReasonNoted ends a step of an extraction that had nothing to write beyond what a flush had noted.
const ReasonNoted memory.ReasonCode = "noted"

// note returns today's note as the engine sees it: without what a flush has noted of these very messages. Those are
// still news for MEMORY.md and PROFILE.md, which a flush does not write; the engine treats what the note contains as
// known.
func (p *proposing) note() string {
	noted := p.load.Noted
	if noted == nil || noted.Note.ID != p.load.Note.ID {
		return p.load.Note.Content
	}
	if rest, found := memory.ReplaceEntries(p.load.Note.Content, noted.Entries, ""); found {
		return rest
	}
	return p.load.Note.Content
}

// notedOnce removes the daily entry from a proposal about messages that a flush has noted, unless it replaces what
// rules noted.
func (p *proposing) notedOnce(g memory.Guarded) memory.Guarded {
	if p.load.Noted != nil && g.Daily != "" {
		if _, possible := p.replaced(g.Daily); !possible {
			g.Daily = ""
		}
	}
	return g
}

// replaced returns the note with a model's entry in place of the entries that rules wrote because the model did not
// answer in time. It returns false when those stay: a model wrote them, no model was asked now, the step covers only
// a part of their messages, or they were edited meanwhile.
func (p *proposing) replaced(entry string) (string, bool) {
	if !p.Paid || !p.load.Noted.Fallback {
		return "", false
	}
	return memory.ReplaceEntries(p.load.Noted.Note.Content, p.load.Noted.Entries, entry)
}

// NextRangeInput asks what to extract next for an owner.
type NextRangeInput struct {
	memory.OwnerRef
	// Conversation limits the question to one conversation and includes everything after its cursor, also what a gate
	// has held back before. Zero asks for the owner's oldest pending conversation.
	Conversation uuid.UUID `json:"conversation,omitzero"`
	// RetryOf asks for the range of a quarantined extraction.
	RetryOf uuid.UUID `json:"retryOf,omitzero"`
}

// NextRangeResult is the range, with the settings that apply to it from now on.
type NextRangeResult struct {
	Found        bool                   `json:"found"`
	Conversation uuid.UUID              `json:"conversation,omitzero"`
	From         int64                  `json:"from,omitempty"`
	To           int64                  `json:"to,omitempty"`
	Settings     memory.ExtractSettings `json:"settings,omitzero"`
	Timing       memory.Timing          `json:"timing"`
}

// ProposeInput is one step of an extraction: the messages from From on, as many as fit one transcript.
type ProposeInput struct {
	memory.OwnerRef
	Conversation uuid.UUID              `json:"conversation"`
	From         int64                  `json:"from"`
	To           int64                  `json:"to"`    // end of the whole range
	First        bool                   `json:"first"` // gates are checked once, for the whole range
	RetryOf      uuid.UUID              `json:"retryOf,omitzero"`
	Settings     memory.ExtractSettings `json:"settings"`
}

// ProposeResult determines the next step: apply a draft, continue after To, wait, or ask again with a shorter
// transcript.
type ProposeResult struct {
	Extraction uuid.UUID         `json:"extraction,omitzero"`
	To         int64             `json:"to"`       // last message of this step
	Messages   int               `json:"messages"` // in the transcript
	HasDraft   bool              `json:"hasDraft,omitempty"`
	TooLong    bool              `json:"tooLong,omitempty"`  // the model's context is too small for this transcript
	WaitUntil  time.Time         `json:"waitUntil,omitzero"` // the budget renews at this time
	Outcome    memory.Outcome    `json:"outcome,omitempty"`  // final for this step unless HasDraft
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	More       bool              `json:"more,omitempty"` // the owner has other pending messages
	Usage      memory.Usage      `json:"usage,omitzero"`
}

// ApplyInput commits a draft.
type ApplyInput struct {
	memory.OwnerRef
	Extraction uuid.UUID `json:"extraction"`
}

// ApplyResult is the outcome.
type ApplyResult struct {
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	Stale      bool              `json:"stale,omitempty"`     // the same lines were edited meanwhile: propose again
	Documents  int               `json:"documents,omitempty"` // documents changed
	More       bool              `json:"more,omitempty"`
}

// ConcludeInput ends an extraction as failed: it got no proposal in time, or none that could be applied.
type ConcludeInput struct {
	memory.OwnerRef
	Conversation uuid.UUID         `json:"conversation"`
	From         int64             `json:"from"`
	To           int64             `json:"to"`
	RetryOf      uuid.UUID         `json:"retryOf,omitzero"`
	ReasonCode   memory.ReasonCode `json:"reasonCode"`
}

// ConcludeResult identifies the record.
type ConcludeResult struct {
	Extraction uuid.UUID `json:"extraction"`
	More       bool      `json:"more,omitempty"`
}
