package toolbox_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store"
	"reverie/toolbox"
)

// between does something once, right behind the first query of a call: between what it has read and what it writes.
type between struct {
	mu sync.Mutex
	do func()
}

func (*between) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (*between) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (*between) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (*between) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (b *between) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {
	b.mu.Lock()
	do := b.do
	b.do = nil
	b.mu.Unlock()
	if do != nil {
		do()
	}
}

// What is changed while an edit is made is kept: the edit is made on top of it, or is refused with both sides when the text that it
// replaces is gone.
func TestAnEditMeetsAnotherWriter(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	meanwhile := &between{}
	s := must[*store.Store](t)(store.Open(t.Context(), h.url, store.Options{Tracer: meanwhile}))
	t.Cleanup(s.Close)
	slow := &home{TB: t, Box: &toolbox.Box{Store: s, Search: h.Search}, agent: h.agent}
	const before = "- one\n- two\n- three\n"
	edit := m{"filename": "memory/a.md", "oldText": "- two", "newText": "- TWO"}
	for name, x := range map[string]struct{ theirs, want string }{
		"on another line":      {"- ONE\n- two\n- three\n", "- ONE\n- TWO\n- three\n"},
		"on the same line":     {"- one\n- two and a half\n- three\n", "- one\n- TWO and a half\n- three\n"},
		"what it replaces":     {"- one\n- deux\n- three\n", ""},
		"all of it":            {"", ""},
		"by another such line": {"- one\n- two\n- two\n", "- one\n- TWO\n- two\n"}, // the one that was there is meant
	} {
		h.apply(c, memory.ScopePersonal, "memory/a.md", before)
		meanwhile.mu.Lock()
		meanwhile.do = func() { h.apply(c, memory.ScopePersonal, "memory/a.md", x.theirs) }
		meanwhile.mu.Unlock()
		a := slow.call(c, toolbox.EditFile, edit)
		got := h.content(c, memory.ScopePersonal, "memory/a.md")
		if x.want != "" {
			if a.IsError || got != x.want {
				t.Errorf("%s: %q, %s", name, got, a.Content)
			}
			continue
		}
		if !a.IsError || got != x.theirs || a.Written != nil {
			t.Errorf("%s: %q, %s", name, got, a.Content)
		}
		if name == "what it replaces" && (!strings.Contains(a.Content, `"yours":"- TWO\n"`) || !strings.Contains(a.Content, `"theirs":"- deux\n"`)) {
			t.Errorf("%s does not show both sides: %s", name, a.Content)
		}
	}
}

// Edits of neighbouring lines at the same time are all there.
func TestEditsOfNeighbouringLines(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	const n = 8
	var before, after strings.Builder
	for i := range n {
		fmt.Fprintf(&before, "- old %d.\n", i)
		fmt.Fprintf(&after, "- new %d.\n", i)
	}
	h.apply(c, memory.ScopePersonal, "memory/a.md", before.String())
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if a := h.call(c, toolbox.EditFile, m{"filename": "memory/a.md", "oldText": fmt.Sprintf("old %d.", i), "newText": fmt.Sprintf("new %d.", i)}); a.IsError {
				t.Error(a.Content)
			}
		})
	}
	all.Wait()
	if diff := cmp.Diff(after.String(), h.content(c, memory.ScopePersonal, "memory/a.md")); diff != "" {
		t.Error(diff)
	}
}

// A new file is in no prompt until somebody enables it, whatever it is called; one that replaces a file in the prompt stays there.
func TestNewFilesAreNotInThePrompt(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	for _, path := range []string{"notes.md", "memory/2026-04-01.md", "memory/AGENTS.md", "SYSTEM.md", "KNOWLEDGE.md"} {
		if a := h.want(c, toolbox.WriteFile, m{"filename": path, "content": "injected\n"}); a.data["enabled"] != false || a.data["created"] != true {
			t.Errorf("%s", a.Content)
		}
	}
	prompt := memory.SystemPrompt(must[[]memory.Document](t)(h.Store.PromptDocuments(t.Context(), c.Identity)))
	if prompt == "" || strings.Contains(prompt, "injected") {
		t.Errorf("%s", prompt)
	}
}
