package recall_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/storetest"
	"reverie/store/talk"
)

// vocabulary are words of texts and questions, of several scripts.
var vocabulary = strings.Fields("harbour lighthouse anchor mast rudder tide reef gull fog db_port RFC-7231 v1.2.3 Städte 港口 灯塔 船员 гавань かもめ")

// unrelated are words that no question contains.
var unrelated = strings.Fields("zeppelin quartz yodel brisket 蘑菇 ледник")

func openStore(t *testing.T) *store.Store {
	t.Helper()
	s, _ := storetest.Open(t, store.Options{})
	return s
}

// home is an agent with two owners for property tests.
type home struct {
	store *store.Store
	agent string
	texts map[string]string // of documents, by scope, owner and path
}

func newHome(t *rapid.T, s *store.Store) *home {
	h := &home{store: s, agent: fmt.Sprintf("a%x", time.Now().UnixNano()), texts: map[string]string{}}
	root := memory.Identity{Workspace: "acme", Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}
	if err := s.EnsureWorkspace(t.Context(), "acme", "acme"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateAgent(t.Context(), root, admin.NewAgent{ID: h.agent, Name: h.agent, TimeZone: "UTC"}); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *home) as(owner memory.Owner) memory.Identity {
	return memory.Identity{
		Workspace: "acme", Agent: h.agent, Owner: owner, Role: memory.RoleMember,
		Author: memory.Author{Kind: memory.AuthorUser, ID: string(owner)},
	}
}

// write writes a Markdown document of some lines.
func (h *home) write(t *rapid.T, owner memory.Owner, scope memory.Scope, path string, words []string) {
	t.Helper()
	var b strings.Builder
	for range rapid.IntRange(1, 12).Draw(t, "lines") {
		line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 9).Draw(t, "words"), " ")
		b.WriteString(rapid.SampledFrom([]string{"- ", "", "## ", "\n", "1. ", "```\n", "> "}).Draw(t, "form") + line)
		b.WriteString(rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(t, "end"))
	}
	h.texts[string(scope)+string(owner)+path] = b.String()
	h.apply(t, owner, memory.Change{Ref: memory.Ref{Scope: scope, Path: path}, Op: memory.OpReplace, Force: true, Content: b.String()})
}

func (h *home) apply(t *rapid.T, owner memory.Owner, c memory.Change) {
	t.Helper()
	if _, err := h.store.Apply(t.Context(), h.as(owner), "", []memory.Change{c}); err != nil {
		t.Fatal(err)
	}
}

// say adds a turn to a conversation.
func (h *home) say(t *rapid.T, owner memory.Owner, conversation string, words []string) {
	t.Helper()
	b := talk.Batch{Conversation: conversation, Trigger: memory.TriggerAPI, TurnComplete: true}
	for range rapid.IntRange(1, 4).Draw(t, "messages") {
		role := rapid.SampledFrom([]string{memory.RoleOfUser, memory.RoleOfAssistant}).Draw(t, "role")
		content := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 20).Draw(t, "said"), " ")
		b.Messages = append(b.Messages, memory.Message{ID: fmt.Sprint(len(b.Messages), time.Now().UnixNano()), Role: role, Content: content})
	}
	if _, err := h.store.AppendMessages(t.Context(), h.as(owner), b); err != nil {
		t.Fatal(err)
	}
}

// fill writes documents and conversations of two owners.
func (h *home) fill(t *rapid.T) {
	t.Helper()
	owners := []memory.Owner{"user:1", "user:2"}
	for i := range rapid.IntRange(1, 6).Draw(t, "documents") {
		scope := rapid.SampledFrom([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam}).Draw(t, "scope")
		path := rapid.SampledFrom([]string{"MEMORY.md", "memory/2026-11-20.md", fmt.Sprintf("memory/ships/%d.md", i)}).Draw(t, "path")
		owner := rapid.SampledFrom(owners).Draw(t, "owner")
		if scope == memory.ScopeTeam {
			owner = owners[0]
		}
		h.write(t, owner, scope, path, vocabulary)
	}
	for range rapid.IntRange(1, 5).Draw(t, "turns") {
		owner := rapid.SampledFrom(owners).Draw(t, "speaker")
		h.say(t, owner, "c"+string(owner), vocabulary)
	}
}

func (h *home) search(t *rapid.T, owner memory.Owner, r recall.Request) []recall.Hit {
	t.Helper()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s := &recall.Searcher{Store: h.store, Defaults: recall.DefaultSettings(), Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}
	response, err := s.Search(t.Context(), h.as(owner), r)
	if err != nil {
		t.Fatal(err)
	}
	return response.Results
}

func anyQuestion(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 5).Draw(t, "question"), " ")
}

// The same question gives the same answer; a snippet is a part of its passage, and a passage consists of exactly the
// lines of its document that the result names.
func TestResultsMatchTheText(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		h := newHome(t, s)
		h.fill(t)
		q := anyQuestion(t)
		most := recall.MaxResults
		hits := h.search(t, "user:1", recall.Request{Query: q, MaxResults: &most})
		if diff := cmp.Diff(hits, h.search(t, "user:1", recall.Request{Query: q, MaxResults: &most})); diff != "" {
			t.Fatalf("asked again:\n%s", diff)
		}
		for _, hit := range hits {
			found++
			if hit.Snippet == "" || !strings.Contains(hit.Text, hit.Snippet) {
				t.Fatalf("snippet %q is no part of %q", hit.Snippet, hit.Text)
			}
			if hit.Corpus != search.Memory {
				continue
			}
			text, known := h.texts[string(hit.Source.Scope)+string(hit.Source.Owner)+hit.Path], true
			if hit.Source.Scope == memory.ScopeTeam {
				text, known = h.texts["TEAMuser:1"+hit.Path]
			}
			if !known { // documents of every new agent
				continue
			}
			lines := strings.SplitAfter(text, "\n")
			if hit.FromLine < 1 || hit.ToLine > len(lines) || !strings.Contains(strings.Join(lines[hit.FromLine-1:hit.ToLine], ""), hit.Text) {
				t.Fatalf("lines %d to %d of %q do not have %q", hit.FromLine, hit.ToLine, text, hit.Text)
			}
		}
	})
	if found == 0 {
		t.Error("nothing was ever found")
	}
}

// key identifies a result independent of its score.
func key(h recall.Hit) string {
	return fmt.Sprint(h.Corpus, h.Source.Scope, h.Source.Owner, h.Path, h.FromLine, h.Text)
}

// Other owners' writes change nothing. The owner's writes that are unrelated to the question do not remove results:
// word frequencies change, and with them scores slightly, so this is checked for what is found and not for the
// minimum score.
func TestUnrelatedWrites(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	total := 0
	rapid.Check(t, func(t *rapid.T) {
		h := newHome(t, s)
		h.fill(t)
		most := recall.MaxResults
		request := recall.Request{Query: anyQuestion(t), MaxResults: &most, Corpus: rapid.SampledFrom(recall.CorpusNames()).Draw(t, "corpus")}
		before := h.search(t, "user:1", request)
		total += len(before)

		h.write(t, "user:2", memory.ScopePersonal, "memory/ships/other.md", vocabulary)
		h.say(t, "user:2", "another", vocabulary)
		if diff := cmp.Diff(before, h.search(t, "user:1", request)); diff != "" {
			t.Fatalf("after somebody else wrote:\n%s", diff)
		}
		all := request
		all.MinScore = new(0.0)
		found := h.search(t, "user:1", all)
		h.write(t, "user:1", memory.ScopePersonal, "memory/kitchen.md", unrelated)
		h.say(t, "user:1", "kitchen", unrelated)
		var after []string
		for _, hit := range h.search(t, "user:1", all) {
			after = append(after, key(hit))
		}
		for _, hit := range found {
			if !slices.Contains(after, key(hit)) {
				t.Fatalf("%q is not found any more, with score %v before; found %q", key(hit), hit.Score, after)
			}
		}
	})
	if total == 0 {
		t.Error("nothing was ever found")
	}
}
