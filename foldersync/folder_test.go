package foldersync

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestWhatIsNoDocumentIsLeftAlone(t *testing.T) {
	b := newBench(t, Options{})
	b.onServer("known.md", "x\n")
	b.passes()
	outside := t.TempDir()
	for _, name := range []string{"a.txt", ".hidden.md", "a.md~", ".git/b.md", "c.conflict-20260131-120000.md", "own/d.md", "Global/e.md"} {
		b.file(name, "x\n")
	}
	b.file("latin.md", "caf\xe9\n")
	b.file("large.md", strings.Repeat("x", maxDocument+1))
	for link, to := range map[string]string{"link.md": "/etc/hostname", "away": outside} {
		if err := os.Symlink(to, filepath.Join(b.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	b.onServer("away/f.md", "must not leave the folder\n")
	if err := os.Remove(filepath.Join(b.root, "known.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(b.root, "known.md")); err != nil {
		t.Fatal(err)
	}
	o := b.passes()
	list, _ := b.server.List(t.Context())
	if len(list) != 2 || b.there("known.md") != "x\n" {
		t.Errorf("on the server: %+v", list)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("written outside of the folder: %v", left)
	}
	if o.Refused != 2 {
		t.Errorf("%+v", o)
	}
	for place, want := range map[string]Kind{
		"latin.md": Unreadable, "large.md": Unreadable, "a.txt": Ignored, "link.md": Ignored,
		"own/d.md": Ignored, "Global/e.md": Ignored,
	} {
		if got := b.kinds(place); !slices.Equal(got, []Kind{want}) {
			t.Errorf("%s: told %v, want %s once", place, got, want)
		}
	}
	for _, place := range []string{".hidden.md", "a.md~", ".git", "c.conflict-20260131-120000.md"} {
		if got := b.kinds(place); len(got) > 0 {
			t.Errorf("%s: told %v", place, got)
		}
	}
}

// Names are compared in one normal form, and files keep the spelling that they have.
func TestDecomposedNames(t *testing.T) {
	b := newBench(t, Options{})
	b.file("cafe\u0301.md", "one\n")
	b.passes()
	if b.there("caf\u00e9.md") != "one\n" {
		t.Fatal("not sent under its composed name")
	}
	b.onServer("caf\u00e9.md", "two\n")
	b.passes()
	if b.text("cafe\u0301.md") != "two\n" {
		t.Errorf("%q", b.text("cafe\u0301.md"))
	}
	if entries, _ := filepath.Glob(filepath.Join(b.root, "*.md")); len(entries) != 1 {
		t.Errorf("files %q", entries)
	}
}

// On a case-insensitive file system one of two documents whose names differ in case gets the file; the other is reported.
func TestNamesThatDifferInCase(t *testing.T) {
	b := newBench(t, Options{})
	b.folder.folds = true
	b.onServer("Notes.md", "one\n")
	b.onServer("notes.md", "two\n")
	b.passes()
	if b.text("Notes.md") != "one\n" || !slices.Equal(b.kinds("notes.md"), []Kind{Ignored}) {
		t.Errorf("%q, told %v", b.text("Notes.md"), b.kinds("notes.md"))
	}
	if b.there("notes.md") != "two\n" {
		t.Error("the other one is gone")
	}
}

func TestOneProcessAtATime(t *testing.T) {
	b := newBench(t, Options{})
	if _, err := Open(b.root, 0, time.Now); !errors.Is(err, ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
}

func TestAFolderStaysWithItsAgentAndOwner(t *testing.T) {
	b := newBench(t, Options{})
	made := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	id := Identity{Agent: "ada", Made: made, Personal: true, Asked: "owner=user:7"}
	known := id
	known.Owner = "user:7"
	for _, fine := range []Identity{id, id, known, id} {
		if err := b.folder.Bind(fine); err != nil {
			t.Fatal(err)
		}
	}
	for name, other := range map[string]Identity{
		"another agent":  {Agent: "bob", Made: made, Personal: true},
		"a younger one":  {Agent: "ada", Made: made.Add(time.Hour), Personal: true},
		"nobody":         {Agent: "ada", Made: made},
		"somebody other": {Agent: "ada", Made: made, Personal: true, Owner: "user:8"},
		"somebody new":   {Agent: "ada", Made: made, Personal: true, Asked: "owner=user:8"},
		"an unknown one": {Agent: "ada", Made: made, Personal: true},
	} {
		if err := b.folder.Bind(other); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
