package foldersync

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"reverie/memory"
)

func TestBothWays(t *testing.T) {
	b := newBench(t, Options{})
	b.onServer("MEMORY.md", "one\n")
	b.file("notes/a.md", "two\n")
	b.passes()
	if b.text("MEMORY.md") != "one\n" || b.there("notes/a.md") != "two\n" {
		t.Fatalf("%q, %q", b.text("MEMORY.md"), b.there("notes/a.md"))
	}
	b.onServer("MEMORY.md", "zero\none\n")
	b.file("MEMORY.md", "one\nthree\n")
	b.passes()
	if want := "zero\none\nthree\n"; b.text("MEMORY.md") != want || b.there("MEMORY.md") != want {
		t.Errorf("merged: %q here, %q there", b.text("MEMORY.md"), b.there("MEMORY.md"))
	}
	b.server.deleted[memory.Ref{Scope: memory.ScopeTeam, Path: "notes/a.md"}] = true
	b.passes()
	if _, err := os.Stat(filepath.Join(b.root, "notes")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the empty folder is still there: %v", err)
	}
	if got := b.kinds("MEMORY.md"); !slices.Equal(got, []Kind{Pulled, Merged}) {
		t.Errorf("told %v", got)
	}
}

func TestWhatBothChangedIsKeptVisibly(t *testing.T) {
	b := newBench(t, Options{})
	b.onServer("MEMORY.md", "tea\n")
	b.passes()
	b.onServer("MEMORY.md", "tea with milk\n")
	b.file("MEMORY.md", "coffee\n")
	b.passes()
	found := b.conflicts()
	if b.text("MEMORY.md") != "tea with milk\n" || len(found) != 1 || b.text(filepath.Base(found[0])) != "coffee\n" {
		t.Fatalf("%q, conflicts %v", b.text("MEMORY.md"), found)
	}
	if list, _ := b.server.List(t.Context()); len(list) != 1 {
		t.Errorf("the conflict was sent: %v", list)
	}
}

func TestAllFilesGoneDeletesNothing(t *testing.T) {
	b := newBench(t, Options{})
	for _, name := range []string{"a.md", "b.md", "c.md"} {
		b.onServer(name, name)
	}
	b.passes()
	for _, name := range []string{"a.md", "b.md", "c.md"} {
		if err := os.Remove(filepath.Join(b.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	b.onServer("a.md", "changed meanwhile")
	b.onServer("d.md", "new meanwhile")
	for range 2 { // the files that come back are not a sign that the others were meant
		if o := b.passes(); o.Held != 2 || b.text("a.md") != "changed meanwhile" || b.text("d.md") == "" || b.there("b.md") == "" || b.there("c.md") == "" {
			t.Fatalf("%+v", o)
		}
		b.open(Options{})
	}
	b.file("b.md", "b.md")
	b.passes()
	if err := os.Remove(filepath.Join(b.root, "b.md")); err != nil {
		t.Fatal(err)
	}
	if o := b.passes(); o.Held != 1 || b.there("b.md") != "" { // it was there again: its deletion is meant
		t.Errorf("%+v", o)
	}
	b.open(Options{DeleteAll: true})
	b.passes()
	if b.there("c.md") != "" || b.there("a.md") == "" {
		t.Error("only the deletion of c.md was held")
	}
}
