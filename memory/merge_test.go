package memory

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func lineTextGen() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "- x", "- y", "## H", "z\r"}), 0, 12).Draw(t, "lines")
		s := strings.Join(lines, "\n")
		if rapid.Bool().Draw(t, "end") && s != "" {
			s += "\n"
		}
		return s
	})
}

func TestMergeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, o, th := lineTextGen().Draw(t, "base"), lineTextGen().Draw(t, "ours"), lineTextGen().Draw(t, "theirs")
		is := func(name, ours, theirs, want string) {
			got, conflicts := Merge3(b, ours, theirs)
			if got != want || len(conflicts) > 0 {
				t.Fatalf("%s: Merge3(%q, %q, %q) is %q with conflicts %v, want %q", name, b, ours, theirs, got, conflicts, want)
			}
		}
		is("only theirs", b, th, th)
		is("only ours", o, b, o)
		is("the same", o, o, o)
		one, c1 := Merge3(b, o, th)
		two, c2 := Merge3(b, th, o)
		if len(c1) != len(c2) || one != two {
			t.Fatalf("not symmetric: %q %v and %q %v", one, c1, two, c2)
		}
		for _, line := range mergeLines(one) {
			if !slices.Contains(mergeLines(o), line) && !slices.Contains(mergeLines(th), line) {
				t.Fatalf("line %q is in neither side", line)
			}
		}
		for i, c := range c1 {
			if c.Ours != c2[i].Theirs || c.Theirs != c2[i].Ours || c.Base != c2[i].Base {
				t.Fatalf("conflicts differ: %v and %v", c, c2[i])
			}
			if c.Ours.Text == c.Theirs.Text {
				t.Fatalf("both sides of a conflict are %q", c.Ours.Text)
			}
		}
	})
}
