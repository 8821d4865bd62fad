package markdown

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A patch never conflicts, keeps what theirs has unless ours took it away, and adds every top-level line of ours.
func TestPatch3(t *testing.T) {
	line := rapid.SampledFrom([]string{"# A", "## B", "- a", "- b", "- c", "- d", "  - e", "text", ""})
	document := rapid.Custom(func(t *rapid.T) string {
		text := ""
		for _, l := range rapid.SliceOfN(line, 0, 10).Draw(t, "lines") {
			text += l + "\n"
		}
		return text
	})
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := document.Draw(t, "base"), document.Draw(t, "ours"), document.Draw(t, "theirs")
		got := Patch3(base, ours, theirs)
		if merged, conflicts := Merge3(base, ours, theirs); len(conflicts) == 0 && mergeLines(merged) != nil &&
			!slices.Equal(mergeLines(got), mergeLines(merged)) {
			t.Fatalf("Patch3(%q, %q, %q) is %q, merged %q", base, ours, theirs, got, merged)
		}
		lines := mergeLines(got)
		for _, l := range mergeLines(theirs) {
			if l != "" && !slices.Contains(mergeLines(base), l) && !slices.Contains(lines, l) {
				t.Fatalf("Patch3(%q, %q, %q) is %q without %q of theirs", base, ours, theirs, got, l)
			}
		}
		for _, l := range mergeLines(ours) {
			if l != "" && indentOf(l) == 0 && !slices.Contains(mergeLines(base), l) && !slices.Contains(lines, l) {
				t.Fatalf("Patch3(%q, %q, %q) is %q without %q of ours", base, ours, theirs, got, l)
			}
		}
	})
}
