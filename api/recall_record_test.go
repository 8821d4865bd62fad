package api_test

import (
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/recall"
	"reverie/search"
	"reverie/store/dreams"
)

// Search results are recorded as used, with the caller and the time, and marked when they were useless.
func TestSearchesAreRecorded(t *testing.T) {
	h := start(t)
	said(h)
	h.ask(map[string]any{"owner": "api:42", "query": "balcony"})
	h.ask(map[string]any{"owner": "api:42", "query": "flat", "synthetic": true})
	h.ask(map[string]any{"owner": "api:42", "query": "zeppelin"}) // finds nothing
	h.ask(map[string]any{"query": "terrace"})
	if err := h.done(); err != nil { // what waits is written before the server ends
		t.Fatal(err)
	}
	list := func(owner memory.Owner, synthetic bool) []dreams.Recalled {
		id := memory.Identity{
			Workspace: workspace,
			Agent:     "ada",
			Owner:     owner,
			Role:      memory.RoleMember,
			Author:    memory.Author{Kind: memory.AuthorUser, ID: "test"},
		}
		recalls, err := h.store.Recalls(t.Context(), id, time.Now().Add(-time.Hour), synthetic, 100)
		if err != nil {
			t.Fatal(err)
		}
		return recalls
	}
	organic := list("api:42", false)
	if len(organic) < 2 {
		t.Fatalf("%+v", organic)
	}
	for i, r := range organic {
		if r.QueryHash != recall.QueryHash(workspace, "Balcony") || r.Synthetic || r.Rank != i+1 || r.Owner != "api:42" || r.Score <= 0 ||
			len(r.Entries) == 0 {
			t.Errorf("%+v", r)
		}
		switch r.Corpus {
		case search.Memory:
			if r.Path != "notes.md" || r.FromLine != 1 || r.Entries[0] != markdown.EntryIDOf("The balcony faces south.") {
				t.Errorf("%+v", r)
			}
		case search.Sessions:
			if r.Path != "sessions/c1" {
				t.Errorf("%+v", r)
			}
		}
	}
	all := list("api:42", true)
	if len(all) <= len(organic) || !all[len(all)-1].Synthetic {
		t.Errorf("%d of %d are organic", len(organic), len(all))
	}
	if nobody := list("", false); len(nobody) != 1 || nobody[0].Path != "memory/2026-03-01.md" || nobody[0].Scope != memory.ScopeTeam {
		t.Errorf("%+v", nobody)
	}
}
