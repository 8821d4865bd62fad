package recall_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/indexes"
	"reverie/store/storetest"
	"reverie/store/talk"
)

// library is an agent's memory on a real database.
type library struct {
	t     *testing.T
	store *store.Store
	*recall.Searcher
}

func open(t *testing.T) *library {
	t.Helper()
	s, _ := storetest.Open(t, store.Options{})
	if err := s.EnsureWorkspace(t.Context(), "acme", "Acme"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateAgent(t.Context(), administrator(), admin.NewAgent{ID: "ada", Name: "Ada"}); err != nil {
		t.Fatal(err)
	}
	return &library{t, s, &recall.Searcher{Store: s, Defaults: recall.DefaultSettings(), Log: slog.New(slog.DiscardHandler)}}
}

func administrator() memory.Identity {
	return memory.Identity{Workspace: "acme", Agent: "ada", Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "test"}}
}

func as(owner memory.Owner) memory.Identity { return administrator().For("ada", owner) }

// write writes a document of an owner, or a shared one if the owner is empty.
func (l *library) write(owner memory.Owner, path, content string) {
	l.t.Helper()
	scope := memory.ScopePersonal
	if owner == memory.NoOwner {
		scope = memory.ScopeTeam
	}
	_, err := l.store.Apply(l.t.Context(), as(owner), "", []memory.Change{{
		Ref: memory.Ref{Scope: scope, Path: path}, Op: memory.OpReplace, Content: content, Force: true,
	}})
	if err != nil {
		l.t.Fatal(err)
	}
}

// say stores a conversation, one message per line.
func (l *library) say(owner memory.Owner, conversation string, lines ...string) {
	l.t.Helper()
	var messages []memory.Message
	for i, line := range lines {
		messages = append(messages, memory.Message{
			ID: fmt.Sprint("m", i+1), Role: memory.RoleOfUser, Content: line, CreatedAt: time.Date(2026, 5, 1, 8, i, 0, 0, time.UTC),
		})
	}
	if _, err := l.store.AppendMessages(l.t.Context(), as(owner),
		talk.Batch{Conversation: conversation, Trigger: memory.TriggerAPI, Messages: messages}); err != nil {
		l.t.Fatal(err)
	}
}

// ask searches without a minimum score.
func (l *library) ask(owner memory.Owner, query string) []recall.Hit {
	l.t.Helper()
	limit, floor := recall.MaxResults, 0.0
	got, err := l.Search(l.t.Context(), as(owner), recall.Request{Query: query, MaxResults: &limit, MinScore: &floor})
	if err != nil {
		l.t.Fatal(err)
	}
	return got.Results
}

// names returns the locations of hits.
func names(hits []recall.Hit) []string {
	var names []string
	for _, h := range hits {
		names = append(names, fmt.Sprintf("%s:%d-%d", h.Path, h.FromLine, h.ToLine))
	}
	slices.Sort(names)
	return names
}

// A rebuilt index gives the same results with the same scores.
func TestRebuildingChangesNothing(t *testing.T) {
	l := open(t)
	l.write("user:1", "notes.md", "# Flat\n\n- The balcony faces south.\n- The printer is in room 214.\n")
	l.write("user:1", "notes.md", "# Flat\n\n- The balcony faces west.\n- The printer is in room 214.\n")
	l.write(memory.NoOwner, "memory/2026-05-01.md", "# 2026-05-01\n\n## 09:00 Printer\n\nThe printer moved.\n")
	l.say("user:1", "c1", "Where is the printer?", "In room 214, next to the balcony.")
	questions := []string{"Where is the printer?", "balcony", "south", "printer on 2026-05-01"}
	ask := func() (all [][]recall.Hit) {
		for _, q := range questions {
			all = append(all, l.ask("user:1", q))
		}
		return all
	}
	before := ask()
	if len(before[0]) < 3 {
		t.Fatalf("%v", names(before[0]))
	}
	tender := administrator()
	tender.AnyOwner = true
	if _, err := l.store.PackIndex(t.Context(), tender); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, ask()); diff != "" {
		t.Errorf("merging changes the answers:\n%s", diff)
	}
	if _, err := l.store.StaleIndex(t.Context(), tender); err != nil {
		t.Fatal(err)
	}
	for {
		left, err := l.store.RebuildIndex(t.Context(), tender, 10)
		if err != nil {
			t.Fatal(err)
		}
		if left == 0 {
			break
		}
	}
	if diff := cmp.Diff(before, ask()); diff != "" {
		t.Errorf("building anew changes the answers:\n%s", diff)
	}
}

// The owner's copy replaces the shared one, and ranks higher.
func TestPersonalCopiesStandForSharedOnes(t *testing.T) {
	l := open(t)
	l.write(memory.NoOwner, "team.md", "The barometer hangs in the hall.\n")
	l.write("user:1", "own.md", "The  barometer hangs in the HALL.\n")
	if got := names(l.ask("user:1", "barometer")); !slices.Equal(got, []string{"own.md:1-1"}) {
		t.Errorf("%v", got)
	}
	if got := names(l.ask("user:2", "barometer")); !slices.Equal(got, []string{"team.md:1-1"}) {
		t.Errorf("%v", got)
	}
}

// With decay, old notes count less; maintained documents do not age.
func TestDecay(t *testing.T) {
	l := open(t)
	l.write("user:1", "memory/2020-01-01-trip.md", "# 2020-01-01\n\n## 09:00 Trip\n\nThe compass was new.\n")
	l.write("user:1", "MEMORY.md", "The compass is old.\n")
	on, floor := true, 0.0
	got, err := l.Search(t.Context(), as("user:1"), recall.Request{
		Query: "compass", MinScore: &floor, Explain: true, Corpus: search.Memory, Options: recall.Options{Decay: &on},
	})
	if err != nil || len(got.Results) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, h := range got.Results {
		if faded := h.Explanation.Selected.Decay < .01; faded != (h.Path != "MEMORY.md") {
			t.Errorf("%s decays to %v", h.Path, h.Explanation.Selected.Decay)
		}
	}
}

// broken is a store whose vectors cannot be compared.
type broken struct{ *store.Store }

func (broken) LiveSpace(context.Context, memory.Identity) (indexes.Space, error) {
	return indexes.Space{}, errors.New("the vectors are gone")
}

// model is an embedder that must not be called.
type model struct{ recall.Embedder }

func (model) Identity() memory.EmbeddingIdentity {
	return memory.EmbeddingIdentity{Provider: "p", Model: "m"}
}

// A failure of vectors does not affect lexical search.
func TestVectorsThatCannotBeCompared(t *testing.T) {
	l := open(t)
	l.write("user:1", "n.md", "The compass is old.\n")
	s := recall.Searcher{
		Store: broken{l.store}, Embedders: []recall.Embedder{model{}}, Defaults: recall.DefaultSettings(),
		Log: slog.New(slog.DiscardHandler),
	}
	got, err := s.Search(t.Context(), as("user:1"), recall.Request{Query: "compass"})
	if err != nil || !got.Degraded || got.Reason != recall.ReasonComparing || got.Mode != recall.Lexical || len(got.Results) != 1 ||
		got.Embedding.Model != "m" {
		t.Errorf("%+v, %v", got, err)
	}
}

// With StatementsFirst, messages that only ask come last and do not lower the scores of statements.
func TestStatementsFirst(t *testing.T) {
	l := open(t)
	say := func(conversation, content string) {
		t.Helper()
		if _, err := l.store.AppendMessages(t.Context(), as("user:grace"), talk.Batch{
			Conversation: conversation, Trigger: memory.TriggerAPI, TurnComplete: true,
			Messages: []memory.Message{{ID: conversation, Role: memory.RoleOfUser, Content: content}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	const question = "At which pier does the Albatross lie in winter?"
	say("stated", "The Albatross lies at pier 4.")
	alone, err := l.Search(t.Context(), as("user:grace"), recall.Request{Query: question, StatementsFirst: true})
	if err != nil || len(alone.Results) != 1 {
		t.Fatalf("%+v, %v", alone, err)
	}
	for i := range 8 {
		say(fmt.Sprintf("asked%d", i), question)
	}
	for _, first := range []bool{true, false} {
		found, err := l.Search(t.Context(), as("user:grace"), recall.Request{Query: question, StatementsFirst: first})
		if err != nil || len(found.Results) == 0 {
			t.Fatalf("%+v, %v", found, err)
		}
		best := found.Results[0]
		if isStated := best.Source.Conversation == "stated" && best.Score == alone.Results[0].Score; isStated != first {
			t.Errorf("statements first: %t; the best result is %s with %g", first, best.Path, best.Score)
		}
	}
}

// Of two values of the same thing, the one said later ranks above, and the older one names it.
func TestNewestFirst(t *testing.T) {
	l := open(t)
	l.say("user:1", "c1", "The rent of my flat is 900 euros.", "The cat sleeps.", "The rent of the flat is now 950 euros.")
	hits := l.ask("user:1", "How high is the rent of my flat?")
	if len(hits) < 2 || hits[0].FromLine != 3 || hits[1].FromLine != 1 {
		t.Fatalf("%+v", hits)
	}
	if hits[0].SupersededBy != "" || hits[1].SupersededBy != "sessions/c1#L3" {
		t.Errorf("superseded by %q and %q", hits[0].SupersededBy, hits[1].SupersededBy)
	}
}

// The newer of two values ranks above the older one when both sentences score the same, whatever corpora are searched.
func TestNewestFirstOfEqualScores(t *testing.T) {
	l := open(t)
	var messages []memory.Message
	for i, text := range []string{"rent flat 900 euros", "Noted.", "rent flat 950 euros", "Noted."} {
		messages = append(messages, memory.Message{
			ID: fmt.Sprint("m", i), Role: []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2], Content: text,
			CreatedAt: time.Date(2026, 5, 1, 8, i, 0, 0, time.UTC),
		})
	}
	if _, err := l.store.AppendMessages(t.Context(), as("user:1"),
		talk.Batch{Conversation: "c1", Trigger: memory.TriggerAPI, Messages: messages}); err != nil {
		t.Fatal(err)
	}
	for _, corpus := range []search.Corpus{search.Sessions, recall.All, ""} {
		found, err := l.Search(t.Context(), as("user:1"), recall.Request{Query: "rent of the flat in euros", Corpus: corpus})
		if err != nil || len(found.Results) < 2 {
			t.Fatalf("%+v, %v", found, err)
		}
		newer, older := found.Results[0], found.Results[1]
		if newer.FromLine != 3 || newer.SupersededBy != "" || older.FromLine != 1 || older.SupersededBy != "sessions/c1#L3" {
			t.Errorf("%q: first %d (%q), then %d (%q)", corpus, newer.FromLine, newer.SupersededBy, older.FromLine, older.SupersededBy)
		}
	}
	switchedOff := recall.Options{Off: []string{"newest"}}
	found, err := l.Search(t.Context(), as("user:1"), recall.Request{Query: "rent of the flat in euros", Options: switchedOff})
	if err != nil || found.Results[0].FromLine != 1 || found.Results[1].SupersededBy != "" {
		t.Errorf("switched off: %+v, %v", found.Results, err)
	}
}

// Documents and messages are compared with each other. A document says what it quotes when that was said.
func TestNewestFirstOfDocuments(t *testing.T) {
	const old, now = "The rent of my flat is 900 euros.", "The rent of my flat is now 950 euros."
	for name, c := range map[string]struct {
		notes map[string]string
		said  []string // on 1 May 2026
		want  []string // path, and what it is superseded by
	}{
		"two daily notes": {
			map[string]string{"memory/2026-04-01.md": "- " + old + "\n", "memory/2026-04-02.md": "- " + now + "\n"},
			nil,
			[]string{"memory/2026-04-02.md ", "memory/2026-04-01.md memory/2026-04-02.md#L1"},
		},
		"a message newer than a line": {
			map[string]string{"MEMORY.md": "- " + old + " <!-- memory/2026-04-01.md:4 score 0.81 -->\n"},
			[]string{now},
			[]string{"sessions/c1 ", "MEMORY.md sessions/c1#L1"},
		},
		"a line newer than a message": {
			map[string]string{"MEMORY.md": "- " + now + " (2026-05-03)\n"},
			[]string{old},
			[]string{"MEMORY.md ", "sessions/c1 MEMORY.md#L1"},
		},
		"a document that quotes the older message": {
			map[string]string{"MEMORY.md": "- " + old + "\n"},
			[]string{old, "The cat sleeps.", now},
			[]string{"sessions/c1 ", "MEMORY.md sessions/c1#L3"},
		},
		"a document that quotes the newer message": {
			map[string]string{"MEMORY.md": "- " + now + "\n"},
			[]string{old, "The cat sleeps.", now},
			[]string{"MEMORY.md ", "sessions/c1 MEMORY.md#L1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t)
			for path, text := range c.notes {
				l.write("user:1", path, text)
			}
			if c.said != nil {
				l.say("user:1", "c1", c.said...)
			}
			var got []string
			for _, h := range l.ask("user:1", "How high is the rent of my flat?") {
				if len(got) < len(c.want) {
					got = append(got, h.Path+" "+h.SupersededBy)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Ages count from the newest passage or from Now, so that decay does not make an old conversation disappear, and
// relative dates are computed from Now.
func TestNow(t *testing.T) {
	l := open(t)
	l.say("user:1", "c1", "The harbour was foggy.") // on 1 May 2026
	search := func(r recall.Request) recall.Hit {
		t.Helper()
		r.Query += "harbour"
		r.Options.Decay = new(true)
		found, err := l.Search(t.Context(), as("user:1"), r)
		if err != nil || len(found.Results) != 1 {
			t.Fatalf("%v, %v", found.Results, err)
		}
		return found.Results[0]
	}
	l.Now = func() time.Time { return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) }
	if got := search(recall.Request{}).Score; got != 1 {
		t.Errorf("score %v", got)
	}
	may := time.Date(2026, 5, 31, 8, 0, 0, 0, time.UTC)
	if got := search(recall.Request{Now: may}).Score; math.Abs(got-0.5) > 1e-6 {
		t.Errorf("score %v thirty days later", got)
	}
	found, err := l.Search(t.Context(), as("user:1"), recall.Request{Query: "what about the harbour this month", Now: may, Explain: true})
	if err != nil || found.Results[0].Explanation.Lexical.Parts.Period == 0 {
		t.Errorf("%+v, %v", found.Results, err)
	}
}

// A document that quotes a message takes its place.
func TestDocumentsStandForTheirMessages(t *testing.T) {
	l := open(t)
	l.say("user:1", "c1", "My boat is called Albatross and lies at the northern pier.", "The boat needs new paint before summer.")
	l.write("user:1", "MEMORY.md", "# Memory\n\n- My boat is called Albatross and lies at the northern pier. (2026-05-01)\n")
	var got []string
	for _, h := range l.ask("user:1", "What is my boat called?") {
		got = append(got, fmt.Sprintf("%s:%d", h.Path, h.FromLine))
	}
	if diff := cmp.Diff([]string{"MEMORY.md:1", "sessions/c1:2"}, got); diff != "" {
		t.Error(diff)
	}
}
