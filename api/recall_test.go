package api_test

import (
	"testing"
	"time"
)

// foundResults is what tests read of an answer to a search.
type foundResults struct {
	Results []struct {
		Corpus, Source, Path, Citation, Snippet, Scope, Owner, Conversation, Role, Name string
		StartLine, EndLine, Version                                                     int
		Score, VectorScore, TextScore                                                   float64
		MessageIDs                                                                      []string
		At                                                                              *time.Time
	}
	Provider, Model, Citations, Mode, Waited, Error, Warning, Action string
	Degraded, Disabled, Unavailable                                  bool
	Debug                                                            struct {
		Backend, ConfiguredMode, EffectiveMode string
		SearchMs                               float64
		Hits                                   int
	}
}

// search asks with the admin key.
func (h *harness) search(body map[string]any) answered {
	h.t.Helper()
	return h.do(request{method: "POST", path: "/api/v1/agents/ada/memory/search", key: h.admin, body: body})
}

func TestSearchFindsWhatWasSaidAndWritten(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.post("c1", batch("42", true, "I moved to Bern in spring, into a flat with a balcony.", "How do you like the balcony?", "The tomatoes love it.")), 202)
	h.want(h.put("notes.md?owner=api:42", "# Garden\n\nThe balcony faces south.\n\n# Other\n\nNothing.\n", nil), 201)
	got := as[foundResults](h, h.want(h.search(map[string]any{"owner": "api:42", "query": "balcony"}), 200))
	for _, r := range got.Results {
		t.Logf("%+v", r)
	}
	t.Logf("%+v", got)
}
