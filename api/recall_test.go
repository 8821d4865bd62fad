package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"reverie/recall"
)

// foundResults holds the fields that tests read of an answer to a search.
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

// paths returns the paths of results.
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
		{
			"id":        "m1",
			"role":      "user",
			"name":      "Grace",
			"content":   "I moved to Bern, into a flat with a balcony.",
			"createdAt": "2026-05-04T10:00:00Z",
		},
		{"id": "m2", "role": "assistant", "content": "What do you grow there?", "createdAt": "2026-05-04T10:01:00Z"},
		{
			"id":        "m3",
			"role":      "user",
			"name":      "Grace",
			"content":   "Tomatoes. The invoice is RFC-7231, by the way.",
			"createdAt": "2026-05-04T10:02:00Z",
		},
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
				r.Owner != "api:42" || r.Version != 1 || r.Source != "memory" ||
				!strings.Contains(r.Snippet, "The balcony faces south.") || r.At == nil {
				t.Errorf("%+v", r)
			}
		case "sessions":
			if r.Path != "sessions/c1" || r.Conversation != "c1" || r.StartLine != r.EndLine || r.Source != "sessions" || r.Owner != "api:42" ||
				len(r.MessageIDs) != 1 ||
				r.MessageIDs[0] != fmt.Sprint("m", r.StartLine) ||
				r.Citation != fmt.Sprintf("sessions/c1#L%d", r.StartLine) ||
				r.At == nil {
				t.Errorf("%+v", r)
			}
		}
		if r.Score <= 0 || r.TextScore < 0 || r.TextScore > 1 || r.VectorScore != 0 || r.Explain != nil {
			t.Errorf("%+v", r)
		}
	}
	if got.Provider != "none" || got.Model != "" || got.Mode != "lexical" || got.Degraded || got.Citations != "on" || got.Waited != "0s" ||
		got.Fallback != nil ||
		got.Debug.Backend != "postgresql" || got.Debug.ConfiguredMode != "lexical" ||
		got.Debug.EffectiveMode != "lexical" ||
		got.Debug.Hits < 2 ||
		got.Debug.SearchMs <= 0 ||
		got.Staleness.Pending != 0 {
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
	if got := h.ask(map[string]any{"owner": "api:42", "query": "RFC-7231", "maxResults": 1}); len(got.Results) != 1 ||
		got.Results[0].MessageIDs[0] != "m3" {
		t.Errorf("%+v", got.Results)
	}
	// The period filters the results.
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
	if e == nil || e.Lexical == nil || e.Lexical.Score <= 0 || e.Fused.Score <= 0 || e.Selected.Boost != 1 {
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
	got = h.ask(
		map[string]any{"owner": "api:42", "query": "balcony", "explain": true, "options": map[string]any{"off": recall.Components()}},
	)
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
		"empty query":       {map[string]any{"query": ""}, "body.query"},
		"blank query":       {map[string]any{"query": " \t\n"}, "body.query: expected string to be not blank"},
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
		h.wantError(got, 422, "invalid_search")
		if !strings.Contains(got.Msg, c.says) || len(got.body) > 2000 {
			t.Errorf("%s: %.300s", name, got.body)
		}
	}
	h.wantError(h.do(request{method: "POST", path: searchPath, key: h.admin, body: "{"}), 400, "invalid_body")
	// At the limits.
	for _, body := range []map[string]any{
		{"query": strings.Repeat("é", 4096), "maxResults": 50, "minScore": 1, "wait": "10s"},
		{"query": "x", "maxResults": 1, "minScore": 0},
		{"query": "?!"},
	} {
		if got := h.ask(body); len(got.Results) != 0 || got.Results == nil {
			t.Errorf("%+v", got)
		}
	}
}

func TestSearchOfSwitchedOffMemory(t *testing.T) {
	h := start(t)
	said(h)
	h.want(
		h.do(
			request{
				method: "PATCH",
				path:   "/api/v1/agents/ada",
				key:    h.admin,
				body:   map[string]any{"settings": map[string]any{"memoryEnabled": false}},
			},
		),
		200,
	)
	got := h.ask(map[string]any{"owner": "api:42", "query": "balcony"})
	if !got.Disabled || !got.Unavailable || got.Error == "" || got.Warning == "" || got.Action == "" || got.Results == nil ||
		len(got.Results) != 0 {
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

// An agent's settings apply to its searches, and a request overrides them.
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
		"recallMaxResults": 2, "recallMinScore": 0.1, "mmr": true, "decay": true, "decayHalfLifeDays": 7, "vectorWeight": 0.5, "textWeight": 0.5,
		"mmrLambda": 0.6,
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
	if got.MaxResults != 2 || got.MinScore != .1 || !got.MMR || got.MMRLambda != .6 || !got.Decay || got.DecayHalfLifeDays != 7 ||
		got.VectorWeight != .5 ||
		got.TextWeight != .5 {
		t.Errorf("%+v", got)
	}
}
