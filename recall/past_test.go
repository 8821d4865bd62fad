package recall_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/recall"
	"reverie/search"
)

// A search of the past finds what documents said then and what was said until then, of the same people as now.
func TestSearchOfThePast(t *testing.T) {
	l := open(t)
	before := time.Now().Add(-time.Hour)
	l.write("user:7", "MEMORY.md", "# Home\n\n- Grace lives in Bremen.\n")
	l.write("user:8", "MEMORY.md", "- Alan lives in Bremen as well.\n")
	l.write(memory.NoOwner, "notes/office.md", "- The office is in Bremen.\n")
	l.say("user:7", "c1", "The ferry to Bremen is slow.")
	then := time.Now()
	l.write("user:7", "MEMORY.md", "# Home\n\n- Grace lives in Hamburg.\n")
	if _, err := l.store.Apply(t.Context(), as("user:7"), "", []memory.Change{{
		Ref: memory.Ref{Scope: memory.ScopeTeam, Path: "notes/office.md"}, Op: memory.OpDelete, Force: true,
	}}); err != nil {
		t.Fatal(err)
	}
	zero := 0.
	for _, c := range []struct {
		name, query string
		past        time.Time
		want        []string // parts of results, in any order
	}{
		{"now", "Where does Grace live, in Bremen or Hamburg?", time.Time{}, []string{"in Hamburg", "ferry"}},
		{"then", "Where does Grace live, in Bremen or Hamburg?", then, []string{"Grace lives in Bremen", "office is in Bremen", "ferry"}},
		{"before everything", "Where does Grace live, in Bremen or Hamburg?", before, []string{"ferry"}},
		{"before anything was said", "Bremen", time.Date(2026, 4, 30, 0, 0, 0, 0, time.UTC), nil},
	} {
		found, err := l.Search(t.Context(), as("user:7"), recall.Request{Query: c.query, Past: c.past, MinScore: &zero})
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, h := range found.Results {
			all.WriteString(h.Text + "\n")
			if h.Corpus == search.Memory && (h.Source.Version == 0 || h.FromLine == 0) {
				t.Errorf("%s: %+v", c.name, h)
			}
		}
		for _, want := range c.want {
			if !strings.Contains(all.String(), want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, all.String())
			}
		}
		if len(found.Results) != len(c.want) || strings.Contains(all.String(), "Alan") {
			t.Errorf("%s: %d results:\n%s", c.name, len(found.Results), all.String())
		}
	}
}

// Archived statements are found when they are asked for, now and in the past, and by their words alone.
func TestArchivedStatementsAreAskedFor(t *testing.T) {
	l := open(t)
	l.write("user:7", "MEMORY.md", "# Memory\n\n- The spare key lies below the blue pot.\n")
	before := time.Now()
	l.write("user:7", "MEMORY.md", "# Memory\n\n- The front door is green.\n\n## Archived\n\n- The spare key lies below the blue pot.\n")
	for _, c := range []struct {
		name     string
		past     time.Time
		archived bool
		found    bool
	}{
		{"now", time.Time{}, false, false},
		{"asked for", time.Time{}, true, true},
		{"before it was archived", before, false, true},
		{"of now", time.Now(), false, false},
		{"of now, asked for", time.Now(), true, true},
	} {
		r := recall.Request{Query: "Where is the spare key?", Past: c.past, Archived: c.archived, Options: recall.Options{Off: []string{"vectors"}}}
		found, err := l.Search(t.Context(), as("user:7"), r)
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(found.Results, func(h recall.Hit) bool { return strings.Contains(h.Text, "spare key") })
		if has != c.found {
			t.Errorf("%s: found %v: %+v", c.name, has, found.Results)
		}
	}
	for _, archived := range []bool{false, true} {
		found, err := l.Keywords(t.Context(), as("user:7"), recall.KeywordRequest{Query: "spare key", Archived: archived})
		if err != nil || (len(found.Hits) == 1) != archived || archived && found.Hits[0].LineNumber != 7 {
			t.Errorf("archived %v: %+v %v", archived, found.Hits, err)
		}
	}
}

func TestParsePast(t *testing.T) {
	now := time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		text, want, problem string
	}{
		{"", "0001-01-01T00:00:00Z", ""},
		{"2026-05-19", "2026-05-19T23:59:59Z", ""},
		{"2026-05-20", "2026-05-20T12:00:00Z", ""},
		{"2026-05-20T11:00:00Z", "2026-05-20T11:00:00Z", ""},
		{"2026-05-20T12:00:01Z", "", "asOf: 2026-05-20T12:00:01Z is in the future: use a time up to now"},
		{"2026-05-21", "", "asOf: 2026-05-21 is in the future: use a time up to now"},
		{"yesterday", "", "asOf: use a time such as 2026-01-31T08:00:00Z, or a date such as 2026-01-31"},
	} {
		at, err := recall.ParsePast(c.text, time.UTC, now)
		switch {
		case c.problem != "" && (err == nil || err.Error() != c.problem):
			t.Errorf("%q: %v", c.text, err)
		case c.problem == "" && (err != nil || at.Format(time.RFC3339) != c.want):
			t.Errorf("%q: %s %v", c.text, at, err)
		}
	}
}
