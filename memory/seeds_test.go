package memory

import (
	"slices"
	"strings"
	"testing"

	"reverie/memory/markdown"
	"reverie/memory/tokencount"
	"reverie/scan"
)

func TestSeeds(t *testing.T) {
	seeds := Seeds()
	var paths []string
	for i, s := range seeds {
		paths = append(paths, s.Path)
		if s.SortOrder != i {
			t.Errorf("%s has the sort order %d", s.Path, s.SortOrder)
		}
		if path, err := ParsePath(s.Path); err != nil || path != s.Path {
			t.Errorf("%s: %v", s.Path, err)
		}
		if err := ValidContent(s.Content); err != nil || !strings.HasSuffix(s.Content, "\n") || strings.Contains(s.Content, "\r") {
			t.Errorf("%s: %v, %q", s.Path, err, s.Content)
		}
		if r := scan.Scan(s.Content); r.Verdict != scan.VerdictAllow {
			t.Errorf("%s: %v", s.Path, r.Findings)
		}
		if n := tokencount.Estimate(s.Content); n > 500 {
			t.Errorf("%s costs %d tokens in every turn", s.Path, n)
		}
	}
	if !slices.Equal(paths, []string{AgentsPath, SoulPath, ProfilePath, MemoryPath}) {
		t.Errorf("the seeds are %v", paths)
	}
}

// The engine and the prompts write under these headings.
func TestSeedsHaveTheHeadings(t *testing.T) {
	for path, want := range map[string][]string{
		ProfilePath: {"Profile", "Identity", "Preferences", "Background"},
		MemoryPath:  {"Memory", "Decisions", "Facts", "Tasks", "Dates", "Remembered"},
	} {
		for _, s := range Seeds() {
			if s.Path != path {
				continue
			}
			var got []string
			for _, section := range markdown.Sections(s.Content) {
				got = append(got, section.Heading)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s has the headings %v, want %v", path, got, want)
			}
		}
	}
}
