package foldersync

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/memory"
)

// bench is a folder and a server with a clock that stands still, for one sync after the other.
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

// kinds are what was told about a place.
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

// What the server refuses stays as it is, is told once, and is sent again only when it changes.
func TestRefusalsAreToldAndNotRepeated(t *testing.T) {
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
	if b.text("a.md") != "password: [secret]\n" || b.text("b.md") != "zerowidth\n" || len(found) != 1 || b.text(filepath.Base(found[0])) != "password: hunter2\n" {
		t.Errorf("%q, %q, kept %v", b.text("a.md"), b.text("b.md"), found)
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
	if o := b.passes(); o.Held != 3 || b.there("a.md") == "" {
		t.Fatalf("%+v", o)
	}
	b.open(Options{DeleteAll: true})
	b.passes()
	if list, _ := b.server.List(t.Context()); len(list) != 0 {
		t.Errorf("left: %v", list)
	}
}

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
	for place, want := range map[string]Kind{"latin.md": Unreadable, "large.md": Unreadable, "a.txt": Ignored, "link.md": Ignored, "own/d.md": Ignored, "Global/e.md": Ignored} {
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

// Where case does not count, one of two documents that differ in it has the file, and the other one is told of.
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
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if text, err := os.ReadFile(filepath.Join(b.root, "a.md")); err == nil && string(text) == "one\n" {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("it does not come")
		}
	}
	b.file("sub/deeper/b.md", "two\n") // folders that are new are watched as well
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
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
	if !slices.ContainsFunc(b.events, func(e Event) bool { return e.Kind == Away }) || !slices.ContainsFunc(b.events, func(e Event) bool { return e.Kind == Back }) {
		t.Errorf("told %v", b.events)
	}
}
