package devenv

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAbandonedTemporaryFoldersAreRemoved(t *testing.T) {
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

func TestProgramsOnThePath(t *testing.T) {
	if err := Programs(t.Context(), func(part, message string) { t.Errorf("%s: %s", part, message) }, "go", "sh"); err != nil {
		t.Error(err)
	}
}

func TestProgramsThatCannotBeInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := Programs(t.Context(), nil, "go", "jq")
	if !errors.Is(err, errNoApt) || !strings.Contains(err.Error(), "install go and jq") {
		t.Errorf("got %v", err)
	}
}

func TestProgressReportsElapsedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []string
		progress := Progress(func(part, message string) { heard = append(heard, part+": "+message) })
		err := progress.during("temporal", "building", func() error {
			time.Sleep(12 * time.Second)
			return nil
		})
		want := []string{"temporal: building …", "temporal: building … 5s", "temporal: building … 10s", "temporal: building: done in 12s"}
		if diff := cmp.Diff(want, heard); diff != "" || err != nil {
			t.Error(err, diff)
		}
	})
}

func TestProgressPassesTheErrorOn(t *testing.T) {
	want := errors.New("no room")
	if err := Progress(nil).during("temporal", "building", func() error { return want }); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}
