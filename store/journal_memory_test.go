package store

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/memory"
	"reverie/search"
)

// eventsOf are the events of one kind that an identity sees.
func eventsOf(t tester, s *Store, id memory.Identity, kind EventKind) []Event {
	t.Helper()
	return journalOf(t, s, id, JournalFilter{Kinds: []EventKind{kind}})
}

// detailOf is what an event tells.
func detailOf(t tester, e Event) (detail map[string]any) {
	t.Helper()
	if err := json.Unmarshal(e.Detail, &detail); err != nil {
		t.Fatal(err)
	}
	return detail
}

// A viewer's search is told to those who read what its owner has, with places and numbers, and once.
func TestJournalTellsRecalls(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	viewer := member("user:7")
	viewer.Role = memory.RoleViewer
	recall := recallOf(viewer, memory.ScopePersonal, search.Memory, "memory/2026-11-20.md", testClock)
	nobody := recallOf(member(memory.NoOwner), memory.ScopeTeam, search.Memory, "shared.md", testClock)
	if err := s.RecordRecalls(t.Context(), []Recall{recall, nobody}); err != nil {
		t.Fatal(err)
	}
	got := eventsOf(t, s, viewer, EventRecallRecorded)
	if len(got) != 2 || got[0].Scope != memory.ScopePersonal || got[0].Owner != "user:7" || got[1].Scope != memory.ScopeTeam || got[1].Owner != "" {
		t.Fatalf("told %+v", got)
	}
	want := map[string]any{
		"queryHash": hex.EncodeToString(recall.QueryHash[:]), "synthetic": false, "results": 1.0,
		"hits": []any{map[string]any{"corpus": "memory", "scope": "PERSONAL", "path": "memory/2026-11-20.md", "startLine": 1.0, "endLine": 1.0, "score": 0.5}},
	}
	if diff := cmp.Diff(want, detailOf(t, got[0])); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if others := eventsOf(t, s, member("user:8"), EventRecallRecorded); len(others) != 1 || others[0].Scope != memory.ScopeTeam {
		t.Errorf("another owner sees %+v", others)
	}
	// A recall that cannot be recorded is not told either.
	broken := recallOf(viewer, memory.ScopePersonal, search.Memory, "no\x00text", testClock)
	if err := s.RecordRecalls(t.Context(), []Recall{recall, broken}); err == nil {
		t.Fatal("a path that is no text was recorded")
	}
	if again := eventsOf(t, s, viewer, EventRecallRecorded); len(again) != 2 {
		t.Errorf("%d events after a refused write", len(again))
	}
}

// A dream's end and what it promoted are told once, however often its steps are repeated, and without what they say.
func TestJournalTellsDreams(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	person, id := member("user:7"), dreaming("user:7", "r1")
	x := draftedDream(t, s, id, nightly("2026-11-21T02:00"), tea, dog)
	if early := eventsOf(t, s, person, EventDreamCompleted); len(early) > 0 {
		t.Errorf("told before its end: %+v", early)
	}
	for range 3 {
		must[Dream](t)(s.CommitDream(t.Context(), id, x.ID, ""))
	}
	must[Dream](t)(s.EndDream(t.Context(), id, x.ID, DreamEnding{Outcome: memory.OutcomeFailed}))
	promoted, completed := eventsOf(t, s, person, EventPromotionApplied), eventsOf(t, s, person, EventDreamCompleted)
	if len(promoted) != 1 || len(completed) != 1 {
		t.Fatalf("%d promotions and %d ends", len(promoted), len(completed))
	}
	d := must[memory.Document](t)(s.Document(t.Context(), person, personal(memory.MemoryPath)))
	if e := promoted[0]; e.Path != memory.MemoryPath || e.Version != d.Version || e.Document != d.ID || e.Owner != "user:7" || e.Author.Kind != memory.AuthorDream ||
		e.Transaction != completed[0].Transaction {
		t.Errorf("promotion %+v", e)
	}
	want := map[string]any{"dream": x.ID.String(), "promoted": 1.0, "entries": []any{string(tea.ID)}}
	if diff := cmp.Diff(want, detailOf(t, promoted[0])); diff != "" {
		t.Errorf("promotion (-want +got):\n%s", diff)
	}
	want = map[string]any{
		"dream": x.ID.String(), "mode": "nightly", "trigger": "schedule", "night": "2026-11-21T02:00", "dryRun": false,
		"outcome": "written", "reasonCode": "promoted", "changed": 2.0,
		"counts": map[string]any{"candidates": 2.0, "promoted": 1.0, "kept": 1.0, "rejected": 0.0, "themes": 0.0, "truths": 0.0},
	}
	if diff := cmp.Diff(want, detailOf(t, completed[0])); diff != "" {
		t.Errorf("end (-want +got):\n%s", diff)
	}
	for _, e := range append(promoted, completed...) {
		for _, said := range []string{tea.Text, dog.Text, "in words", "raw"} {
			if strings.Contains(string(e.Detail), said) {
				t.Errorf("%s tells %q: %s", e.Kind, said, e.Detail)
			}
		}
	}
	if others := append(eventsOf(t, s, member("user:8"), EventDreamCompleted), eventsOf(t, s, member("user:8"), EventPromotionApplied)...); len(others) > 0 {
		t.Errorf("another owner sees %+v", others)
	}
}

// Dreams that promote nothing are told as well: dry, nothing, failed and abandoned ones; one that waits has not ended.
func TestJournalTellsOtherEnds(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	person := member("user:7")
	dry := nightly("dry")
	dry.DryRun = true
	committedDream(t, s, runOfDream(dreaming("user:7", ""), "dry"), dry, tea)

	id := dreaming("user:7", "r1")
	x := stagedDream(t, s, id, nightly("n1"), judged(dog, dream.VerdictKept, dream.ReasonOneOff))
	must[Dream](t)(s.EndDream(t.Context(), id, x.ID, DreamEnding{Outcome: memory.OutcomeWaiting, ReasonCode: "budget", Until: testClock}))
	if told := eventsOf(t, s, person, EventDreamCompleted); len(told) != 1 {
		t.Fatalf("while one waits: %+v", told)
	}
	// Another run of the same workflow leaves it behind.
	next := must[Dream](t)(s.BeginDream(t.Context(), dreaming("user:7", "r2"), nightly("n2")))
	must[Dream](t)(s.BeginDream(t.Context(), dreaming("user:7", "r2"), nightly("n2")))
	must[Dream](t)(s.EndDream(t.Context(), dreaming("user:7", "r2"), next.ID, DreamEnding{Outcome: memory.OutcomeNothing, ReasonCode: "no_news"}))

	var got []string
	for _, e := range eventsOf(t, s, person, EventDreamCompleted) {
		detail := detailOf(t, e)
		got = append(got, strings.Join([]string{detail["outcome"].(string), detail["dream"].(string)}, " "))
		if e.Scope != memory.ScopePersonal || e.Owner != "user:7" {
			t.Errorf("%+v", e)
		}
	}
	want := []string{"failed " + x.ID.String(), "nothing " + next.ID.String()}
	if len(got) != 3 || !strings.HasPrefix(got[0], "written ") || !cmp.Equal(got[1:], want) {
		t.Errorf("told %q, want the dry run and %q", got, want)
	}
	if promoted := eventsOf(t, s, person, EventPromotionApplied); len(promoted) > 0 {
		t.Errorf("promotions of dreams that wrote nothing: %+v", promoted)
	}
	// The shared memory's dreams are told to everybody who reads it.
	committedDream(t, s, dreaming(memory.SystemOwner, "r"), nightly("n"), tea)
	for _, kind := range []EventKind{EventDreamCompleted, EventPromotionApplied} {
		if shared := eventsOf(t, s, member("user:8"), kind); len(shared) != 1 || shared[0].Scope != memory.ScopeTeam || shared[0].Owner != "" {
			t.Errorf("%s of the shared memory: %+v", kind, shared)
		}
	}
}
