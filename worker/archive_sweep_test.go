package worker

import (
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/storetest"
)

// Facts of low trust that nobody has seen for long are archived for agents that do not dream, once a day, and for no others.
func TestFactsOfAgentsThatDoNotDreamAreArchived(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	s, _ := storetest.Open(t, store.Options{Now: func() time.Time { return now }})
	if err := s.EnsureWorkspace(t.Context(), "acme", "acme"); err != nil {
		t.Fatal(err)
	}
	off, on := false, true
	agents := map[string]setting.AgentSettings{
		"awake": {DreamingEnabled: &off}, "dreamer": {DreamingEnabled: &on}, "forgetful": {DreamingEnabled: &off, MemoryEnabled: &off},
	}
	as := func(agent string, author memory.Author) memory.Identity {
		return memory.Identity{Workspace: "acme", Agent: agent, Owner: "user:7", Role: memory.RoleMember, Author: author}
	}
	ref := memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath}
	write := func(agent string, author memory.Author, content string) {
		t.Helper()
		if _, err := s.Apply(t.Context(), as(agent, author), "", []memory.Change{{Ref: ref, Op: memory.OpAppend, Content: content}}); err != nil {
			t.Fatal(err)
		}
	}
	model := memory.Author{Kind: memory.AuthorWorkflow, ID: "model", WorkflowID: "w", RunID: "r"}
	for agent, settings := range agents {
		if _, err := s.CreateAgent(t.Context(), administrator("acme", agent), admin.NewAgent{ID: agent, TimeZone: "UTC"}); err != nil {
			t.Fatal(err)
		}
		write(agent, memory.Author{Kind: memory.AuthorUser, ID: "key"}, "- Written by hand.\n")
		write(agent, model, "- Reads a book about whales.\n")
		if _, err := s.UpdateAgent(t.Context(), administrator("acme", agent), admin.AgentPatch{Settings: &settings}); err != nil {
			t.Fatal(err)
		}
	}
	sweep := &archiveSweep{store: s, defaults: setting.DefaultDreamSettings(), now: func() time.Time { return now }}
	look := func(want int) {
		t.Helper()
		if n, err := sweep.look(t.Context()); err != nil || n != want {
			t.Errorf("%d archived (%v), not %d", n, err, want)
		}
	}
	look(0)
	now = now.AddDate(1, 0, 0)
	look(1)
	for agent := range agents {
		d, err := s.Document(t.Context(), as(agent, model), ref)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(d.Content, "## Archived") != (agent == "awake") || !strings.HasPrefix(d.Content, "- Written by hand.\n") {
			t.Errorf("%s: %s", agent, d.Content)
		}
	}
	ref.Path = "chats/7.md"
	write("awake", model, "- Has a red bicycle.\n")
	now = now.Add(time.Hour)
	look(0)
	now = now.AddDate(1, 0, 0)
	look(1)
}
