package foldersync

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"reverie/memory"
)

// bench is a folder and a server with a stopped clock, for consecutive syncs.
type bench struct {
	*testing.T
	root   string
	server *server
	folder *Folder
	sync   *Sync
	events []Event
	at     time.Time
}

const testSettle = 500 * time.Millisecond

func newBench(t *testing.T, o Options) *bench {
	t.Helper()
	b := &bench{T: t, root: t.TempDir(), server: newServer(), at: time.Now()}
	b.open(o)
	t.Cleanup(func() { _ = b.folder.Close() })
	return b
}

func (b *bench) open(o Options) {
	b.Helper()
	if b.folder != nil {
		_ = b.folder.Close()
	}
	f, err := Open(b.root, testSettle, func() time.Time { return b.at })
	if err != nil {
		b.Fatal(err)
	}
	b.folder = f
	o.Say = func(e Event) { b.events = append(b.events, e) }
	b.sync = New(f, b.server, o)
}

// file writes a file that was last changed before the settling time, in the clock of the folder.
func (b *bench) file(name, text string) {
	b.Helper()
	path := filepath.Join(b.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	b.at = time.Now().Add(2 * testSettle)
}

func (b *bench) text(name string) string {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.root, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// there is the server's text of a TEAM document.
func (b *bench) there(path string) string {
	text, _, _ := b.server.head(memory.Ref{Scope: memory.ScopeTeam, Path: path})
	return text
}

func (b *bench) onServer(path, text string) {
	b.server.put(memory.Ref{Scope: memory.ScopeTeam, Path: path}, text)
}

// passes makes passes until nothing is left to do, with time going by between them.
func (b *bench) passes() Outcome {
	b.Helper()
	for range 10 {
		o, err := b.sync.Pass(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		b.at = b.at.Add(testSettle)
		if o.Effects == 0 && o.Again.IsZero() {
			return o
		}
	}
	b.Fatal("it does not come to rest")
	return Outcome{}
}

// kinds returns the kinds of the events reported for a place.
func (b *bench) kinds(place string) (out []Kind) {
	for _, e := range b.events {
		if e.Place == place {
			out = append(out, e.Kind)
		}
	}
	return out
}

func (b *bench) conflicts() []string {
	b.Helper()
	found, err := filepath.Glob(filepath.Join(b.root, "*.conflict-*"))
	if err != nil {
		b.Fatal(err)
	}
	return found
}
