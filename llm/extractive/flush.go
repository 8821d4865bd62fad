package extractive

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"reverie/memory/proposals"
)

// Flush proposes an entry for today's note, and nothing else, of all that is worth keeping of a transcript: what Propose would
// write into MEMORY.md and PROFILE.md as well. What the files and the note say already is left out, and so are, when there is
// more than an entry holds, the things that matter for the day only, and then the oldest. It fails only when ctx is done.
func (Engine) Flush(ctx context.Context, in proposals.ExtractionInput) (proposals.Answer, error) {
	if err := ctx.Err(); err != nil {
		return proposals.Answer{}, err
	}
	p := flush(in)
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return proposals.Answer{}, fmt.Errorf("encode the entry: %w", err)
	}
	return proposals.Answer{Raw: string(bytes.TrimSpace(raw.Bytes())), Model: Model, PromptVersion: RulesVersion}, nil
}

func flush(in proposals.ExtractionInput) proposals.Proposal {
	objected := readObjections(in.Violations)
	if objected.any() { // there is nothing but the entry
		return proposals.Proposal{Reason: "the entry was refused; nothing is proposed instead"}
	}
	said, _ := repaired(listen(in))
	n := newNotebook(in, objected)
	for _, s := range n.settle(said) {
		n.take(s)
	}
	left := n.shorten()
	entry := n.daily()
	p := proposals.Proposal{ShouldUpdate: entry != "", DailyEntry: entry}
	switch {
	case entry == "":
		p.Reason = n.reason(p)
	case left > 0:
		p.Reason = fmt.Sprintf("by rules: %d lines; %d more have no room in one entry", n.lines(), left)
	default:
		p.Reason = fmt.Sprintf("by rules: %d lines", n.lines())
	}
	if p.ShouldUpdate {
		p.Evidence = n.evidence(entry)
	}
	return p
}

// noted reports whether an entry becomes a line of the daily entry.
func (n *notebook) noted(e *entry) bool { return !e.gone && !covered(n.note, e.terms) }

// lines counts the lines of the daily entry.
func (n *notebook) lines() int {
	count := 0
	for _, e := range n.entries {
		if n.noted(e) {
			count++
		}
	}
	return count
}

// shorten leaves out lines until the others have room in a daily entry, and tells how many: first what matters for the day only,
// the oldest first, then the oldest of the rest.
func (n *notebook) shorten() (left int) {
	size := 0
	for _, e := range n.entries {
		if n.noted(e) {
			size += lineSize(e)
		}
	}
	for _, dayOnly := range []bool{true, false} {
		for _, e := range n.entries {
			if size <= maxDaily {
				return left
			}
			if n.noted(e) && (e.place == noteOnly || !dayOnly) {
				e.gone = true
				size -= lineSize(e)
				left++
			}
		}
	}
	return left
}

// lineSize returns the number of characters of a line in a daily entry, with its marker and line break.
func lineSize(e *entry) int { return utf8.RuneCountInString(e.text) + 3 }
