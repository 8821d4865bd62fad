package dreams

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/gate"
)

// namesOf returns the names of a text as a list item.
func namesOf(texts ...string) memory.EntrySet {
	n := memory.EntrySet{}
	n.Add("", nil, texts...)
	return n
}

func TestRewritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content, text, put, want string
		ok                       bool
	}{
		"an item":                 {"- one\n- two <!-- x -->\n", "two", "zwei", "- one\n- zwei\n", true},
		"what is under it stays":  {"1. one\n   - under\n", "one", "eins", "1. eins\n   - under\n", true},
		"a broken line":           {"- one\n  more\r\n- two\n", "one more", "eins", "- eins\r\n- two\n", true},
		"a paragraph":             {"one\nmore\n\ntwo\n", "one more", "eins", "eins\n\ntwo\n", true},
		"a quotation":             {"> one\n\ntwo\n", "one", "eins", "> eins\n\ntwo\n", true},
		"the head of a table":     {"| a | b |\n|---|---|\n| 1 | 2 |\n", "a | b", "x", "", false},
		"code":                    {"```\none\n```\n", "one", "x", "x\n", true},
		"without a break":         {"- one", "one", "eins", "- eins", true},
		"what would join another": {"- one\n\n  para\n", "one", "x", "- x\n\n  para\n", true},
	} {
		entries, found, _ := namesOf(c.text).Find(c.content)
		if len(found) != 1 {
			if c.ok {
				t.Errorf("%s: found %v", name, found)
			}
			continue
		}
		got, ok := rewrite.Reword(c.content, entries, found[0], c.put)
		if diff := cmp.Diff(c.want, got); diff != "" || ok != c.ok {
			t.Errorf("%s: %v\n%s", name, ok, diff)
		}
	}
}

// A confirmed line counts as the person's from then on.
func TestOwned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content, want string
		person        []string
	}{
		"of a dream":         {"# M\n\n- One. <!-- memory/2026-01-28.md:4 score 0.81 -->\n- two\n", "# M\n\n- One.\n- two\n", nil},
		"without a note":     {"# M\n\n- One.\n- two\n", "# M\n\n- One. <!-- confirmed -->\n- two\n", nil},
		"on two lines":       {"# M\n\n- One\n  more.\n- two\n", "# M\n\n- One more.\n- two\n", nil},
		"of a person":        {"# M\n\n- One.\n- two\n", "# M\n\n- One.\n- two\n", []string{"- One."}},
		"one line of two is": {"# M\n\nOne\nmore.\n", "# M\n\nOne more.\n", []string{"One"}},
	} {
		entries, found, _ := namesOf("One", "One more").Find(c.content)
		if len(found) != 1 {
			t.Fatalf("%s: found %v", name, found)
		}
		got := rewrite.Own(c.content, c.person, entries, found[0])
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
		if c.want == c.content {
			continue
		}
		person := gate.PersonLines(c.content, c.person, memory.Version{Content: got, Author: memory.Author{Kind: memory.AuthorUser}})
		entries, found, _ = namesOf("One", "One more").Find(got)
		line := strings.Split(got, "\n")[entries[found[0]].FromLine-1]
		if !slices.Contains(person, line) {
			t.Errorf("%s: %q is not among a person's lines %q", name, line, person)
		}
	}
}

func TestWithConfirmed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, want string }{
		"nothing":             {"", "# Memory\n\n## Confirmed\n\n- x\n"},
		"no section":          {"# Memory\n\n- a\n", "# Memory\n\n- a\n\n## Confirmed\n\n- x\n"},
		"no break at the end": {"# Memory\n\n- a", "# Memory\n\n- a\n\n## Confirmed\n\n- x\n"},
		"a section": {
			"# Memory\n\n## Confirmed\n\n- a\n\n## More\n\n- b\n", "# Memory\n\n## Confirmed\n\n- a\n- x\n\n## More\n\n- b\n",
		},
		"a section at the end":  {"# Memory\n\n## Confirmed\n\n- a", "# Memory\n\n## Confirmed\n\n- a\n- x\n"},
		"an empty section":      {"## Confirmed\n\n## More\n", "## Confirmed\n\n- x\n\n## More\n"},
		"text without headings": {"a\n", "a\n\n## Confirmed\n\n- x\n"},
	} {
		if diff := cmp.Diff(c.want, rewrite.Confirm(c.content, "x")); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
}

func TestProtectedLines(t *testing.T) {
	t.Parallel()
	content := "# M\n\n- mine\n- confirmed <!-- n -->\n- another\n- alias\r\n- open\n"
	got := rewrite.Protected(content, []string{"- mine"}, []dream.State{
		{ID: markdown.EntryIDOf("- confirmed"), Status: dream.Confirmed},
		{ID: "x", Aliases: []markdown.EntryID{markdown.EntryIDOf("- alias")}, Status: dream.Confirmed},
		{ID: markdown.EntryIDOf("- open"), Status: dream.Promoted},
		{ID: markdown.EntryIDOf("- mine"), Status: dream.Confirmed},
	})
	if diff := cmp.Diff([]string{"- mine", "- confirmed <!-- n -->", "- alias"}, got); diff != "" {
		t.Error(diff)
	}
}
