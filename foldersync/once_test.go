package foldersync

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
)

// onceBench is a folder with the real clock and a server with one document; said holds the reported events.
func onceBench(t *testing.T, settle time.Duration) (b *Sync, root string, said *[]Event) {
	t.Helper()
	root, said = t.TempDir(), &[]Event{}
	folder, err := Open(root, settle, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	there := newServer()
	there.put(memory.Ref{Scope: memory.ScopeTeam, Path: "SOUL.md"}, "- kind\n")
	return New(folder, there, Options{Say: func(e Event) { *said = append(*said, e) }}), root, said
}

// A file that was written a moment before is dealt with in its turn, as one that was written long before.
func TestOnceWaitsForWhatWasJustWritten(t *testing.T) {
	sync, root, said := onceBench(t, 300*time.Millisecond)
	if err := os.WriteFile(filepath.Join(root, "MEMORY.md"), []byte("- tea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	outcome, err := sync.Once(t.Context())
	if err != nil || outcome.Documents != 2 || outcome.Effects != 2 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	var told []string
	for _, e := range *said {
		told = append(told, string(e.Kind)+" "+e.Place)
	}
	if diff := cmp.Diff([]string{"pushed MEMORY.md", "pulled SOUL.md", "in-step "}, told); diff != "" {
		t.Error(diff)
	}
}

// A file that is written to all the time does not keep the others from being synced.
func TestOnceDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	sync, root, said := onceBench(t, 1500*time.Millisecond) // much longer than what writes has to wait for a busy machine
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	isOther := func(e Event) bool { return e.Kind == Pulled && e.Place == "SOUL.md" }
	sync.Say = func(e Event) {
		*said = append(*said, e)
		if isOther(e) {
			cancel()
		}
	}
	write := func(n int) error {
		return os.WriteFile(filepath.Join(root, "MEMORY.md"), slices.Repeat([]byte("- tea\n"), 1+n%50), 0o600)
	}
	if err := write(0); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() {
		for n := 1; ; n++ {
			if err := write(n); err != nil {
				written <- err
				return
			}
			if sleep(ctx, 20*time.Millisecond) != nil {
				written <- nil
				return
			}
		}
	}()
	if _, err := sync.Once(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v while a file was moving", err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(*said, isOther) {
		t.Errorf("the other document was held up: %+v", *said)
	}
}
