package proposals

import (
	"slices"
	"strings"
	"unicode"

	"reverie/language/claim"
	"reverie/language/sentence"
	"reverie/memory"
	"reverie/memory/grounding"
	"reverie/memory/markdown"
)

// Codes of lines that are removed from a proposal although somebody said them.
const (
	ViolationUncertain = "uncertain"  // it is a question, or said with doubt
	ViolationLowSignal = "low_signal" // it is too short to say anything
)

// minSignal is the shortest statement that says something on its own, in bytes.
const minSignal = 8

// weak returns why a new statement is not worth keeping; empty: it is. A note keeps doubts as they were said, in quotation marks; a lasting
// document does not. An answer with its question or a number may be short, and so may what depends on a statement above it.
func weak(e markdown.Entry, lasting bool) string {
	text := strings.TrimSpace(markdown.WithoutComments(e.Text))
	if strings.HasSuffix(text, ":") {
		return ""
	}
	q, quoted := claim.QuoteOf(text)
	switch {
	case !quoted && claim.WordsOf(text).Doubtful() || quoted && lasting && isDoubt(q.Words):
		return ViolationUncertain
	case quoted && q.Question == "" && len(q.Words) < minSignal && !strings.ContainsFunc(q.Words, unicode.IsDigit) && e.Parent < 0:
		return ViolationLowSignal
	case !quoted && len(text) < minSignal && e.Parent < 0 && e.Heading == "":
		return ViolationLowSignal
	}
	return ""
}

// isDoubt reports whether all sentences of a quotation are said with doubt. A question may name what is so.
func isDoubt(said string) bool {
	return !strings.ContainsAny(said, "?？؟") && !slices.ContainsFunc(sentence.Split(said), func(s string) bool { return !claim.WordsOf(s).Doubtful() })
}

// withoutWeak removes new statements that are not worth keeping, with what is nested under them. What the documents have already stays.
func withoutWeak(g *grounding.Ground, before, text string, lasting bool) (string, []Dropped) {
	gone := memory.EntrySet{}
	var dropped []Dropped
	for _, e := range memory.AddedEntries(before, text) {
		if why := weak(e, lasting); why != "" && !g.Known(e.Text) {
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
