package memory

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSections(t *testing.T) {
	doc := strings.Join([]string{
		"---", "# no heading", "---", "intro", "# Title #", "", "## Facts ##  ", "- a", "```md", "## in code", "~~~", "```", "    # indented", "\t# tab",
		"#hashtag", "####### seven", "~~~~", "# in code", "~~~", "~~~~", "   ### C# #", "#", "- b",
	}, "\n")
	want := []Section{
		{Lines: []string{"---", "# no heading", "---", "intro"}},
		{Heading: "Title", Level: 1, Lines: []string{""}},
		{Heading: "Facts", Level: 2, Lines: []string{
			"- a", "```md", "## in code", "~~~", "```", "    # indented", "\t# tab", "#hashtag", "####### seven", "~~~~", "# in code", "~~~", "~~~~",
		}},
		{Heading: "C#", Level: 3, Lines: []string{}},
		{Heading: "", Level: 1, Lines: []string{"- b"}},
	}
	if diff := cmp.Diff(want, Sections(doc)); diff != "" {
		t.Error(diff)
	}
	if got := Sections(""); got != nil {
		t.Errorf("an empty document has the sections %v", got)
	}
	if got := Sections("```\n# never closed\n"); len(got) != 1 {
		t.Errorf("code that is not closed has the sections %v", got)
	}
}

func TestInsertUnderHeading(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"new document", "# Memory\n", "# Memory\n\n## Facts\n\n- new\n"},
		{"nothing at all", "", "## Facts\n\n- new\n"},
		{"no last line break", "# Memory", "# Memory\n\n## Facts\n\n- new\n"},
		{"last section", "# M\n\n## Facts\n\n- a\n", "# M\n\n## Facts\n\n- a\n- new\n"},
		{"section in the middle", "## Facts\n\n- a\n\n## Tasks\n\n- b\n", "## Facts\n\n- a\n- new\n\n## Tasks\n\n- b\n"},
		{"empty section", "## Facts\n\n## Tasks\n", "## Facts\n\n- new\n\n## Tasks\n"},
		{"empty section without blank line", "## Facts\n## Tasks\n", "## Facts\n\n- new\n\n## Tasks\n"},
		{"case", "## FACTS\n- a\n", "## FACTS\n- a\n- new\n"},
		{"heading in code", "```\n## Facts\n```\n", "```\n## Facts\n```\n\n## Facts\n\n- new\n"},
		{"longer heading", "## Facts and more\n- a\n", "## Facts and more\n- a\n\n## Facts\n\n- new\n"},
		{"Windows line breaks", "## Facts\r\n- a\r\n", "## Facts\r\n- a\r\n- new\r\n"},
		{"blank lines at the end", "## Facts\n- a\n\n\n", "## Facts\n- a\n- new\n\n\n"},
	} {
		if got := InsertUnderHeading(c.doc, "Facts", "- new"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestInsertUnderHeadingKeepsTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"# M", "## Facts", "## Tasks", "- a", "", "```", "text"}), 0, 15).Draw(t, "lines")
		doc := strings.Join(lines, "\n")
		got := InsertUnderHeading(doc, "Facts", "- new")
		added, removed := DiffStat(doc+"\n", got)
		if removed > 0 && strings.TrimSpace(doc) != "" && !strings.HasSuffix(doc, "\n") || added < 1 {
			t.Fatalf("%q becomes %q", doc, got)
		}
		under := slices.IndexFunc(Sections(got), func(s Section) bool { return s.Heading == "Facts" && slices.Contains(s.Lines, "- new") })
		if under < 0 && !strings.Contains(doc, "```") {
			t.Fatalf("%q becomes %q", doc, got)
		}
		if rest, ok := RemoveLine(got, "- new"); !ok || !slices.Equal(nonBlank(rest), nonBlankOr(doc, rest)) {
			t.Fatalf("%q becomes %q", doc, got)
		}
	})
}

func nonBlank(doc string) []string {
	return slices.DeleteFunc(lineTexts(doc), func(s string) bool { return s == "" })
}

// nonBlankOr are the lines of doc, with the heading that was made for the new line if there is one.
func nonBlankOr(doc, rest string) []string {
	lines := nonBlank(doc)
	if made := nonBlank(rest); len(made) == len(lines)+1 && made[len(lines)] == "## Facts" {
		return made
	}
	return lines
}

func TestReplaceAndRemoveLine(t *testing.T) {
	const doc = "# M\r\n\r\n- a  b\r\n- c"
	for _, c := range []struct {
		line, want string
		found      bool
	}{
		{"* a b", "# M\r\n\r\n- x\r\n- c", true},
		{"- c", "# M\r\n\r\n- a  b\r\n- x", true},
		{"- d", doc, false},
		{"", doc, false},
	} {
		if got, found := ReplaceLine(doc, c.line, "- x"); got != c.want || found != c.found {
			t.Errorf("replacing %q: %q, %v", c.line, got, found)
		}
	}
	if got, found := RemoveLine(doc, "a b"); got != "# M\r\n\r\n- c" || !found {
		t.Errorf("removing: %q, %v", got, found)
	}
}
