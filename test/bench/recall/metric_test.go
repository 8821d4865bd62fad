package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A dialogue of three sessions.
var threeSessions = map[string]int{"D1:1": 1, "D1:2": 1, "D2:1": 2, "D2:2": 2, "D3:1": 3}

func TestMeasure(t *testing.T) {
	for name, c := range map[string]struct {
		found, evidence []string
		want            []recallAt // at 1 and 3
	}{
		"nothing found": {
			nil,
			[]string{"D1:1"},
			[]recallAt{{K: 1}, {K: 3}},
		},
		"first": {
			[]string{"D1:1", "D2:1"},
			[]string{"D1:1"},
			[]recallAt{{1, 1, 1}, {3, 1, 1}},
		},
		"another turn of the session": {
			[]string{"D1:2"},
			[]string{"D1:1"},
			[]recallAt{{1, 0, 1}, {3, 0, 1}},
		},
		"half of it": {
			[]string{"D3:1", "D1:1", "D1:2", "D2:1"},
			[]string{"D1:1", "D2:1"},
			[]recallAt{{1, 0, 0}, {3, 0.5, 0.5}},
		},
		"two turns of one session are one session": {
			[]string{"D1:1", "D2:1"},
			[]string{"D1:1", "D1:2"},
			[]recallAt{{1, 0.5, 1}, {3, 0.5, 1}},
		},
		"a turn that is found twice takes one place": {
			[]string{"D2:2", "D2:2", "D3:1", "D1:1"},
			[]string{"D1:1"},
			[]recallAt{{1, 0, 0}, {3, 1, 1}},
		},
		"evidence that is named twice counts once": {
			[]string{"D1:1"},
			[]string{"D1:1", "D1:1", "D2:1"},
			[]recallAt{{1, 0.5, 0.5}, {3, 0.5, 0.5}},
		},
		"a turn of no session takes a place": {
			[]string{"elsewhere", "D1:1"},
			[]string{"D1:1"},
			[]recallAt{{1, 0, 0}, {3, 1, 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, measure(c.found, c.evidence, threeSessions, []int{1, 3})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMean(t *testing.T) {
	got := mean([][]recallAt{{{K: 5, Turn: 1, Session: 1}}, {{K: 5, Turn: 0.25, Session: 1}}, {{K: 5, Turn: 0, Session: 0}}}, []int{5})
	want := []recallAt{{K: 5, Turn: 1.25 / 3, Session: 2.0 / 3}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}
