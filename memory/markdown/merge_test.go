package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMerge3(t *testing.T) {
	const base = "# M\n\n- a\n- b\n- c\n"
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{"other lines", base, "# M\n\n- A\n- b\n- c\n", "# M\n\n- a\n- b\n- C\n", "# M\n\n- A\n- b\n- C\n"},
		{"neighbouring lines", base, "# M\n\n- A\n- b\n- c\n", "# M\n\n- a\n- B\n- c\n", "# M\n\n- A\n- B\n- c\n"},
		{"one adds, one changes", base, base + "- d\n", "# M\n\n- A\n- b\n- c\n", "# M\n\n- A\n- b\n- c\n- d\n"},
		{"one adds behind what the other changes", base, base + "- d\n", "# M\n\n- a\n- b\n- C\n", "# M\n\n- a\n- b\n- C\n- d\n"},
		{"the same edit", base, "# M\n\n- b\n- c\n", "# M\n\n- b\n- c\n", "# M\n\n- b\n- c\n"},
		{"the same edit and another one", base, "# M\n\n- b\n- c\n", "# M\n\n- b\n- C\n", "# M\n\n- b\n- C\n"},
		{"both remove the line", "a\nb\nc\nd\n", "a\nc\nd\n", "a\nc\nD\n", "a\nc\nD\n"},
		{"Windows line breaks stay", "a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n"},
		{"a last line break is added", "a\nb\nc", "a\nb\nc\n", "A\nb\nc", "A\nb\nc\n"},
		{"a last line break is taken away", "a\nb\nc\n", "a\nb\nc", "A\nb\nc\n", "A\nb\nc"},
		{"a line is added where no line break was", "a\nb", "a\nb\nc", "A\nb", "A\nb\nc"},
		{"from nothing", "", "a\n", "", "a\n"},
		{"to nothing", "a\n", "", "a\n", ""},
	} {
		got, conflicts := Merge3(c.base, c.ours, c.theirs)
		if got != c.want || conflicts != nil {
			t.Errorf("%s: %q with conflicts %v, want %q", c.name, got, conflicts, c.want)
		}
	}
}

func TestMerge3Conflicts(t *testing.T) {
	const base = "a\nb\nc\nd\n"
	for _, c := range []struct {
		name, base, ours, theirs string
		want                     []Conflict
	}{
		{"the same line", base, "a\nX\nc\nd\n", "a\nY\nc\nd\n", []Conflict{{Side{2, 2, "b\n"}, Side{2, 2, "X\n"}, Side{2, 2, "Y\n"}}}},
		{"changed and removed", base, "a\nX\nc\nd\n", "a\nc\nd\n", []Conflict{{Side{2, 2, "b\n"}, Side{2, 2, "X\n"}, Side{2, 1, ""}}}},
		{
			"two lines at one place", base, "a\nb\nX\nc\nd\n", "a\nb\nY\nc\nd\n",
			[]Conflict{{Side{3, 2, ""}, Side{3, 3, "X\n"}, Side{3, 3, "Y\n"}}},
		},
		{
			"a line beside a removed one", base, "a\nb\nX\nc\nd\n", "a\nc\nd\n",
			[]Conflict{{Side{2, 2, "b\n"}, Side{2, 3, "b\nX\n"}, Side{2, 1, ""}}},
		},
		{
			"two places", base, "X\nb\nc\nX\n", "Y\nb\nc\nY\n",
			[]Conflict{
				{Side{1, 1, "a\n"}, Side{1, 1, "X\n"}, Side{1, 1, "Y\n"}},
				{Side{4, 4, "d\n"}, Side{4, 4, "X\n"}, Side{4, 4, "Y\n"}},
			},
		},
		{
			"an edit over two of the other side", base, "X\nY\nZ\nd\n", "Y\nb\nY\nd\n",
			[]Conflict{{Side{1, 3, "a\nb\nc\n"}, Side{1, 3, "X\nY\nZ\n"}, Side{1, 3, "Y\nb\nY\n"}}},
		},
		{
			"behind an insertion of either side", base, "1\na\nb\nX\nd\n", "a\nb\nY\n2\nd\n",
			[]Conflict{{Side{3, 3, "c\n"}, Side{4, 4, "X\n"}, Side{3, 4, "Y\n2\n"}}},
		},
		{"created twice", "", "a\n", "b\n", []Conflict{{Side{1, 0, ""}, Side{1, 1, "a\n"}, Side{1, 1, "b\n"}}}},
	} {
		got, conflicts := Merge3(c.base, c.ours, c.theirs)
		if diff := cmp.Diff(c.want, conflicts); diff != "" || got != "" {
			t.Errorf("%s: %q, %s", c.name, got, diff)
		}
	}
}

func TestMerge3Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkMerge(t, documents().Draw(t, "base"), documents().Draw(t, "ours"), documents().Draw(t, "theirs"))
	})
}

func FuzzMerge3(f *testing.F) {
	f.Add("a\nb\n", "a\nB\n", "A\nb\n")
	f.Add("a\nb", "a\nb\nc", "")
	f.Add("a\r\n\r\n", "a\n", "\r\n\n")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) { checkMerge(t, base, ours, theirs) })
}

func checkMerge(t interface{ Fatalf(string, ...any) }, base, ours, theirs string) {
	is := func(name, o, th, want string) {
		if got, conflicts := Merge3(base, o, th); got != want || len(conflicts) > 0 {
			t.Fatalf("%s: Merge3(%q, %q, %q) is %q with conflicts %v, want %q", name, base, o, th, got, conflicts, want)
		}
	}
	is("only theirs", base, theirs, theirs)
	is("only ours", ours, base, ours)
	is("the same on both sides", ours, ours, ours)
	one, conflicts := Merge3(base, ours, theirs)
	two, mirrored := Merge3(base, theirs, ours)
	if one != two || len(conflicts) != len(mirrored) {
		t.Fatalf("not symmetric: %q %v and %q %v", one, conflicts, two, mirrored)
	}
	for i, c := range conflicts {
		if m := mirrored[i]; c.Base != m.Base || c.Ours != m.Theirs || c.Theirs != m.Ours {
			t.Fatalf("conflicts are not symmetric: %v and %v", c, m)
		}
		if c.Ours.Text == c.Theirs.Text || one != "" {
			t.Fatalf("conflict %v in %q", c, one)
		}
		for text, side := range map[string]Side{base: c.Base, ours: c.Ours, theirs: c.Theirs} {
			if stretch := mergeLines(text)[side.From-1 : side.To]; side.Text != strings.Join(stretch, "\n")+
				strings.Repeat("\n", min(len(stretch), 1)) {
				t.Fatalf("side %v does not stand in %q", side, text)
			}
		}
	}
	for _, line := range mergeLines(one) {
		if !slices.Contains(mergeLines(ours), line) && !slices.Contains(mergeLines(theirs), line) {
			t.Fatalf("Merge3(%q, %q, %q) invents the line %q", base, ours, theirs, line)
		}
	}
}

// Edits of different lines are all applied, on both sides.
func TestMerge3KeepsWhatDoesNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var base, ours, theirs, want []string
		for i := range rapid.IntRange(0, 40).Draw(t, "lines") {
			line, edited := fmt.Sprintf("line %d", i), fmt.Sprintf("edited %d", i)
			base = append(base, line)
			o, th, w := line, line, line
			switch rapid.IntRange(0, 3).Draw(t, "who") {
			case 0:
				o, w = edited, edited
			case 1:
				th, w = edited, edited
			case 2:
				o, th, w = edited, edited, edited
			}
			ours, theirs, want = append(ours, o), append(theirs, th), append(want, w)
		}
		text := func(lines []string) string { return strings.Join(lines, "\n") + "\n" }
		if got, conflicts := Merge3(text(base), text(ours), text(theirs)); got != text(want) || len(conflicts) > 0 {
			t.Fatalf("merged %q with conflicts %v, want %q", got, conflicts, text(want))
		}
	})
}
