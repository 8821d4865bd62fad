package foldersync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// world is a folder and a server that are edited at any moment, also between two effects of the sync between them, which is
// cut off again and again. Every line that somebody writes is a new word.
type world struct {
	t       *rapid.T
	root    string
	server  *server
	folder  *Folder
	words   int
	written map[string]bool // words that nobody took away knowingly
	busy    bool            // an edit is being made between two effects
	racing  bool
	dieAt   int // effects until the sync is cut off; 0: never
}

// crash is the panic value of an interrupted sync.
type crash struct{}

var worldPlaces = []string{"MEMORY.md", "memory/a.md", "team/b.md", "own/team/c.md"}

func newWorld(tb testing.TB, t *rapid.T) *world {
	tb.Helper()
	base := ""
	if _, err := os.Stat("/dev/shm"); err == nil {
		base = "/dev/shm"
	}
	root, err := os.MkdirTemp(base, "foldersync-") //nolint:usetesting // in memory where that is possible: there are thousands of worlds
	if err != nil {
		t.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(root) })
	w := &world{t: t, root: root, server: newServer(), written: map[string]bool{}}
	w.server.lose = func() bool { return w.racing && rapid.IntRange(0, 9).Draw(t, "lost") == 0 }
	return w
}

func (w *world) open() *Sync {
	if w.folder != nil {
		_ = w.folder.Close()
	}
	f, err := Open(w.root, 0, time.Now)
	if err != nil {
		w.t.Fatal(err)
	}
	w.folder = f
	f.step = w.between
	return New(f, w.server, Options{Layout: Layout{Personal: true}, DeleteAll: true, Say: func(e Event) {
		if e.Kind == Unreadable {
			w.t.Fatalf("%+v", e)
		}
	}})
}

// between is called between two effects.
func (w *world) between(string) {
	if w.busy {
		return
	}
	if w.dieAt > 0 {
		if w.dieAt--; w.dieAt == 0 {
			panic(crash{})
		}
	}
	if w.racing && rapid.IntRange(0, 3).Draw(w.t, "race") == 0 {
		w.busy = true
		w.edit()
		w.busy = false
	}
}

// pass makes a pass, which may be cut off; then the next one starts over.
func (w *world) pass(s *Sync) (next *Sync, o Outcome) {
	next = s
	defer func() {
		if r := recover(); r != nil {
			if _, cut := r.(crash); !cut {
				panic(r)
			}
			next = w.open()
		}
	}()
	o, err := s.Pass(context.Background())
	if err != nil && !errors.Is(err, ErrAway) {
		w.t.Fatalf("pass: %v", err)
	}
	return s, o
}

// revise returns text as edited by an author: with a new line, and possibly one line less.
func (w *world) revise(text string) string {
	lines := strings.SplitAfter(text, "\n")
	if n := len(lines); lines[n-1] == "" {
		lines = lines[:n-1]
	}
	if len(lines) > 0 && rapid.IntRange(0, 2).Draw(w.t, "takes") == 0 {
		at := rapid.IntRange(0, len(lines)-1).Draw(w.t, "which")
		delete(w.written, strings.TrimSpace(lines[at]))
		lines = slices.Delete(lines, at, at+1)
	}
	w.words++
	word := fmt.Sprintf("word-%d", w.words)
	w.written[word] = true
	at := rapid.IntRange(0, len(lines)).Draw(w.t, "where")
	return strings.Join(slices.Insert(lines, at, word+"\n"), "")
}

// took records that an author removed all lines of text.
func (w *world) took(text string) {
	for line := range strings.Lines(text) {
		delete(w.written, strings.TrimSpace(line))
	}
}

// edit is one edit on either side.
func (w *world) edit() {
	place := rapid.SampledFrom(worldPlaces).Draw(w.t, "place")
	if rapid.Bool().Draw(w.t, "here") {
		w.editHere(place)
	} else {
		w.editThere(place)
	}
}

func (w *world) editHere(place string) {
	file := filepath.Join(w.root, place)
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	there := err == nil
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatal(err)
	}
	switch how := rapid.IntRange(0, 5).Draw(w.t, "how"); {
	case there && how == 0:
		err = os.Remove(file)
		w.took(string(text))
	case there && how == 1: // renamed, over what was there
		other := filepath.Join(w.root, rapid.SampledFrom(worldPlaces).Draw(w.t, "to"))
		if other == file {
			return
		}
		over, _ := os.ReadFile(other)
		w.took(string(over))
		_ = os.MkdirAll(filepath.Dir(other), 0o755)
		err = os.Rename(file, other)
	case how <= 3: // written in place
		err = os.WriteFile(file, []byte(w.revise(string(text))), 0o644)
	default: // written beside it and renamed
		if err = os.WriteFile(file+"~", []byte(w.revise(string(text))), 0o644); err == nil {
			err = os.Rename(file+"~", file)
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) editThere(place string) {
	ref, err := Layout{Personal: true}.Ref(place)
	if err != nil {
		w.t.Fatal(err)
	}
	text, _, there := w.server.head(ref)
	if there && rapid.IntRange(0, 4).Draw(w.t, "gone") == 0 {
		w.took(text)
		w.server.put(ref, "")
		w.server.deleted[ref] = true
		return
	}
	w.server.put(ref, w.revise(text))
}

// ends checks what must hold once both sides came to rest.
func (w *world) ends(o Outcome) {
	listing, err := w.folder.Scan()
	if err != nil {
		w.t.Fatal(err)
	}
	entries, _ := w.server.List(context.Background())
	all := map[string]string{}
	for _, e := range entries {
		place, err := Layout{Personal: true}.Place(e.Ref)
		if err != nil {
			w.t.Fatal(err)
		}
		all[place], _, _ = w.server.head(e.Ref)
	}
	if here, there := slices.Sorted(maps.Keys(listing.Files)), slices.Sorted(maps.Keys(all)); !slices.Equal(here, there) {
		w.t.Fatalf("files %v, documents %v", here, there)
	}
	var everything strings.Builder
	for place, text := range all {
		if listing.Files[place].Sum != SumOf(text) {
			here, _ := os.ReadFile(filepath.Join(w.root, place))
			w.t.Fatalf("%s differs: %q here, %q there, listed %+v, known %+v, after %+v", place, here, text, listing.Files[place],
				w.folder.records.known[place], o)
		}
		everything.WriteString(text)
	}
	err = filepath.WalkDir(w.root, func(file string, d fs.DirEntry, err error) error {
		if err == nil && isConflict(d.Name()) {
			text, err := os.ReadFile(file)
			everything.Write(text)
			return err
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	lines := map[string]bool{}
	for line := range strings.Lines(everything.String()) {
		lines[strings.TrimSpace(line)] = true
	}
	for word := range w.written {
		if !lines[word] {
			w.t.Fatalf("%s is lost", word)
		}
	}
}

// Whatever is edited, deleted and renamed on both sides, whenever the sync is cut off and whichever answers get lost: at rest
// both sides are equal, and every line that nobody took away is in a document or in a visible conflict file.
func TestNoEditIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, rt)
		s := w.open()
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			for range rapid.IntRange(0, 3).Draw(rt, "edits") {
				w.edit()
			}
			w.racing = rapid.Bool().Draw(rt, "racing")
			w.dieAt = max(0, rapid.IntRange(-10, 25).Draw(rt, "die"))
			s, _ = w.pass(s)
		}
		w.racing, w.dieAt = false, 0
		var o Outcome
		for range 40 {
			s, o = w.pass(s)
			time.Sleep(2 * time.Millisecond)
			if o.Effects == 0 && o.Kept == 0 && o.Again.IsZero() {
				break
			}
		}
		w.ends(o)
		_ = w.folder.Close()
	})
}

// The policy never deletes or replaces what only one side has.
func TestDecisionsKeepWhatIsNew(t *testing.T) {
	sums := rapid.SampledFrom([]Sum{"", "a", "b", "c"})
	rapid.Check(t, func(t *rapid.T) {
		s := Sides{
			Base: sums.Draw(t, "base"), Local: sums.Draw(t, "local"), Remote: sums.Draw(t, "remote"),
			OneWay: rapid.Bool().Draw(t, "one way"),
		}
		action := Decide(s)
		newHere, newThere := s.Local != s.Base && s.Local != "", s.Remote != s.Base && s.Remote != ""
		switch action {
		case DeleteLocal, Pull:
			if newHere && s.Local != s.Remote {
				t.Fatalf("%+v: %s loses the folder's text", s, action)
			}
		case Push, DeleteRemote:
			if newThere || s.OneWay {
				t.Fatalf("%+v: %s", s, action)
			}
		case Merge:
			if s.Local == "" || s.Remote == "" || !newHere || !newThere {
				t.Fatalf("%+v: nothing to merge", s)
			}
		case Remember, Forget:
			if s.Local != s.Remote {
				t.Fatalf("%+v: they are not equal", s)
			}
		case Nothing:
			if s.Local != s.Remote && !s.OneWay {
				t.Fatalf("%+v: nothing is done about the difference", s)
			}
		}
	})
}
