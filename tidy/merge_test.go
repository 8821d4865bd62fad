package tidy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/structured"
	"reverie/tidy"
)

// entriesFrom renders a structured document.
func entriesFrom(contents ...string) string {
	var b strings.Builder
	for i, content := range contents {
		fmt.Fprintf(&b, "## key %d\n\n%s\n\n> Source: tool | Updated: 2026-11-%02d\n\n", i, content, i+1)
	}
	return b.String()
}

// Entries are put in place of others once, those of a person stay, and their number never grows.
func TestMergeable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	model := memory.Author{Kind: memory.AuthorWorkflow, ID: "model", WorkflowID: "w", RunID: "r"}
	contents := []string{"Likes green tea.", "Drinks tea in the morning.", "c", "d", "e", "f", "g", "h"}
	for i := 2; i < len(contents); i++ {
		contents[i] = fmt.Sprintf("Has %d lamps in room %d.", i, i)
	}
	path := structured.User.Path()
	w.write(as("user:7", person), path, entriesFrom(contents[:3]...)[:strings.Index(entriesFrom(contents...), "## key 1")])
	w.write(as("user:7", model), path, entriesFrom(contents...))
	id := as("user:7", dreams)
	found, err := tidy.Mergeables(t.Context(), w.Store, id, memory.ScopePersonal, w.now)
	if err != nil || len(found) != 1 || len(found[0].Entries) != 7 {
		t.Fatalf("%v: %+v", err, found)
	}
	n, err := found[0].Replace(t.Context(), []structured.Replaced{
		{Key: "key 1", Content: "Drinks tea. Has 2 lamps.", Keys: []string{"key 1", "key 2"}},
		{Key: "key 0", Content: "Not by hand.", Keys: []string{"key 0", "key 3"}},    // a person wrote one of them
		{Key: "key 9", Content: "Nobody said it.", Keys: []string{"key 4", "key 5"}}, // none of them
		{Key: "key 6", Content: "Alone.", Keys: []string{"key 6"}},
	})
	if err != nil || n != 1 {
		t.Fatalf("%v: %d removed", err, n)
	}
	got := structured.Parse(w.content(id, path))
	merged, _ := structured.Find(got, "key 1")
	if len(got) != 7 || merged.Content != "Drinks tea. Has 2 lamps." || merged.Updated.Day() != 3 || got[0].Content != contents[0] {
		t.Errorf("%+v", got)
	}
	for name, at := range map[string]time.Time{"by a dream": w.now, "long ago": w.now.AddDate(0, 0, 3)} {
		if again, err := tidy.Mergeables(t.Context(), w.Store, id, memory.ScopePersonal, at); err != nil || len(again) != 0 {
			t.Errorf("%s: %v, %+v", name, err, again)
		}
	}
}
