package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/dreams"
	"reverie/store/pg"
)

func idsOf(dreams []dreams.Dream) []uuid.UUID {
	var ids []uuid.UUID
	for _, x := range dreams {
		ids = append(ids, x.ID)
	}
	return ids
}

func TestDreamsAreRead(t *testing.T) {
	t.Parallel()
	s := openStore(t, at(func() time.Time { return testClock }))
	one, two := member("user:1"), member("user:2")
	settings := setting.DefaultDreamSettings()
	first := storedDream(t, s, one, dreams.Dream{
		Night: "2026-11-20T02:00", Settings: settings, Diff: "+ a", Raw: "raw", AsOf: testClock, From: "2026-11-14",
		Counts: dreams.DreamCounts{Candidates: 2, Promoted: 1, Kept: 1}, Reason: "why",
	}, weighed("a", dream.VerdictPromoted), weighed("b", dream.VerdictKept))
	focused := storedDream(t, s, one, dreams.Dream{Mode: memory.DreamFocused, Topic: "tea", Outcome: memory.OutcomeNothing})
	dry := storedDream(t, s, one, dreams.Dream{DryRun: true})
	of := storedDream(t, s, two, dreams.Dream{})
	shared := storedDream(t, s, member(memory.SystemOwner), dreams.Dream{})

	got := must[dreams.Dream](t)(s.Dream(t.Context(), one, first.ID))
	if got.Diff != "+ a" || got.Raw != "raw" || got.Settings != settings || !got.AsOf.Equal(testClock) || got.From != "2026-11-14" ||
		got.Owner != "user:1" || got.OwnerID == uuid.Nil || got.Scope != memory.ScopePersonal || got.Open() || got.Counts.Promoted != 1 {
		t.Errorf("%+v", got)
	}
	if _, err := s.Dream(t.Context(), two, first.ID); !is(pg.ErrNotFound)(err) {
		t.Errorf("another owner's dream: %v", err)
	}
	// What is shared was dreamed for everybody who uses the agent; who its owner is only who reads every owner learns.
	if got := must[dreams.Dream](t)(s.Dream(t.Context(), two, shared.ID)); got.Scope != memory.ScopeTeam || got.OwnerID != uuid.Nil {
		t.Errorf("%+v", got)
	}
	all := one
	all.Owner, all.AnyOwner, all.Role = memory.NoOwner, true, memory.RoleAdmin
	for name, c := range map[string]struct {
		id   memory.Identity
		f    dreams.DreamFilter
		want []uuid.UUID
	}{
		"one's own, newest first": {one, dreams.DreamFilter{}, []uuid.UUID{dry.ID, focused.ID, first.ID}},
		"a mode":                  {one, dreams.DreamFilter{Mode: memory.DreamFocused}, []uuid.UUID{focused.ID}},
		"an outcome":              {one, dreams.DreamFilter{Outcome: memory.OutcomeNothing}, []uuid.UUID{focused.ID}},
		"without dry runs":        {one, dreams.DreamFilter{Real: true}, []uuid.UUID{focused.ID, first.ID}},
		"another's":               {two, dreams.DreamFilter{}, []uuid.UUID{of.ID}},
		"everybody's":             {all, dreams.DreamFilter{}, []uuid.UUID{shared.ID, of.ID, dry.ID, focused.ID, first.ID}},
	} {
		listed := must[pg.Listed[dreams.Dream]](t)(s.Dreams(t.Context(), c.id, c.f, pg.Page{}))
		if diff := cmp.Diff(c.want, idsOf(listed.Items)); diff != "" || listed.Next != "" {
			t.Errorf("%s\n%s", name, diff)
		}
		var paged []uuid.UUID
		for page := (pg.Page{Limit: 1}); ; {
			part := must[pg.Listed[dreams.Dream]](t)(s.Dreams(t.Context(), c.id, c.f, page))
			paged = append(paged, idsOf(part.Items)...)
			if page.Cursor = part.Next; page.Cursor == "" {
				break
			}
		}
		if diff := cmp.Diff(c.want, paged); diff != "" {
			t.Errorf("%s, page by page\n%s", name, diff)
		}
	}
	if listed := must[pg.Listed[dreams.Dream]](t)(s.Dreams(t.Context(), one, dreams.DreamFilter{}, pg.Page{})); listed.Items[2].Diff != "" ||
		listed.Items[2].Raw != "" {
		t.Error("a list has the texts of reports")
	}
}

func TestDreamCandidates(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	candidates := []dream.Candidate{
		weighed("a", dream.VerdictPromoted), weighed("b", dream.VerdictPromoted), weighed("c", dream.VerdictKept),
		weighed("d", dream.VerdictRejected),
	}
	x := storedDream(t, s, id, dreams.Dream{}, candidates...)
	var got []dream.Candidate
	for page := (pg.Page{Limit: 3}); ; {
		part := must[pg.Listed[dream.Candidate]](t)(s.DreamCandidates(t.Context(), id, x.ID, "", page))
		got = append(got, part.Items...)
		if page.Cursor = part.Next; page.Cursor == "" {
			break
		}
	}
	if diff := cmp.Diff(candidates, got); diff != "" {
		t.Error(diff)
	}
	kept := must[pg.Listed[dream.Candidate]](t)(s.DreamCandidates(t.Context(), id, x.ID, dream.VerdictKept, pg.Page{}))
	if diff := cmp.Diff(candidates[2:3], kept.Items); diff != "" {
		t.Error(diff)
	}
	for name, err := range map[string]error{
		"no dream":        second(s.DreamCandidates(t.Context(), id, pg.NewID(), "", pg.Page{})),
		"another owner's": second(s.DreamCandidates(t.Context(), member("user:2"), x.ID, "", pg.Page{})),
	} {
		if !is(pg.ErrNotFound)(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDreamsSince(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	one, two := member("user:1"), member("user:2")
	a := storedDream(t, s, one, dreams.Dream{StartedAt: testClock})
	b := storedDream(t, s, two, dreams.Dream{StartedAt: testClock.Add(time.Second)})
	c := storedDream(t, s, one, dreams.Dream{StartedAt: testClock.Add(2 * time.Second), Outcome: memory.OutcomeRunning})
	all := one
	all.Owner, all.AnyOwner, all.Role = memory.NoOwner, true, memory.RoleAdmin
	for name, want := range map[string]struct {
		id    memory.Identity
		since time.Time
		ids   []uuid.UUID
	}{
		"one's own":      {one, testClock.Add(-time.Second), []uuid.UUID{a.ID, c.ID}},
		"what came then": {one, testClock, []uuid.UUID{c.ID}},
		"nothing":        {one, testClock.Add(2 * time.Second), nil},
		"everybody's":    {all, testClock.Add(-time.Second), []uuid.UUID{a.ID, b.ID, c.ID}},
	} {
		changed := must[[]dreams.ChangedDream](t)(s.DreamsSince(t.Context(), want.id, want.since, 10))
		var got []uuid.UUID
		for _, x := range changed {
			got = append(got, x.ID)
			if !x.ChangedAt.Equal(x.StartedAt) {
				t.Errorf("%s: changed at %v", name, x.ChangedAt)
			}
		}
		if diff := cmp.Diff(want.ids, got); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
}

func TestDreamStatus(t *testing.T) {
	t.Parallel()
	s := openStore(t, at(func() time.Time { return testClock }))
	id := member("user:1")
	if got := must[dreams.DreamStatus](t)(s.DreamStatus(t.Context(), id)); got.Last != nil || got.Running != nil || got.News ||
		len(got.Outcomes) > 0 {
		t.Errorf("of nobody: %+v", got)
	}
	write(t, s, id, replace(personal("memory/2026-11-21.md"), 0, "- a\n"))
	storedDream(t, s, id, dreams.Dream{StartedAt: testClock.Add(-40 * 24 * time.Hour)})
	storedDream(t, s, id, dreams.Dream{Outcome: memory.OutcomeNothing})
	last := storedDream(t, s, id, dreams.Dream{})
	storedDream(t, s, id, dreams.Dream{DryRun: true})
	storedDream(t, s, id, dreams.Dream{DryRun: true, Outcome: memory.OutcomeRunning})
	running := storedDream(t, s, id, dreams.Dream{Outcome: memory.OutcomeWaiting})
	storedState(t, s, id, dream.State{ID: "a", Text: "a"})
	storedState(t, s, id, dream.State{ID: "b", Text: "b", Status: dream.Promoted})
	storedState(t, s, id, dream.State{ID: "c", Text: "c", Status: dream.Promoted})
	got := must[dreams.DreamStatus](t)(s.DreamStatus(t.Context(), id))
	if got.Last == nil || got.Last.ID != last.ID || got.Running == nil || got.Running.ID != running.ID || !got.News ||
		!got.NewsAt.Equal(testClock) {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(map[dream.Status]int{dream.Open: 1, dream.Promoted: 2}, got.Statuses); diff != "" {
		t.Error(diff)
	}
	want := map[memory.Outcome]int{memory.OutcomeWritten: 1, memory.OutcomeNothing: 1, memory.OutcomeWaiting: 1}
	if diff := cmp.Diff(want, got.Outcomes); diff != "" {
		t.Error(diff)
	}
	if got := must[dreams.DreamStatus](t)(s.DreamStatus(t.Context(), member("user:2"))); got.Last != nil || got.News || len(got.Statuses) > 0 {
		t.Errorf("of another owner: %+v", got)
	}
}
