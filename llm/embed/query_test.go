package embed_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"reverie/llm"
	"reverie/llm/embed"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// A search that waits for its question's vector gives up in time; documents have the time that they need.
func TestAQuestionWaitsNoLongerThanASearchMay(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Slow(5 * time.Second))})
	e := embedderAt(t, server, func(c *embed.Config) { c.Timeout, c.QueryTimeout = time.Minute, 50*time.Millisecond })
	began := time.Now()
	_, err := e.Embed(t.Context(), embed.Query, []string{"Where does Anna live?"})
	if failure := failureOf(t, err); failure.Kind != llm.Timeout || time.Since(began) > 4*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
	if _, err := e.Embed(t.Context(), embed.Document, []string{"Anna lives in Köln."}); err != nil {
		t.Error(err)
	}
}

// Many questions at once belong to no search: they have time, and say nothing about the breaker.
func TestSeveralQuestionsAreNoSearch(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: func(r llmtest.Request) llmtest.Reply {
		if r.Number <= 5 {
			return llmtest.Status(503)
		}
		return llmtest.Slow(100 * time.Millisecond)
	}})
	e := embedderAt(t, server, func(c *embed.Config) {
		c.Provider, c.QueryTimeout, c.Concurrency = "voyage", 20*time.Millisecond, 1
	})
	texts := numberedTexts(3)
	for range 5 {
		_, err := e.Embed(t.Context(), embed.Query, texts)
		if failure := failureOf(t, err); failure.Kind != llm.Overloaded {
			t.Error(err)
		}
	}
	got, err := e.Embed(t.Context(), embed.Query, texts)
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, texts)
	if kind := server.Requests()[5].InputType; kind != "query" {
		t.Errorf("they were sent as %q", kind)
	}
}

// A question does not wait behind the documents of a whole archive.
func TestAQuestionDoesNotWaitForDocuments(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var documents atomic.Int32
	server := llmtest.New(t, llmtest.Options{Script: func(r llmtest.Request) llmtest.Reply {
		if !slices.Contains(r.Texts, "Where?") {
			documents.Add(1)
			<-release
		}
		return llmtest.Honest()
	}})
	e := embedderAt(t, server, func(c *embed.Config) { c.BatchSize, c.Concurrency = 1, 2 })
	done := make(chan error)
	go func() {
		_, err := e.Embed(t.Context(), embed.Document, numberedTexts(6))
		done <- err
	}()
	for documents.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	if _, err := e.Embed(t.Context(), embed.Query, []string{"Where?"}); err != nil {
		t.Error(err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAfterSeveralFailuresQuestionsFailAtOnce(t *testing.T) {
	t.Parallel()
	for _, reply := range []llmtest.Reply{
		llmtest.Status(500), llmtest.Status(429, time.Minute), llmtest.Unauthorized(), llmtest.HangUpBeforeAnswer(), llmtest.GarbageBody(),
	} {
		server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(reply)})
		e := embedderAt(t, server)
		for range 10 {
			got, err := e.Embed(t.Context(), embed.Query, []string{"Where does Anna live?"})
			if failure := failureOf(t, err); len(got.Vectors) != 1 || got.Vectors[0] != nil || failure.Message == "" {
				t.Errorf("%s: %+v, %v", reply.Name, got, err)
			}
		}
		if server.Count() != 3 {
			t.Errorf("%s: %d questions were asked, want 3", reply.Name, server.Count())
		}
		_, err := e.Embed(t.Context(), embed.Query, []string{"Where does Anna live?"})
		if failure := failureOf(t, err); failure.Kind != llm.Unavailable || failure.RetryAfter != 10*time.Second ||
			!strings.Contains(failure.Message, "not asked, because the questions before it failed: model call failed: ") {
			t.Errorf("%s: %v", reply.Name, err)
		}
		// Documents have their own retries, with the provider's own delays.
		if _, err := e.Embed(t.Context(), embed.Document, []string{"Anna"}); err == nil || server.Count() != 4 {
			t.Errorf("%s: %v after %d requests", reply.Name, err, server.Count())
		}
	}
}

// Texts that are refused, and searchers that go away, say nothing against the provider.
func TestWhatDoesNotOpenTheBreaker(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: func(r llmtest.Request) llmtest.Reply {
		switch r.Texts[0] {
		case "odd":
			return llmtest.Invalid("no")
		case "slow":
			return llmtest.Slow(time.Minute)
		}
		return llmtest.Honest()
	}})
	e := embedderAt(t, server)
	for range 5 {
		if _, err := e.Embed(t.Context(), embed.Query, []string{"odd"}); !errors.As(err, new(*embed.RefusedTexts)) {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Millisecond, stop)
		if _, err := e.Embed(ctx, embed.Query, []string{"slow"}); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if _, err := e.Embed(t.Context(), embed.Query, []string{"Anna"}); err != nil {
		t.Error(err)
	}
}

func TestQuestionsThatAreAskedAgainCostNothing(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{})
	e := embedderAt(t, server)
	other := embedderAt(t, server, func(c *embed.Config) { c.Model = "another" })
	cache := embed.NewQueryCache(3)
	ask := func(workspace string, e embed.Embedder, text string, requests int) {
		t.Helper()
		before := server.Count()
		vector, usage, err := cache.Embed(t.Context(), workspace, e, text)
		if err != nil || !isVectorOf(vector, text) {
			t.Fatal(err)
		}
		if server.Count()-before != requests || usage.Calls != requests {
			t.Errorf("%s, %q: %d requests, usage %+v, want %d", workspace, text, server.Count()-before, usage, requests)
		}
		vector[0] = 42 // the caller's own
	}
	ask("acme", e, "Anna", 1)
	ask("acme", e, "Anna", 0)
	ask("acme", e, "Anna", 0)
	ask("globex", e, "Anna", 1)
	ask("acme", other, "Anna", 1)
	ask("acme", e, "anna", 1) // the least recently asked falls out: Anna's first
	ask("globex", e, "Anna", 0)
	ask("acme", e, "Anna", 1)
}

func TestFailuresAreNotCached(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Sequence(llmtest.Status(500), llmtest.NaNs())})
	e := embedderAt(t, server)
	cache := embed.NewQueryCache(0)
	for _, kind := range []llm.Kind{llm.Unavailable, llm.BadVector} {
		vector, _, err := cache.Embed(t.Context(), "acme", e, "Anna")
		if failure := failureOf(t, err); failure.Kind != kind || vector != nil {
			t.Errorf("%v, %v", vector, err)
		}
	}
	vector, usage, err := cache.Embed(t.Context(), "acme", e, "Anna")
	if err != nil || !isVectorOf(vector, "Anna") || usage == (memory.Usage{}) {
		t.Errorf("%+v, %v", usage, err)
	}
}
