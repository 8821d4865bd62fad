package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestReplaceEntries(t *testing.T) {
	t.Parallel()
	const a, b = "## 09:00 A\n\n- one\n- two\n", "## 10:00 B\n\n- three\n"
	const note = "# 2026-11-21\n\n## 08:00\n\n- before\n\n" + a + "\n- a person's\n\n" + b + "\n## 11:00\n\n- behind\n"
	for name, c := range map[string]struct {
		note    string
		entries []string
		with    string
		want    string // empty: it is refused
	}{
		"the first by a text": {
			note,
			[]string{a},
			"## 09:05 New\n\n- 1\n",
			"# 2026-11-21\n\n## 08:00\n\n- before\n\n## 09:05 New\n\n- 1\n\n- a person's\n\n" + b + "\n## 11:00\n\n- behind\n",
		},
		"two by a text": {
			note,
			[]string{a, b},
			"- 1\n\n",
			"# 2026-11-21\n\n## 08:00\n\n- before\n\n- 1\n\n- a person's\n\n## 11:00\n\n- behind\n",
		},
		"two by nothing":      {note, []string{a, b}, "", "# 2026-11-21\n\n## 08:00\n\n- before\n\n- a person's\n\n## 11:00\n\n- behind\n"},
		"at the end":          {"# t\n\n" + a, []string{a}, "", "# t\n"},
		"at the end, by one":  {"# t\n\n" + strings.TrimSpace(a), []string{a}, "- x", "# t\n\n- x\n"},
		"the whole note":      {a, []string{a}, "- x\n", "- x\n"},
		"CRLF in the note":    {"# t\r\n\r\n- a\r\n- b\r\n\r\n- c\r\n", []string{"- a\n- b\n"}, "- x\n", "# t\r\n\r\n- x\n\r\n- c\n"},
		"a line added behind": {"# t\n\n- a\n- mine\n", []string{"- a\n"}, "- x\n", "# t\n\n- x\n- mine\n"},
		"twice the same":      {"- a\n\n- a\n", []string{"- a\n", "- a\n"}, "- x\n", "- x\n"},
		"an edited line":      {strings.Replace(note, "- two", "- too", 1), []string{a}, "- x\n", ""},
		"a line in between":   {strings.Replace(note, "- two", "- mine\n- two", 1), []string{a}, "- x\n", ""},
		"one of two edited":   {strings.Replace(note, "- three", "- 3", 1), []string{a, b}, "- x\n", ""},
		"in another order":    {note, []string{b, a}, "- x\n", ""},
		"a part of a line":    {"- a and b\n", []string{"- a"}, "- x\n", ""},
		"no entries":          {note, nil, "- x\n", ""},
		"an empty entry":      {note, []string{"\n"}, "- x\n", ""},
		"an empty note":       {"", []string{a}, "- x\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := ReplaceEntries(c.note, c.entries, c.with)
			if diff := cmp.Diff(c.want, got); diff != "" || ok != (c.want != "") {
				t.Errorf("replaced %v (-want +got):\n%s", ok, diff)
			}
		})
	}
}

// The other lines of a note stay, and the new text occurs once.
func TestReplaceEntriesKeepsTheRest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`(- )?[a-z ]{1,8}`)
		var note strings.Builder
		var entries, rest []string
		for i := range rapid.IntRange(1, 8).Draw(t, "pieces") {
			piece := rapid.SliceOfN(line, 1, 3).Draw(t, "piece")
			mark := string(rune('A' + i))
			text := "## " + mark + "\n" + mark + strings.Join(piece, "\n"+mark) + "\n"
			if rapid.Bool().Draw(t, "entry") {
				entries = append(entries, text)
			} else {
				rest = append(rest, text)
			}
			note.WriteString(text + "\n")
		}
		got, ok := ReplaceEntries(note.String(), entries, "- THE NEW\n")
		if ok != (len(entries) > 0) {
			t.Fatalf("replaced %v of %d entries", ok, len(entries))
		}
		if !ok {
			return
		}
		if n := strings.Count(got, "- THE NEW\n"); n != 1 {
			t.Fatalf("the new text stands %d times in %q", n, got)
		}
		at := 0
		for _, text := range rest {
			found := strings.Index(got[at:], text)
			if found < 0 {
				t.Fatalf("%q is gone from %q", text, got)
			}
			at += found + len(text)
		}
		for _, text := range entries {
			if strings.Contains(got, text) {
				t.Fatalf("%q is still in %q", text, got)
			}
		}
	})
}
