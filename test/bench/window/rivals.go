package main

import (
	"strings"

	"reverie/test/deployment"
)

// perMessage is what a message costs beside its text.
const perMessage = 4

// sendsAll sends everything that was said, each turn.
type sendsAll struct {
	rival

	count   func(string) int
	history int // tokens
}

// turn sends a question; recall is what else is in a prompt whoever sends it, in tokens.
func (r *sendsAll) turn(system, question string, recall int) {
	used := r.count(system) + r.history + r.count(question) + 2*perMessage + recall
	r.Prompts += used
	r.Largest = max(r.Largest, used)
}

func (r *sendsAll) said(turn []deployment.Message) {
	for _, m := range turn {
		r.history += r.count(m.Content) + perMessage
	}
}

// The rules of the rival that summarises anew are ours but for one thing: the summary is made of all that was said, and not of
// the last summary and what came after it.
const (
	keptMessages  = 4
	summaryTokens = 300
)

// summarisesAnew summarises the whole conversation whenever the window is fuller than its share.
type summarisesAnew struct {
	rival

	count    func(string) int
	trigger  int // tokens above which it summarises
	messages []deployment.Message
	tokens   []int // of the messages
	from     int   // first message that is sent word by word
	summary  string
}

// turn sends a question; goal and recall are what else is in a prompt whoever sends it, in tokens. What is recalled does not count
// for the trigger.
func (r *summarisesAnew) turn(system, question string, goal, recall int) []contextMessage {
	if r.used(system, question)+goal > r.trigger && len(r.messages)-keptMessages > r.from {
		r.from = len(r.messages) - keptMessages
		for _, n := range r.tokens[:r.from] {
			r.Summaries += n
		}
		// What it says does not matter, but that it differs from the one before.
		r.summary = strings.Repeat("summary of "+r.messages[r.from-1].ID+" ", summaryTokens/4)
	}
	used := r.used(system, question) + goal + recall
	r.Prompts += used
	r.Largest = max(r.Largest, used)
	prompt := []contextMessage{{Role: "system", Content: system}}
	if r.summary != "" {
		prompt = append(prompt, contextMessage{Role: "user", Content: r.summary})
	}
	for _, m := range r.messages[r.from:] {
		prompt = append(prompt, contextMessage{Role: m.Role, Content: m.Content})
	}
	return append(prompt, contextMessage{Role: "user", Content: question})
}

func (r *summarisesAnew) used(system, question string) int {
	used := r.count(system) + r.count(r.summary) + r.count(question) + 3*perMessage
	for _, n := range r.tokens[r.from:] {
		used += n
	}
	return used
}

func (r *summarisesAnew) said(turn []deployment.Message) {
	for _, m := range turn {
		r.messages = append(r.messages, m)
		r.tokens = append(r.tokens, r.count(m.Content)+perMessage)
	}
}
