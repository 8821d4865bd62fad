package api_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"reverie/api"
	"reverie/llm/embed"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/recall"
)

// questions embeds questions at a model, or fails.
type questions struct {
	model embed.Embedder
	fail  *atomic.Bool
}

func (q questions) Identity() memory.EmbeddingIdentity { return q.model.Identity() }

func (q questions) EmbedQuery(ctx context.Context, _, text string) ([]float32, error) {
	if q.fail.Load() {
		<-ctx.Done()
		return nil, errors.Join(errors.New("PROVIDERMARKER"), ctx.Err())
	}
	made, err := q.model.Embed(ctx, embed.Query, []string{text})
	if err != nil {
		return nil, err
	}
	return made.Vectors[0], nil
}

// withVectors returns a server whose searches use vectors of a model, and that model.
func withVectors(t *testing.T, script llmtest.Script, fail *atomic.Bool) (*harness, embed.Embedder) {
	t.Helper()
	provider := llmtest.New(t, llmtest.Options{Dimensions: 64, Script: script})
	model, err := embed.Open(
		embed.Config{Provider: "openai", Model: "embed-test", APIKey: "k", BaseURL: provider.URL, Timeout: time.Second},
	)
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
func (h *harness) embed(model embed.Embedder) {
	h.t.Helper()
	id := memory.Identity{
		Workspace: workspace, Agent: "ada", AnyOwner: true, Role: memory.RoleAdmin,
		Author: memory.Author{Kind: memory.AuthorWorkflow, ID: "index"},
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
		made, err := model.Embed(h.t.Context(), embed.Document, texts)
		if err != nil {
			h.t.Fatal(err)
		}
		if _, err := h.store.SaveVectors(h.t.Context(), id, space.ID, due, made.Vectors); err != nil {
			h.t.Fatal(err)
		}
	}
}

// An agent whose vectors were made with a model that is not configured is named in the status, and told what to do.
func TestVectorsOfAModelThatIsNotConfigured(t *testing.T) {
	var fail atomic.Bool
	h, _ := withVectors(t, nil, &fail)
	said(h)
	provider := llmtest.New(t, llmtest.Options{Dimensions: 64})
	old, err := embed.Open(embed.Config{Provider: "openai", Model: "embed-old", APIKey: "k", BaseURL: provider.URL})
	if err != nil {
		t.Fatal(err)
	}
	type waits struct{ Code, Reason string }
	const advice = "made with openai/embed-old (64), which is not configured: configure it again, and name a new model in REVERIE_EMBEDDING_NEXT_*"
	check := func(w waits) {
		if w.Code != "other_model" || !strings.Contains(w.Reason, advice) {
			t.Errorf("%+v", w)
		}
	}
	h.embed(old)
	check(as[struct{ Vectors struct{ Waits waits } }](h, h.want(h.get("/api/v1/agents/ada/memory/status"), 200)).Vectors.Waits) // nothing is missing
	h.want(h.post("c2", map[string]any{"endUserId": "42", "messages": []map[string]any{{"id": "n1", "role": "user", "content": "I have a cat."}}}), 202)
	check(as[struct{ Vectors struct{ Waits waits } }](h, h.want(h.get("/api/v1/agents/ada/memory/status"), 200)).Vectors.Waits)
	check(as[struct{ Waits waits }](h, h.want(h.get("/api/v1/agents/ada/memory/index"), 200)).Waits)
	status := as[api.StatusView](h, h.want(h.get("/api/v1/status"), 200))
	if all := strings.Join(status.Degraded, "\n"); status.State != "degraded" ||
		!strings.Contains(all, "embeddings: the vectors of the agent ada were "+advice) {
		t.Errorf("%s: %s", status.State, all)
	}
}

func TestHybridSearchAndItsDegradation(t *testing.T) {
	var fail atomic.Bool
	h, model := withVectors(t, nil, &fail)
	said(h)
	question := map[string]any{"owner": "api:42", "query": "balcony of the flat"}
	// There are no vectors yet: words answer.
	got := h.ask(question)
	if got.Mode != "lexical" || !got.Degraded || got.Fallback == nil || got.Fallback.Reason != "no_vectors" || len(got.Results) == 0 ||
		got.Staleness.Pending == 0 ||
		got.Staleness.Since == nil {
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
	if got := h.ask(map[string]any{
		"owner": "api:42", "query": "balcony", "options": map[string]any{"off": []string{"vectors"}},
	}); got.Mode != "lexical" ||
		got.Degraded {
		t.Errorf("vectors are off: %+v", got)
	}
	// The provider is slow: words answer, in time.
	fail.Store(true)
	began := time.Now()
	got = h.ask(question)
	if took := time.Since(began); got.Mode != "lexical" || !got.Degraded || got.Fallback.Reason != "embedding_timeout" ||
		got.Fallback.From != "openai/embed-test" ||
		got.Fallback.Text == "" || len(got.Results) == 0 ||
		got.Debug.ConfiguredMode != "hybrid" ||
		took > 5*time.Second {
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

// A search with the token of a write waits until its vectors are there, or reports what is missing.
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
	// A search does not wait for later writes.
	h.want(h.post("c3", batch("42", false, "Something else.")), 202)
	if got := h.ask(question); got.Waited != "0s" || got.Staleness.Pending != 0 {
		t.Errorf("waited %s, %+v", got.Waited, got.Staleness)
	}
}
