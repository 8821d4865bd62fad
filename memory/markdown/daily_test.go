package markdown

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestDailyEntry(t *testing.T) {
	now := time.Date(2026, 1, 31, 9, 5, 0, 0, time.UTC)
	for _, c := range []struct{ name, entry, want string }{
		{"in form", "## 14:05 New city\n\n- Moved to Lisbon\n", "## 14:05 New city\n\n- Moved to Lisbon\n"},
		{"short hour", "## 9:05 New city\n- Moved", "## 09:05 New city\n\n- Moved\n"},
		{"seconds and a dash", "## 14:05:59 - New city\n- Moved", "## 14:05 New city\n\n- Moved\n"},
		{"time alone", "## 14:05\n- Moved", "## 14:05\n\n- Moved\n"},
		{"no time", "## New city\n- Moved", "## 09:05 New city\n\n- Moved\n"},
		{"no heading", "- Moved to Lisbon", "## 09:05\n\n- Moved to Lisbon\n"},
		{"another level", "### 14:05 New city\n- Moved", "## 14:05 New city\n\n- Moved\n"},
		{"the note's title", "# 2026-01-31\n\n## 14:05 New city\n- Moved", "## 14:05 New city\n\n- Moved\n"},
		{"a title", "# New city\n\n- Moved", "## 09:05 New city\n\n- Moved\n"},
		{"more headings", "## 14:05 A\n- a\n\n# B\n- b\n#### C\n- c", "## 14:05 A\n\n- a\n\n### B\n- b\n###### C\n- c\n"},
		{"text in front of a heading", "- a\n## 14:05 B\n- b", "## 09:05\n\n- a\n### 14:05 B\n- b\n"},
		{"headings in code", "## 14:05 A\n```\n# x\n```", "## 14:05 A\n\n```\n# x\n```\n"},
		{
			"a long heading", "## 14:05 " + strings.Repeat("many ", 7) + "words\n- a",
			"## 14:05\n\n" + strings.Repeat("many ", 7) + "words\n\n- a\n",
		},
		{"a heading of 30", "## 14:05 " + strings.Repeat("x", 24) + "\n- a", "## 14:05 " + strings.Repeat("x", 24) + "\n\n- a\n"},
		{"a heading of 31", "## 14:05 " + strings.Repeat("x", 25) + "\n- a", "## 14:05\n\n" + strings.Repeat("x", 25) + "\n\n- a\n"},
		{"Chinese", "## 14：05 搬家\n- 搬到里斯本", "## 14:05 搬家\n\n- 搬到里斯本\n"},
		{"fenced", "```markdown\n## 14:05 A\n- a\n```", "## 14:05 A\n\n- a\n"},
		{"no time of day", "## 25:99 A\n- a", "## 09:05 25:99 A\n\n- a\n"},
		{"only a title", "## 14:05 Moved to Lisbon", "## 14:05 Moved to Lisbon\n"},
		{"Windows line breaks", "## 14:05 A\r\n- a\r\n", "## 14:05 A\n\n- a\n"},
		{"blank", " \n\n", ""},
		{"only a time", "## 14:05\n\n---\n", ""},
		{"only the note's title", "# 2026-01-31\n", ""},
	} {
		if got := DailyEntry(c.entry, now); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDailyEntryProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"# 2026-01-31", "## 14:05 A", "# B", "- c", "", "```", "text", "## " + strings.Repeat("x", 40), "###### y", "---", "~~~", "## 9:07",
		}), 0, 10).Draw(t, "lines"), "\n")
		got := DailyEntry(entry, time.Date(2026, 1, 31, 9, 5, 0, 0, time.UTC))
		if got == "" {
			return
		}
		for i, h := range headingsFrom(Lines(got), 0) {
			if (i == 0) != (h.level == 2) {
				t.Fatalf("%q becomes %q", entry, got)
			}
		}
		first, _, _ := strings.Cut(got, "\n")
		if !strings.HasPrefix(first, "## ") || utf8.RuneCountInString(strings.TrimPrefix(first, "## ")) > MaxDailyHeading ||
			!strings.HasSuffix(got, "\n") || strings.HasSuffix(got, "\n\n") {
			t.Fatalf("%q becomes %q", entry, got)
		}
		if again := DailyEntry(got, time.Time{}); again != got {
			t.Fatalf("%q becomes %q and then %q", entry, got, again)
		}
	})
}
