package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/test/deployment"
)

// spending is the cost of one conversation in input tokens, all counted in the same way, and the share of each prompt
// that was already in the previous turn.
type spending struct {
	Turns       int `json:"turns"`
	Window      int `json:"window"`
	Prompts     int `json:"prompts"`     // tokens of all contexts sent
	Summaries   int `json:"summaries"`   // tokens of the requests for summaries
	Flushes     int `json:"flushes"`     // tokens of the requests that saved memory, which the rivals do without
	Compactions int `json:"compactions"` // requests for summaries
	Flushed     int `json:"flushed"`     // requests that saved memory
	Largest     int `json:"largest"`     // context

	Everything rival `json:"everything"` // sends the whole conversation
	Anew       rival `json:"anew"`       // summarises from the beginning at each overflow

	Prefix      float64 `json:"prefix"`      // share of a prompt's bytes that begins the previous turn's prompt
	PrefixEarly float64 `json:"prefixEarly"` // the same, if recalled memory followed the system prompt
	PrefixAnew  float64 `json:"prefixAnew"`  // of the rival that summarises from the beginning
}

// rival is the cost of another strategy in the same conversation.
type rival struct {
	Prompts   int     `json:"prompts"`
	Summaries int     `json:"summaries"`
	Largest   int     `json:"largest"`
	Ratio     float64 `json:"ratio"` // our prompts and summaries relative to it
}

// summaryRatio returns the tokens of our summaries relative to those of the rival that summarises from the beginning.
func (s *spending) summaryRatio() float64 { return float64(s.Summaries) / float64(s.Anew.Summaries) }

const (
	agentOfSpending = "orchard"
	conversation    = "planning"
)

// spend runs a conversation of some turns and counts what is sent to the model.
func (b *bench) spend(ctx context.Context) (*spending, error) {
	api := b.world.model
	if err := newAgent(ctx, api, agentOfSpending); err != nil {
		return nil, err
	}
	s := &spending{Turns: b.turns, Window: b.window}
	t := newTalk(b.seed)
	count := llm.CounterFor("scripted").Count
	all, anew := &sendsAll{count: count}, &summarisesAnew{count: count}
	var ours, early, theirs prompts
	for range b.turns {
		turn := t.turn()
		question := turn[0].Content
		got, err := ask(ctx, api, agentOfSpending,
			contextRequest{Conversation: conversation, Owner: owner, Message: question, MaxTokens: b.window})
		if err != nil {
			return nil, err
		}
		s.Prompts += got.Ledger.Used
		s.Largest = max(s.Largest, got.Ledger.Used)
		ours.add(got.Messages)
		early.add(recallFirst(got.Messages))
		system := got.Messages[0].Content
		anew.trigger = got.Ledger.Trigger
		all.turn(system, question, got.Ledger.Recall)
		theirs.add(anew.turn(system, question, got.Ledger.Goal, got.Ledger.Recall))
		batch := deployment.Batch{EndUserID: "bench", TriggerSource: "api", TurnComplete: true, Messages: turn}
		if err := api.Call(ctx, http.MethodPost, messagesPath(agentOfSpending, conversation), batch, nil); err != nil {
			return nil, err
		}
		all.said(turn)
		anew.said(turn)
	}
	for _, r := range b.world.asked.Requests() {
		s.add(r, count)
	}
	if s.Compactions == 0 {
		return nil, fmt.Errorf("%d turns in a window of %d tokens were never compacted: ask for more turns", b.turns, b.window)
	}
	s.Everything, s.Anew = all.rival, anew.rival
	s.Everything.Ratio = float64(s.Prompts+s.Summaries) / float64(all.Prompts)
	s.Anew.Ratio = float64(s.Prompts+s.Summaries) / float64(anew.Prompts+anew.Summaries)
	s.Prefix, s.PrefixEarly, s.PrefixAnew = ours.share(), early.share(), theirs.share()
	return s, nil
}

// add counts a request to the model.
func (s *spending) add(r llmtest.Request, count func(string) int) {
	tokens := count(r.System) + count(r.User)
	if strings.Contains(r.User+r.System, "daily_entry") {
		s.Flushes += tokens
		s.Flushed++
		return
	}
	s.Summaries += tokens
	s.Compactions++
}

// perMessage is the cost of a message in addition to its text.
const perMessage = 4

// sendsAll sends the whole conversation in each turn.
type sendsAll struct {
	rival

	count   func(string) int
	history int // tokens
}

// turn sends a question; recall is the cost of what every strategy sends in addition, in tokens.
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

// The rival that summarises from the beginning follows our rules except that each summary covers the whole
// conversation, instead of the last summary and what followed.
const (
	keptMessages  = 4
	summaryTokens = 300
)

// summarisesAnew summarises the whole conversation whenever the window exceeds its share.
type summarisesAnew struct {
	rival

	count    func(string) int
	trigger  int // tokens above which it summarises
	messages []deployment.Message
	tokens   []int // per message
	from     int   // first message sent verbatim
	summary  string
}

// turn sends a question; goal and recall are the cost of what every strategy sends in addition, in tokens. Recalled
// memory does not count for the trigger.
func (r *summarisesAnew) turn(system, question string, goal, recall int) []contextMessage {
	if r.used(system, question)+goal > r.trigger && len(r.messages)-keptMessages > r.from {
		r.from = len(r.messages) - keptMessages
		for _, n := range r.tokens[:r.from] {
			r.Summaries += n
		}
		// The text does not matter, except that it differs from the previous one.
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

// prompts measures the share of each prompt that equals the beginning of the previous one, which providers cache.
type prompts struct {
	last         string
	same, length int
}

// add adds the prompt of the next turn.
func (p *prompts) add(messages []contextMessage) {
	text := rendered(messages)
	if p.last != "" {
		p.same += commonPrefix(p.last, text)
		p.length += len(text)
	}
	p.last = text
}

// share returns the share of bytes, from 0 to 1, over all turns except the first.
func (p *prompts) share() float64 {
	if p.length == 0 {
		return 0
	}
	return float64(p.same) / float64(p.length)
}

// rendered returns a prompt as one text, in the order in which a provider reads it.
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

// recallFirst returns the same prompt with recalled memory directly after the system prompt.
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
