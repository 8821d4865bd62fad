package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// A small run measures everything with real servers. Its limits are not checked, because other tests run
// concurrently.
func TestSmallRun(t *testing.T) {
	b := bench{
		chunks: 4000, agents: 5, dimensions: 64, vectors: 1500, queries: 10, words: 5000, exponent: 1.07, turns: 50, writers: 2,
		seed: 1, rivals: true,
	}
	var out strings.Builder
	if _, err := b.run(t.Context(), &out, true); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatal(err)
	}
	if r.Load.Vectors < 40 || r.Load.Vectors > 1500 {
		t.Errorf("%d vectors", r.Load.Vectors)
	}
	timings := map[string]int{}
	for _, one := range r.Timings {
		timings[one.Name]++
		if l := one.Latency; l.Count != 10 || l.P50 <= 0 || l.P95 < l.P50 || l.Max < l.P95 {
			t.Errorf("%s: %+v", one.Name, l)
		}
	}
	for name, want := range map[string]int{
		"lexical search": 2, "hybrid search": 1, "write of a 4 KB note": 1,
		"rival: ts_rank over GIN": 2, "rival: BM25 over a postings table": 2, "rival: exact scan of vectors": 1,
	} {
		if timings[name] != want {
			t.Errorf("%s was measured %d times, want %d", name, timings[name], want)
		}
	}
	if len(r.Disk) != len(diskParts)+1+3 {
		t.Errorf("%d figures of disk", len(r.Disk))
	}
	for _, d := range r.Disk {
		if d.Bytes <= 0 || d.Items <= 0 || d.Each <= 0 {
			t.Errorf("%+v", d)
		}
	}
	var printed strings.Builder
	if err := r.print(&printed); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4000 chunks over 5 agents", "hybrid search", "lexical index"} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("%q is missing in\n%s", want, printed.String())
		}
	}
}
