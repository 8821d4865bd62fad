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
	if _, answer, closed := strings.Cut(rest, thoughtsEnd); closed {
		return strings.TrimSpace(answer)
	}
	return "" // cut before the answer
}

// thoughtFilter is WithoutThoughts for a text that arrives in parts: the parts that it passes add up to the same text.
type thoughtFilter struct {
	state thoughtState
	held  string // not passed yet
}

type thoughtState int

const (
	beginning thoughtState = iota // it may still begin with thoughts
	thinking                      // in them
	closing                       // after them, before the first word of the answer
	answering                     // in the answer; white space at the end is held back
	verbatim                      // there are none
)

// pass takes the next part and returns what can be passed on.
func (f *thoughtFilter) pass(part string) string {
	if f.state == verbatim {
		return part
	}
	f.held += part
	if f.state == beginning {
		begun := strings.TrimLeftFunc(f.held, unicode.IsSpace)
		switch {
		case strings.HasPrefix(begun, thoughtsBegin):
			f.state, f.held = thinking, begun[len(thoughtsBegin):]
		case strings.HasPrefix(thoughtsBegin, begun): // too short to decide
			return ""
		default:
			f.state = verbatim
			return f.rest()
		}
	}
	if f.state == thinking {
		_, answer, closed := strings.Cut(f.held, thoughtsEnd)
		if !closed {
			f.held = f.held[max(0, len(f.held)-len(thoughtsEnd)):] // the mark may have come in halves
			return ""
		}
		f.state, f.held = closing, answer
	}
	if f.state == closing {
		if f.held = strings.TrimLeftFunc(f.held, unicode.IsSpace); f.held == "" {
			return ""
		}
		f.state = answering
	}
	return f.words()
}

// words returns the held text without its trailing white space, which stays held.
func (f *thoughtFilter) words() string {
	words := strings.TrimRightFunc(f.held, unicode.IsSpace)
	f.held = f.held[len(words):]
	return words
}

// rest returns what is left to pass at the end of the text.
func (f *thoughtFilter) rest() string {
	rest := f.held
	f.held = ""
	if f.state != beginning && f.state != verbatim {
		return ""
	}
	return rest
}
