package recall_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/recall"
	"reverie/search"
	"reverie/store"
	"reverie/store/dreams"
	"reverie/store/facts"
)

// ledger stores recalls in memory.
type ledger struct {
	mu      sync.Mutex
	writes  [][]dreams.Recall
	refuse  func(dreams.Recall) bool
	blocked chan struct{} // writes wait until it is closed; nil: they do not wait
	content string

	injected []facts.Injected
}

func (l *ledger) RecordRecalls(_ context.Context, recalls []dreams.Recall) error {
	if l.blocked != nil {
		<-l.blocked
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range recalls {
		if l.refuse != nil && l.refuse(r) {
			return errors.New("refused")
		}
	}
	l.writes = append(l.writes, recalls)
	return nil
}

func (l *ledger) RecordInjections(_ context.Context, all []facts.Injected) error {
	if l.blocked != nil {
		<-l.blocked
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, in := range all {
		if in.Identity.Agent == "gone" {
			return errors.New("refused")
		}
	}
	l.injected = append(l.injected, all...)
	return nil
}

func (l *ledger) VersionOf(context.Context, memory.Identity, memory.Ref, int) (memory.Version, error) {
	if l.content == "" {
		return memory.Version{}, store.ErrNotFound
	}
	return memory.Version{Content: l.content}, nil
}

// sizes returns the sizes of the writes.
func (l *ledger) sizes() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	var sizes []int
	for _, w := range l.writes {
		sizes = append(sizes, len(w))
	}
	return sizes
}

func use(agent string) recall.Use {
	return recall.Use{
		Identity: memory.Identity{Workspace: "acme", Agent: agent, Owner: "user:1"}, At: time.Now(),
		Query: analysis.NewQuery("balcony", time.Now()),
		Hits:  []recall.Hit{{Corpus: search.Sessions, Path: "sessions/c1", FromLine: 1, ToLine: 1, Text: "The balcony faces south.", Score: .9}},
	}
}

func sum(sizes []int) (n int) {
	for _, size := range sizes {
		n += size
	}
	return n
}

func TestUsesAreWrittenTogetherAndLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{}
		r := recall.NewRecorder(l, slog.New(slog.DiscardHandler))
		for range 3 {
			r.Record(t.Context(), use("ada"))
		}
		time.Sleep(99 * time.Millisecond)
		if got := l.sizes(); len(got) > 0 {
			t.Errorf("written at once: %v", got)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if got := l.sizes(); len(got) != 1 || got[0] != 3 {
			t.Errorf("writes of %v, want one of 3", got)
		}
		for range 130 {
			r.Record(t.Context(), use("ada"))
		}
		synctest.Wait() // no time has passed
		if got := sum(l.sizes()); got < 3+64 {
			t.Errorf("%d are written, but 64 were waiting", got)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := sum(l.sizes()); got != 133 {
			t.Errorf("%d are written after closing, want 133", got)
		}
		r.Record(t.Context(), use("ada")) // after closing: at once
		if recorded, failed := r.Counts(); recorded != 134 || failed != 0 || sum(l.sizes()) != 134 {
			t.Errorf("%d recorded, %d failed, %d written", recorded, failed, sum(l.sizes()))
		}
	})
}

// When too many uses are waiting, a search writes its own: nothing is lost.
func TestAFullQueueLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{blocked: make(chan struct{})}
		r := recall.NewRecorder(l, slog.New(slog.DiscardHandler))
		const uses = 2000
		done := make(chan struct{})
		go func() {
			defer close(done)
			var all sync.WaitGroup
			one := use("ada")
			for range uses {
				all.Go(func() { r.Record(t.Context(), one) })
			}
			all.Wait()
		}()
		synctest.Wait()
		select {
		case <-done:
			t.Error("2000 uses did not have to wait")
		default:
		}
		close(l.blocked)
		<-done
		if err := r.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := sum(l.sizes()); got != uses {
			t.Errorf("%d of %d are written", got, uses)
		}
	})
}

// A use that cannot be written does not affect the others, and is logged without its question.
func TestFailuresAreCountedAndLogged(t *testing.T) {
	var log bytes.Buffer
	l := &ledger{refuse: func(r dreams.Recall) bool { return r.Identity.Agent == "gone" }}
	r := recall.NewRecorder(l, slog.New(slog.NewTextHandler(&log, nil)))
	for _, agent := range []string{"ada", "gone", "bob"} {
		r.Record(t.Context(), use(agent))
	}
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if recorded, failed := r.Counts(); recorded != 2 || failed != 1 || sum(l.sizes()) != 2 {
		t.Errorf("%d recorded, %d failed, writes of %v", recorded, failed, l.sizes())
	}
	if !strings.Contains(log.String(), "agent=gone") || strings.Contains(log.String(), "balcony") {
		t.Errorf("log: %s", log.String())
	}
}

// What contexts contained is written in the background, after the response, in order; a reader who flushes sees all of it.
func TestInjectionsAreWrittenAfterwards(t *testing.T) {
	var log bytes.Buffer
	l := &ledger{blocked: make(chan struct{})}
	r := recall.NewRecorder(l, slog.New(slog.NewTextHandler(&log, nil)))
	if err := r.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, agent := range []string{"ada", "gone", "ada"} {
		r.Injected(t.Context(), facts.Injected{Identity: use(agent).Identity, Injection: facts.Injection{Tokens: i}})
	}
	r.Record(t.Context(), use("ada"))
	close(l.blocked)
	if err := r.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(l.injected) != 2 || l.injected[0].Tokens != 0 || l.injected[1].Tokens != 2 || sum(l.sizes()) != 1 {
		t.Errorf("%+v, %v", l.injected, l.sizes())
	}
	if !strings.Contains(log.String(), "agent=gone") {
		t.Errorf("log: %s", log.String())
	}
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Recorded statements have the identities that they have in the whole document, and no text is stored.
func TestWhatIsRecorded(t *testing.T) {
	l := &ledger{content: "# Flat\n\n- Balcony\n  - It faces south.\n  - The balcony has tomatoes.\n- Kitchen\n\nThe balcony is small.\n"}
	r := recall.NewRecorder(l, slog.New(slog.DiscardHandler))
	document := uuid.New()
	u := use("ada")
	u.Query = analysis.NewQuery("balcony tomatoes", time.Now())
	u.At = time.Date(2026, 5, 1, 23, 30, 0, 0, time.FixedZone("east", -2*3600))
	u.Synthetic = true
	u.Hits = []recall.Hit{
		{
			Corpus: search.Memory, Path: "notes.md", FromLine: 4, ToLine: 6, Score: .7,
			Text:   "  - It faces south.\n  - The balcony has tomatoes.\n- Kitchen",
			Source: recall.SourceRef{ID: document, Scope: memory.ScopeTeam, Version: 3},
		},
		u.Hits[0],
	}
	r.Record(t.Context(), u)
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := l.writes[0][0]
	statements := markdown.EntriesOf(l.content)
	want := markdown.EntryID("")
	for _, s := range statements {
		if s.Text == "The balcony has tomatoes." {
			want = s.ID
		}
	}
	first := got.Hits[0]
	if len(first.Entries) != 1 || first.Entries[0] != want || want == markdown.EntryIDOf("The balcony has tomatoes.") {
		t.Errorf("entries %v, want %v, which is not that of the statement alone", first.Entries, want)
	}
	if first.Source != document || first.Scope != memory.ScopeTeam || first.Path != "notes.md" || first.FromLine != 4 ||
		first.ToLine != 6 || first.Score != .7 {
		t.Errorf("%+v", first)
	}
	if first.ChunkHash != u.Hits[0].Hash() {
		t.Error("another passage's hash")
	}
	if e := got.Hits[1].Entries; len(e) != 1 || e[0] != markdown.EntryIDOf("The balcony faces south.") {
		t.Errorf("a message is one statement: %v", e)
	}
	if got.Day != time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC) || !got.Synthetic ||
		got.QueryHash != recall.QueryHash("acme", "balcony tomatoes") {
		t.Errorf("%+v", got)
	}
	// If the document was deleted since then, the statements come from the passage.
	l.content = ""
	r.Record(t.Context(), u)
	if e := l.writes[1][0].Hits[0].Entries; len(e) != 1 {
		t.Errorf("entries %v", e)
	}
}

// A caller that shows only some results reports which, and only those are recorded.
func TestOnlyWhatIsUsedIsRecorded(t *testing.T) {
	l, kept := open(t), &ledger{}
	l.write("user:1", "a.md", "The compass is old.\n")
	l.write("user:1", "b.md", "The compass points north.\n")
	l.Recorder = recall.NewRecorder(kept, slog.New(slog.DiscardHandler))
	r := recall.Request{Query: "compass", Unrecorded: true}
	found, err := l.Search(t.Context(), as("user:1"), r)
	if err != nil || len(found.Results) != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	l.Used(t.Context(), as("user:1"), r, found.Results[1:])
	l.Used(t.Context(), as("user:1"), r, nil)
	if err := l.Recorder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sizes := kept.sizes(); len(sizes) != 1 || sizes[0] != 1 {
		t.Fatalf("writes of %v, want one of 1", sizes)
	}
	got := kept.writes[0][0]
	if got.QueryHash != recall.QueryHash("acme", "compass") || len(got.Hits) != 1 || got.Hits[0].Path != found.Results[1].Path {
		t.Errorf("%+v, want %s alone", got, found.Results[1].Path)
	}
}
