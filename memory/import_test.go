package memory

import (
	"slices"
	"strings"
	"testing"

	"reverie/memory/markdown"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMergeImported(t *testing.T) {
	for name, c := range map[string]struct{ current, incoming, want string }{
		"the same": {"# M\n\n- tea\n", "# Memory\n\n* tea\n", "# M\n\n- tea\n"},
		"some of it": {
			"# M\n\n- tea\n", "# Memory\n\n## Drinks\n\n- tea\n- rum\n\n## Food\n\n- cake\n",
			"# M\n\n- tea\n\n## Imported from mem0\n\n### Memory\n\n#### Drinks\n\n- rum\n\n#### Food\n\n- cake\n",
		},
		"headings alone": {"- tea\n", "# Memory\n\n## Drinks\n", "- tea\n"},
		"an item under another one": {
			"- Ada\n- Bob\n", "- Ada\n  - likes tea\n- Bob\n", "- Ada\n- Bob\n\n## Imported from mem0\n\n- Ada\n  - likes tea\n",
		},
		"two items under one that stands apart": {
			"- Ada\n", "  - Ada\n    - likes tea\n    - likes rum\n",
			"- Ada\n\n## Imported from mem0\n\n- Ada\n  - likes tea\n  - likes rum\n",
		},
		"a table": {
			"| a | b |\n|---|---|\n| 1 | 2 |\n", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
			"| a | b |\n|---|---|\n| 1 | 2 |\n\n## Imported from mem0\n\n| a | b |\n|---|---|\n| 3 | 4 |\n",
		},
		"code": {
			"x\n", "y\n\n```\n# no heading\n\nz\n```\n",
			"x\n\n## Imported from mem0\n\ny\n\n```\n# no heading\n\nz\n```\n",
		},
		"into an empty one": {"", "- tea\n", "## Imported from mem0\n\n- tea\n"},
		"a rule in front": {
			"---\n\n- tea\n", "x\n\n```\nz\n---\n```\n", "---\n\n- tea\n\n## Imported from mem0\n\nx\n\n```\nz\n--- \n```\n",
		},
		"line breaks": {"- tea\r\n", "- rum\r\n- tea\r\n", "- tea\n\n## Imported from mem0\n\n- rum\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, MergeImported(c.current, c.incoming, "mem0")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The merged document has all statements of both, existing text is unchanged, and a second merge changes nothing.
func TestMergeImportedLosesNothing(t *testing.T) {
	line := rapid.SampledFrom([]string{
		"# A", "## B", "### C", "- tea", "- rum", "  - deep", "    - deeper", "* cake", "1. one", "text", "more text", "", "", "> said",
		"| a | b |", "|---|---|", "| 1 | 2 |", "```", "- [x] done", "- [ ] open", "---",
	})
	document := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 0, 20).Draw(t, "lines"), "\n") + "\n"
	})
	rapid.Check(t, func(t *rapid.T) {
		current, incoming := document.Draw(t, "current"), document.Draw(t, "incoming")
		got := MergeImported(current, incoming, "mem0")
		if !strings.HasPrefix(got, strings.TrimRight(current, "\r\n")) {
			t.Fatalf("what was there is not there any more:\n%s", got)
		}
		said := map[string]bool{}
		for _, e := range markdown.EntriesOf(got) {
			said[e.Text] = true
		}
		for _, e := range slices.Concat(markdown.EntriesOf(current), markdown.EntriesOf(incoming)) {
			if !said[e.Text] {
				t.Fatalf("%q is lost:\n%s", e.Text, got)
			}
		}
		if again := MergeImported(got, incoming, "mem0"); again != got {
			t.Fatalf("a second time changes it:\n%s", cmp.Diff(got, again))
		}
	})
}

func TestIsSeed(t *testing.T) {
	for _, s := range Seeds() {
		if !IsSeed(s.Path, s.Content) || IsSeed(s.Path, s.Content+"x") || IsSeed("memory/x.md", s.Content) {
			t.Errorf("%s: only its text is a seed", s.Path)
		}
	}
	const earlier = "Who this agent works for: what holds for all of them. What holds for one person stands in that person's own profile."
	if !IsSeed(ProfilePath, "# Profile\n\n"+earlier+"\n\n## Identity\n\n## Preferences\n\n## Background\n") {
		t.Error("what agents of the first release begin with is a seed, too")
	}
	for _, e := range markdown.EntriesOf("# How\n\n- What will not matter next week belongs into the day's note, not into `MEMORY.md`.\n") {
		if !IsSeedEntry(e.ID) {
			t.Errorf("%+v is no knowledge", e)
		}
	}
}
