package api_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"reverie/api"
	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	"reverie/store"
)

// foundResults is what tests read of an answer to a search.
type foundResults struct {
	Results []struct {
		Corpus, Source, Path, Citation, Snippet, Scope, Owner, Conversation, Role, Name string
		StartLine, EndLine, Version                                                     int
		Score, VectorScore, TextScore                                                   float64
		MessageIDs                                                                      []string
		At                                                                              *time.Time
		Explain                                                                         *recall.Explanation
	}
	Provider, Model, Citations, Mode, Waited, Error, Warning, Action string
	Degraded, Disabled, Unavailable                                  bool
	Fallback                                                         *struct{ From, Reason, Text string }
	Staleness                                                        struct {
		Pending int64
		Since   *time.Time
	}
	Debug struct {
		Backend, ConfiguredMode, EffectiveMode string
		SearchMs                               float64
		Hits                                   int
	}
	Explain *struct {
		Terms   []struct{ Text string }
		Periods []struct{ Text string }
		Corpora []struct {
			Corpus         string
			Units, Lexical int
		}
		Dropped []struct {
			Path, Reason string
			Explain      recall.Explanation
		}
		Stages []struct{ Name string }
	}
}

const searchPath = "/api/v1/agents/ada/memory/search"

// ask searches with the admin key.
func (h *harness) ask(body map[string]any) foundResults {
	h.t.Helper()
	return as[foundResults](h, h.want(h.do(request{method: "POST", path: searchPath, key: h.admin, body: body}), 200))
}

// paths are where results are from.
func (f foundResults) paths() []string {
	var paths []string
	for _, r := range f.Results {
		paths = append(paths, r.Path)
	}
	return paths
}

// said stores a conversation of api:42, and documents of that owner and of everybody.
func said(h *harness) {
	h.t.Helper()
	h.agent("ada")
	h.want(h.post("c1", map[string]any{"endUserId": "42", "turnComplete": true, "messages": []map[string]any{
		{"id": "m1", "role": "user", "name": "Grace", "content": "I moved to Bern, into a flat with a balcony.", "createdAt": "2026-05-04T10:00:00Z"},
		{"id": "m2", "role": "assistant", "content": "What do you grow there?", "createdAt": "2026-05-04T10:01:00Z"},
		{"id": "m3", "role": "user", "name": "Grace", "content": "Tomatoes. The invoice is RFC-7231, by the way.", "createdAt": "2026-05-04T10:02:00Z"},
	}}), 202)
	h.want(h.put("notes.md?owner=api:42", "# Flat\n\nThe balcony faces south.\n", nil), 201)
	h.want(h.put("memory/2026-03-01.md?scope=TEAM", "# 2026-03-01\n\n## 09:30 Office\n\nThe office has a terrace.\n", nil), 201)
}

func TestSearchFindsWhatWasSaidAndWritten(t *testing.T) {
	h := start(t)
	said(h)
	got := h.ask(map[string]any{"owner": "api:42", "query": "balcony of the flat"})
	if len(got.Results) < 2 {
		t.Fatalf("%+v", got)
	}
	for _, r := range got.Results {
		switch r.Corpus {
		case "memory":
			if r.Path != "notes.md" || r.StartLine != 1 || r.EndLine != 3 || r.Citation != "notes.md#L1-L3" || r.Scope != "PERSONAL" ||
				r.Owner != "api:42" || r.Version != 1 || r.Source != "memory" || !strings.Contains(r.Snippet, "The balcony faces south.") || r.At == nil {
				t.Errorf("%+v", r)
			}
		case "sessions":
			if r.Path != "sessions/c1" || r.Conversation != "c1" || r.StartLine != r.EndLine || r.Source != "sessions" || r.Owner != "api:42" ||
				len(r.MessageIDs) != 1 || r.MessageIDs[0] != fmt.Sprint("m", r.StartLine) || r.Citation != fmt.Sprintf("sessions/c1#L%d", r.StartLine) || r.At == nil {
				t.Errorf("%+v", r)
			}
		}
		if r.Score <= 0 || r.TextScore < 0 || r.TextScore > 1 || r.VectorScore != 0 || r.Explain != nil {
			t.Errorf("%+v", r)
		}
	}
	if got.Provider != "none" || got.Model != "" || got.Mode != "lexical" || got.Degraded || got.Citations != "on" || got.Waited != "0s" || got.Fallback != nil ||
		got.Debug.Backend != "postgresql" || got.Debug.ConfiguredMode != "lexical" || got.Debug.EffectiveMode != "lexical" || got.Debug.Hits < 2 ||
		got.Debug.SearchMs <= 0 || got.Staleness.Pending != 0 {
		t.Errorf("%+v", got)
	}
	first := got.Results[0]
	if first.Corpus == "sessions" && (first.Role != "user" || first.Name != "Grace") {
		t.Errorf("%+v", first)
	}
	for corpus, want := range map[string]string{"memory": "notes.md", "sessions": "sessions/c1"} {
		for _, path := range h.ask(map[string]any{"endUserId": "42", "query": "balcony", "corpus": corpus}).paths() {
			if path != want {
				t.Errorf("%s is in the corpus %s", path, corpus)
			}
		}
	}
	// An identifier is found literally, whatever else there is.
	if got := h.ask(map[string]any{"owner": "api:42", "query": "RFC-7231", "maxResults": 1}); len(got.Results) != 1 || got.Results[0].MessageIDs[0] != "m3" {
		t.Errorf("%+v", got.Results)
	}
	// The period is a filter, and says what is outside.
	for _, c := range []struct {
		from, to string
		found    bool
	}{
		{"", "", true},
		{"2026-05-04", "2026-05-04", true},
		{"2026-05-05", "", false},
		{"", "2026-05-03", false},
		{"2026-05-04T10:00:00Z", "2026-05-04T10:00:01Z", true},
		{"2026-05-04T10:00:01Z", "2026-05-04T10:00:30Z", false},
	} {
		got := h.ask(map[string]any{"owner": "api:42", "query": "Bern", "corpus": "sessions", "from": c.from, "to": c.to})
		if found := len(got.Results) > 0 && got.Results[0].MessageIDs[0] == "m1"; found != c.found {
			t.Errorf("from %q to %q: found %v", c.from, c.to, got.paths())
		}
	}
}

func TestSearchExplains(t *testing.T) {
	h := start(t)
	said(h)
	got := h.ask(map[string]any{"owner": "api:42", "query": "balcony on 2026-05-04", "explain": true, "maxResults": 1})
	x := got.Explain
	if x == nil || len(got.Results) != 1 || len(x.Terms) == 0 || len(x.Periods) != 1 || len(x.Corpora) != 2 || len(x.Stages) == 0 {
		t.Fatalf("%+v", got)
	}
	e := got.Results[0].Explain
	if e == nil || e.Lexical == nil || e.Lexical.Score <= 0 || e.Fused.Score <= 0 || e.Selected.Boost != 1.2 {
		t.Errorf("%+v", e)
	}
	if len(x.Dropped) == 0 {
		t.Error("one result of several candidates, and none was dropped")
	}
	for _, d := range x.Dropped {
		if d.Reason == "" || d.Path == "" {
			t.Errorf("%+v", d)
		}
	}
	for _, c := range x.Corpora {
		if c.Units == 0 {
			t.Errorf("%+v", c)
		}
	}
	// A component that is off adds nothing.
	got = h.ask(map[string]any{"owner": "api:42", "query": "balcony", "explain": true, "options": map[string]any{"off": recall.Components()}})
	for _, r := range got.Results {
		if p := r.Explain.Lexical.Parts; p.Neighbours != 0 || p.Enclosing != 0 || r.Explain.Selected.Boost != 1 {
			t.Errorf("%+v", r.Explain)
		}
	}
}

func TestSearchesThatCannotBeUsed(t *testing.T) {
	h := start(t)
	h.agent("ada")
	for name, c := range map[string]struct {
		body any
		says string
	}{
		"unknown corpus":    {map[string]any{"query": "x", "corpus": "wiki"}, "memory, sessions, all"},
		"negative limit":    {map[string]any{"query": "x", "maxResults": -1}, "maxResults"},
		"no results":        {map[string]any{"query": "x", "maxResults": 0}, "maxResults"},
		"too many results":  {map[string]any{"query": "x", "maxResults": 51}, "maxResults"},
		"score":             {map[string]any{"query": "x", "minScore": 1.1}, "minScore"},
		"negative score":    {map[string]any{"query": "x", "minScore": -1}, "minScore"},
		"long query":        {map[string]any{"query": strings.Repeat("é", 4097)}, "query"},
		"query of 1 MB":     {map[string]any{"query": strings.Repeat("word ", 200_000)}, "query"},
		"no query":          {map[string]any{"maxResults": 3}, "query"},
		"wait":              {map[string]any{"query": "x", "wait": "11s"}, "wait"},
		"wait of no time":   {map[string]any{"query": "x", "wait": "soon"}, "wait"},
		"token":             {map[string]any{"query": "x", "after": "abc"}, "after"},
		"token beyond":      {map[string]any{"query": "x", "after": "99999999999999999999"}, "after"},
		"from":              {map[string]any{"query": "x", "from": "yesterday"}, "from"},
		"period":            {map[string]any{"query": "x", "from": "2026-05-02", "to": "2026-05-01"}, "to"},
		"unknown field":     {map[string]any{"query": "x", "limit": 3}, "limit"},
		"unknown component": {map[string]any{"query": "x", "options": map[string]any{"off": []string{"magic"}}}, "neighbours"},
		"weight":            {map[string]any{"query": "x", "options": map[string]any{"vectorWeight": 2}}, "vectorWeight"},
		"two persons":       {map[string]any{"query": "x", "owner": "user:1", "endUserId": "2"}, ""},
	} {
		got := h.do(request{method: "POST", path: searchPath, key: h.admin, body: c.body})
		if name == "two persons" {
			h.wantError(got, 422, "invalid_request")
			continue
		}
		if name == "unknown component" {
			c.says = "options.off"
		}
		h.wantError(got, 400, "invalid_search")
		if !strings.Contains(got.Msg, c.says) || len(got.body) > 2000 {
			t.Errorf("%s: %.300s", name, got.body)
		}
	}
	h.wantError(h.do(request{method: "POST", path: searchPath, key: h.admin, body: "{"}), 400, "invalid_body")
	// At the limits.
	for _, body := range []map[string]any{
		{"query": strings.Repeat("é", 4096), "maxResults": 50, "minScore": 1, "wait": "10s"},
		{"query": "x", "maxResults": 1, "minScore": 0},
		{"query": ""},
		{"query": "?!"},
	} {
		if got := h.ask(body); len(got.Results) != 0 || got.Results == nil {
			t.Errorf("%+v", got)
		}
	}
}

// Nobody finds what is not theirs, in any corpus.
func TestSearchIsIsolated(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.agent("bob")
	for _, owner := range []string{"1", "2"} {
		body := batch(owner, true, "The password word is MARKER"+owner+".")
		h.want(h.post("c"+owner, body), 202)
		h.want(h.put("secret.md?owner=api:"+owner, "The password word is MARKER"+owner+".\n", nil), 201)
	}
	h.want(h.put("team.md?scope=TEAM", "The password word is TEAMMARKER.\n", nil), 201)
	keys := map[string]string{
		"pinned": h.key("pinned", memory.RoleViewer, "api:1"), "member": h.key("member", memory.RoleMember, ""),
		"viewer": h.key("viewer", memory.RoleViewer, ""), "admin": h.admin,
	}
	for _, c := range []struct {
		key, query, owner string
		sees              []string
	}{
		{"pinned", "", "", []string{"MARKER1", "TEAMMARKER"}},
		{"pinned", "", "api:1", []string{"MARKER1", "TEAMMARKER"}},
		{"member", "?owner=api:2", "", []string{"MARKER2", "TEAMMARKER"}},
		{"member", "", "api:2", []string{"MARKER2", "TEAMMARKER"}},
		{"member", "", "", []string{"TEAMMARKER"}},
		{"viewer", "", "", []string{"TEAMMARKER"}},
		{"admin", "", "", []string{"TEAMMARKER"}},
		{"admin", "", "api:3", []string{"TEAMMARKER"}},
	} {
		for _, corpus := range []string{"all", "memory", "sessions"} {
			body := map[string]any{"query": "What is the password word, MARKER1 or MARKER2?", "corpus": corpus, "minScore": 0, "maxResults": 50, "explain": true}
			if c.owner != "" {
				body["owner"] = c.owner
			}
			got := string(h.want(h.do(request{method: "POST", path: searchPath + c.query, key: keys[c.key], body: body}), 200).body)
			answer, _, _ := strings.Cut(got, `"explain":{"terms"`) // which repeats the question
			for _, marker := range []string{"is MARKER1", "is MARKER2", "is TEAMMARKER"} {
				want := false
				for _, seen := range c.sees {
					want = want || "is "+seen == marker && (corpus != "sessions" || seen != "TEAMMARKER")
				}
				if strings.Contains(answer, marker) != want {
					t.Errorf("%s%s %s in %s: sees %q: %v, want %v", c.key, c.query, c.owner, corpus, marker, !want, want)
				}
			}
		}
	}
	h.wantError(h.do(request{method: "POST", path: searchPath, key: keys["pinned"], body: map[string]any{"query": "x", "owner": "api:2"}}), 403, "owner_not_allowed")
	h.wantError(h.do(request{method: "POST", path: searchPath, key: keys["viewer"], body: map[string]any{"query": "x", "owner": "api:2"}}), 403, "owner_not_allowed")
	h.wantError(h.do(request{method: "POST", path: searchPath + "?owner=api:1", key: h.admin, body: map[string]any{"query": "x", "owner": "api:2"}}), 422, "invalid_request")
	other := h.want(h.do(request{method: "POST", path: "/api/v1/agents/bob/memory/search?owner=api:1", key: h.admin, body: map[string]any{"query": "password word MARKER1"}}), 200)
	if strings.Contains(string(other.body), "is MARKER1") {
		t.Error("another agent finds it")
	}
}

func TestSearchOfSwitchedOffMemory(t *testing.T) {
	h := start(t)
	said(h)
	h.want(h.do(request{method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: map[string]any{"settings": map[string]any{"memoryEnabled": false}}}), 200)
	got := h.ask(map[string]any{"owner": "api:42", "query": "balcony"})
	if !got.Disabled || !got.Unavailable || got.Error == "" || got.Warning == "" || got.Action == "" || got.Results == nil || len(got.Results) != 0 {
		t.Errorf("%+v", got)
	}
	for _, path := range []string{"/memory/get?path=notes.md&owner=api:42", "/memory/get?path=sessions/c1&owner=api:42"} {
		got := as[struct {
			Text     string
			Disabled bool
			Error    string
		}](h, h.want(h.get("/api/v1/agents/ada"+path), 200))
		if got.Text != "" || !got.Disabled || got.Error == "" {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

// What an agent sets holds for its searches, and a request overrides it.
func TestSettingsOfSearches(t *testing.T) {
	h := start(t)
	h.agent("ada")
	for i := range 8 {
		h.want(h.put(fmt.Sprintf("n%d.md", i), fmt.Sprintf("Balcony number %d.\n", i), nil), 201)
	}
	count := func(body map[string]any) int { return len(h.ask(body).Results) }
	if got := count(map[string]any{"query": "balcony"}); got != 6 {
		t.Errorf("%d results by default", got)
	}
	h.want(h.do(request{method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: map[string]any{"settings": map[string]any{
		"recallMaxResults": 2, "recallMinScore": 0.1, "mmr": true, "decay": true, "decayHalfLifeDays": 7, "vectorWeight": 0.5, "textWeight": 0.5, "mmrLambda": 0.6,
	}}}), 200)
	if got := count(map[string]any{"query": "balcony"}); got != 2 {
		t.Errorf("%d results of an agent that sets 2", got)
	}
	if got := count(map[string]any{"query": "balcony", "maxResults": 3}); got != 3 {
		t.Errorf("%d results of a request that says 3", got)
	}
	type status struct {
		Settings struct {
			MaxResults                                                       int
			MinScore, VectorWeight, TextWeight, MMRLambda, DecayHalfLifeDays float64
			MMR, Decay                                                       bool
		}
	}
	got := as[status](h, h.want(h.get("/api/v1/agents/ada/memory/status"), 200)).Settings
	if got.MaxResults != 2 || got.MinScore != .1 || !got.MMR || got.MMRLambda != .6 || !got.Decay || got.DecayHalfLifeDays != 7 || got.VectorWeight != .5 || got.TextWeight != .5 {
		t.Errorf("%+v", got)
	}
}

// questions embeds questions at a model, or fails.
type questions struct {
	model llm.Embedder
	fail  *atomic.Bool
}

func (q questions) Identity() memory.EmbeddingIdentity { return q.model.Identity() }

func (q questions) EmbedQuery(ctx context.Context, _, text string) ([]float32, error) {
	if q.fail.Load() {
		<-ctx.Done()
		return nil, errors.Join(errors.New("PROVIDERMARKER"), ctx.Err())
	}
	made, err := q.model.Embed(ctx, llm.EmbedQuery, []string{text})
	if err != nil {
		return nil, err
	}
	return made.Vectors[0], nil
}

// withVectors is a server whose searches use vectors of a model, and that model.
func withVectors(t *testing.T, script llmtest.Script, fail *atomic.Bool) (*harness, llm.Embedder) {
	t.Helper()
	provider := llmtest.New(t, llmtest.Options{Dimensions: 64, Script: script})
	model, err := llm.OpenEmbedder(llm.EmbedderConfig{Provider: "openai", Model: "embed-test", APIKey: "k", BaseURL: provider.URL, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	h := start(t, func(o *api.Options) {
		o.Search = &recall.Searcher{
			Store: o.Store, Embedders: []recall.Embedder{questions{model, fail}}, QueryTimeout: 300 * time.Millisecond,
			Defaults: recall.DefaultSettings(), Recorder: recall.NewRecorder(o.Store, slog.New(slog.DiscardHandler)), Log: o.Log,
		}
	})
	return h, model
}

// embed gives everything of agent ada that waits its vectors, as the worker does.
func (h *harness) embed(model llm.Embedder) {
	h.t.Helper()
	id := memory.Identity{
		Workspace: workspace, Agent: "ada", AnyOwner: true, Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorWorkflow, ID: "index"},
	}
	identity, err := model.Probe(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	space, err := h.store.OpenSpace(h.t.Context(), id, identity)
	if err != nil {
		h.t.Fatal(err)
	}
	for {
		due, err := h.store.DueUnits(h.t.Context(), id, space.ID, 100)
		if err != nil {
			h.t.Fatal(err)
		}
		if len(due.Units) == 0 && len(due.Reached) == 0 {
			return
		}
		var texts []string
		for _, unit := range due.Units {
			texts = append(texts, unit.Text)
		}
		made, err := model.Embed(h.t.Context(), llm.EmbedDocument, texts)
		if err != nil {
			h.t.Fatal(err)
		}
		if _, err := h.store.SaveVectors(h.t.Context(), id, space.ID, due, made.Vectors); err != nil {
			h.t.Fatal(err)
		}
	}
}

func TestHybridSearchAndItsDegradation(t *testing.T) {
	var fail atomic.Bool
	h, model := withVectors(t, nil, &fail)
	said(h)
	question := map[string]any{"owner": "api:42", "query": "balcony of the flat"}
	// There are no vectors yet: words answer.
	got := h.ask(question)
	if got.Mode != "lexical" || !got.Degraded || got.Fallback == nil || got.Fallback.Reason != "no_vectors" || len(got.Results) == 0 || got.Staleness.Pending == 0 || got.Staleness.Since == nil {
		t.Errorf("%+v", got)
	}
	h.embed(model)
	got = h.ask(question)
	if got.Mode != "hybrid" || got.Degraded || got.Fallback != nil || got.Provider != "openai" || got.Model != "embed-test" ||
		got.Debug.ConfiguredMode != "hybrid" || got.Debug.EffectiveMode != "hybrid" || len(got.Results) == 0 {
		t.Errorf("%+v", got)
	}
	explained := h.ask(map[string]any{"owner": "api:42", "query": "balcony of the flat", "explain": true})
	similar := false
	for _, r := range explained.Results {
		similar = similar || r.Explain.Fused.Similarity > 0
	}
	if !similar {
		t.Errorf("no result has a similarity: %+v", explained.Results)
	}
	if got := h.ask(map[string]any{"owner": "api:42", "query": "balcony", "options": map[string]any{"off": []string{"vectors"}}}); got.Mode != "lexical" || got.Degraded {
		t.Errorf("vectors are off: %+v", got)
	}
	// The provider is slow: words answer, in time.
	fail.Store(true)
	began := time.Now()
	got = h.ask(question)
	if took := time.Since(began); got.Mode != "lexical" || !got.Degraded || got.Fallback.Reason != "embedding_timeout" || got.Fallback.From != "openai/embed-test" ||
		got.Fallback.Text == "" || len(got.Results) == 0 || got.Debug.ConfiguredMode != "hybrid" || took > 5*time.Second {
		t.Errorf("after %s: %+v", took, got)
	}
	deep := as[struct {
		Embedders []struct {
			OK     bool
			Reason string
		}
	}](h, h.want(h.get("/api/v1/agents/ada/memory/status?deep=true"), 200))
	if len(deep.Embedders) != 1 || deep.Embedders[0].OK || deep.Embedders[0].Reason != "embedding_timeout" {
		t.Errorf("%+v", deep)
	}
	if !strings.Contains(h.log.String(), "A search was answered without vectors") || strings.Contains(h.log.String(), "balcony of") {
		t.Error("the log does not say so, or repeats the question")
	}
}

// A provider that refuses does not hold words up.
func TestSearchWithARefusingProvider(t *testing.T) {
	var fail, broken atomic.Bool
	h, model := withVectors(t, func(llmtest.Request) llmtest.Reply {
		if broken.Load() {
			return llmtest.Unauthorized()
		}
		return llmtest.Honest()
	}, &fail)
	said(h)
	h.embed(model)
	broken.Store(true)
	got := h.ask(map[string]any{"owner": "api:42", "query": "balcony"})
	if !got.Degraded || got.Fallback.Reason != "embedding_failed" || len(got.Results) == 0 {
		t.Errorf("%+v", got)
	}
}

// A search that carries the token of a write waits until its vectors are there, or says what is missing.
func TestReadYourWrites(t *testing.T) {
	var fail atomic.Bool
	h, model := withVectors(t, nil, &fail)
	said(h)
	h.embed(model)
	token := as[struct{ Token string }](h, h.want(h.post("c2", batch("42", false, "The cat is called Minka.")), 202)).Token
	if token == "" {
		t.Fatal("the receipt has no token")
	}
	if again := as[struct{ Token string }](h, h.want(h.post("c2", batch("42", false, "The cat is called Minka.")), 202)).Token; again != "" {
		t.Errorf("nothing was stored, and the token is %q", again)
	}
	question := map[string]any{"owner": "api:42", "query": "What is the cat called?", "after": token}
	got := h.ask(question) // words are there at once
	if len(got.Results) == 0 || got.Results[0].Conversation != "c2" || got.Staleness.Pending != 1 || got.Staleness.Since == nil {
		t.Errorf("%+v", got)
	}
	question["wait"] = "300ms"
	got = h.ask(question)
	if waited, err := time.ParseDuration(got.Waited); err != nil || waited < 200*time.Millisecond || got.Staleness.Pending != 1 {
		t.Errorf("it waited %s: %+v", got.Waited, got.Staleness)
	}
	question["wait"] = "10s"
	answers := make(chan foundResults, 1)
	go func() { answers <- h.ask(question) }()
	time.Sleep(200 * time.Millisecond)
	h.embed(model)
	got = <-answers
	if got.Staleness.Pending != 0 || got.Mode != "hybrid" || len(got.Results) == 0 || got.Results[0].Conversation != "c2" {
		t.Errorf("%+v", got)
	}
	// What is written later is not waited for.
	h.want(h.post("c3", batch("42", false, "Something else.")), 202)
	if got := h.ask(question); got.Waited != "0s" || got.Staleness.Pending != 0 {
		t.Errorf("waited %s, %+v", got.Waited, got.Staleness)
	}
}

// What is found is noted as used, with who asked and when, and marked when it was no use.
func TestSearchesAreRecorded(t *testing.T) {
	h := start(t)
	said(h)
	h.ask(map[string]any{"owner": "api:42", "query": "balcony"})
	h.ask(map[string]any{"owner": "api:42", "query": "flat", "synthetic": true})
	h.ask(map[string]any{"owner": "api:42", "query": "zeppelin"}) // finds nothing
	h.ask(map[string]any{"query": "terrace"})
	if err := h.done(); err != nil { // what waits is written before the server ends
		t.Fatal(err)
	}
	list := func(owner memory.Owner, synthetic bool) []store.Recalled {
		id := memory.Identity{Workspace: workspace, Agent: "ada", Owner: owner, Role: memory.RoleMember, Author: memory.Author{Kind: memory.AuthorUser, ID: "test"}}
		recalls, err := h.store.Recalls(t.Context(), id, time.Now().Add(-time.Hour), synthetic, 100)
		if err != nil {
			t.Fatal(err)
		}
		return recalls
	}
	organic := list("api:42", false)
	if len(organic) < 2 {
		t.Fatalf("%+v", organic)
	}
	for i, r := range organic {
		if r.QueryHash != recall.QueryHash(workspace, "Balcony") || r.Synthetic || r.Rank != i+1 || r.Owner != "api:42" || r.Score <= 0 || len(r.Entries) == 0 {
			t.Errorf("%+v", r)
		}
		switch r.Corpus {
		case search.Memory:
			if r.Path != "notes.md" || r.FromLine != 1 || r.Entries[0] != memory.EntryIDOf("The balcony faces south.") {
				t.Errorf("%+v", r)
			}
		case search.Sessions:
			if r.Path != "sessions/c1" {
				t.Errorf("%+v", r)
			}
		}
	}
	all := list("api:42", true)
	if len(all) <= len(organic) || !all[len(all)-1].Synthetic {
		t.Errorf("%d of %d are organic", len(organic), len(all))
	}
	if nobody := list("", false); len(nobody) != 1 || nobody[0].Path != "memory/2026-03-01.md" || nobody[0].Scope != memory.ScopeTeam {
		t.Errorf("%+v", nobody)
	}
}
