package devenv

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTemporaryFoldersOfTheDeadAreRemoved(t *testing.T) {
	base := folder(t)
	t.Setenv("TMPDIR", base)
	folders := map[string]string{}
	for _, name := range []string{"abandoned", "in use", "in the making", "somebody else's"} {
		folders[name] = filepath.Join(base, temporaryPrefix+name)
	}
	folders["somebody else's"] = filepath.Join(base, "other")
	for name, folder := range folders {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if name == "in use" {
			lock, err := claim(folder)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = lock.Close() }()
		}
		if name != "in the making" {
			old := time.Now().Add(-2 * abandonedAfter)
			if err := os.Chtimes(folder, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	made, err := temporaryFolder(t.Context())
	if err != nil || filepath.Dir(made) != base {
		t.Fatalf("made %s, %v", made, err)
	}
	for name, folder := range folders {
		if exists(folder) == (name == "abandoned") {
			t.Errorf("%s: is there: %v", name, exists(folder))
		}
	}
}

func TestOnceAtATime(t *testing.T) {
	folder := t.TempDir()
	inside, leave := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		first <- onceAtATime(t.Context(), folder, nil, "test", func() error {
			close(inside)
			<-leave
			return nil
		})
	}()
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := onceAtATime(ctx, folder, nil, "test", func() error {
		t.Error("two at a time")
		return nil
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second's wait: %v", err)
	}
	close(leave)
	if err := <-first; err != nil {
		t.Error(err)
	}
	want := errors.New("the third's own")
	if err := onceAtATime(t.Context(), folder, nil, "test", func() error { return want }); !errors.Is(err, want) {
		t.Errorf("the third: %v", err)
	}
}

func TestKeptPort(t *testing.T) {
	folder := t.TempDir()
	port, err := keptPort(t.Context(), folder, "port")
	if err != nil || port < lowestPort || port > highestPort {
		t.Fatalf("port %d, %v", port, err)
	}
	if err := keepPort(folder, "port", port); err != nil {
		t.Fatal(err)
	}
	if again, err := keptPort(t.Context(), folder, "port"); err != nil || again != port {
		t.Errorf("port %d, %v; want %d again", again, err, port)
	}
}
