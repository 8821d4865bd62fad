package extractive

import (
	"context"
	"fmt"

	"reverie/memory"
	"reverie/memory/proposals"
)

// Flush proposes an entry for today's note, and nothing else, of everything in a transcript that is worth keeping. What the note
// says already is left out, and so are the passages with the lowest scores when there are more than one entry holds. It fails
// only when ctx is done.
func (Engine) Flush(ctx context.Context, in proposals.ExtractionInput) (proposals.Answer, error) {
	if err := ctx.Err(); err != nil {
		return proposals.Answer{}, err
	}
	return answerOf(flush(in))
}

func flush(in proposals.ExtractionInput) proposals.Proposal {
	objected := readObjections(in.Violations)
	if objected.any() { // there is nothing but the entry
		return proposals.Proposal{Reason: "the entry was refused; nothing is proposed instead"}
	}
	n := read(in, objected)
	left := n.shorten()
	entry := n.daily()
	p := proposals.Proposal{ShouldUpdate: entry != "", DailyEntry: entry}
	if entry == "" {
		p.Reason = n.reason(p)
		return p
	}
	noted := 0
	for _, e := range n.entries {
		if e.noted {
			noted++
		}
	}
	p.Reason = "quoted: " + memory.Plural(noted, "line", "lines")
	if left > 0 {
		p.Reason += fmt.Sprintf("; %d more have no room in one entry", left)
	}
	p.Evidence = n.evidence(entry)
	return p
}
