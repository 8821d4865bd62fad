package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSections(t *testing.T) {
	doc := strings.Join([]string{
		"---", "# no heading", "---", "intro", "# Title #", "", "## Facts ##  ", "- a", "```md", "## in code", "~~~", "```",
		"    # indented", "\t# tab",
		"#hashtag", "####### seven", "~~~~", "# in code", "~~~", "~~~~", "   ### C# #", "#", "- b",
	}, "\n")
	want := []Section{
		{Lines: []string{"---", "# no heading", "---", "intro"}},
		{Heading: "Title", Level: 1, Lines: []string{""}},
		{Heading: "Facts", Level: 2, Lines: []string{
			"- a", "```md", "## in code", "~~~", "```", "    # indented", "\t# tab", "#hashtag", "####### seven", "~~~~", "# in code",
			"~~~", "~~~~",
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

func TestSectionEnd(t *testing.T) {
	facts := func(s Section) bool { return s.Level == 2 && s.Heading == "Facts" }
	for doc, want := range map[string]int{
		"":                                   0,
		"# Title\n\n## Other\n- a\n":         0,
		"intro\n\n## Facts\n":                3,
		"# Title\n\n## Facts\n\n- a\n\n":     5,
		"## Facts\n- a\n\n- b\n\n## Facts\n": 4,
	} {
		if got := SectionEnd(doc, facts); got != want {
			t.Errorf("%q: %d, want %d", doc, got, want)
		}
	}
}
