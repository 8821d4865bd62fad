package markdown_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reverie/memory/markdown"
)

func statements(edits []markdown.Edit) (out []string) {
	for _, e := range edits {
		if !e.IsFrame() {
			out = append(out, strings.Join(e.Removed, "\n")+" => "+strings.Join(e.Added, "\n"))
		}
	}
	return out
}

func TestEdits(t *testing.T) {
	t.Parallel()
	const before = "# Memory\n\n## Food\n- likes tea\n- hates fish\n\n## Home\n- lives in Rome\n"
	for name, c := range map[string]struct {
		before, after string
		want          []string
		accept        []int // of the statements
		result        string
	}{
		"an added line": {
			before, strings.Replace(before, "- hates fish\n", "- hates fish\n- likes figs\n- likes plums\n", 1),
			[]string{" => - likes figs", " => - likes plums"},
			[]int{1},
			strings.Replace(before, "- hates fish\n", "- hates fish\n- likes plums\n", 1),
		},
		"a replaced and a removed line": {
			before, "# Memory\n\n## Food\n- likes coffee\n- hates fish\n\n## Home\n",
			[]string{"- likes tea => - likes coffee", "- lives in Rome => "},
			[]int{0},
			strings.Replace(before, "tea", "coffee", 1),
		},
		"a section goes with its last statement": {
			before, "# Memory\n\n## Home\n- lives in Rome\n",
			[]string{"- likes tea => ", "- hates fish => "},
			[]int{0},
			strings.Replace(before, "- likes tea\n", "", 1),
		},
		"a heading comes with the first statement under it": {
			before, before + "\n## Work\n- is a nurse\n- works nights\n",
			[]string{" => - is a nurse", " => - works nights"},
			[]int{1},
			before + "\n## Work\n- works nights\n",
		},
		"a nested item belongs to the new item above": {
			before, before + "- moved\n  - in May\n",
			[]string{" => - moved\n  - in May"},
			[]int{0},
			before + "- moved\n  - in May\n",
		},
		"a renamed heading": {
			before, strings.Replace(before, "## Food", "## Eating", 1),
			[]string{"## Food => ## Eating"},
			nil, before,
		},
		"white space": {before, strings.Replace(before, "\n\n## Home", "\n\n\n## Home", 1), nil, nil, before},
		"a new document": {
			"", "# 2026-11-23\n\n## 10:00\n\n- is a nurse\n",
			[]string{" => - is a nurse"},
			[]int{0},
			"# 2026-11-23\n\n## 10:00\n\n- is a nurse\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edits := markdown.Edits(c.before, c.after)
			if got := statements(edits); !slices.Equal(got, c.want) {
				t.Fatalf("edits %q, want %q", got, c.want)
			}
			var numbers []int
			for i, e := range edits {
				if !e.IsFrame() {
					numbers = append(numbers, i)
				}
			}
			accepted := map[int]bool{}
			for _, n := range c.accept {
				accepted[numbers[n]] = true
			}
			if got := markdown.ApplyEdits(c.before, edits, func(i int) bool { return accepted[i] }); got != c.result {
				t.Errorf("result:\n%s\nwant:\n%s", got, c.result)
			}
		})
	}
}

// All edits make the later text, and none leaves the earlier one.
func TestEditsMakeTheWholeDifference(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{
		"", "# A", "## B", "## C", "- one", "- two", "  - nested", "- three", "text", "more text", "| a | b |", "|---|---|", "> quoted", "```",
	})
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(append(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), "- end", ""), "\n")
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		edits := markdown.Edits(before, after)
		if got := markdown.ApplyEdits(before, edits, func(int) bool { return false }); got != before {
			t.Fatalf("none accepted:\n%q\nwant\n%q", got, before)
		}
		if got := markdown.ApplyEdits(before, edits, func(int) bool { return true }); len(edits) > 0 && got != after {
			t.Fatalf("all accepted:\n%q\nwant\n%q", got, after)
		}
	})
}
