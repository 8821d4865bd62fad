package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// A small run measures everything with real servers. Its limits are not checked, because other tests run
// concurrently.
func TestSmallRun(t *testing.T) {
	b := bench{lengths: []int{10, 120}, asks: 3, turns: 12, window: 4000, seed: 1}
	var out strings.Builder
	if _, err := b.run(t.Context(), &out, true); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Latencies) != 2 {
		t.Fatalf("latencies of %+v", r.Latencies)
	}
	for _, l := range r.Latencies {
		if l.Context.Count != 3 || min(l.Context.P50, l.Read.P50, l.Ratio) <= 0 || l.Sent < 4 || l.Tokens <= 0 {
			t.Errorf("%+v", l)
		}
	}
	s := r.Spending
	if s == nil || s.Compactions == 0 || s.Largest > s.Window || min(s.Prompts, s.Summaries, s.Everything.Prompts, s.Anew.Summaries) <= 0 {
		t.Fatalf("spending: %+v", s)
	}
	if s.Prefix <= 0 || s.Prefix >= 1 {
		t.Errorf("%v of the bytes stay the same", s.Prefix)
	}
	var printed strings.Builder
	if err := r.print(&printed); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"120", "from the beginning", "limits"} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("%q is missing in\n%s", want, printed.String())
		}
	}
}
