package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// running is a `memory sync` that goes on in this process.
type running struct {
	*testing.T
	folder string
	stop   context.CancelFunc
	ended  chan error

	mu  sync.Mutex
	out bytes.Buffer
}

func (r *running) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(p)
}

func (r *running) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

func startSync(t *testing.T, folder string, args ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r := &running{T: t, folder: folder, stop: stop, ended: make(chan error, 1)}
	c := root()
	c.SetOut(r)
	c.SetErr(r)
	c.SetArgs(append([]string{"memory", "sync", folder, "--settle", "30ms"}, args...))
	go func() { r.ended <- c.ExecuteContext(ctx) }()
	t.Cleanup(stop)
	return r
}

// has waits until a file has a text.
func (r *running) has(name, text string) {
	r.Helper()
	until(r.T, name+" has "+text+"; it said\n"+r.said(), func() bool {
		found, err := os.ReadFile(filepath.Join(r.folder, name))
		return err == nil && string(found) == text
	})
}

// end interrupts it.
func (r *running) end() {
	r.Helper()
	r.stop()
	if err := <-r.ended; err != nil {
		r.Errorf("it ends with %v", err)
	}
}

// onServer writes a document as somebody else does.
func onServer(t *testing.T, text, path string, args ...string) {
	t.Helper()
	mustRun(t, append([]string{"write", "--target", path, "--strategy", "overwrite", "--content", text}, args...)...)
}

// Changes on the server arrive because of events: lists that none preceded return nothing new here. That goes on
// where it was when the connection breaks, also when something happens before there is another one.
func TestAFolderFollowsTheEvents(t *testing.T) {
	another := startServer(t)
	f := newFront(t, another)
	sync := startSync(t, t.TempDir(), "--owner", "user:7", "--url", f.url(), "--poll", "1ms")
	until(t, "both are in step", func() bool { return strings.Contains(sync.said(), "In sync (4 documents") })
	until(t, "the stream was asked for", func() bool { return f.asked("stream") == 1 })
	// The events of two writes: whatever was listed before the stream was there is over.
	own, shared := []string{"--owner", "user:7", "--scope", "PERSONAL"}, []string{"--scope", "TEAM"}
	onServer(t, "first\n", "first.md", own...)
	sync.has("first.md", "first\n")

	f.set(func() { f.news = true })
	for i := range 3 {
		text := fmt.Sprintf("round %d\n", i)
		onServer(t, text, "mine.md", own...)
		sync.has("mine.md", text)
		onServer(t, text, "ours.md", shared...)
		sync.has("team/ours.md", text)
	}
	if n := f.asked("stream"); n != 1 {
		t.Errorf("%d streams were asked for", n)
	}

	gate := make(chan struct{})
	f.set(func() { f.streams = gate })
	f.stop()
	f.start()
	until(t, "it comes back", func() bool { return f.asked("stream") > 1 })
	onServer(t, "meanwhile\n", "mine.md", own...)
	f.set(func() { f.streams = nil })
	close(gate)
	sync.has("mine.md", "meanwhile\n")

	// Own writes are sent once, and what they make known is not a reason to write.
	f.set(func() { f.news = false })
	before := f.asked("write")
	for i := range 5 {
		name := fmt.Sprintf("sent-%d.md", i)
		putFile(t, sync.folder, name, "x\n")
		until(t, name+" is sent", func() bool {
			out, _, err := runMemory(t, append([]string{"cat", name}, own...)...)
			return err == nil && out == "x\n"
		})
	}
	onServer(t, "the end\n", "mine.md", own...)
	sync.has("mine.md", "the end\n")
	if n := f.asked("write") - before; n != 5 {
		t.Errorf("5 files were sent with %d writes", n)
	}
	sync.end()
}

// A server without a stream to give is asked for its list.
func TestAFolderWithoutAStream(t *testing.T) {
	another := startServer(t)
	for name, refuse := range map[string]func(http.ResponseWriter){
		"too many follow": func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"code":429,"msg":"too many","error":"rate_limited","data":null}`))
		},
		"an older server": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"code":404,"msg":"there is nothing at this address","error":"not_found","data":null}`))
		},
		"something else answers": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = w.Write([]byte("<html>"))
		},
		"it breaks off at once": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFront(t, another)
			f.before = func(what string, w http.ResponseWriter) bool {
				if what == "stream" {
					refuse(w)
				}
				return what == "stream"
			}
			owner := "user:" + strings.ReplaceAll(name, " ", "-")
			own := []string{"--owner", owner, "--scope", "PERSONAL"}
			sync := startSync(t, t.TempDir(), "--owner", owner, "--url", f.url(), "--poll", "50ms")
			for i := range 3 {
				text := fmt.Sprintf("round %d\n", i)
				onServer(t, text, "mine.md", own...)
				sync.has("mine.md", text)
			}
			sync.end()
			if strings.Contains(sync.said(), "…") {
				t.Errorf("the server is called away:\n%s", sync.said())
			}
		})
	}
}
