package wire

import (
	"strings"
	"unicode"
)

// Marks around the thoughts that open reasoning models put before their answer.
const (
	thoughtsBegin = "<think>"
	thoughtsEnd   = "</think>"
)

// WithoutThoughts removes the thoughts before an answer.
func WithoutThoughts(s string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), thoughtsBegin)
	if !ok {
		return s
	}
	_, answer, _ := strings.Cut(rest, thoughtsEnd) // nothing, if it was cut before the answer
	return strings.TrimSpace(answer)
}

// thoughtFilter is WithoutThoughts for a text that arrives in parts: the parts that it passes add up to the same text.
type thoughtFilter struct {
	text   strings.Builder // what has arrived
	passed int             // bytes of the answer
}

// pass takes the next part and returns what can be passed on.
func (f *thoughtFilter) pass(part string) string {
	f.text.WriteString(part)
	if begun := strings.TrimLeftFunc(f.text.String(), unicode.IsSpace); strings.HasPrefix(thoughtsBegin, begun) {
		return "" // it may still begin with thoughts
	}
	return f.rest()
}

// rest returns what is left to pass at the end of the text.
func (f *thoughtFilter) rest() string {
	answer := WithoutThoughts(f.text.String())
	part := answer[f.passed:]
	f.passed = len(answer)
	return part
}
