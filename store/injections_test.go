package store

import (
	"testing"
	"time"

	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/store/facts"
	"reverie/store/pg"
)

// Records of what was injected go by age, never those of the latest day, and nobody else deletes them.
func TestInjectionsExpire(t *testing.T) {
	t.Parallel()
	s := must[*Store](t)(Open(t.Context(), devtest.Database(t, migrated), pg.Options{MaxConns: 2}))
	t.Cleanup(s.Close)
	if err := s.EnsureWorkspace(t.Context(), "acme", "Acme"); err != nil {
		t.Fatal(err)
	}
	id := member("user:7")
	now := time.Now()
	for _, age := range []time.Duration{0, 23 * time.Hour, 25 * time.Hour, 100 * 24 * time.Hour} {
		in := facts.Injection{ID: pg.NewID(), At: now.Add(-age), Choices: []facts.Choice{{Layer: "matched"}}}
		for range 2 { // a window that is built again replaces its record
			in.Selected++
			if err := s.RecordInjections(t.Context(), []facts.Injected{{Injection: in, Identity: id}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	list := must[pg.Listed[facts.Injection]](t)(s.Injections(t.Context(), id, "", pg.Page{})).Items
	if len(list) != 4 || list[0].Selected != 2 || len(list[0].Choices) != 1 {
		t.Fatalf("%+v", list)
	}
	for name, id := range map[string]memory.Identity{"admin": adminOf("acme"), "member": id} {
		if _, err := rawAs(t, s, everything(t, id), "delete from injections"); !is(pg.ErrForbidden)(err) {
			t.Errorf("by %s: %v", name, err)
		}
	}
	for _, c := range []struct {
		before time.Time
		n      int
	}{{now.Add(-90 * 24 * time.Hour), 1}, {now.Add(time.Hour), 1}, {now.Add(time.Hour), 0}} {
		if n, err := s.ExpireInjections(t.Context(), c.before); n != c.n || err != nil {
			t.Errorf("%d expired, want %d; %v", n, c.n, err)
		}
	}
	if list := must[pg.Listed[facts.Injection]](t)(s.Injections(t.Context(), id, "", pg.Page{})).Items; len(list) != 2 {
		t.Errorf("%d of the latest day", len(list))
	}
}

// A turn into which nothing was injected shows no facts. Older records have null instead of an empty list.
func TestInjectionsOfNothing(t *testing.T) {
	t.Parallel()
	s := must[*Store](t)(Open(t.Context(), devtest.Database(t, migrated), pg.Options{MaxConns: 2}))
	t.Cleanup(s.Close)
	if err := s.EnsureWorkspace(t.Context(), "acme", "Acme"); err != nil {
		t.Fatal(err)
	}
	id := member("user:7")
	now := time.Now()
	record := func() {
		t.Helper()
		in := facts.Injection{ID: pg.NewID(), At: now, Conversation: "talk", Skipped: "nothing"}
		if err := s.RecordInjections(t.Context(), []facts.Injected{{Injection: in, Identity: id}}); err != nil {
			t.Fatal(err)
		}
	}
	record()
	for range 2 {
		shown, err := s.Recalled(t.Context(), id, memory.ScopePersonal, "talk", now.Add(-time.Hour), now.Add(time.Hour))
		if err != nil || len(shown) > 0 {
			t.Errorf("%v, %v", shown, err)
		}
		if _, err := rawAs(t, s, everything(t, id), "update injections set choices = 'null'"); err != nil {
			t.Fatal(err)
		}
	}
	if list := must[pg.Listed[facts.Injection]](t)(s.Injections(t.Context(), id, "", pg.Page{})).Items; len(list) != 1 {
		t.Errorf("%+v", list)
	}
}
