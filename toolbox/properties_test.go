package toolbox_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/toolbox"
)

// piece are parts of Markdown that break careless searching and replacing: line ends of both kinds, regular
// expressions, characters of several bytes, replacement patterns.
var piece = rapid.SampledFrom([]string{
	"# Heading", "## Facts", "- tea", "- Tea", "- 茶を飲む", "port 5433", "$1", "\\1", ".*", "[[x]]", "a", "aa", "é", "e\u0301", "👩‍🚀", "<b>",
	"&amp;", "\"quoted\"", " ", "\t", "\n", "\n\n", "\r\n", "```", "---", "|a|b|",
})

func text(least, most int) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(piece, least, most), func(parts []string) string { return strings.Join(parts, "") })
}

// Written text is read back unchanged, whatever was there before.
func TestWriteThenRead(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	rapid.Check(t, func(t *rapid.T) {
		content := text(0, 30).Draw(t, "content")
		written := called(t, h, c, toolbox.WriteFile, m{"filename": "memory/a.md", "content": content})
		read := called(t, h, c, toolbox.ReadFile, m{"filename": "memory/a.md"})
		if read["content"] != content || read["fileSize"] != float64(len(content)) || written["version"] != read["version"] {
			t.Fatalf("%q is read as %q: %v %v", content, read["content"], written, read)
		}
		if changed := written["message"] != "Workspace memory file unchanged: it already has this text"; changed && written["bytesWritten"] != float64(len(content)) {
			t.Fatalf("%q: %v", content, written)
		}
	})
}

// An edit replaces its text and nothing else, or changes nothing and reports how often the text occurs.
func TestAnEditChangesNothingElse(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	rapid.Check(t, func(t *rapid.T) {
		before, after := text(0, 12).Draw(t, "before"), text(0, 12).Draw(t, "after")
		old, replacement := text(1, 4).Draw(t, "old"), text(0, 4).Draw(t, "new")
		all := rapid.Bool().Draw(t, "all")
		content := before + old + after
		called(t, h, c, toolbox.WriteFile, m{"filename": "memory/a.md", "content": content})
		result, err := h.Call(t.Context(), c, toolbox.EditFile, encoded(t, m{"filename": "memory/a.md", "oldText": old, "newText": replacement, "replaceAll": all}))
		if err != nil {
			t.Fatal(err)
		}
		d, err := h.Store.Document(t.Context(), c.Identity, memory.Ref{Scope: memory.ScopePersonal, Path: "memory/a.md"})
		if err != nil {
			t.Fatal(err)
		}
		var data map[string]any
		if err := json.Unmarshal([]byte(result.Content), &data); err != nil {
			t.Fatal(err)
		}
		n, places := strings.Count(content, old), 0
		for i := range content {
			if strings.HasPrefix(content[i:], old) {
				places++
			}
		}
		want := content
		switch {
		case old == replacement:
			if !result.IsError {
				t.Fatalf("%s", result.Content)
			}
		case places > 1 && !all:
			if !result.IsError || !strings.Contains(fmt.Sprint(data["message"]), fmt.Sprintf("occurs %d times", places)) {
				t.Fatalf("%s", result.Content)
			}
		default:
			want = strings.ReplaceAll(content, old, replacement)
			if result.IsError || data["replacements"] != float64(n) || data["fileSizeAfter"] != float64(len(want)) {
				t.Fatalf("%s", result.Content)
			}
		}
		if d.Content != want {
			t.Fatalf("%q to %q in %q gives %q", old, replacement, content, d.Content)
		}
	})
}

// called returns the result of a call that must succeed.
func called(t *rapid.T, h *home, c toolbox.Caller, name string, arguments m) map[string]any {
	t.Helper()
	result, err := h.Call(t.Context(), c, name, encoded(t, arguments))
	if err != nil || result.IsError {
		t.Fatalf("%s %v: %s %v", name, arguments, result.Content, err)
	}
	var data map[string]any
	if err := json.Unmarshal([]byte(result.Content), &data); err != nil {
		t.Fatal(err)
	}
	return data
}

func encoded(t *rapid.T, arguments m) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
