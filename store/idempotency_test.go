package store

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reverie/memory"
)

// Every later call with a key returns what the first call wrote, whatever its own contents.
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, ref := member("user:7"), team("a.md")
	first := must[memory.Receipt](t)(s.Apply(t.Context(), id, "k", []memory.Change{replace(ref, 0, "one")}))
	if first.Key != "k" || first.Token == "" || first.Replayed {
		t.Errorf("first receipt: %+v", first)
	}
	want := first
	want.Replayed = true
	for name, changes := range map[string][]memory.Change{
		"the same":       {replace(ref, 0, "one")},
		"other content":  {replace(ref, 1, "two")},
		"other document": {replace(team("b.md"), 0, "b")},
		"stale":          {replace(ref, 7, "x")},
	} {
		got := must[memory.Receipt](t)(s.Apply(t.Context(), id, "k", changes))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if d := must[memory.Document](t)(s.Document(t.Context(), id, ref)); d.Version != 1 {
		t.Errorf("version %d", d.Version)
	}
	if n, err := rawAs(t, s, everything(t, id), "select from documents where path = 'b.md'"); n != 0 || err != nil {
		t.Errorf("a replayed call left %d rows behind: %v", n, err)
	}
	nothing := must[memory.Receipt](t)(s.Apply(t.Context(), id, "no change", []memory.Change{replace(ref, 1, "one")}))
	again := must[memory.Receipt](t)(s.Apply(t.Context(), id, "no change", []memory.Change{replace(ref, 1, "two")}))
	if nothing.Changes[0].Changed || !again.Replayed || nothing.Token != "" || again.Token != "" {
		t.Errorf("a call that changed nothing is remembered too: %+v, then %+v", nothing, again)
	}
	// Keys apply to one agent and owner.
	other := must[memory.Receipt](t)(s.Apply(t.Context(), member("user:8"), "k", []memory.Change{replace(ref, 1, "eight")}))
	if other.Replayed || other.Changes[0].Version != 2 {
		t.Errorf("another owner's key: %+v", other)
	}
}

func TestIdempotencyKeyUnderConcurrency(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	for name, path := range map[string]func(i int) string{
		"same":   func(int) string { return "same.md" },
		"others": func(i int) string { return fmt.Sprintf("others%d.md", i) },
	} {
		t.Run(name, func(t *testing.T) {
			const callers = 12
			receipts, errs := make([]memory.Receipt, callers), make([]error, callers)
			var wg sync.WaitGroup
			for i := range callers {
				wg.Go(func() {
					c := memory.Change{Ref: team(path(i)), Op: memory.OpAppend, Content: fmt.Sprintf("line %d\n", i)}
					receipts[i], errs[i] = s.Apply(t.Context(), member("user:7"), name, []memory.Change{c})
				})
			}
			wg.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			written := 0
			for _, r := range receipts {
				if !r.Replayed {
					written++
				}
				if diff := cmp.Diff(receipts[0], r, cmpopts.IgnoreFields(memory.Receipt{}, "Replayed")); diff != "" {
					t.Errorf("receipts differ:\n%s", diff)
				}
			}
			if written != 1 {
				t.Errorf("%d calls have written, want 1", written)
			}
			if n := query[int](t, s, member("user:7"), `
select count(*)::int
from document_versions v
join documents d using (workspace_id, agent_id, document_id)
where starts_with(d.path, $1)`, name); n[0] != 1 {
				t.Errorf("%d versions, want 1", n[0])
			}
		})
	}
}

// Appends of many writers at once are all there, each once, whether the document was there before or not.
func TestConcurrentAppends(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const writers, each = 12, 5
	refs := []memory.Ref{team("z.md"), team("a.md"), personal("m.md")}
	var wg sync.WaitGroup
	errs := make([]error, writers)
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				var changes []memory.Change
				for n := range refs { // in another order each time: the gate sorts
					line := fmt.Sprintf("writer %d line %d\n", w, i)
					changes = append(
						changes, memory.Change{Ref: refs[(n+w)%len(refs)], Op: memory.OpAppend, Create: "# start\n", Content: line},
					)
				}
				if _, err := s.Apply(t.Context(), member("user:7"), "", changes); err != nil {
					errs[w] = err
					return
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		d := must[memory.Document](t)(s.Document(t.Context(), member("user:7"), ref))
		if d.Version != writers*each || !strings.HasPrefix(d.Content, "# start\n\n") || strings.Count(d.Content, "# start") != 1 {
			t.Errorf("%s: version %d, begins %.20q", ref.Path, d.Version, d.Content)
		}
		for w := range writers {
			for i := range each {
				if n := strings.Count(d.Content, fmt.Sprintf("writer %d line %d\n", w, i)); n != 1 {
					t.Errorf("%s has line %d of writer %d %d times", ref.Path, i, w, n)
				}
			}
		}
	}
}
