package foldersync

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A file counts once nothing has happened to it for a while, and is never read half.
func TestFilesSettle(t *testing.T) {
	b := newBench(t, Options{})
	b.file("a.md", "half")
	b.at = time.Now()
	if o, err := b.sync.Pass(t.Context()); err != nil || o.Again.IsZero() || b.there("a.md") != "" {
		t.Fatalf("a fresh file was sent: %q, %+v, %v", b.there("a.md"), o, err)
	}
	writer, err := os.OpenFile(filepath.Join(b.root, "a.md"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	b.at = time.Now().Add(2 * testSettle)
	if _, err := b.sync.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sent := b.there("a.md"); sent != "" && beingWritten(filepath.Join(b.root, "a.md")) {
		t.Fatalf("sent while somebody writes: %q", sent)
	}
	if _, err := writer.WriteString(" and half\n"); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	b.at = time.Now().Add(2 * testSettle)
	b.passes()
	if b.there("a.md") != "half and half\n" {
		t.Errorf("sent %q", b.there("a.md"))
	}
}

// An editor that moves its file away for a moment deletes nothing.
func TestAMomentWithoutAFileIsNoDeletion(t *testing.T) {
	b := newBench(t, Options{})
	b.onServer("a.md", "one\n")
	b.passes()
	if err := os.Rename(filepath.Join(b.root, "a.md"), filepath.Join(b.root, "a.md~")); err != nil {
		t.Fatal(err)
	}
	if o, err := b.sync.Pass(t.Context()); err != nil || o.Again.IsZero() || b.there("a.md") == "" {
		t.Fatalf("deleted at once: %+v, %v", o, err)
	}
	b.file("a.md", "two\n")
	b.passes()
	if b.there("a.md") != "two\n" {
		t.Errorf("%q", b.there("a.md"))
	}
}

// What is saved into the old file while it is replaced is kept, even long after.
func TestALateWriterLosesNothing(t *testing.T) {
	b := newBench(t, Options{})
	b.onServer("a.md", "one\n")
	b.passes()
	late, err := os.OpenFile(filepath.Join(b.root, "a.md"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	b.onServer("a.md", "two\n")
	if _, err := b.sync.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := late.WriteAt([]byte("saved"), 0); err != nil {
		t.Fatal(err)
	}
	if err := late.Close(); err != nil {
		t.Fatal(err)
	}
	b.passes()
	if found := b.conflicts(); len(found) != 1 || !strings.HasPrefix(b.text(filepath.Base(found[0])), "saved") {
		t.Errorf("conflicts %v", found)
	}
}
