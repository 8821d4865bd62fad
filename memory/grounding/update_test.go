package grounding

import (
	"fmt"
	"testing"
	"time"

	"reverie/memory/transcripts"
)

// TestDocumentsAreBroughtUpToDate checks lines that repeat a line of a document with another number, which a message has.
func TestDocumentsAreBroughtUpToDate(t *testing.T) {
	at := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ document, said, line string }{
		{"- The budget is 4200 euros.", "We make it 4800.", "- The budget is 4800 euros."},
		{"- talk-002/1 matters.", "This is [talk-002/3], and please remember that it is the label of box 3.", "- talk-002/3 matters."},
	} {
		g := New(Evidence{Day: at, Documents: []string{c.document}, Transcript: []transcripts.Line{{Seq: 1, Role: "user", Text: c.said, At: at}}})
		if faults := g.Check(c.line); len(faults) > 0 {
			t.Errorf("%s: %s", c.line, fmt.Sprint(faults))
		}
		if faults := g.Check("- The budget is 5900 euros."); len(faults) == 0 {
			t.Error("a number that nobody said passes")
		}
	}
}
