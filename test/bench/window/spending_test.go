package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/test/deployment"
)

// letters counts a token for each byte.
func letters(s string) int { return len(s) }

func turnOf(id, question, answer string) []deployment.Message {
	return []deployment.Message{{ID: "q" + id, Role: "user", Content: question}, {ID: "a" + id, Role: "assistant", Content: answer}}
}

func TestSendsAll(t *testing.T) {
	r := &sendsAll{count: letters}
	r.turn("system", "one", 0) // 6 + 3 + 8
	r.said(turnOf("1", "one", "answer"))
	r.turn("system", "two", 5) // 6 + (3+4 + 6+4) + 3 + 8 + 5
	if r.Prompts != 17+39 || r.Largest != 39 {
		t.Errorf("%+v", r.rival)
	}
}

func TestSummarisesAnew(t *testing.T) {
	r := &summarisesAnew{count: letters, trigger: 300}
	for _, id := range []string{"1", "2", "3", "4"} {
		r.turn("system", "question", 0, 0)
		r.said(turnOf(id, "question", string(make([]byte, 60))))
	}
	if r.summary != "" || r.Summaries != 0 {
		t.Fatalf("a summary of %d tokens before there is need of one", r.Summaries)
	}
	prompt := r.turn("system", "question", 0, 0) // 4 turns of 76 tokens are more than 300
	if r.Summaries != 2*76 || len(prompt) != 1+1+keptMessages+1 {
		t.Errorf("%d tokens were summarised, %d messages are sent", r.Summaries, len(prompt))
	}
	for _, id := range []string{"5", "6", "7"} {
		r.said(turnOf(id, "question", string(make([]byte, 60))))
	}
	r.turn("system", "question", 0, 0)
	if r.Summaries != 2*76+5*76 { // from the beginning
		t.Errorf("%d tokens were summarised", r.Summaries)
	}
}

func TestShareOfPrefix(t *testing.T) {
	var p prompts
	if got := p.share(); got != 0 {
		t.Errorf("of no prompts: %v", got)
	}
	p.add([]contextMessage{{Role: "user", Content: "abc"}}) // "user\nabc\n", the first has none before it
	p.add([]contextMessage{{Role: "user", Content: "abd"}}) // 7 of 9 bytes
	p.add([]contextMessage{{Role: "user", Content: "abd"}}) // 9 of 9
	if got, want := p.share(), 16.0/18; math.Abs(got-want) > 1e-9 {
		t.Errorf("share %v, want %v", got, want)
	}
}

func TestRecallFirst(t *testing.T) {
	got := recallFirst([]contextMessage{{Kind: "system"}, {Kind: "summary"}, {Kind: "history"}, {Kind: "recall"}, {Kind: "current"}})
	want := []contextMessage{{Kind: "system"}, {Kind: "recall"}, {Kind: "summary"}, {Kind: "history"}, {Kind: "current"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
