package toolbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/toolbox"
)

func TestStructuredEntries(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ada, grace := h.as("user:1"), h.as("user:2")
	saved := h.want(ada, toolbox.RememberStructured, map[string]any{"type": "user", "key": "diet", "content": "Vegetarian since 2019."})
	id := saved.number("id")
	if id == 0 || saved.text("message") != fmt.Sprintf("Noted. Saved memory #%d: (%d) saved", id, id) || saved.data["success"] != true {
		t.Errorf("saved: %s", saved.Content)
	}
	const path = "structured/user.md"
	if content := h.content(ada, memory.ScopePersonal, path); !strings.HasPrefix(content, "## diet\n\nVegetarian since 2019.\n\n> Source: tool | Updated: 20") {
		t.Errorf("document:\n%s", content)
	}
	again := h.want(ada, toolbox.RememberStructured, map[string]any{"type": "user", "key": "Diet", "content": "Vegetarian since 2019."})
	if again.text("message") != "Already known; nothing was written" || again.number("id") != id {
		t.Errorf("again: %s", again.Content)
	}
	h.want(ada, toolbox.RememberStructured, map[string]any{"type": "reference", "key": "wiki", "content": "wiki.example.org"})
	if all := h.want(ada, toolbox.RecallStructured, map[string]any{}); all.number("count") != 2 || all.text("agentId") != "ada" {
		t.Errorf("all: %s", all.Content)
	}
	if found := h.want(ada, toolbox.RecallStructured, map[string]any{"query": "WIKI"}); found.number("count") != 1 || len(found.Found) != 1 {
		t.Errorf("found: %s", found.Content)
	}
	if other := h.want(grace, toolbox.RecallStructured, map[string]any{}); other.number("count") != 0 {
		t.Errorf("another person reads %s", other.Content)
	}
	documents, err := h.Store.PromptDocuments(t.Context(), ada.Identity, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	prompt := memory.SystemPrompt(documents)
	if !strings.Contains(prompt, "## diet\n\nVegetarian") || strings.Contains(prompt, "Source: tool") || strings.Contains(prompt, "wiki.example.org") {
		t.Errorf("user and feedback are always in the prompt:\n%s", prompt)
	}
	h.want(ada, toolbox.ForgetStructured, map[string]any{"type": "user", "key": "DIET"})
	if content := h.content(ada, memory.ScopePersonal, path); strings.Contains(content, "diet") {
		t.Errorf("forgotten:\n%s", content)
	}
	if gone := h.call(ada, toolbox.ForgetStructured, map[string]any{"type": "user", "key": "diet"}); !gone.IsError {
		t.Errorf("forgotten twice: %s", gone.Content)
	}
	if bad := h.call(ada, toolbox.RememberStructured, map[string]any{"type": "user", "key": "a", "content": "x\n\n## b\n\ny"}); !bad.IsError {
		t.Errorf("content with another entry: %s", bad.Content)
	}
	group := ada
	group.Speaker = "feishu:ou_1"
	if bad := h.call(group, toolbox.RememberStructured, map[string]any{"type": "user", "key": "a", "content": "x"}); !bad.IsError {
		t.Errorf("in a group: %s", bad.Content)
	}
}

// MicroClaw's tools are a view of the same facts.
func TestNumberedStatements(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ada, grace := h.as("user:1"), h.as("user:2")
	h.apply(ada, memory.ScopePersonal, memory.MemoryPath, "# Memory\n\n- Lives in Bern.\n")
	saved := h.want(ada, toolbox.WriteMemory, map[string]any{"content": "Prefers green tea in the morning", "category": "PROFILE"})
	id := saved.number("id")
	if id == 0 || !strings.Contains(saved.text("message"), fmt.Sprintf("(%d) saved", id)) {
		t.Fatalf("saved: %s", saved.Content)
	}
	search := func(c toolbox.Caller, query string, archived bool) answer {
		return h.want(c, toolbox.StructuredSearch, map[string]any{"query": query, "include_archived": archived})
	}
	if found := search(ada, "tea", false); found.text("text") != fmt.Sprintf("[id=%d] [PROFILE] [personal] Prefers green tea in the morning", id) {
		t.Errorf("found: %s", found.Content)
	}
	for name, arguments := range map[string]map[string]any{
		toolbox.StructuredUpdate: {"id": id, "content": "Prefers coffee"}, toolbox.StructuredDelete: {"id": id},
		toolbox.MemoryFeedback: {"id": id, "kind": "UNHELPFUL"},
	} {
		if got := h.call(grace, name, arguments); !got.IsError {
			t.Errorf("another person: %s: %s", name, got.Content)
		}
	}
	known := h.want(ada, toolbox.WriteMemory, map[string]any{"content": "In the morning, prefers green tea"})
	if known.number("id") != id || known.data["updated"] != false {
		t.Errorf("said again in other words: %s, want number %d", known.Content, id)
	}
	// A small edit is the same fact.
	changed := h.want(ada, toolbox.StructuredUpdate, map[string]any{"id": id, "content": "Prefers strong green tea in the morning"})
	if changed.number("id") != id {
		t.Errorf("changed: %s, want number %d", changed.Content, id)
	}
	h.want(ada, toolbox.StructuredDelete, map[string]any{"id": id})
	content := h.content(ada, memory.ScopePersonal, memory.MemoryPath)
	if !strings.HasSuffix(content, "## Archived\n\n- Prefers strong green tea in the morning\n") || !strings.Contains(content, "- Lives in Bern.") {
		t.Errorf("archived:\n%s", content)
	}
	if found := search(ada, "tea", false); found.number("count") != 0 {
		t.Errorf("archived statements are listed: %s", found.Content)
	}
	if found := search(ada, "tea", true); found.number("count") != 1 || !strings.Contains(found.Content, `"archived":true`) {
		t.Errorf("with archived ones: %s", found.Content)
	}
	documents, err := h.Store.PromptDocuments(t.Context(), ada.Identity, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if prompt := memory.SystemPrompt(documents); strings.Contains(prompt, "green tea") || !strings.Contains(prompt, "Lives in Bern") {
		t.Errorf("prompt:\n%s", prompt)
	}
	back := h.want(ada, toolbox.StructuredUpdate, map[string]any{"id": id, "content": "Prefers strong green tea in the morning"})
	if back.number("id") != id || search(ada, "tea", false).number("count") != 1 {
		t.Errorf("current again: %s\n%s", back.Content, h.content(ada, memory.ScopePersonal, memory.MemoryPath))
	}
	before := search(ada, "tea", false).list("memories")[0].(map[string]any)["trust"].(float64)
	h.want(ada, toolbox.MemoryFeedback, map[string]any{"id": id, "kind": "UNHELPFUL"})
	if after := search(ada, "tea", false).list("memories")[0].(map[string]any)["trust"].(float64); after >= before {
		t.Errorf("trust %v after unhelpful feedback, %v before", after, before)
	}
	h.apply(ada, memory.ScopeTeam, memory.MemoryPath, "# Memory\n\n- The office has a roof garden.\n")
	shared := int(h.want(ada, toolbox.FactProbe, map[string]any{"entity": "garden"}).list("facts")[0].(map[string]any)["id"].(float64))
	if got := h.call(ada, toolbox.StructuredDelete, map[string]any{"id": shared}); !got.IsError {
		t.Errorf("shared statement: %s", got.Content)
	}
}
