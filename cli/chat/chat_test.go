package chat

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"reverie/cli/clitest"
	"reverie/cli/session"
)

// syncBuffer may be written while it is read.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// A person who begins a talk sees the morning card, once.
func TestATalkBeginsWithTheMorningCard(t *testing.T) {
	seen := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/seen"):
			body, _ := io.ReadAll(r.Body)
			seen = string(body)
			fmt.Fprint(w, `{"code":200,"msg":"success","data":{"seen":"2026-11-23T08:00:00Z"}}`)
		case strings.HasSuffix(r.URL.Path, "/morning-card") && seen != "":
			fmt.Fprint(w, `{"code":200,"msg":"success","data":null}`)
		case strings.HasSuffix(r.URL.Path, "/morning-card"):
			fmt.Fprint(w, `{"code":200,"msg":"success","data":{"reportId":"01a20036-4921-7b85-b157-d0415bc3e83e","promotedCount":1,
				"facts":[{"entry":"e1","text":"Plays the cello."}]}}`)
		default:
			fmt.Fprint(w, `{"code":200,"msg":"success","data":{}}`)
		}
	}))
	t.Cleanup(server.Close)
	for _, shown := range []bool{true, false} {
		notes := &syncBuffer{}
		c := &cobra.Command{}
		c.SetErr(notes)
		talk, err := newTalk(c, &session.Session{URL: server.URL, Key: "k", Agent: "ada", Owner: "user:1"}, "c1", "")
		if err != nil {
			t.Fatal(err)
		}
		talk.person = true
		if err := talk.greet(t.Context()); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(notes.String(), "Plays the cello.") != shown || !strings.Contains(seen, "01a20036") {
			t.Errorf("seen %q:\n%s", seen, notes)
		}
	}
}

// Ctrl-C stops an answer and not the program.
func TestAnInterruptStopsTheAnswer(t *testing.T) {
	hungUp := make(chan struct{}, 1)
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `{"code":200,"msg":"success","data":{}}`)
			return
		}
		_, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		if asked++; asked == 1 {
			fmt.Fprint(w, "event: text\ndata: {\"text\":\"Well, \"}\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			hungUp <- struct{}{}
			return
		}
		fmt.Fprint(w, ": still here\n\nevent: text\ndata: {\"text\":\"Yes.\\u001b[2J\"}\n\nevent: done\ndata: {\"answer\":\"Yes.\"}\n\n")
	}))
	t.Cleanup(server.Close)
	s := &session.Session{URL: server.URL, Key: "k", Agent: "ada", Owner: "user:1"}
	c := &cobra.Command{}
	out, notes := &syncBuffer{}, &syncBuffer{}
	c.SetOut(out)
	c.SetErr(notes)
	talk, err := newTalk(c, s, "c1", "")
	if err != nil {
		t.Fatal(err)
	}
	interrupts := make(chan os.Signal, 1)
	talk.interrupts, talk.person = interrupts, true
	lines := make(chan string)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		talk.loop(t.Context(), lines)
	}()
	lines <- "Tell me everything."
	waitFor(t, func() bool { return strings.Contains(out.String(), "Well, ") })
	interrupts <- os.Interrupt
	select {
	case <-hungUp:
	case <-time.After(time.Minute):
		t.Fatal("the answer goes on")
	}
	lines <- "Are you there?"
	waitFor(t, func() bool { return strings.Contains(out.String(), "Yes.") })
	lines <- strings.Repeat("word ", 819)[:longestTyped]
	waitFor(t, func() bool { return strings.Contains(notes.String(), "cut this one, so it is not sent") })
	interrupts <- os.Interrupt
	waitFor(t, func() bool { return strings.Contains(notes.String(), "Ctrl-C again") })
	interrupts <- os.Interrupt
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the second Ctrl-C does not end it")
	}
	clitest.Contains(t, notes.String(), "stopped; this answer is not stored", "--conversation c1")
}

func waitFor(t *testing.T, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not happen")
		}
	}
}

// A spent budget is shown at once, and the lines that follow are sent.
func TestASpentBudgetDoesNotHoldUpTheTalk(t *testing.T) {
	said := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `{"code":200,"msg":"success","data":{}}`)
			return
		}
		if said++; said == 1 {
			w.Header().Set("Retry-After", "6645")
		}
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"code":429,"error":"budget_spent","msg":"No model is asked: the budget of today is spent","data":null}`)
	}))
	t.Cleanup(server.Close)
	c := Command(&session.Session{})
	notes := &syncBuffer{}
	c.SetIn(strings.NewReader("How are you?\nRemember that I like tea.\n"))
	c.SetErr(notes)
	c.SetArgs([]string{"--url", server.URL, "--key", "k", "--agent", "ada", "--end-user", "7"})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err := c.ExecuteContext(ctx)
	if err == nil || err.Error() != "2 messages without an answer" || said != 2 {
		t.Errorf("%v after %d requests", err, said)
	}
	clitest.Contains(t, notes.String(), "! No model is asked", "budget_spent", "! No model is asked")
}
