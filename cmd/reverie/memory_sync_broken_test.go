package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/clitest"
)

// manyFiles is the number of files that the sync sends; it is interrupted at number breakAt.
const (
	manyFiles = 25
	breakAt   = 8
)

// breakAtWrite has a front hold the write of that number until resume is called; reached is closed when it has come.
func (f *front) breakAtWrite(n int) (reached chan struct{}, resume func()) {
	reached, held := make(chan struct{}), make(chan struct{})
	seen := 0
	f.set(func() {
		f.before = func(what string, _ http.ResponseWriter) bool {
			if what != "write" {
				return false
			}
			f.mu.Lock()
			seen++
			mine := seen
			f.mu.Unlock()
			if mine == n {
				close(reached)
			}
			if mine >= n {
				<-held
			}
			return false
		}
	})
	return reached, func() {
		f.set(func() { f.before = nil })
		close(held)
	}
}

func fill(t *testing.T, folder string) {
	t.Helper()
	for i := range manyFiles {
		putFile(t, folder, fmt.Sprintf("notes/%02d.md", i), fmt.Sprintf("one %d\ntwo\nthree\nfour\nfive\n", i))
	}
}

// ownDocuments are the texts of the documents of user:7 by path, and their versions.
func ownDocuments(t *testing.T) (texts map[string]string, versions map[string]int) {
	t.Helper()
	var list wire.Page[wire.FileEntry]
	own := []string{"--owner", "user:7", "--scope", "PERSONAL"}
	if err := json.Unmarshal([]byte(mustRun(t, append([]string{"list", "--json"}, own...)...)), &list); err != nil {
		t.Fatal(err)
	}
	texts, versions = map[string]string{}, map[string]int{}
	for _, e := range list.Items {
		texts[e.Path], versions[e.Path] = mustRun(t, append([]string{"cat", e.Path}, own...)...), e.Version
	}
	return texts, versions
}

// inStepWith compares a folder with what the server has.
func inStepWith(t *testing.T, folder string) {
	t.Helper()
	texts, _ := ownDocuments(t)
	if len(texts) < manyFiles {
		t.Errorf("%d documents", len(texts))
	}
	for path, text := range texts {
		if here := fileText(t, folder, path); here != text {
			t.Errorf("%s: %q here, %q there", path, here, text)
		}
	}
}

// The API process stops in the middle of sending, and another one takes its place later. What both sides wrote until then, and
// while it was away, is on both sides in the end.
func TestAServerThatRestartsInTheMiddle(t *testing.T) {
	another := startServer(t)
	f := newFront(t, another)
	folder := t.TempDir()
	reached, resume := f.breakAtWrite(breakAt)
	fill(t, folder)
	sync := startSync(t, folder, "--owner", "user:7", "--url", f.url())
	<-reached
	f.stop() // the write that is under way gets no answer, whether it is done or not
	resume()
	until(t, "it is told that the server is away", func() bool { return strings.Contains(sync.said(), "…") })

	own := []string{"--owner", "user:7", "--scope", "PERSONAL"}
	onServer(t, "one 0\ntwo\nthree\nfour\nfive, there\n", "notes/00.md", own...)
	putFile(t, folder, "notes/00.md", "one 0, here\ntwo\nthree\nfour\nfive\n")
	onServer(t, "one 1, there\ntwo\nthree\nfour\nfive\n", "notes/01.md", own...)
	putFile(t, folder, "notes/01.md", "one 1, here\ntwo\nthree\nfour\nfive\n")
	onServer(t, "made there\n", "there.md", own...)
	putFile(t, folder, "here.md", "made here\n")

	f.start()
	sync.has("there.md", "made there\n")
	until(t, "everything is sent", func() bool {
		texts, _ := ownDocuments(t)
		return len(texts) == manyFiles+2 && texts["here.md"] == "made here\n" &&
			texts["notes/00.md"] == "one 0, here\ntwo\nthree\nfour\nfive, there\n"
	})
	sync.has("notes/00.md", "one 0, here\ntwo\nthree\nfour\nfive, there\n")
	sync.has("notes/01.md", "one 1, there\ntwo\nthree\nfour\nfive\n")
	until(t, "the server is back, and both are in step", func() bool {
		_, after, back := strings.Cut(sync.said(), "… the server answers again")
		return back && strings.Contains(after, "= In sync (")
	})
	sync.end()
	inStepWith(t, folder)
	if kept, _ := filepath.Glob(filepath.Join(folder, "notes", "*.conflict-*")); len(kept) != 1 ||
		!strings.Contains(fileText(t, filepath.Dir(kept[0]), filepath.Base(kept[0])), "one 1, here") {
		t.Errorf("conflict files %v; it said\n%s", kept, sync.said())
	}
}

// program is this program in a separate process.
func program(t *testing.T, args ...string) (*exec.Cmd, *running) {
	t.Helper()
	p, out := exec.Command(os.Args[0], args...), &running{T: t}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stdout, p.Stderr = out, out
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	return p, out
}

// leftIn lists what is in a folder and below it.
func leftIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(folder, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Ctrl-C ends a sync with 0, and with a folder that has its documents and what the next sync needs to know.
func TestASyncThatIsInterrupted(t *testing.T) {
	startServer(t)
	folder := t.TempDir()
	putFile(t, folder, "mine.md", "mine\n")
	p, out := program(t, "memory", "sync", folder, "--owner", "user:7")
	until(t, "both are in step", func() bool { return strings.Contains(out.said(), "= In sync (5 documents") })
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("it ends with %v:\n%s", err, out.said())
	}
	if strings.Contains(out.said(), "reverie:") {
		t.Errorf("it complains:\n%s", out.said())
	}
	records := 0
	var left []string
	for _, name := range leftIn(t, folder) {
		if ok, _ := filepath.Match(".reverie/sync/records/*.json", name); ok {
			records++
		} else {
			left = append(left, name)
		}
	}
	want := ".reverie/sync/folder.json .reverie/sync/lock mine.md team/AGENTS.md team/MEMORY.md team/PROFILE.md team/SOUL.md"
	if got := strings.Join(left, " "); got != want || records != 5 {
		t.Errorf("left %d records and %s", records, got)
	}
	if said, err := syncOnce(t, folder, "--owner", "user:7"); err != nil || said != "= In sync (5 documents)\n" {
		t.Errorf("the next one: %v\n%s", err, said)
	}
}

// A sync that is killed in the middle of sending is run again, and sends each file once.
func TestASyncThatIsKilled(t *testing.T) {
	another := startServer(t)
	f := newFront(t, another)
	folder := t.TempDir()
	fill(t, folder)
	reached, resume := f.breakAtWrite(breakAt)
	p, out := program(t, "memory", "sync", folder, "--owner", "user:7", "--url", f.url())
	<-reached
	if err := p.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err == nil {
		t.Errorf("it survives:\n%s", out.said())
	}
	resume()
	said, err := syncOnce(t, folder, "--owner", "user:7", "--url", f.url())
	if err != nil || !bytes.HasSuffix([]byte(said), fmt.Appendf(nil, "= In sync (%d documents)\n", manyFiles+4)) {
		t.Errorf("%v\n%s", err, said)
	}
	inStepWith(t, folder)
	_, versions := ownDocuments(t)
	for path, version := range versions {
		if version != 1 {
			t.Errorf("%s has %d versions", path, version)
		}
	}
	for _, name := range leftIn(t, folder) {
		if strings.Contains(name, "conflict") || strings.Contains(name, "aside/") {
			t.Errorf("left %s", name)
		}
	}
}

// What a member of a team reads of its leader is neither in its folder nor in its export.
func TestAFolderOfAMember(t *testing.T) {
	startServer(t)
	mustRun(t, "agents", "create", "lead", "--name", "Lead")
	onServer(t, "the leader's\n", "MEMORY.md", "--agent", "lead")
	onServer(t, "the leader's plan\n", "plan.md", "--agent", "lead")
	onServer(t, "the member's\n", "MEMORY.md")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, os.Getenv("REVERIE_URL")+"/api/v1/agents/ada",
		strings.NewReader(`{"settings":{"leader":"lead"}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+testKey)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v: %v", answer, err)
	}
	_ = answer.Body.Close()
	clitest.Contains(t, mustRun(t, "list"), "plan.md", "TEAM of lead") // it is read
	clitest.Contains(t, mustRun(t, "search", "leader's"), "MEMORY.md:1  TEAM of lead", "plan.md:1  TEAM of lead")
	clitest.Contains(t, mustRun(t, "search", "member's"), "MEMORY.md:1  TEAM\n")
	synced, exported := t.TempDir(), t.TempDir()
	if out, err := syncOnce(t, synced); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	mustRun(t, "export", "--to", exported)
	for _, folder := range []string{synced, exported} {
		if text := fileText(t, folder, "MEMORY.md"); text != "the member's\n" {
			t.Errorf("%q", text)
		}
		if _, err := os.Stat(filepath.Join(folder, "plan.md")); err == nil {
			t.Error("the leader's document is in the folder")
		}
	}
}
