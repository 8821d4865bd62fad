package memory

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
