package store

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/dreams"
	"reverie/store/pg"
)

// A night that is dreamed again has one dream that counts. Memory and states are as before the first one, so that the second
// decides on the same grounds.
func TestDreamAgain(t *testing.T) {
	t.Parallel()
	s, clock := dreamStore(t)
	id := dreaming("user:1", "run-1")
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: "# Memory\n\n- mine\n", Force: true})
	tea, dog := candidate("Likes tea.", "2026-11-20"), candidate("Has a dog.", "2026-11-20")
	first := committedDream(t, s, id, nightly("2026-11-21T02:00"), tea, dog)
	if !strings.Contains(contentOf(t, s, id, memory.MemoryPath), "Likes tea.") || statesOf(t, s, id)["Likes tea."].LightHits != 1 {
		t.Fatal("the first dream wrote nothing")
	}

	*clock = clock.Add(time.Hour)
	next := dreaming("user:1", "run-2")
	got := must[dreams.RevertedDream](t)(s.DreamAgain(t.Context(), next, first.ID, dreams.Again{}))
	again := got.Dream
	if again.AgainOf != first.ID || again.Night != first.Night || !again.AsOf.Equal(first.AsOf) || again.Mode != first.Mode ||
		again.Trigger != first.Trigger || again.RunID != "run-2" || !again.Open() || len(got.Conflicts) > 0 {
		t.Errorf("%+v", got)
	}
	old := must[dreams.Dream](t)(s.Dream(t.Context(), id, first.ID))
	if old.AgainAs != again.ID || old.RevertedAt.IsZero() || old.Outcome != memory.OutcomeWritten {
		t.Errorf("the first dream became %+v", old)
	}
	if text := contentOf(t, s, id, memory.MemoryPath); text != "# Memory\n\n- mine\n" {
		t.Errorf("MEMORY.md is\n%s", text)
	}
	for text, state := range statesOf(t, s, id) {
		if state.Status != dream.Open || state.LightHits != 0 || !state.LightAt.IsZero() {
			t.Errorf("%s: %+v", text, state)
		}
	}
	// A step that is retried finds the dream of its run; another run does not dream the same night a third time.
	if retried := must[dreams.RevertedDream](t)(s.DreamAgain(t.Context(), next, first.ID, dreams.Again{})); retried.Dream.ID != again.ID {
		t.Errorf("retried, it is %s", retried.Dream.ID)
	}
	_, err := s.DreamAgain(t.Context(), dreaming("user:1", "run-3"), first.ID, dreams.Again{})
	if conflict, ok := errors.AsType[*pg.ConflictError](err); !ok || conflict.Code != pg.CodeDreamedAgain ||
		!strings.Contains(conflict.Message, again.ID.String()) {
		t.Errorf("another run: %v", err)
	}
	// The night now belongs to the second dream.
	if found := must[dreams.Dream](t)(s.BeginDream(t.Context(), next, nightly(first.Night))); found.ID != again.ID {
		t.Errorf("the night is %s", found.ID)
	}
	d := nightly(first.Night)
	d.ID = again.ID
	second := committedDream(t, s, next, d, tea, dog)
	if second.Outcome != memory.OutcomeWritten || strings.Count(contentOf(t, s, id, memory.MemoryPath), "Likes tea.") != 1 {
		t.Errorf("the second dream ended as %+v:\n%s", second, contentOf(t, s, id, memory.MemoryPath))
	}
	if state := statesOf(t, s, id)["Likes tea."]; state.Status != dream.Promoted || state.Dream != again.ID || state.LightHits != 1 {
		t.Errorf("in the end: %+v", state)
	}
}

// Decisions of people hold: a statement that was confirmed or forgotten since then keeps its state.
func TestDreamAgainKeepsDecisions(t *testing.T) {
	t.Parallel()
	s := openStore(t, at(func() time.Time { return testClock }))
	id := member("user:1")
	x := night(t, s, id)
	must[dreams.RevertedDream](t)(s.RevertDream(t.Context(), id, x.ID, "undone before"))
	got := must[dreams.RevertedDream](t)(s.DreamAgain(t.Context(), id, x.ID, dreams.Again{
		Settings: setting.DefaultDreamSettings(), Trigger: memory.DreamByRequest, Request: "r",
	}))
	if got.Dream.Phase != memory.DreamQueued || got.Dream.Trigger != memory.DreamByRequest || got.Dream.AgainOf != x.ID {
		t.Errorf("%+v", got.Dream)
	}
	status := statusesOf(t, s, id)
	if status["Likes tea."] != dream.Open || status["confirmed"] != dream.Confirmed || status["earlier"] != dream.Promoted {
		t.Errorf("%v", status)
	}
	if same := must[dreams.Dream](t)(s.DreamOfRequest(t.Context(), id, "r")); same.ID != got.Dream.ID {
		t.Errorf("the request's dream is %s", same.ID)
	}
}

func TestDreamAgainRefuses(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	id := dreaming("user:1", "run-1")
	open := must[dreams.Dream](t)(s.BeginDream(t.Context(), id, nightly("2026-11-21T02:00")))
	dry := requested(memory.DreamNightly)
	dry.DryRun = true
	rehearsed := must[dreams.Dream](t)(s.BeginDream(t.Context(), runOfDream(id, "dry"), dry))
	for name, c := range map[string]struct {
		of   dreams.Dream
		end  bool
		code string
	}{
		"open": {of: open, code: pg.CodeNotEnded}, "dry run": {of: rehearsed, end: true, code: pg.CodeNotWritten},
	} {
		if c.end {
			by := id
			by.Author.WorkflowID, by.Author.RunID = c.of.WorkflowID, c.of.RunID
			must[dreams.Dream](t)(s.EndDream(t.Context(), by, c.of.ID, dreams.DreamEnding{Outcome: memory.OutcomeNothing}))
		}
		_, err := s.DreamAgain(t.Context(), id, c.of.ID, dreams.Again{})
		if conflict, ok := errors.AsType[*pg.ConflictError](err); !ok || conflict.Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, other := range map[string]memory.Identity{
		"another owner": dreaming("user:2", "r"), "another agent": member("user:1").For("bob", "user:1"),
	} {
		if _, err := s.DreamAgain(t.Context(), other, open.ID, dreams.Again{}); !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// When a person has changed the lines since, nothing is undone and no dream begins.
func TestDreamAgainWithConflicts(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	x := night(t, s, id)
	edited := "# Memory\n\n- mine\n\n## Promoted (2026-11-21)\n\n- Likes green tea.\n"
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: edited, Force: true})
	got := must[dreams.RevertedDream](t)(s.DreamAgain(t.Context(), id, x.ID, dreams.Again{Settings: setting.DefaultDreamSettings()}))
	if len(got.Conflicts) != 1 || contentOf(t, s, id, memory.MemoryPath) != edited {
		t.Errorf("%+v", got)
	}
	if old := must[dreams.Dream](t)(s.Dream(t.Context(), id, x.ID)); !old.RevertedAt.IsZero() || old.AgainAs != (dreams.Dream{}).AgainAs {
		t.Errorf("%+v", old)
	}
}

// Of several requests at once, one repeats the dream.
func TestDreamAgainAtOnce(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	x := night(t, s, id)
	var mu sync.Mutex
	begun := 0
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			_, err := s.DreamAgain(t.Context(), id, x.ID, dreams.Again{Settings: setting.DefaultDreamSettings()})
			conflict, refused := errors.AsType[*pg.ConflictError](err)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				begun++
			case !refused || conflict.Code != pg.CodeDreamedAgain:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := query[int64](t, s, id, "select count(*) from dreams where again_of = $1", x.ID)[0]; begun != 1 || n != 1 {
		t.Errorf("%d began, %d records", begun, n)
	}
}
