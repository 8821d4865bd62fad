package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
