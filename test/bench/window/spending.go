package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/test/deployment"
)

// spending is what one conversation costs in input tokens, all of them counted in the same way, and how much of each prompt was
// there in the turn before.
type spending struct {
	Turns       int `json:"turns"`
	Window      int `json:"window"`
	Prompts     int `json:"prompts"`     // tokens of all contexts that were sent
	Summaries   int `json:"summaries"`   // tokens of the requests for summaries
	Flushes     int `json:"flushes"`     // tokens of the requests that saved memory; the others save none
	Compactions int `json:"compactions"` // requests for summaries
	Flushed     int `json:"flushed"`     // requests that saved memory
	Largest     int `json:"largest"`     // context

	Everything rival `json:"everything"` // sends all that was said
	Anew       rival `json:"anew"`       // summarises from the beginning at each overflow

	Prefix      float64 `json:"prefix"`      // share of a prompt's bytes that begins the prompt of the turn before
	PrefixEarly float64 `json:"prefixEarly"` // the same, had what is recalled stood behind the system prompt
	PrefixAnew  float64 `json:"prefixAnew"`  // of the rival that summarises from the beginning
}

// rival is what somebody else would have sent in the same conversation.
type rival struct {
	Prompts   int     `json:"prompts"`
	Summaries int     `json:"summaries"`
	Largest   int     `json:"largest"`
	Ratio     float64 `json:"ratio"` // ours to it, prompts and summaries
}

// summaryRatio is ours to the rival that summarises from the beginning, summaries alone.
func (s *spending) summaryRatio() float64 { return float64(s.Summaries) / float64(s.Anew.Summaries) }

const (
	agentOfSpending = "orchard"
	conversation    = "planning"
)

// spend has a conversation of some turns and counts what goes to the model.
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
		got, err := ask(ctx, api, agentOfSpending, contextRequest{Conversation: conversation, Owner: owner, Message: question, MaxTokens: b.window})
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
