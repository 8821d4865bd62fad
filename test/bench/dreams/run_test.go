package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// A small run measures everything with real servers. Its limits are not checked, because other tests run
// concurrently.
func TestSmallRun(t *testing.T) {
	b := bench{
		owners: 4, parallel: []int{1, 4}, rounds: 1, delay: 20 * time.Millisecond, agents: 10, each: 2, share: .1, sized: 2, seed: 1,
	}
	var out strings.Builder
	if _, err := b.run(t.Context(), &out, true); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Speeds) != 2 || r.Speeds[0].Parallel != 1 || r.Speeds[1].Parallel != 4 {
		t.Errorf("speeds of %+v", r.Speeds)
	}
	for _, s := range r.Speeds {
		if s.Owners != 4 || min(s.Floor, s.Alone, s.Rules, s.ModelFloor, s.Model, s.Trips, s.Database, s.RulesTime, s.ModelTime) <= 0 ||
			s.Statements < s.Trips {
			t.Errorf("%+v", s)
		}
	}
	if len(r.Sizes) != 2 {
		t.Fatalf("sizes of %+v", r.Sizes)
	}
	for _, s := range r.Sizes {
		if s.Dreams != 2 || s.Requests != 1 || s.OutputTokens <= 0 || s.InputTokens <= s.OutputTokens || s.HistoryBytes <= 0 ||
			s.NightBytes <= 0 {
			t.Errorf("%+v", s)
		}
		if s.DatabaseBytes <= 0 || s.Rows["dreams"] != 1 || s.Rows["dream_candidates"] < float64(s.Week.Statements) {
			t.Errorf("%s week: %.0f bytes, rows %v", s.Name, s.DatabaseBytes, s.Rows)
		}
	}
	usual, large := r.Sizes[0], r.Sizes[1]
	if usual.InputTokens >= large.InputTokens || usual.NoteSize >= large.NoteSize {
		t.Errorf("a usual week: %+v\na large one: %+v", usual, large)
	}
	n := r.Nights
	if n == nil || n.News != 2 || n.DenseAgents != 1 {
		t.Fatalf("nights: %+v", n)
	}
	for name, c := range map[string]struct {
		cost
		workflows int64
	}{
		"empty": {n.Empty, 10}, "quiet": {n.Quiet, 10}, "sparse": {n.Sparse, 12}, "dense": {n.Dense, 3},
	} {
		if c.Seconds <= 0 || c.Workflows != c.workflows {
			t.Errorf("%s: %+v, want %d workflows", name, c.cost, c.workflows)
		}
	}
	if n.Empty.Statements != 0 || n.Quiet.Statements <= 0 || n.StatementShare <= 0 || n.StatementShare > statementBar {
		t.Errorf("statements: %+v", n)
	}
	var printed strings.Builder
	if err := r.print(&printed); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"usual week", "4 at once", "all agents", "limits"} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("%q is missing in\n%s", want, printed.String())
		}
	}
}

func TestBars(t *testing.T) {
	good := report{
		Speeds: []speed{{Parallel: 1, RulesTime: 3, RulesCPUShare: 1.2, ModelTime: sumBar}},
		Nights: &nights{TimeShare: 3, CPUShare: 1.2, StatementShare: 1},
	}
	if !good.passed() {
		t.Errorf("%+v does not pass", good.bars())
	}
	for name, spoil := range map[string]func(*report){
		"rules":      func(r *report) { r.Speeds = []speed{{RulesTime: 1, RulesCPUShare: sumBar + .1}} },
		"model":      func(r *report) { r.Speeds = []speed{{ModelTime: sumBar + .1}} },
		"CPU":        func(r *report) { r.Nights = &nights{CPUShare: newsBar + .1} },
		"time":       func(r *report) { r.Nights = &nights{TimeShare: newsBar + .1} },
		"statements": func(r *report) { r.Nights = &nights{StatementShare: statementBar + .1} },
	} {
		bad := good
		if spoil(&bad); bad.passed() {
			t.Errorf("%s: %+v passes", name, bad.bars())
		}
	}
}
