package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/memory/markdown"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var (
	person  = Author{Kind: AuthorUser, ID: "key"}
	machine = Author{Kind: AuthorWorkflow, ID: "builtin/extractive"}
)

// history makes versions with the given contents, alternating between the authors.
func history(by []Author, contents ...string) []Version {
	out := make([]Version, len(contents))
	for i, content := range contents {
		out[i] = Version{
			Number: i + 1, Content: content, Author: by[i%len(by)], Reason: fmt.Sprintf("reason %d", i+1),
			CreatedAt: time.Date(2026, 1, i+1, 0, 0, 0, 0, time.UTC),
		}
	}
	return out
}

// blamed renders blame as "<version> <line>".
func blamed(lines []BlameLine) []string {
	var out []string
	for _, l := range lines {
		out = append(out, fmt.Sprintf("%d %s", l.Version, l.Line))
	}
	return out
}

func TestBlame(t *testing.T) {
	for _, c := range []struct {
		name     string
		contents []string
		want     []string
	}{
		{"one version", []string{"# M\n\n- a\n"}, []string{"1 # M", "1 ", "1 - a"}},
		{"added and changed", []string{"- a\n- b\n", "- a\n- b\n- c\n", "- A\n- b\n- c\n"}, []string{"3 - A", "1 - b", "2 - c"}},
		{"removed", []string{"- a\n- b\n- c\n", "- a\n- c\n"}, []string{"1 - a", "1 - c"}},
		{"a line that comes back", []string{"- a\n- b\n", "- a\n", "- a\n- b\n"}, []string{"1 - a", "3 - b"}},
		{"a last line gets its line break", []string{"- a", "- a\n- b\n"}, []string{"1 - a", "2 - b"}},
		{"other line breaks", []string{"- a\n- b\n", "- a\r\n- b\r\n- c\r\n"}, []string{"1 - a", "1 - b", "2 - c"}},
		{
			"moved",
			[]string{"## X\n- a\n- b\n## Y\n- c\n", "## Y\n- c\n- a\n## X\n- b\n"},
			[]string{"1 ## Y", "1 - c", "1 - a", "1 ## X", "1 - b"},
		},
		{"another list marker", []string{"- a\n- b\n", "* a\n  - b\n"}, []string{"1 * a", "1   - b"}},
		{"a box is ticked", []string{"- [ ] a\n", "- [x] a\n"}, []string{"2 - [x] a"}},
		{"equal lines", []string{"- a\n- a\n", "- a\n- b\n- a\n- a\n"}, nil},
		{"emptied", []string{"- a\n", ""}, nil},
		{"nothing at all", nil, nil},
	} {
		got := blamed(Blame(history([]Author{machine}, c.contents...)))
		if c.name == "equal lines" {
			if first := slices.DeleteFunc(got, func(s string) bool { return s != "1 - a" }); len(first) != 2 {
				t.Errorf("%s: %q", c.name, got)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestBlameReportsTheVersion(t *testing.T) {
	versions := history([]Author{person, machine}, "# M\n", "# M\n- tea\n- cake\n")
	versions[1].Sources = Sources{Conversation: "c-1", From: 3, To: 9, Lines: []LineSource{{Line: "- tea", Messages: []int64{4, 7}}}}
	got := Blame(versions)
	want := []BlameLine{
		{Line: "# M", Version: 1, Author: person, Reason: "reason 1", At: versions[0].CreatedAt},
		{
			Line: "- tea", Version: 2, Author: machine, Reason: "reason 2", At: versions[1].CreatedAt, Conversation: "c-1", From: 3, To: 9,
			Messages: []int64{4, 7},
		},
		{Line: "- cake", Version: 2, Author: machine, Reason: "reason 2", At: versions[1].CreatedAt, Conversation: "c-1", From: 3, To: 9},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBlameFindsMessagesDespiteAnotherMarker(t *testing.T) {
	h := history([]Author{machine, person}, "- a\n- b\n", "* a\n* b\n")
	h[0].Sources = Sources{
		Conversation: "c", From: 1, To: 4,
		Lines: []LineSource{{Line: "- a", Messages: []int64{1}}, {Line: "- b", Messages: []int64{3}}},
	}
	for i, want := range [][]int64{{1}, {3}} {
		if got := Blame(h)[i]; got.Version != 1 || !slices.Equal(got.Messages, want) {
			t.Errorf("line %d came from messages %v in version %d, want %v in version 1", i+1, got.Messages, got.Version, want)
		}
	}
}

func TestBlameSkipsDeletions(t *testing.T) {
	versions := history([]Author{machine}, "- a\n", "", "- a\n")
	versions[1].Deleted = true
	if got := blamed(Blame(versions)); !slices.Equal(got, []string{"1 - a"}) {
		t.Error(got)
	}
}

// smallDocuments draws small documents with many equal lines.
func smallDocuments() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{"a", "b", "c", "", "- x", "- y", "## H", "z\r"})
	return rapid.Custom(func(t *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), "\n")
		if rapid.Bool().Draw(t, "end") && s != "" {
			s += "\n"
		}
		return s
	})
}

// For any history, blame returns the newest text, and versions that contain the line.
func TestBlameProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contents := rapid.SliceOfN(smallDocuments(), 1, 8).Draw(t, "contents")
		versions := history([]Author{person, machine}, contents...)
		got := Blame(versions)
		var lines []string
		for _, l := range got {
			lines = append(lines, l.Line)
			if l.Version < 1 || l.Version > len(versions) {
				t.Fatalf("line %q came in with version %d", l.Line, l.Version)
			}
			v := versions[l.Version-1]
			isSame := func(s string) bool { return markdown.LineKey(s) == markdown.LineKey(l.Line) }
			if v.Author != l.Author || v.Reason != l.Reason || !slices.ContainsFunc(markdown.Lines(v.Content), isSame) {
				t.Fatalf("line %q is not of version %d: %q", l.Line, l.Version, v.Content)
			}
		}
		if !slices.Equal(lines, markdown.Lines(contents[len(contents)-1])) {
			t.Fatalf("blame shows %q of %q", lines, contents[len(contents)-1])
		}
		if again := Blame(versions); cmp.Diff(got, again) != "" {
			t.Fatalf("blame differs from itself: %v, %v", got, again)
		}
	})
}

func TestPersonLines(t *testing.T) {
	for _, c := range []struct {
		name     string
		contents []string // by turns of machine and person
		want     []string
	}{
		{"one edited line of a machine's file", []string{"# M\n\n- a\n- b\n- c\n", "# M\n\n- a\n- B!\n- c\n"}, []string{"- B!"}},
		{"a heading and a line", []string{"# M\n\n- a\n", "# M\n\n- a\n\n## Pets\n\n- Rex\n"}, []string{"## Pets", "- Rex"}},
		{"the machine goes on", []string{"- a\n", "- a\n- p\n", "- a!\n- p\n- z\n"}, []string{"- p"}},
		{"the machine moves the line", []string{"- a\n- b\n", "- p\n- a\n- b\n", "- a\n- b\n- p\n"}, []string{"- p"}},
		{"the machine writes another marker", []string{"- a\n", "- a\n- p q\n", "- a\n* p  q\n"}, []string{"* p  q"}},
		{"the machine rewords the line", []string{"- a\n", "- a\n- p\n", "- a\n- p!\n"}, nil},
		{"the person removes a line", []string{"- a\n- b\n", "- a\n"}, nil},
		{"a rule and a fence", []string{"- a\n", "- a\n\n---\n\n```\ncode\n```\n"}, []string{"---", "```", "code", "```"}},
	} {
		if diff := cmp.Diff(c.want, PersonLines(history([]Author{machine, person}, c.contents...))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Lines written by a person stay theirs through any edits of a program that keep them, in any order and among any other
// lines.
func TestPersonLinesSurviveTheMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mine := rapid.SliceOfNDistinct(rapid.StringMatching("p[a-z]{2,8}"), 1, 10, rapid.ID).Draw(t, "mine")
		versions := history([]Author{person}, strings.Join(mine, "\n"))
		for n := range rapid.IntRange(1, 5).Draw(t, "edits") {
			lines := slices.Concat(mine, rapid.SliceOfN(rapid.StringMatching("m[a-z]{1,3}|"), 0, 20).Draw(t, "others"))
			lines = rapid.Permutation(lines).Draw(t, "order")
			versions = append(versions, Version{Number: n + 2, Author: machine, Content: strings.Join(lines, "\n") + "\n"})
		}
		got := PersonLines(versions)
		slices.Sort(got)
		slices.Sort(mine)
		if !slices.Equal(got, mine) {
			t.Fatalf("of %q only %q are left", mine, got)
		}
	})
}

// BenchmarkBlame blames a document of 10 KB over 500 versions that change a few lines each.
func BenchmarkBlame(b *testing.B) {
	lines := make([]string, 200)
	for i := range lines {
		lines[i] = fmt.Sprintf("- line %d %s", i, strings.Repeat("x", 38))
	}
	var versions []Version
	for n := range 500 {
		for i := range 3 {
			lines[(n*37+i*11)%len(lines)] = fmt.Sprintf("- line of version %d %d %s", n, i, strings.Repeat("y", 30))
		}
		versions = append(versions, Version{Number: n + 1, Content: strings.Join(lines, "\n") + "\n"})
	}
	b.SetBytes(int64(len(versions) * len(versions[0].Content)))
	for b.Loop() {
		Blame(versions)
	}
}
