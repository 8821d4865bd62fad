package toolbox_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"reverie/memory"
	"reverie/toolbox"
)

// conforms fails the test unless a result fits the schema that its tool is offered with.
func conforms(t *testing.T, tool, content string) {
	t.Helper()
	for _, o := range toolbox.Offers() {
		if o.Name != tool {
			continue
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(o.Result, &schema); err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal([]byte(content), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s answers %s: %v", tool, content, err)
		}
		return
	}
	t.Errorf("%s is not offered", tool)
}

// Every tool is offered with a title and schemas, and what it answers fits its schema.
func TestOffers(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ada := h.as("user:1")
	calls := map[string][]any{
		toolbox.WriteFile: {
			map[string]any{"filename": "MEMORY.md", "content": "# Memory\n\n- The boat is called Heron\n- The rent is 900\n- The port is 80\n- The port is 81\n"},
		},
		toolbox.Remember:           {map[string]any{"text": "The berth is number 12"}},
		toolbox.EditFile:           {map[string]any{"filename": "MEMORY.md", "oldText": "900", "newText": "950"}},
		toolbox.MemorySearch:       {map[string]any{"query": "What is the boat called?"}, map[string]any{"query": "zebra"}},
		toolbox.MemoryGet:          {map[string]any{"path": "MEMORY.md"}, map[string]any{"path": "nothing.md"}},
		toolbox.ListFiles:          {map[string]any{}},
		toolbox.SearchFiles:        {map[string]any{"query": "boat"}, map[string]any{"query": "zebra"}},
		toolbox.ReadFile:           {map[string]any{"filename": "MEMORY.md"}},
		toolbox.MemoryQuery:        {map[string]any{"op": "list"}, map[string]any{"op": "search", "query": "boat"}},
		toolbox.MemoryUpsert:       {map[string]any{"op": "insert", "content": "The mast is 12 m high"}},
		toolbox.ListContradictions: {map[string]any{}},
		toolbox.MemoryForget: {
			map[string]any{"pattern": "berth"}, map[string]any{"pattern": "berth", "dry_run": false}, map[string]any{"pattern": "zebra"},
		},
		toolbox.ForgetTool: {map[string]any{"text": "The boat is called Heron"}},

		toolbox.RememberStructured: {map[string]any{"type": "user", "key": "diet", "content": "Vegetarian"}},
		toolbox.RecallStructured:   {map[string]any{}, map[string]any{"type": "project"}},
		toolbox.ForgetStructured:   {map[string]any{"type": "user", "key": "diet"}},
		toolbox.SessionSearch:      {map[string]any{"mode": "recent"}, map[string]any{"mode": "search", "query": "boat"}},
		toolbox.FactProbe:          {map[string]any{"entity": "boat"}, map[string]any{"entity": "zebra"}},
		toolbox.WriteMemory:        {map[string]any{"content": "The keel is made of lead"}},
		toolbox.StructuredSearch:   {map[string]any{"query": "keel"}, map[string]any{"query": "zebra"}},
	}
	for _, name := range []string{ // in an order in which they work
		toolbox.WriteFile, toolbox.Remember, toolbox.EditFile, toolbox.MemorySearch, toolbox.MemoryGet, toolbox.ListFiles,
		toolbox.SearchFiles, toolbox.ReadFile, toolbox.MemoryQuery, toolbox.MemoryUpsert, toolbox.ListContradictions, toolbox.MemoryForget, toolbox.ForgetTool,
		toolbox.RememberStructured, toolbox.RecallStructured, toolbox.ForgetStructured, toolbox.SessionSearch, toolbox.FactProbe,
		toolbox.WriteMemory, toolbox.StructuredSearch,
	} {
		for _, arguments := range calls[name] {
			conforms(t, name, h.want(ada, name, arguments).Content)
		}
	}
	keel := h.want(ada, toolbox.StructuredSearch, map[string]any{"query": "keel"}).list("memories")[0].(map[string]any)["id"]
	for _, c := range []struct {
		name      string
		arguments map[string]any
	}{
		{toolbox.MemoryFeedback, map[string]any{"id": keel, "kind": "HELPFUL"}},
		{toolbox.StructuredUpdate, map[string]any{"id": keel, "content": "The keel is made of solid lead"}},
		{toolbox.StructuredDelete, map[string]any{"id": keel}},
	} {
		calls[c.name] = []any{c.arguments}
		conforms(t, c.name, h.want(ada, c.name, c.arguments).Content)
	}
	for _, o := range toolbox.Offers() {
		if o.Title == "" || calls[o.Name] == nil {
			t.Errorf("%s: title %q, %d calls in this test", o.Name, o.Title, len(calls[o.Name]))
		}
		if !o.Writes && (o.Replaces || o.Repeats) {
			t.Errorf("%s reads, and has hints about writes", o.Name)
		}
	}
	if len(toolbox.Offers()) != len(toolbox.Definitions())+7 {
		t.Error("models of chats are offered tools for clients that act by themselves")
	}
}

func TestForgetTool(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ada := h.as("user:1")
	h.apply(ada, memory.ScopePersonal, memory.MemoryPath, "# Memory\n\n- The boat is called Heron\n- The rent is 900\n")
	h.apply(ada, memory.ScopePersonal, "memory/2026-02-01.md", "# 2026-02-01\n\n- The boat is called Heron\n")
	got := h.want(with(ada, "k"), toolbox.ForgetTool, map[string]any{"text": "- The boat is called Heron"})
	if got.Written == nil || len(got.list("forgotten")) != 1 {
		t.Errorf("%s", got.Content)
	}
	for _, path := range []string{memory.MemoryPath, "memory/2026-02-01.md"} {
		if text := h.content(ada, memory.ScopePersonal, path); strings.Contains(text, "Heron") {
			t.Errorf("%s has it still: %s", path, text)
		}
	}
	if again := h.want(with(ada, "k"), toolbox.ForgetTool, map[string]any{"text": "- The boat is called Heron"}); !again.Written.Replayed {
		t.Errorf("%s", again.Content)
	}
	if got := h.call(ada, toolbox.ForgetTool, map[string]any{"text": "The boat is red"}); !got.IsError {
		t.Errorf("%s", got.Content)
	}
}

// What was remembered is forgotten by the same text: case, white space and the full stop make no other statement. A part of a statement
// does not name it, nor does a longer text with its words.
func TestForgetWhatWasRemembered(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ada := h.as("user:1")
	for _, text := range []string{"My cello is old", "My oboe is new", "My viola is cracked", "My drum is loud", "My harp is large. My flute is small", "Tea"} {
		h.want(ada, toolbox.Remember, map[string]any{"text": text})
	}
	for _, wrong := range []string{"My cello", "cello is old", "My cello is older", "I like tea"} {
		for _, tool := range []string{toolbox.ForgetTool, toolbox.MemoryForget} {
			if got := h.call(ada, tool, map[string]any{"text": wrong}); !got.IsError || !strings.Contains(got.Content, "no such statement") {
				t.Errorf("%s %q: %s", tool, wrong, got.Content)
			}
		}
	}
	h.want(ada, toolbox.ForgetTool, map[string]any{"text": "My cello is old"})
	h.want(ada, toolbox.MemoryForget, map[string]any{"text": "my  OBOE is new!"})
	several := h.want(ada, toolbox.ForgetTool, map[string]any{"text": "* my viola is cracked\n- My drum is LOUD\n"})
	if got := several.list("forgotten"); len(got) != 2 {
		t.Errorf("%v", got)
	}
	h.want(ada, toolbox.ForgetTool, map[string]any{"text": "my flute is small"})
	got := h.content(ada, memory.ScopePersonal, memory.MemoryPath)
	for _, gone := range []string{"cello", "oboe", "viola", "drum", "flute"} {
		if strings.Contains(got, gone) {
			t.Errorf("the %s is still in %q", gone, got)
		}
	}
	if !strings.Contains(got, "My harp is large.") || !strings.Contains(got, "Tea") {
		t.Errorf("%q", got)
	}
}

// A pattern shows what it finds first. What was forgotten does not come back by a tool, whatever it writes with.
func TestMemoryForget(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ada := h.as("user:1")
	h.apply(ada, memory.ScopePersonal, memory.MemoryPath, "# Memory\n\n- The boat is called Heron\n- The rent is 900\n")
	pattern := map[string]any{"pattern": "heron"}
	if shown := h.want(ada, toolbox.MemoryForget, pattern); shown.Written != nil || len(shown.list("found")) != 1 {
		t.Errorf("%s", shown.Content)
	}
	if text := h.content(ada, memory.ScopePersonal, memory.MemoryPath); !strings.Contains(text, "Heron") {
		t.Errorf("%q", text)
	}
	pattern["dry_run"] = false
	if done := h.want(ada, toolbox.MemoryForget, pattern); done.Written == nil || len(done.list("forgotten")) != 1 {
		t.Errorf("%s", done.Content)
	}
	for name, arguments := range map[string]map[string]any{
		toolbox.Remember:  {"text": "The boat is called Heron"},
		toolbox.WriteFile: {"filename": "boat.md", "content": "- The boat is called Heron\n- It has a mast.\n"},
	} {
		if got := h.call(ada, name, arguments); !strings.Contains(got.Content, "own words") {
			t.Errorf("%s: %s", name, got.Content)
		}
	}
	if text := h.content(ada, memory.ScopePersonal, "boat.md"); text != "- It has a mast.\n" {
		t.Errorf("%q", text)
	}
	for _, wrong := range []map[string]any{{}, {"pattern": "abc", "text": "x y"}, {"fact_id": "x"}, {"text": "The boat is red"}} {
		if got := h.call(ada, toolbox.MemoryForget, wrong); !got.IsError {
			t.Errorf("%v: %s", wrong, got.Content)
		}
	}
}

// Another agent's backend: what it inserts it finds, by chat and by id, and what it changes is a version of a document.
func TestStatements(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ada, bob := h.as("user:1"), h.as("user:2")
	upsert := func(arguments map[string]any) int {
		t.Helper()
		got := h.want(ada, toolbox.MemoryUpsert, arguments)
		if ok, _ := got.data["ok"].(bool); !ok {
			t.Errorf("%v: %s", arguments, got.Content)
		}
		conforms(t, toolbox.MemoryUpsert, got.Content)
		return got.number("id")
	}
	// texts returns the contents of rows, each with its category.
	texts := func(arguments map[string]any) string {
		t.Helper()
		var out []string
		got := h.want(ada, toolbox.MemoryQuery, arguments)
		conforms(t, toolbox.MemoryQuery, got.Content)
		for _, r := range got.list("memories") {
			r, _ := r.(map[string]any)
			out = append(out, r["category"].(string)+" "+r["content"].(string))
		}
		return strings.Join(out, "; ")
	}
	list := func(chat int) string { return texts(map[string]any{"op": "list", "chat_id": chat}) }

	name := upsert(map[string]any{"op": "insert", "content": "The user is called Grace", "category": "PROFILE"})
	tea := upsert(map[string]any{"op": "insert", "chat_id": 7, "content": "Grace likes green tea"})
	move := upsert(map[string]any{"op": "insert", "chat_id": -100123, "content": "Grace moves to Bern", "category": "EVENT"})
	if got, want := list(7), "KNOWLEDGE Grace likes green tea; PROFILE The user is called Grace"; got != want {
		t.Errorf("chat 7 has %q, want %q", got, want)
	}
	if got, want := list(-100123), "EVENT Grace moves to Bern; PROFILE The user is called Grace"; got != want {
		t.Errorf("the other chat has %q, want %q", got, want)
	}
	if got := h.content(ada, memory.ScopePersonal, "chats/7.md"); !strings.Contains(got, "## Remembered\n\n- Grace likes green tea\n") {
		t.Errorf("the document is %q", got)
	}
	if got := upsert2(h, map[string]any{"op": "insert", "chat_id": 7, "content": "Grace likes green tea"}); got.number("id") != tea {
		t.Errorf("inserted twice: %s", got.Content)
	}
	if got := texts(map[string]any{"op": "get", "id": move}); got != "EVENT Grace moves to Bern" {
		t.Errorf("get: %q", got)
	}
	if got := texts(map[string]any{"op": "search", "chat_id": 7, "query": "Which tea?"}); !strings.HasPrefix(got, "KNOWLEDGE Grace likes green tea") ||
		strings.Contains(got, "Bern") {
		t.Errorf("search: %q", got)
	}

	black := upsert(map[string]any{"op": "supersede", "from_memory_id": tea, "content": "Grace likes black tea", "reason": "said so"})
	upsert(map[string]any{"op": "touch", "id": black, "confidence_floor": 0.5})
	upsert(map[string]any{"op": "update", "id": move, "content": "Grace moved to Bern", "category": "KNOWLEDGE"})
	if got, want := list(7), "KNOWLEDGE Grace likes black tea; PROFILE The user is called Grace"; got != want {
		t.Errorf("chat 7 has %q, want %q", got, want)
	}
	if got := list(-100123); !strings.HasPrefix(got, "KNOWLEDGE Grace moved to Bern") {
		t.Errorf("the other chat has %q", got)
	}
	upsert(map[string]any{"op": "archive", "id": black})
	if got, want := list(7), "PROFILE The user is called Grace"; got != want {
		t.Errorf("chat 7 has %q, want %q", got, want)
	}
	// A foreign id, an outdated one, and a faulty call are told apart from success.
	for _, arguments := range []map[string]any{
		{"op": "archive", "id": black},
		{"op": "update", "id": tea, "content": "x y"},
		{"op": "touch", "id": 0},
		{"op": "insert"},
		{"op": "archive"},
	} {
		if got := h.call(ada, toolbox.MemoryUpsert, arguments); !got.IsError {
			t.Errorf("%v: %s", arguments, got.Content)
		}
	}
	if got := h.call(bob, toolbox.MemoryQuery, map[string]any{"op": "get", "id": name}); !got.IsError {
		t.Errorf("another owner reads it: %s", got.Content)
	}
	if got := h.call(bob, toolbox.MemoryUpsert, map[string]any{"op": "archive", "id": name}); !got.IsError {
		t.Errorf("another owner archives it: %s", got.Content)
	}
	// A repeated request is one request.
	twice := with(ada, "once")
	first := h.want(twice, toolbox.MemoryUpsert, map[string]any{"op": "update", "id": name, "content": "The user is called Ada"})
	second := h.want(twice, toolbox.MemoryUpsert, map[string]any{"op": "update", "id": name, "content": "The user is called Ada"})
	if first.number("id") != second.number("id") {
		t.Errorf("%s, then %s", first.Content, second.Content)
	}
}

// Statements that a query matches come before their neighbours, and only then is the number limited.
func TestStatementsAreRankedByTheQuery(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ada := h.as("user:1")
	said := []string{"Anna likes tea", "Bob plays golf", "Carol sails boats", "The mast is spruce", "Dave runs", "Eve paints", "The boom of the mast is oak"}
	for _, text := range said {
		h.want(ada, toolbox.Remember, map[string]any{"text": text})
	}
	for i := range 5 { // other documents hold no statements of memory_query
		h.apply(ada, memory.ScopePersonal, fmt.Sprintf("ships/%d.md", i), "- A mast stands\n")
	}
	contents := func(arguments map[string]any) (out []string) {
		t.Helper()
		for _, r := range h.want(ada, toolbox.MemoryQuery, arguments).list("memories") {
			r, _ := r.(map[string]any)
			out = append(out, r["content"].(string))
		}
		return out
	}
	for _, op := range []string{"search", "context"} {
		for query, want := range map[string][]string{
			"mast":          {"The mast is spruce.", "The boom of the mast is oak."},
			"boom and mast": {"The boom of the mast is oak.", "The mast is spruce."},
		} {
			for limit := range want {
				if got := contents(map[string]any{"op": op, "query": query, "limit": limit + 1}); !slices.Equal(got, want[:limit+1]) {
					t.Errorf("%s %q: %q, want %q", op, query, got, want[:limit+1])
				}
			}
		}
		if got := contents(map[string]any{"op": op, "query": "boom and mast"}); len(got) != len(said) {
			t.Errorf("%s without a limit: %q", op, got)
		}
	}
}

func upsert2(h *home, arguments map[string]any) answer {
	h.Helper()
	return h.want(h.as("user:1"), toolbox.MemoryUpsert, arguments)
}
