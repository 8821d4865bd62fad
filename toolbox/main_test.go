package toolbox_test

import (
	"encoding/json"
	"log/slog"
	"testing"

	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/recall"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/gate"
	"reverie/store/storetest"
	"reverie/toolbox"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// home is a store with an agent, and a box of tools for it.
type home struct {
	testing.TB
	*toolbox.Box

	url      string // of the database
	agent    gate.Agent
	recorder *recall.Recorder
}

func newHome(tb testing.TB) *home {
	tb.Helper()
	s, url := storetest.Open(tb, store.Options{})
	root := memory.Identity{Workspace: "acme", Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}
	if err := s.EnsureWorkspace(tb.Context(), "acme", "acme"); err != nil {
		tb.Fatal(err)
	}
	agent, err := s.CreateAgent(tb.Context(), root, admin.NewAgent{ID: "ada", TimeZone: "Europe/Berlin"})
	if err != nil {
		tb.Fatal(err)
	}
	recorder := recall.NewRecorder(s, slog.New(slog.DiscardHandler))
	return &home{
		TB: tb, url: url, agent: agent, recorder: recorder,
		Box: &toolbox.Box{Store: s, Search: &recall.Searcher{
			Store: s, Defaults: recall.DefaultSettings(), Recorder: recorder,
			Log: slog.New(slog.DiscardHandler),
		}},
	}
}

// as returns a person who talks with the agent.
func (h *home) as(owner memory.Owner) toolbox.Caller {
	return toolbox.Caller{
		Identity: memory.Identity{
			Workspace: "acme", Agent: "ada", Owner: owner, Role: memory.RoleMember, Author: memory.Author{Kind: memory.AuthorUser, ID: "key"},
		},
		Agent: h.agent,
	}
}

// with returns a caller with a key.
func with(c toolbox.Caller, key string) toolbox.Caller {
	c.Key = key
	return c
}

// answer is a result, decoded.
type answer struct {
	toolbox.Result

	data map[string]any
}

func (a answer) text(name string) string {
	s, _ := a.data[name].(string)
	return s
}

func (a answer) number(name string) int {
	x, _ := a.data[name].(float64)
	return int(x)
}

func (a answer) list(name string) []any {
	l, _ := a.data[name].([]any)
	return l
}

// call calls a tool; arguments are JSON or a value to encode.
func (h *home) call(c toolbox.Caller, name string, arguments any) answer {
	h.Helper()
	raw, isText := arguments.(string)
	if !isText {
		encoded, err := json.Marshal(arguments)
		if err != nil {
			h.Fatal(err)
		}
		raw = string(encoded)
	}
	result, err := h.Call(h.Context(), c, name, json.RawMessage(raw))
	if err != nil {
		h.Fatalf("%s %s: %v", name, raw, err)
	}
	a := answer{Result: result}
	if err := json.Unmarshal([]byte(result.Content), &a.data); err != nil {
		h.Fatalf("%s %s: %v in %q", name, raw, err, result.Content)
	}
	if isError, _ := a.data["error"].(bool); isError != result.IsError && name != toolbox.MemorySearch && name != toolbox.MemoryGet {
		h.Errorf("%s %s: error %v in %s", name, raw, result.IsError, result.Content)
	}
	return a
}

// want is call for calls that must succeed.
func (h *home) want(c toolbox.Caller, name string, arguments any) answer {
	h.Helper()
	a := h.call(c, name, arguments)
	if a.IsError {
		h.Fatalf("%s %v: %s", name, arguments, a.Content)
	}
	return a
}

// apply writes a document as a person.
func (h *home) apply(c toolbox.Caller, scope memory.Scope, path, content string) memory.Receipt {
	h.Helper()
	r, err := h.Store.Apply(h.Context(), c.Identity, "", []memory.Change{{
		Ref: memory.Ref{Scope: scope, Path: path}, Op: memory.OpReplace, Force: true, Content: content,
	}})
	if err != nil {
		h.Fatal(err)
	}
	return r
}

// content returns the content of a document; empty if there is none.
func (h *home) content(c toolbox.Caller, scope memory.Scope, path string) string {
	h.Helper()
	d, err := h.Store.Document(h.Context(), c.Identity, memory.Ref{Scope: scope, Path: path})
	if err != nil {
		return ""
	}
	return d.Content
}
