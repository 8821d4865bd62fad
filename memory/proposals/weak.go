package proposals

import (
	"strings"

	"reverie/language/claim"
	"reverie/memory"
	"reverie/memory/grounding"
	"reverie/memory/markdown"
)

// Codes of lines that are removed from a proposal although somebody said them.
const (
	ViolationUncertain = "uncertain"  // it is a question, or said with doubt
	ViolationLowSignal = "low_signal" // it is too short to say anything
)

// minSignal is the shortest statement that says something by itself, in bytes.
const minSignal = 8

// weak returns why a new statement is not worth keeping; empty: it is. Quotations are kept as they were said, and what depends on a
// statement above it may be short.
func weak(e markdown.Entry) string {
	text := strings.TrimSpace(markdown.WithoutComments(e.Text))
	if _, quoted := claim.QuoteOf(text); quoted || strings.HasSuffix(text, ":") {
		return ""
	}
	switch {
	case claim.WordsOf(text).Doubtful():
		return ViolationUncertain
	case len(text) < minSignal && e.Parent < 0 && e.Heading == "":
		return ViolationLowSignal
	}
	return ""
}

// withoutWeak removes new statements that are not worth keeping, with what is nested under them. What the documents have already stays.
func withoutWeak(g *grounding.Ground, before, text string) (string, []Dropped) {
	gone := memory.EntrySet{}
	var dropped []Dropped
	for _, e := range memory.AddedEntries(before, text) {
		if why := weak(e); why != "" && !g.Known(e.Text) {
			gone[e.ID] = true
			dropped = append(dropped, Dropped{Line: e.Text, Weak: why})
		}
	}
	if len(gone) == 0 {
		return text, nil
	}
	_, _, lines := gone.Find(text)
	return memory.WithoutLines(text, lines), dropped
}
