package memory

import (
	"slices"
	"strings"
	"testing"

	"reverie/memory/markdown"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWithholdForgotten(t *testing.T) {
	t.Parallel()
	forgotten := func(e markdown.Entry) bool { return strings.Contains(e.Text, "gin") }
	for name, c := range map[string]struct {
		before, after string
		exists        bool
		want          Withheld
	}{
		"nothing forgotten":      {"- tea\n", "- tea\n- coffee\n", true, Withheld{Content: "- tea\n- coffee\n"}},
		"one of two":             {"- tea\n", "- tea\n- gin\n- coffee\n", true, Withheld{Content: "- tea\n- coffee\n", Any: true}},
		"with what is under it":  {"- tea\n", "- tea\n- gin\n  - dry\n- coffee\n", true, Withheld{Content: "- tea\n- coffee\n", Any: true}},
		"all that is added":      {"- tea\n", "- tea\n\n## Drinks\n\n- gin\n", true, Withheld{Content: "- tea\n", Any: true, All: true}},
		"all, and one goes":      {"- tea\n- milk\n", "- tea\n- gin\n", true, Withheld{Content: "- tea\n", Any: true, All: true}},
		"in the document before": {"- gin\n", "- gin\n- tea\n", true, Withheld{Content: "- gin\n- tea\n"}},
		"new document":           {"", "# Note\n\n- gin\n", false, Withheld{Content: "# Note\n\n", Any: true, All: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := WithholdForgotten(c.before, c.exists, c.after, forgotten); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// setOf is the set of texts as list items.
func setOf(texts ...string) EntrySet {
	s := EntrySet{}
	s.Add("", nil, texts...)
	return s
}

func TestWithoutStatement(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, text, want string }{
		"an item":                    {"# M\n\n- one\n- two\n- three\n", "two", "# M\n\n- one\n- three\n"},
		"with its comment":           {"- one\n- Two. <!-- memory/2026-01-28.md:4 score 0.81 -->\n", "two", "- one\n"},
		"a broken line":              {"- one\n- two and\n  a half\n- three\n", "two and a half", "- one\n- three\n"},
		"what stands under it goes":  {"- one\n  - under one\n  - more\n- two\n", "one", "- two\n"},
		"its parent stays":           {"- one\n  - under one\n- two\n", "two", "- one\n  - under one\n"},
		"every place":                {"- one\n\n## Again\n\n* ONE\n- two\n", "one", "\n## Again\n\n- two\n"},
		"a paragraph":                {"# M\n\nHe likes tea.\nA lot.\n\nMore.\n", "He likes tea. A lot.", "# M\n\n\nMore.\n"},
		"a row":                      {"| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", "", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"},
		"a table without rows":       {"| a | b |\n|---|---|\n\nx\n", "a | b", "\nx\n"},
		"the last line has no break": {"- one\n- two", "two", "- one\n"},
		"a nested item of another item": {
			"- Rome\n  - hotel is booked\n- Paris\n  - hotel is booked\n", "hotel is booked",
			"- Rome\n  - hotel is booked\n- Paris\n  - hotel is booked\n",
		},
	} {
		_, _, gone := setOf(c.text).Find(c.content)
		if diff := cmp.Diff(c.want, WithoutLines(c.content, gone)); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
}

// A nested item is found under the identity that it has there, and goes alone.
func TestWithoutNested(t *testing.T) {
	t.Parallel()
	content := "- Rome\n  - hotel is booked\n  - flight is booked\n- Paris\n  - hotel is booked\n"
	n := EntrySet{}
	n.Add(markdown.EntryIDUnder(markdown.EntryIDOf("- Paris"), "hotel is booked"), nil)
	_, _, gone := n.Find(content)
	if diff := cmp.Diff("- Rome\n  - hotel is booked\n  - flight is booked\n- Paris\n", WithoutLines(content, gone)); diff != "" {
		t.Error(diff)
	}
}

// Only the statement and its nested lines are removed; all other lines keep their text and order.
func TestWithoutKeepsTheRest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.OneOf(
			rapid.Map(rapid.SampledFrom([]string{"tea", "coffee", "Tea.", "rain", "**tea**"}), func(s string) string { return "- " + s }),
			rapid.Map(rapid.SampledFrom([]string{"tea", "cake", "x"}), func(s string) string { return "  - " + s }),
			rapid.SampledFrom([]string{
				"", "", "## Head", "tea", "a paragraph", "> tea", "| a | b |", "|---|---|", "| tea | c |", "```", "    code",
				"1. tea", "* * *", "- ", "<!-- tea -->",
			}),
		)
		content := strings.Join(rapid.SliceOfN(line, 0, 14).Draw(t, "lines"), "\n")
		n := setOf("tea")
		entries, found, gone := n.Find(content)
		got := WithoutLines(content, gone)
		var want []markdown.Entry
		for i, e := range entries {
			if !slices.ContainsFunc(found, func(at int) bool { return isUnder(entries, i, at) }) {
				want = append(want, e)
			}
		}
		texts := func(entries []markdown.Entry) (texts []string) {
			for _, e := range entries {
				texts = append(texts, e.Text)
			}
			return texts
		}
		if diff := cmp.Diff(texts(want), texts(markdown.EntriesOf(got))); diff != "" {
			t.Fatalf("%q becomes %q\n%s", content, got, diff)
		}
	})
}
