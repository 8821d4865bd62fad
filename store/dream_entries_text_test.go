package store

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/dream"
	"reverie/memory"
)

// namesOf are the names of a text as a list item.
func namesOf(texts ...string) names {
	n := names{}
	n.add("", nil, texts...)
	return n
}

func TestWithoutStatement(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, text, want string }{
		"an item":                       {"# M\n\n- one\n- two\n- three\n", "two", "# M\n\n- one\n- three\n"},
		"with its comment":              {"- one\n- Two. <!-- memory/2026-01-28.md:4 score 0.81 -->\n", "two", "- one\n"},
		"a broken line":                 {"- one\n- two and\n  a half\n- three\n", "two and a half", "- one\n- three\n"},
		"what stands under it goes":     {"- one\n  - under one\n  - more\n- two\n", "one", "- two\n"},
		"its parent stays":              {"- one\n  - under one\n- two\n", "two", "- one\n  - under one\n"},
		"every place":                   {"- one\n\n## Again\n\n* ONE\n- two\n", "one", "\n## Again\n\n- two\n"},
		"a paragraph":                   {"# M\n\nHe likes tea.\nA lot.\n\nMore.\n", "He likes tea. A lot.", "# M\n\n\nMore.\n"},
		"a row":                         {"| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", "", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"},
		"a table without rows":          {"| a | b |\n|---|---|\n\nx\n", "a | b", "\nx\n"},
		"the last line has no break":    {"- one\n- two", "two", "- one\n"},
		"a nested item of another item": {"- Rome\n  - hotel is booked\n- Paris\n  - hotel is booked\n", "hotel is booked", "- Rome\n  - hotel is booked\n- Paris\n  - hotel is booked\n"},
	} {
		_, _, gone := namesOf(c.text).placesOf(c.content)
		if diff := cmp.Diff(c.want, without(c.content, gone)); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
}

// A nested item is found under the identity that it has there, and goes alone.
func TestWithoutNested(t *testing.T) {
	t.Parallel()
	content := "- Rome\n  - hotel is booked\n  - flight is booked\n- Paris\n  - hotel is booked\n"
	n := names{}
	n.add(memory.EntryIDUnder(memory.EntryIDOf("- Paris"), "hotel is booked"), nil)
	_, _, gone := n.placesOf(content)
	if diff := cmp.Diff("- Rome\n  - hotel is booked\n  - flight is booked\n- Paris\n", without(content, gone)); diff != "" {
		t.Error(diff)
	}
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
		entries, found, _ := namesOf(c.text).placesOf(c.content)
		if len(found) != 1 {
			if c.ok {
				t.Errorf("%s: found %v", name, found)
			}
			continue
		}
		got, ok := rewritten(c.content, entries, found[0], c.put)
		if diff := cmp.Diff(c.want, got); diff != "" || ok != c.ok {
			t.Errorf("%s: %v\n%s", name, ok, diff)
		}
	}
}

// What is confirmed is a person's line from then on, whoever had written it.
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
		entries, found, _ := namesOf("One", "One more").placesOf(c.content)
		if len(found) != 1 {
			t.Fatalf("%s: found %v", name, found)
		}
		got := owned(c.content, c.person, entries, found[0])
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
		if c.want == c.content {
			continue
		}
		person := personLines(c.content, c.person, memory.Version{Content: got, Author: memory.Author{Kind: memory.AuthorUser}})
		entries, found, _ = namesOf("One", "One more").placesOf(got)
		line := strings.Split(got, "\n")[entries[found[0]].FromLine-1]
		if !slices.Contains(person, line) {
			t.Errorf("%s: %q is not among a person's lines %q", name, line, person)
		}
	}
}

func TestWithConfirmed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, want string }{
		"nothing":               {"", "# Memory\n\n## Confirmed\n\n- x\n"},
		"no section":            {"# Memory\n\n- a\n", "# Memory\n\n- a\n\n## Confirmed\n\n- x\n"},
		"no break at the end":   {"# Memory\n\n- a", "# Memory\n\n- a\n\n## Confirmed\n\n- x\n"},
		"a section":             {"# Memory\n\n## Confirmed\n\n- a\n\n## More\n\n- b\n", "# Memory\n\n## Confirmed\n\n- a\n- x\n\n## More\n\n- b\n"},
		"a section at the end":  {"# Memory\n\n## Confirmed\n\n- a", "# Memory\n\n## Confirmed\n\n- a\n- x\n"},
		"an empty section":      {"## Confirmed\n\n## More\n", "## Confirmed\n\n- x\n\n## More\n"},
		"text without headings": {"a\n", "a\n\n## Confirmed\n\n- x\n"},
	} {
		if diff := cmp.Diff(c.want, withConfirmed(c.content, "x")); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
}

func TestProtectedLines(t *testing.T) {
	t.Parallel()
	content := "# M\n\n- mine\n- confirmed <!-- n -->\n- another\n- alias\r\n- open\n"
	got := protectedLines(content, []string{"- mine"}, []dream.State{
		{ID: memory.EntryIDOf("- confirmed"), Status: dream.Confirmed},
		{ID: "x", Aliases: []memory.EntryID{memory.EntryIDOf("- alias")}, Status: dream.Confirmed},
		{ID: memory.EntryIDOf("- open"), Status: dream.Promoted},
		{ID: memory.EntryIDOf("- mine"), Status: dream.Confirmed},
	})
	if diff := cmp.Diff([]string{"- mine", "- confirmed <!-- n -->", "- alias"}, got); diff != "" {
		t.Error(diff)
	}
}

// Exactly the statement goes, with what stands under it: everything else says what it said, in its order.
func TestWithoutKeepsTheRest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.OneOf(
			rapid.Map(rapid.SampledFrom([]string{"tea", "coffee", "Tea.", "rain", "**tea**"}), func(s string) string { return "- " + s }),
			rapid.Map(rapid.SampledFrom([]string{"tea", "cake", "x"}), func(s string) string { return "  - " + s }),
			rapid.SampledFrom([]string{"", "", "## Head", "tea", "a paragraph", "> tea", "| a | b |", "|---|---|", "| tea | c |", "```", "    code", "1. tea", "* * *", "- ", "<!-- tea -->"}),
		)
		content := strings.Join(rapid.SliceOfN(line, 0, 14).Draw(t, "lines"), "\n")
		n := namesOf("tea")
		entries, found, gone := n.placesOf(content)
		got := without(content, gone)
		var want []memory.EntryAt
		for i, e := range entries {
			if !slices.ContainsFunc(found, func(at int) bool { return isUnder(entries, i, at) }) {
				want = append(want, e)
			}
		}
		texts := func(entries []memory.EntryAt) (texts []string) {
			for _, e := range entries {
				texts = append(texts, e.Text)
			}
			return texts
		}
		if diff := cmp.Diff(texts(want), texts(memory.EntriesOf(got))); diff != "" {
			t.Fatalf("%q becomes %q\n%s", content, got, diff)
		}
	})
}
