package store

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"reverie/dream"
	"reverie/dream/compose"
	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/pg"
)

// night commits a dream that promotes a line, moves an old section to the archive, and adds a diary entry.
func night(t *testing.T, s *Store, id memory.Identity) dreams.Dream {
	t.Helper()
	before := "# Memory\n\n## Promoted (2026-10-01)\n\n- old\n\n- mine\n"
	after := "# Memory\n\n- mine\n\n## Promoted (2026-11-21)\n\n- Likes tea.\n"
	scope := dreams.DreamScope(id.Owner)
	ref := func(path string) memory.Ref { return memory.Ref{Scope: scope, Path: path} }
	write(t, s, id, memory.Change{Ref: ref(memory.MemoryPath), Op: memory.OpReplace, Content: before, Force: true})
	tea := weighed("Likes tea.", dream.VerdictPromoted)
	x := dreams.Dream{ID: pg.NewID()}
	x = storedDream(t, s, id, dreams.Dream{ID: x.ID, Diff: "+ tea", Changes: wrote(t, s, id,
		memory.Change{Ref: ref(memory.MemoryPath), Op: memory.OpReplace, Content: after, Force: true},
		memory.Change{Ref: ref("memory/archive/2026-10.md"), Op: memory.OpAppend, Content: "## Promoted (2026-10-01)\n\n- old\n"},
		memory.Change{
			Ref: ref(memory.DreamsPath), Op: memory.OpAppend,
			Content: "## 2026-11-21 02:00 Dream\n\nTea.\n\nReport " + x.ID.String() + ".\n", Create: "# Dreams\n",
		},
		memory.Change{Ref: ref("memory/dreaming/deep/2026-11-21.md"), Op: memory.OpReplace, Content: "- Likes tea.\n"},
	)}, tea, weighed("Has a dog.", dream.VerdictKept))
	storedState(t, s, id, dream.State{ID: tea.ID, Text: tea.Text, Status: dream.Promoted, Dream: x.ID})
	storedState(
		t, s, id, dream.State{ID: "corrected", Text: "corrected", Status: dream.Rejected, ReasonCode: dream.ReasonCorrected, Dream: x.ID},
	)
	storedState(t, s, id, dream.State{ID: "confirmed", Text: "confirmed", Status: dream.Confirmed, Dream: x.ID})
	storedState(t, s, id, dream.State{ID: "earlier", Text: "earlier", Status: dream.Promoted, Dream: pg.NewID()})
	return x
}

func TestRevertDream(t *testing.T) {
	t.Parallel()
	s := openStore(t, at(func() time.Time { return testClock }))
	id := member("user:1")
	x := night(t, s, id)
	got := must[dreams.RevertedDream](t)(s.RevertDream(t.Context(), id, x.ID, "k"))
	if len(got.Conflicts) > 0 || got.Receipt.Key != "k" || got.Receipt.Token == "" || len(got.Receipt.Changes) != 3 ||
		got.Dream.RevertedBy != id.Author.ID || !got.Dream.RevertedAt.Equal(testClock) {
		t.Errorf("%+v", got)
	}
	for path, want := range map[string]string{
		memory.MemoryPath:                    "# Memory\n\n## Promoted (2026-10-01)\n\n- old\n\n- mine\n",
		"memory/archive/2026-10.md":          "", // the dream made it
		"memory/dreaming/deep/2026-11-21.md": "- Likes tea.\n",
		memory.DreamsPath: "# Dreams\n\n## 2026-11-21 02:00 Dream\n\nTea.\n\nReport " + x.ID.String() +
			".\n\n*Undone at 2026-11-21 11:00.*\n",
	} {
		if diff := cmp.Diff(want, contentOf(t, s, id, path)); diff != "" {
			t.Errorf("%s\n%s", path, diff)
		}
	}
	history := must[[]memory.Version](t)(s.History(t.Context(), id, personal(memory.MemoryPath), 0, 0))
	if len(history) != 3 || history[0].Author != id.Author {
		t.Errorf("%+v", history)
	}
	want := map[string]dream.Status{
		"Likes tea.": dream.Rejected, "corrected": dream.Rejected, "confirmed": dream.Confirmed, "earlier": dream.Promoted,
		"old": dream.Rejected, // it had left MEMORY.md by the person's write
	}
	if diff := cmp.Diff(want, statusesOf(t, s, id)); diff != "" {
		t.Error(diff)
	}
	state, _, err := s.DreamEntry(t.Context(), id, memory.ItemID("Likes tea."))
	if err != nil || state.ReasonCode != dream.ReasonUndone {
		t.Errorf("%+v, %v", state, err)
	}
	// A second time nothing is written, whatever was written since.
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpAppend, Content: "- later\n"})
	again := must[dreams.RevertedDream](t)(s.RevertDream(t.Context(), id, x.ID, "another key"))
	if !again.Receipt.Replayed || again.Receipt.Token != got.Receipt.Token || again.Dream.RevertedBy != id.Author.ID {
		t.Errorf("again: %+v", again)
	}
	if got := contentOf(t, s, id, memory.MemoryPath); !strings.HasSuffix(got, "- later\n") {
		t.Error(got)
	}
}

// Later changes by others stay, the next dream's section included.
func TestRevertDreamKeepsLaterChanges(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	x := night(t, s, id)
	write(t, s, id, memory.Change{
		Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Base: 2,
		Content: "# Memory, mine\n\n- mine\n\n## Promoted (2026-11-21)\n\n- Likes tea.\n",
	})
	wrote(t, s, id,
		memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpAppend, Content: "## Promoted (2026-11-22)\n\n- Likes coffee.\n"},
		memory.Change{Ref: personal("memory/archive/2026-10.md"), Op: memory.OpAppend, Content: "## Promoted (2026-10-02)\n\n- older\n"})
	got := must[dreams.RevertedDream](t)(s.RevertDream(t.Context(), id, x.ID, ""))
	if len(got.Conflicts) > 0 {
		t.Fatalf("%+v", got.Conflicts)
	}
	for path, want := range map[string]string{
		memory.MemoryPath: "# Memory, mine\n\n## Promoted (2026-10-01)\n\n- old\n\n- mine\n\n## Promoted " +
			"(2026-11-22)\n\n- Likes coffee.\n",
		"memory/archive/2026-10.md": "## Promoted (2026-10-02)\n\n- older\n",
	} {
		if diff := cmp.Diff(want, contentOf(t, s, id, path)); diff != "" {
			t.Errorf("%s\n%s", path, diff)
		}
	}
}

// The entry of an older dream is in the file of its month; the diary's new entry then names the dream itself.
func TestRevertDreamWithFoldedDiaryEntry(t *testing.T) {
	t.Parallel()
	s := openStore(t, at(func() time.Time { return testClock }))
	id := member("user:1")
	x := night(t, s, id)
	entries := "# Dreams\n\n## 2026-11-22 02:00 Dream\n\nCoffee.\n\nReport " + pg.NewID().String() + "."
	write(t, s, id, memory.Change{Ref: personal(memory.DreamsPath), Op: memory.OpReplace, Content: entries, Force: true})
	must[dreams.RevertedDream](t)(s.RevertDream(t.Context(), id, x.ID, ""))
	want := entries + "\n\n## 2026-11-21 11:00 Undone\n\nThe dream of 2026-11-21 11:00.\n\nReport " + x.ID.String() + ".\n"
	if diff := cmp.Diff(want, contentOf(t, s, id, memory.DreamsPath)); diff != "" {
		t.Error(diff)
	}
	status := must[dreams.DreamStatus](t)(s.DreamStatus(t.Context(), id))
	if !strings.Contains(status.Diary, "Coffee.") || strings.Contains(status.Diary, "Undone") {
		t.Errorf("the latest entry is %q", status.Diary)
	}
}

func TestRevertDreamConflicts(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	x := night(t, s, id)
	write(t, s, id, memory.Change{
		Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Base: 2,
		Content: "# Memory\n\n- mine\n\n## Promoted (2026-11-21)\n\n- Likes green tea.\n",
	})
	before := statusesOf(t, s, id)
	diary := contentOf(t, s, id, memory.DreamsPath)
	got := must[dreams.RevertedDream](t)(s.RevertDream(t.Context(), id, x.ID, "k"))
	if len(got.Conflicts) != 1 || len(got.Conflicts[memory.MemoryPath]) != 1 || len(got.Receipt.Changes) > 0 ||
		got.Dream.RevertedBy != "" ||
		!strings.Contains(got.Conflicts[memory.MemoryPath][0].Theirs.Text, "green tea") {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(before, statusesOf(t, s, id)); diff != "" || contentOf(t, s, id, memory.DreamsPath) != diary ||
		contentOf(t, s, id, "memory/archive/2026-10.md") == "" {
		t.Errorf("something was written\n%s", diff)
	}
	// Once the lines are as they were, it works.
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpRestore, Restore: 2})
	if got := must[dreams.RevertedDream](t)(s.RevertDream(t.Context(), id, x.ID, "k")); len(got.Conflicts) > 0 || got.Dream.RevertedBy == "" {
		t.Errorf("%+v", got)
	}
}

func TestRevertDreamRefuses(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	x := night(t, s, id)
	reader := member("user:2")
	reader.Role, reader.AnyOwner = memory.RoleAdmin, true
	viewer := id
	viewer.Role = memory.RoleViewer
	for name, c := range map[string]struct {
		id    memory.Identity
		dream uuid.UUID
		want  func(error) bool
	}{
		"a dry run":                   {id, storedDream(t, s, id, dreams.Dream{DryRun: true}).ID, conflict(pg.CodeNotWritten)},
		"a replay":                    {id, storedDream(t, s, id, dreams.Dream{ReplayOf: x.ID}).ID, conflict(pg.CodeNotWritten)},
		"one that wrote nothing":      {id, storedDream(t, s, id, dreams.Dream{Outcome: memory.OutcomeNothing}).ID, conflict(pg.CodeNotWritten)},
		"one that goes on":            {id, storedDream(t, s, id, dreams.Dream{Outcome: memory.OutcomeRunning}).ID, conflict(pg.CodeNotEnded)},
		"one that waits":              {id, storedDream(t, s, id, dreams.Dream{Outcome: memory.OutcomeWaiting}).ID, conflict(pg.CodeNotEnded)},
		"an unknown one":              {id, pg.NewID(), is(pg.ErrNotFound)},
		"another owner's":             {member("user:2"), x.ID, is(pg.ErrNotFound)},
		"another's, seen":             {reader, x.ID, is(pg.ErrForbidden)},
		"by who only reads":           {viewer, x.ID, is(pg.ErrForbidden)},
		"with a key that is too long": {id, x.ID, invalid("idempotency key")},
	} {
		key := ""
		if name == "with a key that is too long" {
			key = strings.Repeat("k", gate.MaxKey+1)
		}
		if _, err := s.RevertDream(t.Context(), c.id, c.dream, key); !c.want(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// RevertDream fails if another call has used the idempotency key of its receipt.
func TestRevertDreamKeyReused(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	x := night(t, s, id)
	must[memory.Receipt](t)(s.Apply(t.Context(), id, "undo/dream/"+x.ID.String(), []memory.Change{noteChange("- a\n")}))
	if _, err := s.RevertDream(t.Context(), id, x.ID, ""); !conflict(pg.CodeKeyReused)(err) {
		t.Error(err)
	}
	if got := must[dreams.Dream](t)(s.Dream(t.Context(), id, x.ID)); got.RevertedBy != "" {
		t.Errorf("%+v", got)
	}
}

// A dream of shared memory is undone by any identity that may write it.
func TestRevertSharedDream(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	shared := member(memory.SystemOwner)
	x := night(t, s, shared)
	pinned := member("user:1")
	pinned.Pinned = true
	if _, err := s.RevertDream(t.Context(), pinned, x.ID, ""); !is(pg.ErrForbidden)(err) {
		t.Errorf("by who writes personal documents only: %v", err)
	}
	got := must[dreams.RevertedDream](t)(s.RevertDream(t.Context(), member("user:1"), x.ID, ""))
	if got.Dream.RevertedBy != "key-user:1" || contentOf(t, s, shared, "memory/archive/2026-10.md") != "" {
		t.Errorf("%+v", got)
	}
	if again := must[dreams.RevertedDream](t)(s.RevertDream(t.Context(), member("user:2"), x.ID, "")); !again.Receipt.Replayed ||
		len(again.Receipt.Changes) != 3 {
		t.Errorf("%+v", again)
	}
}

// Two people who undo a dream at the same time undo it once.
func TestRevertDreamConcurrently(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	x := night(t, s, id)
	results, errs := make([]dreams.RevertedDream, 4), make([]error, 4)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() { results[i], errs[i] = s.RevertDream(t.Context(), id, x.ID, "") })
	}
	all.Wait()
	first := 0
	for i, r := range results {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if !r.Receipt.Replayed {
			first++
		}
		if r.Receipt.Token != results[0].Receipt.Token || r.Dream.RevertedBy == "" {
			t.Errorf("%+v", r)
		}
	}
	if first != 1 {
		t.Errorf("undone %d times", first)
	}
}

// promotedDream promotes candidates by rules, with all that such a dream writes.
func promotedDream(t *testing.T, s *Store, id memory.Identity, day time.Time, texts ...string) dreams.Dream {
	t.Helper()
	var ranking dream.Ranking
	for _, text := range texts {
		c := weighed(text, dream.VerdictPromoted)
		c.Places = []dream.Place{{Origin: dream.FromNote, Path: "memory/2026-11-20.md", FromLine: 3, ToLine: 3}}
		ranking.Candidates = append(ranking.Candidates, c)
	}
	files := compose.Files{Months: map[string]memory.Document{}}
	for path, to := range map[string]*memory.Document{memory.MemoryPath: &files.Memory, memory.DreamsPath: &files.Diary} {
		d, err := s.Document(t.Context(), id, personal(path))
		if err != nil && !is(pg.ErrNotFound)(err) {
			t.Fatal(err)
		}
		*to = d
	}
	x := dreams.Dream{ID: pg.NewID(), StartedAt: day}
	settings := setting.DefaultDreamSettings()
	p := rewrite.Promote(files.Memory.Content, ranking, day, settings)
	composed := compose.Compose(compose.Input{
		Dream: x.ID, Mode: memory.DreamNightly, AsOf: day, Now: day, Scope: memory.ScopePersonal, Files: files,
		Memory: p.Memory, Moved: p.Moved, Ranking: p.Ranking, Outcome: memory.OutcomeWritten, Settings: settings,
	})
	x.Changes = wrote(t, s, id, composed.Changes...)
	x = storedDream(t, s, id, x, p.Ranking.Candidates...)
	for _, c := range p.Ranking.Candidates {
		storedState(t, s, id, dream.State{ID: c.ID, Text: c.Text, Status: dream.Promoted, Dream: x.ID})
	}
	return x
}

// Whichever of several dreams is undone, what the others promoted stays as it was, under its heading.
func TestRevertOneDreamOfSeveral(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)
	said := [][]string{{"Likes green tea.", "Lives in Lisbon."}, {"Works as a nurse."}, {"Has a dog called Rex."}}
	for undo := range said {
		s := openStore(t)
		id := member("user:1")
		write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: "# Memory\n\n- mine\n"})
		days := []time.Time{day, day.Add(12 * time.Hour), day.AddDate(0, 0, 1)} // two on one day, one on the next
		var promoted []dreams.Dream
		for i, texts := range said {
			promoted = append(promoted, promotedDream(t, s, id, days[i], texts...))
		}
		got := must[dreams.RevertedDream](t)(s.RevertDream(t.Context(), id, promoted[undo].ID, ""))
		if len(got.Conflicts) > 0 {
			t.Fatalf("dream %d: %+v", undo, got.Conflicts)
		}
		entries := markdown.EntriesOf(memoryOf(t, s, id))
		for i, texts := range said {
			for _, text := range texts {
				at := slices.IndexFunc(entries, func(e markdown.Entry) bool { return e.ID == memory.ItemID(text) })
				switch {
				case i == undo && at >= 0:
					t.Errorf("dream %d undone: %q stays", undo, text)
				case i != undo && (at < 0 || !strings.HasSuffix(entries[at].Heading, "("+days[i].Format(time.DateOnly)+")")):
					t.Errorf("dream %d undone: %q is gone or elsewhere in\n%s", undo, text, memoryOf(t, s, id))
				}
			}
		}
		if diary := contentOf(t, s, id, memory.DreamsPath); strings.Count(diary, "Report ") != 3 ||
			strings.Count(diary, "*Undone at ") != 1 {
			t.Errorf("the diary is\n%s", diary)
		}
	}
}
