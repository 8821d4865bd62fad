package embed

import (
	"testing"
	"time"

	"reverie/llm/llmtest"
)

// After the pause one question finds out whether the provider is back.
func TestTheBreakerClosesAgain(t *testing.T) {
	t.Parallel()
	fail := llmtest.Status(503)
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Sequence(fail, fail, fail, fail)})
	opened, err := Open(Config{Provider: "ollama", Model: "m", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	e := opened.(*embedder)
	e.breaker = newBreaker(2 * time.Second)
	ask := func() error {
		_, err := e.Embed(t.Context(), Query, []string{"Anna"})
		return err
	}
	for range 6 {
		if ask() == nil {
			t.Fatal("no error")
		}
	}
	if server.Count() != 3 {
		t.Fatalf("%d questions were asked before the pause", server.Count())
	}
	time.Sleep(2100 * time.Millisecond)
	for range 2 {
		if ask() == nil {
			t.Fatal("no error")
		}
	}
	if server.Count() != 4 {
		t.Fatalf("%d questions were asked when the provider was still away, want one more", server.Count())
	}
	time.Sleep(2100 * time.Millisecond)
	for range 2 {
		if err := ask(); err != nil {
			t.Error(err)
		}
	}
}
