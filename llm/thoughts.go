package llm

import (
	"strings"
	"unicode"
)

// Marks around the thoughts that open reasoning models put in front of their answer.
const (
	thoughtsBegin = "<think>"
	thoughtsEnd   = "</think>"
)

// withoutThoughts cuts off the thoughts in front of an answer.
func withoutThoughts(s string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), thoughtsBegin)
	if !ok {
		return s
	}
	if _, answer, closed := strings.Cut(rest, thoughtsEnd); closed {
		return strings.TrimSpace(answer)
	}
	return "" // cut while it still thought
}

// thoughtFilter is withoutThoughts for a text that comes in parts: what it lets pass is, put together, the same.
type thoughtFilter struct {
	state thoughtState
	held  string // not passed on yet
}

type thoughtState int

const (
	beginning thoughtState = iota // it may still begin with thoughts
	thinking                      // in them
	closing                       // behind them, before the first word of the answer
	answering                     // in the answer; white space at the end is held back
	verbatim                      // there are none
)

// pass is what a further part of the text lets through.
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
		case strings.HasPrefix(thoughtsBegin, begun): // too short to tell
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

// words is the held text up to its last character that is no white space.
func (f *thoughtFilter) words() string {
	words := strings.TrimRightFunc(f.held, unicode.IsSpace)
	f.held = f.held[len(words):]
	return words
}

// rest is what the end of the text lets through.
func (f *thoughtFilter) rest() string {
	rest := f.held
	f.held = ""
	if f.state != beginning && f.state != verbatim {
		return ""
	}
	return rest
}
