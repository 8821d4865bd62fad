package recall_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	"reverie/search/fuse"
)

// letters is an embedding model that counts letters.
type letters struct{}

func (letters) Identity() memory.EmbeddingIdentity {
	return memory.EmbeddingIdentity{Provider: "test", Model: "letters", Dimensions: 26}
}

func (letters) EmbedQuery(_ context.Context, _, text string) ([]float32, error) {
	vector := make([]float32, 26)
	for _, r := range strings.ToLower(text) {
		if 'a' <= r && r <= 'z' {
			vector[r-'a']++
		}
	}
	return vector, nil
}

// embed stores the vectors of everything.
func (l *library) embed(model recall.Embedder) {
	l.t.Helper()
	tender := administrator()
	tender.AnyOwner = true
	space, err := l.store.OpenSpace(l.t.Context(), tender, model.Identity())
	if err != nil {
		l.t.Fatal(err)
	}
	due, err := l.store.DueUnits(l.t.Context(), tender, space.ID, 1000)
	if err != nil {
		l.t.Fatal(err)
	}
	var vectors [][]float32
	for _, u := range due.Units {
		vector, _ := model.EmbedQuery(l.t.Context(), "", u.Text)
		vectors = append(vectors, vector)
	}
	if _, err := l.store.SaveVectors(l.t.Context(), tender, space.ID, due, vectors); err != nil {
		l.t.Fatal(err)
	}
}

// process is a searcher of another process.
func (l *library) process() *recall.Searcher {
	l.t.Helper()
	log := slog.New(slog.DiscardHandler)
	return &recall.Searcher{
		Store: l.store, Defaults: recall.DefaultSettings(), Embedders: []recall.Embedder{letters{}},
		Reputations: recall.NewReputations(l.store, log), Log: log,
	}
}

// reputation asks a question and returns the reputation that counted for the answer, after everything is stored.
func (l *library) reputation(s *recall.Searcher, id memory.Identity, corpus search.Corpus, query string) float64 {
	l.t.Helper()
	found, err := s.Search(l.t.Context(), id, recall.Request{Query: query, Corpus: corpus, Explain: true})
	if err != nil || found.Mode != recall.Hybrid {
		l.t.Fatalf("%s %v", found.Mode, err)
	}
	if err := s.Reputations.Close(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	return found.Trace.Corpora[0].Votes.Reputation
}

// The reputation that a vector space gets in one process counts in another one and after a restart, but not for another corpus.
func TestReputationsOfProcesses(t *testing.T) {
	l := open(t)
	things := strings.Fields("lighthouse violin bakery zeppelin orchard glacier tractor pyjamas umbrella quarry")
	for _, thing := range things {
		l.write("user:1", thing+".md", "The "+thing+" is near.\n")
	}
	l.say("user:1", "c1", "The lighthouse keeper sleeps.", "A violin was sold.")
	l.embed(letters{})
	first, second := l.process(), l.process()
	if known := l.reputation(second, as("user:1"), search.Memory, things[0]); known != 0 {
		t.Errorf("before the first question: %v", known)
	}
	for _, thing := range things {
		l.reputation(first, as("user:1"), search.Memory, thing)
	}
	viewer := as("user:1")
	viewer.Role = memory.RoleViewer
	want := l.reputation(first, viewer, search.Memory, things[1])
	l.reputation(l.process(), viewer, search.Memory, things[2])
	if want <= 0 || l.reputation(second, as("user:1"), search.Memory, things[1]) < want {
		t.Errorf("another process knows less than %v", want)
	}
	if known := l.reputation(l.process(), as("user:1"), search.Sessions, things[0]); known != 0 {
		t.Errorf("of conversations: %v", known)
	}
}

// counter counts the votes that it stores.
type counter struct {
	fail   atomic.Bool
	stored atomic.Int64
}

func (s *counter) LearnReputations(_ context.Context, _ memory.Identity, _ int64, votes map[search.Corpus][]fuse.Votes) error {
	if s.fail.Load() {
		return errors.New("no")
	}
	for _, v := range votes {
		s.stored.Add(int64(len(v)))
	}
	return nil
}

// A reputation that cannot be stored is lost, and later ones are not.
func TestReputationsThatCannotBeStored(t *testing.T) {
	l := open(t)
	l.write("user:1", "notes.md", "The lighthouse is near.\n")
	l.embed(letters{})
	s := l.process()
	to := &counter{}
	s.Reputations = recall.NewReputations(to, s.Log)
	for _, fail := range []bool{true, false, false} {
		to.fail.Store(fail)
		l.reputation(s, as("user:1"), search.Memory, "lighthouse")
	}
	if n := to.stored.Load(); n != 2 {
		t.Errorf("the votes of %d questions were stored", n)
	}
}

// Of a whole dialogue as a question, a passage contains little; its words count nevertheless.
func TestVotesOfLongQuestions(t *testing.T) {
	l := open(t)
	l.write("user:1", "notes.md", "The lighthouse keeper sold a violin to the baker.\n")
	l.write("user:1", "other.md", "Nothing of that.\n")
	dialogue := "Did you know that the lighthouse keeper sold his violin? "
	for i := range 60 {
		dialogue += fmt.Sprintf("word%d ", i)
	}
	found, err := l.Search(t.Context(), as("user:1"), recall.Request{Query: dialogue, Corpus: search.Memory, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	if text := found.Trace.Corpora[0].Votes.Text; text < .15 || text > .8 {
		t.Errorf("the words have a vote of %v", text)
	}
}
