package process

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"reverie/memory"
	"reverie/recall"
	"reverie/search/index"
)

// TestMain runs this program as a search backend that fails, if it is told how.
func TestMain(m *testing.M) {
	if how := os.Getenv("BACKEND_FAILS"); how != "" {
		behave(how, os.Getenv("BACKEND_STARTS"))
		return
	}
	os.Exit(m.Run())
}

// behave is the failing program. It answers every request, except for the way in which it fails. It notes its starts.
func behave(how, starts string) {
	f, err := os.OpenFile(starts, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	if _, err := fmt.Fprintln(f, "started", len(os.Environ()), os.Getenv("PROCESS_SECRET")); err != nil {
		panic(err)
	}
	if how == "dies at once" {
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	held := map[string][]string{}
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			panic(err)
		}
		for _, p := range r.Passages {
			held[r.Space] = append(held[r.Space], p.ID)
		}
		if r.Op == opSearch && !fail(how, r, held) {
			return
		}
		if r.Op != opSearch || how == "answers" {
			type hit struct {
				ID    string  `json:"id"`
				Score float64 `json:"score"`
			}
			var hits []hit
			if r.Op == opSearch {
				for _, id := range held[r.Space] {
					hits = append(hits, hit{id, .5})
				}
			}
			text, err := json.Marshal(map[string]any{"id": r.ID, "results": hits})
			if err != nil {
				panic(err)
			}
			fmt.Println(string(text))
		}
	}
}

// fail answers a search in a wrong way; false: the program ends.
func fail(how string, r request, held map[string][]string) bool {
	switch how {
	case "hangs":
	case "is malformed":
		fmt.Println("Loading model …")
	case "is of another form":
		fmt.Printf("{\"id\":%d,\"results\":\"none\"}\n", r.ID)
	case "answers nobody":
		fmt.Println(`{"id":999999}`)
	case "is giant":
		fmt.Printf("{\"id\":%d,\"results\":[{\"id\":%q}]}\n", r.ID, strings.Repeat("x", 2*maxLine))
	case "refuses":
		fmt.Printf("{\"id\":%d,\"error\":\"out of memory\"}\n", r.ID)
	case "dies within an answer":
		fmt.Printf(`{"id":%d,"results":[{"id":"1-`, r.ID)
		return false
	case "dies":
		return false
	case "names what others see": // every passage of every space
		type hit struct {
			ID    string  `json:"id"`
			Score float64 `json:"score"`
		}
		hits := []hit{{"nonsense", 1}, {"-1--1", 9e9}, {"1-999999999999999999999", 1}}
		for _, ids := range held {
			for _, id := range ids {
				hits = append(hits, hit{id, 1})
			}
		}
		text, err := json.Marshal(map[string]any{"id": r.ID, "results": hits})
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
	return true
}

// failing returns a backend whose program fails in a way, and a function that counts its starts.
func failing(t *testing.T, how string, timeout, coolDown time.Duration) (*Backend, func() int) {
	t.Helper()
	t.Setenv("PROCESS_SECRET", "never handed over")
	starts := filepath.Join(t.TempDir(), "starts")
	b := New(Config{
		ID: "test", Command: []string{os.Args[0]}, Environment: []string{"BACKEND_FAILS=" + how, "BACKEND_STARTS=" + starts},
		Timeout: timeout, CoolDown: coolDown, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(b.Close)
	return b, func() int {
		text, _ := os.ReadFile(starts)
		if strings.Contains(string(text), "never handed over") {
			t.Error("the program sees the environment of this one")
		}
		return strings.Count(string(text), "started")
	}
}

func as(owner string) memory.Identity {
	return memory.Identity{Workspace: "acme", Agent: "ada", Owner: memory.Owner(owner)}
}

// viewOf returns a view of units of the given groups.
func viewOf(owner string, groups ...int64) recall.BackendView {
	v := recall.BackendView{Identity: as(owner), Query: "balcony", Limit: 10}
	for _, g := range groups {
		v.Units = append(v.Units, index.Unit{Group: g, Seq: 1})
	}
	v.Read = func(_ context.Context, units []index.Unit) (texts []recall.BackendPassage, err error) {
		for _, u := range units {
			texts = append(texts, recall.BackendPassage{Unit: u.Key(), Path: "notes.md", Text: fmt.Sprint("text of ", u.Group)})
		}
		return texts, nil
	}
	return v
}

// Whatever a program does, the search has an error and not its answer. The program is ended, and started once more with the next search;
// if it fails again, it is left alone.
func TestBackendFails(t *testing.T) {
	for how, want := range map[string]error{
		"hangs": errTimeout, "is malformed": errFailed, "is of another form": errFailed, "answers nobody": errFailed, "is giant": errFailed,
		"refuses": errFailed, "dies within an answer": errFailed, "dies": errFailed,
	} {
		t.Run(how, func(t *testing.T) {
			timeout := 30 * time.Second
			if how == "hangs" {
				timeout = 2 * time.Second
			}
			b, starts := failing(t, how, timeout, time.Hour)
			for attempt, want := range []error{want, want, errCooling, errCooling} {
				hits, err := b.Rank(t.Context(), viewOf("user:1", 1, 2))
				for err == errFeeding { //nolint:errorlint // it is returned as it is
					hits, err = b.Rank(t.Context(), viewOf("user:1", 1, 2))
				}
				if err != want || hits != nil { //nolint:errorlint // it is returned as it is
					t.Fatalf("attempt %d: %v, %v; want %v", attempt+1, hits, err, want)
				}
			}
			if n := starts(); n != 2 {
				t.Errorf("%d starts", n)
			}
			if s := b.Status(); s.Running || s.Until.IsZero() || s.Reason == "" || s.Spaces != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// A program that is not there, or ends before it answers, is left alone at once, and tried again after the cool-down.
func TestBackendCannotBeStarted(t *testing.T) {
	missing := New(Config{ID: "missing", Command: []string{"/nowhere/backend"}, Log: slog.New(slog.DiscardHandler)})
	dying, starts := failing(t, "dies at once", time.Minute, time.Hour)
	for _, b := range []*Backend{missing, dying} {
		for _, want := range []error{errAway, errCooling, errCooling} {
			if _, err := b.Rank(t.Context(), viewOf("user:1", 1)); err != want { //nolint:errorlint // it is returned as it is
				t.Fatalf("%s: %v, want %v", b.ID, err, want)
			}
		}
	}
	if n := starts(); n != 1 {
		t.Errorf("%d starts", n)
	}
	again, starts := failing(t, "dies at once", time.Minute, time.Millisecond)
	for starts() < 3 {
		_, _ = again.Rank(t.Context(), viewOf("user:1", 1)) // it cannot be started
	}
}

// A program may only name units that it was given for the same identity; the caller checks this. Concurrent searches of many owners share
// one program, but no space.
func TestBackendSpaces(t *testing.T) {
	b, starts := failing(t, "answers", time.Minute, time.Hour)
	var all sync.WaitGroup
	for owner := range int64(20) {
		all.Go(func() {
			for _, groups := range [][]int64{{owner, owner + 100}, {owner + 100}, {owner, owner + 200}} {
				v := viewOf(fmt.Sprint("user:", owner), groups...)
				hits, err := b.Rank(t.Context(), v)
				if err != nil {
					t.Error(err)
					return
				}
				for _, h := range hits {
					if h.Unit.Group%100 != owner {
						t.Errorf("owner %d gets %v", owner, h)
					}
				}
			}
		})
	}
	all.Wait()
	if s := b.Status(); s.Spaces != 20 || !s.Running || starts() != 1 {
		t.Errorf("%+v, %d starts", s, starts())
	}
	rude, _ := failing(t, "names what others see", time.Minute, time.Hour)
	for _, owner := range []string{"user:1", "user:2"} {
		if _, err := rude.Rank(t.Context(), viewOf(owner, 1)); err != nil {
			t.Error(err)
		}
	}
}

// A search does not wait longer than its time for a memory that is still handed over, and does not end the program because of it.
func TestBackendIsFed(t *testing.T) {
	b, starts := failing(t, "answers", time.Second, time.Hour)
	if _, err := b.Rank(t.Context(), viewOf("user:1", 1)); err != nil && err != errFeeding { //nolint:errorlint // it is returned as it is
		t.Fatal(err)
	}
	v := viewOf("user:2", 1, 2, 3)
	read, release := v.Read, make(chan struct{})
	v.Read = func(ctx context.Context, units []index.Unit) ([]recall.BackendPassage, error) {
		<-release
		return read(ctx, units)
	}
	if _, err := b.Rank(t.Context(), v); err != errFeeding { //nolint:errorlint // it is returned as it is
		t.Fatalf("%v", err)
	}
	close(release)
	for {
		hits, err := b.Rank(t.Context(), v)
		if err == nil && len(hits) == 3 {
			break
		}
		if err != nil && err != errFeeding { //nolint:errorlint // it is returned as it is
			t.Fatal(err)
		}
	}
	if n := starts(); n != 1 {
		t.Errorf("%d starts", n)
	}
}
