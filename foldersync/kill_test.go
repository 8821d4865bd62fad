package foldersync

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/memory"
)

const (
	childServer = "FOLDERSYNC_TEST_SERVER"
	childFolder = "FOLDERSYNC_TEST_FOLDER"
)

// TestMain is also the sync process that TestKilledAtAnyMoment kills.
func TestMain(m *testing.M) {
	if url := os.Getenv(childServer); url != "" {
		f, err := Open(os.Getenv(childFolder), 20*time.Millisecond, time.Now)
		if err == nil {
			err = New(f, wire{url}, Options{DeleteAll: true}).Run(context.Background())
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// wire is a Remote that reaches a server of this test over HTTP.
type wire struct{ url string }

type wireCall struct {
	Do    string
	Ref   memory.Ref
	Write Write
	Match string
}

type wireAnswer struct {
	Entries  []Entry
	Document Document
	Receipt  Receipt
	Error    string
}

func (w wire) call(ctx context.Context, c wireCall) (a wireAnswer, err error) {
	body, err := json.Marshal(c)
	if err != nil {
		return a, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return a, fmt.Errorf("%w: %w", ErrAway, err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		return a, err
	}
	for _, known := range []error{ErrGone, ErrStale, ErrAway} {
		if a.Error == known.Error() {
			return a, known
		}
	}
	return a, nil
}

func (w wire) List(ctx context.Context) ([]Entry, error) {
	a, err := w.call(ctx, wireCall{Do: "list"})
	return a.Entries, err
}

func (w wire) Read(ctx context.Context, ref memory.Ref) (Document, error) {
	a, err := w.call(ctx, wireCall{Do: "read", Ref: ref})
	return a.Document, err
}

func (w wire) Write(ctx context.Context, write Write) (Receipt, error) {
	a, err := w.call(ctx, wireCall{Do: "write", Write: write})
	return a.Receipt, err
}

func (w wire) Delete(ctx context.Context, ref memory.Ref, match, _ string) error {
	_, err := w.call(ctx, wireCall{Do: "delete", Ref: ref, Match: match})
	return err
}

func (w wire) Wait(ctx context.Context) error { return sleep(ctx, 30*time.Millisecond) }

// serve answers the calls of wire.
func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	var c wireCall
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var a wireAnswer
	var err error
	switch c.Do {
	case "list":
		a.Entries, err = s.List(r.Context())
	case "read":
		a.Document, err = s.Read(r.Context(), c.Ref)
	case "write":
		a.Receipt, err = s.Write(r.Context(), c.Write)
	case "delete":
		err = s.Delete(r.Context(), c.Ref, c.Match, "")
	}
	if err != nil {
		a.Error = err.Error()
	}
	_ = json.NewEncoder(w).Encode(a)
}

// The sync process is killed again and again while both sides are edited, in each way editors do. In the end both sides are
// equal, and every line that somebody wrote is in a document or in a conflict file.
func TestKilledAtAnyMoment(t *testing.T) {
	kills := 25
	if testing.Short() {
		kills = 5
	}
	s := newServer()
	listening := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(listening.Close)
	root := t.TempDir()
	words, stop, edited := map[string]bool{}, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(edited)
		random := rand.New(rand.NewPCG(1, 2))
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(random.IntN(12)) * time.Millisecond):
			}
			word, place := fmt.Sprintf("word-%d", n), fmt.Sprintf("notes/%d.md", random.IntN(6))
			words[word] = true
			if random.IntN(2) == 0 {
				s.insert(place, word, random)
			} else if err := insertHere(filepath.Join(root, place), word, random); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	random := rand.New(rand.NewPCG(3, 4))
	written := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.writes > 0
	}
	for n, late := 0, time.Duration(0); n < kills || !written() && n < 10*kills; n++ {
		if n >= kills { // so busy a machine that no process lived long enough to write
			late += 20 * time.Millisecond
		}
		child := startChild(t, listening.URL, root)
		time.Sleep(40*time.Millisecond + time.Duration(random.IntN(150))*time.Millisecond + late)
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
	}
	close(stop)
	<-edited
	f, err := Open(root, 20*time.Millisecond, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := New(f, wire{listening.URL}, Options{DeleteAll: true}).Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, _ := s.List(t.Context())
	var everything strings.Builder
	for _, e := range entries {
		there, _, _ := s.head(e.Ref)
		here, err := os.ReadFile(filepath.Join(root, e.Ref.Path))
		if err != nil || string(here) != there {
			t.Errorf("%s differs (%v)", e.Ref.Path, err)
		}
		everything.WriteString(there)
	}
	kept, err := filepath.Glob(filepath.Join(root, "notes", "*.conflict-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range kept {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		everything.Write(text)
	}
	lines := strings.Split(everything.String(), "\n")
	for word := range words {
		if !slices.Contains(lines, word) {
			t.Errorf("%s is lost", word)
		}
	}
	t.Logf("%d kills, %d edits, %d writes, %d conflict files", kills, len(words), s.writes, len(kept))
	if len(words) < kills || s.writes == 0 {
		t.Error("too little happened")
	}
}

func startChild(t *testing.T, url, root string) *exec.Cmd {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childServer+"="+url, childFolder+"="+root)
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	return child
}

// insert is an edit on the server: a new line somewhere.
func (s *server) insert(place, word string, random *rand.Rand) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref := memory.Ref{Scope: memory.ScopeTeam, Path: place}
	text, _, _ := s.head(ref)
	s.put(ref, inserted(text, word, random))
}

func inserted(text, word string, random *rand.Rand) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(slices.Insert(lines, random.IntN(len(lines)), word+"\n"), "")
}

// insertHere is an edit of a file as an editor makes it that does not lose edits itself: what it writes back is made from what it
// replaces.
func insertHere(file, word string, random *rand.Rand) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
		if err != nil {
			return err
		}
		_, err = f.WriteString(word + "\n")
		return errors.Join(err, f.Close())
	}
	// The editor writes beside the file, and gives up its text for the one that is there if that has changed concurrently.
	beside := file + "~"
	saved, expected := inserted(string(text), word, random), string(text)
	if err := os.WriteFile(beside, []byte(saved), 0o644); err != nil {
		return err
	}
	for again := false; ; again = !again {
		if err := swap(beside, file); err != nil {
			return err
		}
		was, err := os.ReadFile(beside)
		if err != nil {
			return err
		}
		if string(was) == expected && !again {
			return os.Remove(beside)
		}
		if string(was) == expected { // put back what somebody else wrote first: start over
			return insertHere(file, word, random)
		}
		saved, expected = string(was), saved
	}
}
