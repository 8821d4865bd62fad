package foldersync

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A write whose answer got lost, and which the server merged with another one, is made again with its key: it is known what
// became of it, and there is no conflict with oneself.
func TestALostAnswerMakesNoConflict(t *testing.T) {
	b := newBench(t, Options{})
	b.onServer("a.md", "1\n2\n3\n4\n5\n")
	b.passes()
	b.file("a.md", "1\n2\nnew\n3\n4\n5\n")
	lost := false
	b.server.refuse = func(Write) error { // between the list and the write somebody else changes the next line
		b.onServer("a.md", "1\n2\n3 changed\n4\n5\n")
		b.server.refuse = nil
		return nil
	}
	b.server.lose = func() bool { lost = !lost; return lost }
	if _, err := b.sync.Pass(t.Context()); !errors.Is(err, ErrAway) {
		t.Fatalf("%v", err)
	}
	b.open(Options{})
	b.server.lose = func() bool { return false }
	b.passes()
	if want := "1\n2\nnew\n3 changed\n4\n5\n"; b.text("a.md") != want || len(b.conflicts()) > 0 {
		t.Errorf("%q, conflicts %v", b.text("a.md"), b.conflicts())
	}
	if b.server.writes != 1 {
		t.Errorf("written %d times", b.server.writes)
	}
}

// The server may be away for a while, and come back.
func TestTheServerIsAway(t *testing.T) {
	b := newBench(t, Options{})
	b.server.away = true
	if _, err := b.sync.Pass(t.Context()); !errors.Is(err, ErrAway) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	b.folder.now = time.Now
	go func() { ended <- b.sync.Run(ctx) }()
	time.Sleep(100 * time.Millisecond)
	b.server.mu.Lock()
	b.server.away = false
	b.onServer("a.md", "one\n")
	b.server.mu.Unlock()
	for limit := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if text, err := os.ReadFile(filepath.Join(b.root, "a.md")); err == nil && string(text) == "one\n" {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("it does not come")
		}
	}
	b.file("sub/deeper/b.md", "two\n") // folders that are new are watched as well
	for limit := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		b.server.mu.Lock()
		sent := b.there("sub/deeper/b.md")
		b.server.mu.Unlock()
		if sent == "two\n" {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("it is not sent")
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !slices.ContainsFunc(b.events, func(e Event) bool { return e.Kind == Away }) ||
		!slices.ContainsFunc(b.events, func(e Event) bool { return e.Kind == Back }) {
		t.Errorf("told %v", b.events)
	}
}
