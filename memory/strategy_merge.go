package memory

import (
	"fmt"
	"strings"
)

// StrategyError says why a text cannot be put into a document. It repeats nothing of either.
type StrategyError struct {
	Strategy Strategy
	Line     int // of the text that was handed in, from 1; 0: it is about the whole
	Problem  string
}

// Error names the strategy, the line and what to do.
func (e *StrategyError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s: line %d: %s", e.Strategy, e.Line, e.Problem)
	}
	return fmt.Sprintf("%s: %s", e.Strategy, e.Problem)
}

// Merge returns existing with incoming put into it. It has no side effects, and the same two texts give the same result
// everywhere, so that it can run under a document's lock. The error is a *StrategyError; existing is unchanged then.
//
// Line breaks follow existing: what comes in is written with "\r\n" when the first line of existing ends so, and with "\n" when
// it ends in that. Only StrategyOverwrite, and what is put beside an empty text, keep their own.
//
// Everything but append is idempotent: merging the same text once more changes nothing. (A replace_section of a text without
// headings is an append.)
func (s Strategy) Merge(existing, incoming string) (string, error) {
	switch s {
	case StrategyAppend:
		return appended(existing, incoming), nil
	case StrategySection:
		return replacedSections(existing, incoming)
	case StrategyUpsert:
		return upserted(existing, incoming)
	case StrategyOverwrite:
		return incoming, nil
	}
	return "", &StrategyError{Strategy: s, Problem: "use append, replace_section, upsert_kv or overwrite"}
}

// appended puts exactly one blank line between two texts; beside one that says nothing the other stays verbatim.
func appended(existing, incoming string) string {
	switch {
	case isBlank(incoming):
		return existing
	case isBlank(existing):
		return incoming
	}
	end := lineBreak(existing)
	return withoutBlankEnd(existing) + end + end + broken(withoutBlankStart(incoming), end)
}

// lineBreak is how the lines of a text end: as its first one does.
func lineBreak(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// broken returns text with its lines ending in end.
func broken(text, end string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if end == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", end)
}

// breakOf is how lines end that are put into a document: as its own do, or as they came when it says nothing.
func breakOf(existing, incoming string) string {
	if isBlank(existing) {
		return lineBreak(incoming)
	}
	return lineBreak(existing)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// withoutBlankEnd returns text without the blank lines at its end and without its last line break. The spaces at the end of a
// line that says something stay: two of them are a line break in Markdown.
func withoutBlankEnd(text string) string {
	for {
		cut := strings.TrimRight(strings.TrimSuffix(text, "\n"), "\r")
		last := cut[strings.LastIndexByte(cut, '\n')+1:]
		if !isBlank(last) || cut == "" {
			return cut
		}
		text = cut[:len(cut)-len(last)]
	}
}

// withoutBlankStart returns text without the blank lines in front of its first other one, whose indentation stays.
func withoutBlankStart(text string) string {
	for {
		line, rest, found := strings.Cut(text, "\n")
		if !found || !isBlank(line) {
			return text
		}
		text = rest
	}
}
