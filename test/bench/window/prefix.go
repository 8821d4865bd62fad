package main

import (
	"slices"
	"strings"
)

// prompts measures how much of each prompt is there already in the one before it, from the first byte on: that is what
// providers cache.
type prompts struct {
	last         string
	same, length int
}

// add takes the prompt of the next turn.
func (p *prompts) add(messages []contextMessage) {
	text := rendered(messages)
	if p.last != "" {
		p.same += commonPrefix(p.last, text)
		p.length += len(text)
	}
	p.last = text
}

// share of the bytes, from 0 to 1, over all turns but the first.
func (p *prompts) share() float64 {
	if p.length == 0 {
		return 0
	}
	return float64(p.same) / float64(p.length)
}

// rendered is a prompt as one text, in the order in which a provider reads it.
func rendered(messages []contextMessage) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Role + "\n" + m.Content + "\n")
	}
	return b.String()
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// recallFirst is the same prompt with what was recalled directly behind the system prompt.
func recallFirst(messages []contextMessage) []contextMessage {
	var recalled, rest []contextMessage
	for _, m := range messages {
		if m.Kind == "recall" {
			recalled = append(recalled, m)
		} else {
			rest = append(rest, m)
		}
	}
	return slices.Insert(rest, min(1, len(rest)), recalled...)
}
