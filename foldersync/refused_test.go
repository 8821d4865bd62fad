package foldersync

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A file that the server refuses stays unchanged, is reported once, and is sent again only after a change.
func TestRefusalsAreReportedAndNotRetried(t *testing.T) {
	b := newBench(t, Options{})
	b.server.refuse = func(w Write) error {
		if strings.Contains(w.Content, "bad") {
			return &Refusal{Reason: "override in line 1"}
		}
		return nil
	}
	b.file("a.md", "bad\n")
	for range 5 {
		if o := b.passes(); o.Refused != 1 {
			t.Fatalf("%+v", o)
		}
	}
	if b.server.writes != 1 || b.text("a.md") != "bad\n" || !slices.Equal(b.kinds("a.md"), []Kind{Refused}) {
		t.Errorf("sent %d times, file %q, told %v", b.server.writes, b.text("a.md"), b.kinds("a.md"))
	}
	b.file("a.md", "better\n")
	if o := b.passes(); o.Refused != 0 || b.there("a.md") != "better\n" {
		t.Errorf("%+v, %q", o, b.there("a.md"))
	}
}

// With a key that may not write, changes of the folder stay, and those of the server still come, merged where that goes.
func TestAKeyThatMayNotWrite(t *testing.T) {
	b := newBench(t, Options{})
	b.onServer("a.md", "1\n2\n3\n")
	b.onServer("gone.md", "x\n")
	b.passes()
	b.server.refuse = func(Write) error { return &Refusal{Reason: "this key may only read", Everywhere: true} }
	b.file("a.md", "1\n2\n3\nmine\n")
	b.file("b.md", "mine\n")
	b.passes()
	b.onServer("a.md", "0\n1\n2\n3\n")
	b.passes()
	if want := "0\n1\n2\n3\nmine\n"; b.text("a.md") != want || b.there("a.md") != "0\n1\n2\n3\n" {
		t.Errorf("%q here, %q there", b.text("a.md"), b.there("a.md"))
	}
	if b.server.writes != 1 {
		t.Errorf("%d writes were tried", b.server.writes)
	}
	if err := os.Remove(filepath.Join(b.root, "gone.md")); err != nil {
		t.Fatal(err)
	}
	b.passes()
	if b.there("gone.md") == "" {
		t.Error("deleted")
	}
}

// What the server leaves out of a text is kept beside it, unless it cannot be seen.
func TestRedactedTextsAreKept(t *testing.T) {
	b := newBench(t, Options{})
	b.server.redact = strings.NewReplacer("hunter2", "[secret]", "\u200b", "").Replace
	b.file("a.md", "password: hunter2\n")
	b.file("b.md", "zero\u200bwidth\n")
	b.passes()
	found := b.conflicts()
	if b.text("a.md") != "password: [secret]\n" || b.text("b.md") != "zerowidth\n" || len(found) != 1 ||
		b.text(filepath.Base(found[0])) != "password: hunter2\n" {
		t.Errorf("%q, %q, kept %v", b.text("a.md"), b.text("b.md"), found)
	}
}
