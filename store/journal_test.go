package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"reverie/memory"
)

// journalOf is what the journal has for an identity when all that was committed before the call is shown: transactions of other
// tests run on the same server, and events wait for those beside theirs.
func journalOf(t tester, s *Store, id memory.Identity, f JournalFilter) []Event {
	t.Helper()
	now := query[int64](t, s, id, "select reverie_transaction(pg_snapshot_xmax(pg_current_snapshot()))")[0]
	var events []Event
	for until := time.Now().Add(time.Minute); ; {
		page := must[JournalPage](t)(s.Journal(t.Context(), id, f))
		events = append(events, page.Events...)
		if f.After = page.Next; !page.More && f.After.Transaction >= now {
			return events
		}
		if time.Now().After(until) {
			t.Fatal("the journal does not show what was committed a minute ago")
		}
		if !page.More {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// A transaction that began earlier, drew its number earlier and commits later is not missed by who reads on behind the events that
// were there: those wait for it.
func TestJournalMissesNothing(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	seen := journalOf(t, s, id, JournalFilter{})
	after := JournalCursor{}
	if len(seen) > 0 {
		after = seen[len(seen)-1].Cursor()
	}

	began, commit, late := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	goOn := sync.OnceFunc(func() { close(commit) })
	defer goOn()
	go func() {
		// Another document of the same owner would wait for the first one's index.
		_, err := inTx(context.WithoutCancel(t.Context()), s.DB, id, func(tx *tx) (none struct{}, err error) {
			if _, err := applyChanges(t.Context(), tx, changeSet{changes: []memory.Change{replace(team("slow.md"), 0, "slow\n")}}); err != nil {
				return none, err
			}
			if err := tx.send(t.Context(), &pgx.Batch{}); err != nil {
				return none, err
			}
			close(began)
			<-commit
			return none, nil
		})
		late <- err
	}()
	select {
	case <-began:
	case err := <-late:
		t.Fatal(err)
	}
	fast := write(t, s, id, replace(personal("fast.md"), 0, "fast\n"))
	page := must[JournalPage](t)(s.Journal(t.Context(), id, JournalFilter{After: after}))
	if len(page.Events) != 0 {
		t.Fatalf("shown while an earlier transaction runs: %+v", page.Events)
	}
	if d := must[memory.Document](t)(s.Document(t.Context(), id, personal("fast.md"))); d.Version != fast.Version {
		t.Fatalf("the document itself waits: %+v", d)
	}
	goOn()
	if err := <-late; err != nil {
		t.Fatal(err)
	}
	got := journalOf(t, s, id, JournalFilter{After: page.Next})
	var paths []string
	for _, e := range got {
		paths = append(paths, e.Path)
	}
	if diff := cmp.Diff([]string{"slow.md", "fast.md"}, paths); diff != "" {
		t.Errorf("behind the cursor of then (-want +got):\n%s", diff)
	}
	if got[0].ID > got[1].ID {
		t.Errorf("the slow one drew its number first: %d, %d", got[0].ID, got[1].ID)
	}
	if rest := journalOf(t, s, id, JournalFilter{After: got[0].Cursor()}); len(rest) != 1 || rest[0].Path != "fast.md" {
		t.Errorf("behind the first of them: %+v", rest)
	}
}

// Many write at once, and one who follows in small parts sees each event exactly once.
func TestJournalIsFollowed(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	const writers, each = 8, 15
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	seen, after := map[int64]int{}, JournalCursor{}
	follow := func() (more bool) {
		page := must[JournalPage](t)(s.Journal(t.Context(), id, JournalFilter{After: after, Limit: 3, Kinds: []EventKind{EventDocumentWritten}}))
		for _, e := range page.Events {
			seen[e.ID]++
		}
		after = page.Next
		return page.More
	}
	var writing, following sync.WaitGroup
	following.Go(func() {
		for ctx.Err() == nil {
			follow()
		}
	})
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				if _, err := s.Apply(ctx, id, "", []memory.Change{merge(personal(fmt.Sprintf("n%d.md", w)), memory.StrategyAppend, fmt.Sprint(i))}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	stop()
	following.Wait()
	for _, e := range journalOf(t, s, id, JournalFilter{After: after, Kinds: []EventKind{EventDocumentWritten}}) {
		seen[e.ID]++
	}
	all := query[int64](t, s, id, "select event_id from journal where kind = 'document.written'")
	for _, number := range all {
		if seen[number] != 1 {
			t.Errorf("event %d was seen %d times", number, seen[number])
		}
	}
	if len(seen) != len(all) || len(all) < writers*each {
		t.Errorf("%d events seen, there are %d", len(seen), len(all))
	}
}

func TestJournalFilters(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	write(t, s, id, replace(personal("a.md"), 0, "a\n"))
	write(t, s, id, replace(personal("b.md"), 0, "b\n"))
	write(t, s, id, memory.Change{Ref: personal("a.md"), Op: memory.OpDelete})
	kindsOf := func(f JournalFilter) (kinds []EventKind) {
		for _, e := range journalOf(t, s, id, f) {
			if e.Scope == memory.ScopePersonal {
				kinds = append(kinds, e.Kind)
			}
		}
		return kinds
	}
	for name, c := range map[string]struct {
		filter JournalFilter
		want   []EventKind
	}{
		"all":       {JournalFilter{}, []EventKind{EventDocumentWritten, EventDocumentWritten, EventDocumentDeleted}},
		"path":      {JournalFilter{Path: "a.md"}, []EventKind{EventDocumentWritten, EventDocumentDeleted}},
		"kind":      {JournalFilter{Kinds: []EventKind{EventDocumentDeleted}}, []EventKind{EventDocumentDeleted}},
		"two kinds": {JournalFilter{Kinds: []EventKind{EventDocumentDeleted, EventDocumentWritten}, Path: "b.md"}, []EventKind{EventDocumentWritten}},
		"no such":   {JournalFilter{Kinds: []EventKind{"document.shredded"}}, nil},
	} {
		if got := kindsOf(c.filter); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	future := JournalCursor{Transaction: 1 << 60}
	if _, err := s.Journal(t.Context(), id, JournalFilter{After: future}); !invalid("after")(err) {
		t.Errorf("a cursor of another database: %v", err)
	}
}

func TestJournalCursor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := JournalCursor{rapid.Int64Min(0).Draw(t, "transaction"), rapid.Int64Min(0).Draw(t, "event")}
		if got, err := ParseJournalCursor(c.String()); err != nil || got != c {
			t.Fatalf("%v: %v, %v", c, got, err)
		}
	})
	if c, err := ParseJournalCursor(""); err != nil || c != (JournalCursor{}) {
		t.Errorf("the beginning: %v, %v", c, err)
	}
	for _, text := range []string{"7", "-", "7-", "-7", "7-x", "-1-7", "7--1", "99999999999999999999-1"} {
		if _, err := ParseJournalCursor(text); !invalid("after")(err) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
