package toolbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"reverie/llm"
	"reverie/memory"
	"reverie/store/talk"
	"reverie/toolbox"
)

func TestSearchAndGet(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	h.apply(c, memory.ScopePersonal, "MEMORY.md", "# Memory\n\n- The lighthouse keeper is called <Hanna> & \"Bo\".\n")
	h.apply(h.as("user:2"), memory.ScopePersonal, "MEMORY.md", "- The lighthouse belongs to somebody else.\n")
	if _, err := h.Store.AppendMessages(t.Context(), c.Identity, talk.Batch{
		Conversation: "c1", Trigger: memory.TriggerAPI,
		Messages: []memory.Message{{ID: "1", Role: "user", Content: "I painted the\nlighthouse"}, {ID: "2", Role: "assistant", Content: "Nice"}},
	}); err != nil {
		t.Fatal(err)
	}
	a := h.want(c, toolbox.MemorySearch, m{"query": "lighthouse keeper", "corpus": "memory", "maxResults": 3})
	if a.number("count") != 1 || len(a.Found) != 1 || a.text("mode") != "lexical" ||
		!strings.Contains(a.Content, `"citation":"MEMORY.md#L`) || !strings.Contains(a.Content, `<Hanna> & \"Bo\"`) {
		t.Errorf("%s", a.Content)
	}
	if strings.Contains(a.Content, "somebody else") {
		t.Errorf("%s", a.Content)
	}
	if a := h.want(c, toolbox.MemorySearch, m{"query": "zeppelin"}); a.number("count") != 0 || a.text("hint") == "" {
		t.Errorf("%s", a.Content)
	}
	// Only what a search showed counts as recalled.
	h.want(c, toolbox.MemoryGet, m{"path": "MEMORY.md", "from": 3})
	if err := h.recorder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if recorded, failed := h.recorder.Counts(); recorded != 1 || failed != 0 {
		t.Errorf("%d recorded, %d failed", recorded, failed)
	}
	got := h.want(c, toolbox.MemoryGet, m{"path": "MEMORY.md", "from": 3, "lines": 1})
	if !strings.HasPrefix(got.text("text"), "- The lighthouse keeper") || got.text("citation") != "MEMORY.md#L3" ||
		got.text("scope") != "PERSONAL" || len(got.Found) != 1 {
		t.Errorf("%s", got.Content)
	}
	for _, args := range []m{{"path": "memory/none.md"}, {"path": "sessions/none"}, {"path": "MEMORY.md", "from": 99}} {
		if a := h.want(c, toolbox.MemoryGet, args); a.text("text") != "" || a.number("lines") != 0 {
			t.Errorf("%s", a.Content)
		}
	}
	said := h.want(c, toolbox.MemoryGet, m{"path": "sessions/c1"})
	if said.text("text") != "user: I painted the lighthouse\nassistant: Nice" || said.number("total") != 2 {
		t.Errorf("%s", said.Content)
	}
	if a := h.want(h.as("user:2"), toolbox.MemoryGet, m{"path": "sessions/c1"}); a.text("text") != "" {
		t.Errorf("%s", a.Content)
	}
}

// An older value says which result has a newer one.
func TestSearchMarksOlderValues(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	if _, err := h.Store.AppendMessages(t.Context(), c.Identity, talk.Batch{
		Conversation: "c1", Trigger: memory.TriggerAPI,
		Messages: []memory.Message{
			{ID: "1", Role: "user", Content: "The rent of my flat is 900 euros."},
			{ID: "2", Role: "assistant", Content: "Noted."},
			{ID: "3", Role: "user", Content: "The rent of my flat is now 950 euros."},
		},
	}); err != nil {
		t.Fatal(err)
	}
	a := h.want(c, toolbox.MemorySearch, m{"query": "How high is the rent of my flat?"})
	if strings.Count(a.Content, `"supersededBy":"sessions/c1#L3"`) != 1 || a.Found[0].FromLine != 3 {
		t.Errorf("%s", a.Content)
	}
}

// Archived lines are shown to a model that asks for them.
func TestSearchOfArchivedLines(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	h.apply(c, memory.ScopePersonal, "MEMORY.md", "# Memory\n\n- The door is green.\n\n## Archived\n\n- The spare key lies below the pot.\n")
	for _, tool := range []string{toolbox.MemorySearch, toolbox.SearchFiles} {
		for _, archived := range []bool{false, true} {
			a := h.want(c, tool, m{"query": "spare key", "includeArchived": archived})
			if strings.Contains(a.Content, "lies below") != archived {
				t.Errorf("%s, archived %v: %s", tool, archived, a.Content)
			}
		}
	}
	if a := h.want(c, toolbox.MemoryQuery, m{"op": "list"}); strings.Contains(a.Content, "spare key") || !strings.Contains(a.Content, "green") {
		t.Errorf("listed: %s", a.Content)
	}
}

func TestWrongCalls(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	for _, x := range []struct{ name, args, says string }{
		{"memory_serach", `{}`, "unknown tool"},
		{toolbox.MemorySearch, `{`, "not a JSON object"},
		{toolbox.MemorySearch, `[1]`, "not a JSON object"},
		{toolbox.MemorySearch, ``, "query is missing"},
		{toolbox.MemorySearch, `{"query":" \n"}`, "query must not be empty"},
		{toolbox.SessionSearch, `{"mode":"search","query":" "}`, "query is missing"},
		{toolbox.MemorySearch, `{"query":""}`, "must not be empty"},
		{toolbox.MemorySearch, `{"query":5}`, "must be a string"},
		{toolbox.MemorySearch, `{"query":"x","maxResults":"5"}`, "must be a number"},
		{toolbox.MemorySearch, `{"query":"x","maxResults":1.5}`, "whole number"},
		{toolbox.MemorySearch, `{"query":"x","maxResults":99}`, "from 1 to 20"},
		{toolbox.MemorySearch, `{"query":"x","corpus":"wiki"}`, "one of memory, sessions, all"},
		{toolbox.MemorySearch, `{"query":"x","from":"soon"}`, "from"},
		{toolbox.MemorySearch, `{"query":"x","limit":3}`, "unknown argument"},
		{toolbox.ReadFile, `{"agentId":"1","filename":"MEMORY.md"}`, "whose memory is used"},
		{toolbox.WriteFile, `{"filename":"a.md"}`, "content is missing"},
		{toolbox.EditFile, `{"filename":"a.md","oldText":"a","newText":"b","replaceAll":"yes"}`, "true or false"},
		{toolbox.Remember, `{"text":" "}`, "characters"},
	} {
		if a := h.call(c, x.name, x.args); !a.IsError || !strings.Contains(a.text("message"), x.says) {
			t.Errorf("%s %s: %s", x.name, x.args, a.Content)
		}
	}
}

func TestDefinitions(t *testing.T) {
	t.Parallel()
	names := []string{
		toolbox.MemorySearch, toolbox.MemoryGet, toolbox.ListFiles, toolbox.SearchFiles, toolbox.ReadFile,
		toolbox.WriteFile, toolbox.EditFile, toolbox.Remember, toolbox.ListContradictions, toolbox.MemoryForget, toolbox.RememberStructured, toolbox.RecallStructured,
		toolbox.ForgetStructured, toolbox.SessionSearch, toolbox.FactProbe, toolbox.MemoryFeedback,
	}
	all := toolbox.Offers()
	if n := len(toolbox.Definitions()); n != len(names) {
		t.Fatalf("%d tools, %d are known here", n, len(names))
	}
	for i, d := range all[:len(names)] {
		var schema struct {
			Type       string
			Properties map[string]struct{ Type, Description string }
			Required   []string
			Additional *bool `json:"additionalProperties"`
		}
		if err := json.Unmarshal(d.Parameters, &schema); err != nil || d.Name != names[i] || d.Description == "" ||
			schema.Type != "object" || schema.Additional == nil || *schema.Additional {
			t.Errorf("%s: %v %s", d.Name, err, d.Parameters)
		}
		for name, p := range schema.Properties {
			if p.Type == "" || p.Description == "" {
				t.Errorf("%s of %s says nothing", name, d.Name)
			}
		}
		for _, name := range schema.Required {
			if _, has := schema.Properties[name]; !has {
				t.Errorf("%s requires %s, which it has not", d.Name, name)
			}
		}
	}
}

// Each turn of a chat pays for all definitions. The estimate is for models whose tokens are not counted exactly; it is higher.
func TestDefinitionsTakeFewTokens(t *testing.T) {
	t.Parallel()
	const most, overhead = 2000, 12 // overhead as in package window
	for _, model := range []string{"", "openai/gpt-4o", "openai/gpt-4"} {
		counter := llm.CounterFor(model)
		n := 0
		for _, d := range toolbox.Definitions() {
			n += counter.Count(d.Name+d.Description+string(d.Parameters)) + overhead
		}
		t.Logf("%d tools take %d tokens, counted by %s", len(toolbox.Definitions()), n, counter.Name)
		if n >= most {
			t.Errorf("%d tokens by %s, want less than %d", n, counter.Name, most)
		}
	}
}

// What models are not shown of a tool, programs are.
func TestOffersHaveAllArguments(t *testing.T) {
	t.Parallel()
	type schema struct {
		Properties map[string]struct{ Type string }
		Required   []string
	}
	offers := toolbox.Offers()
	for i, d := range toolbox.Definitions() {
		var short, whole schema
		if err := errors.Join(json.Unmarshal(d.Parameters, &short), json.Unmarshal(offers[i].Parameters, &whole)); err != nil {
			t.Fatal(err)
		}
		if d.Name != offers[i].Name || !slices.Equal(short.Required, whole.Required) && len(whole.Required) > 0 {
			t.Errorf("%s: %+v, %+v", d.Name, short, whole)
		}
		for name, p := range short.Properties {
			if p != whole.Properties[name] {
				t.Errorf("%s: %s is %+v and %+v", d.Name, name, p, whole.Properties[name])
			}
		}
	}
}

// For any input of a model, the result is JSON of a bounded size, and no other owner's document changes.
func FuzzCall(f *testing.F) {
	h := newHome(f)
	other := h.as("user:2")
	h.apply(other, memory.ScopePersonal, "MEMORY.md", "- theirs\n")
	for i, d := range toolbox.Definitions() {
		f.Add(uint8(i), `{"filename":"MEMORY.md","content":"x","oldText":"x","newText":"y"}`)
		f.Add(uint8(i), `{"path":"../x.md","query":"theirs","text":"I like tea","scope":"TEAM"}`)
		f.Add(uint8(i), `{"query":"theirs"}`)
		f.Add(uint8(i), `{"text":"I like tea\n- and <b>"}`)
		f.Add(uint8(i), `{"owner":"user:2"}`)
		f.Add(uint8(i), d.Name)
	}
	f.Fuzz(func(t *testing.T, tool uint8, raw string) {
		definitions := toolbox.Definitions()
		name := definitions[int(tool)%len(definitions)].Name
		result, err := h.Call(t.Context(), h.as("user:1"), name, json.RawMessage(raw))
		if err != nil {
			t.Fatalf("%s %q: %v", name, raw, err)
		}
		if !json.Valid([]byte(result.Content)) || !utf8.ValidString(result.Content) || len(result.Content) > 400_000 {
			t.Fatalf("%s %q: %.200q", name, raw, result.Content)
		}
		if d, err := h.Store.Document(t.Context(), other.Identity, memory.Ref{Scope: memory.ScopePersonal, Path: "MEMORY.md"}); err != nil ||
			d.Content != "- theirs\n" {
			t.Fatalf("%s %q: %q %v", name, raw, d.Content, err)
		}
	})
}

func TestKeywords(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	long := strings.Repeat("a ", 60) + "the Blue cabinet, blue as ever" + strings.Repeat(" b", 60)
	for path, content := range map[string]string{
		"MEMORY.md":            "# Memory\n\n- The blue cabinet holds tea\n- blue\n",
		"PROFILE.md":           "Likes the BLUE cabinet\n",
		"AGENTS.md":            "Never open the blue cabinet\n",
		"notes.md":             "a blue cabinet\n",
		"memory/2026-01-02.md": "- 北京分公司的会议室\n" + long + "\n",
		"memory/many.md":       strings.Repeat("cabinet\n", 8) + "blue\n",
	} {
		h.apply(c, memory.ScopePersonal, path, content)
	}
	h.apply(h.as("user:2"), memory.ScopePersonal, "MEMORY.md", "- The blue cabinet of somebody else\n")
	for name, x := range map[string]struct {
		args m
		want []string // file:line score
	}{
		"weights": {m{"query": "blue cabinet"}, []string{
			"MEMORY.md:3 2", "PROFILE.md:1 1.8", "AGENTS.md:1 1.6", "memory/2026-01-02.md:2 1.4", "MEMORY.md:4 1",
			"memory/many.md:1 0.7", "memory/many.md:2 0.7", "memory/many.md:3 0.7", "memory/many.md:4 0.7", "memory/many.md:5 0.7",
		}},
		"limit":              {m{"query": "blue cabinet", "limit": 1}, []string{"MEMORY.md:3 2"}},
		"memory":             {m{"query": "blue cabinet tea", "scope": "memory"}, []string{"MEMORY.md:3 3", "MEMORY.md:4 1"}},
		"profile":            {m{"query": "blue", "scope": "profile"}, []string{"PROFILE.md:1 0.9"}},
		"persona":            {m{"query": "blue", "scope": "persona"}, []string{"AGENTS.md:1 0.8"}},
		"every word":         {m{"query": "blue elephant"}, nil},
		"Chinese in pairs":   {m{"query": "北京分公"}, []string{"memory/2026-01-02.md:1 2.1"}},
		"inside a run":       {m{"query": "去会议室吧"}, []string{"memory/2026-01-02.md:1 1.4"}},
		"six words":          {m{"query": "the blue cabinet as ever a zebra"}, []string{"memory/2026-01-02.md:2 4.2"}},
		"signs are no words": {m{"query": "!? --"}, nil},
	} {
		a := h.want(c, toolbox.SearchFiles, x.args)
		var got []string
		for _, hit := range a.list("hits") {
			hit, _ := hit.(map[string]any)
			got = append(got, fmt.Sprintf("%v:%v %v", hit["filename"], hit["lineNumber"], hit["score"]))
			if hit["scope"] != "PERSONAL" {
				t.Errorf("%s: %v", name, hit)
			}
		}
		if diff := cmp.Diff(x.want, got); diff != "" {
			t.Errorf("%s:%s", name, diff)
		}
		if a.number("totalHits") != len(got) || (a.text("hint") == "") != (len(got) > 0) || a.text("query") != x.args["query"] ||
			len(a.Found) != len(got) {
			t.Errorf("%s: %s", name, a.Content)
		}
	}
	found := h.want(c, toolbox.SearchFiles, m{"query": "blue cabinet", "scope": "memory"})
	snippets := map[string]string{}
	for _, hit := range found.list("hits") {
		hit, _ := hit.(map[string]any)
		snippets[fmt.Sprint(hit["filename"], ":", hit["lineNumber"])] = fmt.Sprint(hit["snippet"])
	}
	want := "..." + strings.Repeat("a ", 38) + "the [[Blue]] [[cabinet]], [[blue]] as ever" + strings.Repeat(" b", 29) + "..."
	if got := snippets["memory/2026-01-02.md:2"]; got != want {
		t.Errorf("%q", got)
	}
	if a := h.call(c, toolbox.SearchFiles, m{"query": strings.Repeat("x", 65)}); !a.IsError ||
		!strings.Contains(a.text("message"), "at most 64") {
		t.Errorf("%s", a.Content)
	}
	off := false
	c.Agent.Settings.MemoryEnabled = &off
	if a := h.call(c, toolbox.SearchFiles, m{"query": "blue"}); !a.IsError || !strings.Contains(a.text("message"), "switched off") {
		t.Errorf("%s", a.Content)
	}
}
