package markdown

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// documents draws small documents with many equal lines.
func documents() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "- x", "- y", "## H", "z\r"}), 0, 12).Draw(t, "lines")
		s := strings.Join(lines, "\n")
		if rapid.Bool().Draw(t, "end") && s != "" {
			s += "\n"
		}
		return s
	})
}

func TestDiffProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := documents().Draw(t, "from"), documents().Draw(t, "to")
		a, b := splitLines(from), splitLines(to)
		hunks := diffLines(a, b)
		at, was := 0, 0
		var rebuilt []string
		for _, h := range hunks {
			if h.aFrom < was || h.aTo < h.aFrom || h.bTo < h.bFrom || h.aFrom == h.aTo && h.bFrom == h.bTo {
				t.Fatalf("hunk %v of %v", h, hunks)
			}
			if at > 0 && h.aFrom == was {
				t.Fatalf("hunks touch: %v", hunks)
			}
			rebuilt = append(rebuilt, a[was:h.aFrom]...)
			rebuilt = append(rebuilt, b[h.bFrom:h.bTo]...)
			was, at = h.aTo, at+1
		}
		rebuilt = append(rebuilt, a[was:]...)
		if !slices.Equal(rebuilt, b) {
			t.Fatalf("hunks %v make %q of %q, want %q", hunks, rebuilt, a, b)
		}

		unified := UnifiedDiff("old", "new", from, to)
		if (unified == "") != (from == to) {
			t.Fatalf("the diff of %q and %q is %q", from, to, unified)
		}
		added, removed := DiffStat(from, to)
		plus, minus := 0, 0
		for line := range strings.Lines(unified) {
			switch {
			case strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++ "):
				plus++
			case strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "--- "):
				minus++
			}
		}
		if plus != added || minus != removed {
			t.Fatalf("DiffStat is +%d -%d, the diff is\n%s", added, removed, unified)
		}
		if before, after := bothSides(unified); !strings.Contains(from, before) || !strings.Contains(to, after) {
			t.Fatalf("the diff shows %q of %q and %q of %q:\n%s", before, from, after, to, unified)
		}
	})
}

// A line that is unique on both sides and keeps its place among such lines never counts as changed.
func TestDiffKeepsUniqueLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b []string
		kept := rapid.IntRange(1, 60).Draw(t, "kept")
		noise := func(side string) []string { // lines of one side only, and lines that both sides repeat
			return rapid.SliceOfN(rapid.SampledFrom([]string{side + "1", side + "2", "", "---"}), 0, 10).Draw(t, side)
		}
		a, b = []string{"", "", "---", "---"}, []string{"", "", "---", "---"}
		for i := range kept {
			a = append(append(a, noise("a")...), fmt.Sprintf("kept %d", i))
			b = append(append(b, noise("b")...), fmt.Sprintf("kept %d", i))
		}
		for _, h := range diffLines(a, b) {
			for _, line := range a[h.aFrom:h.aTo] {
				if strings.HasPrefix(line, "kept") {
					t.Fatalf("%q is called changed", line)
				}
			}
		}
	})
}

// bothSides returns the two texts of the first hunk of a unified diff.
func bothSides(unified string) (before, after string) {
	_, body, _ := strings.Cut(unified, " @@\n")
	body, _, _ = strings.Cut(body, "\n@@ ")
	body = strings.TrimSuffix(body, "\n")
	for line := range strings.SplitSeq(body, "\n") {
		switch {
		case strings.HasPrefix(line, "+"):
			after += line[1:] + "\n"
		case strings.HasPrefix(line, "-"):
			before += line[1:] + "\n"
		case strings.HasPrefix(line, " "):
			before, after = before+line[1:]+"\n", after+line[1:]+"\n"
		}
	}
	return strings.TrimSuffix(before, "\n"), strings.TrimSuffix(after, "\n")
}

func TestUnifiedDiff(t *testing.T) {
	got := UnifiedDiff("MEMORY.md@1", "MEMORY.md@2", "# Memory\n\n- a\n- b\n- c", "# Memory\n\n- a\n- B\n- c\n")
	want := `--- MEMORY.md@1
+++ MEMORY.md@2
@@ -1,5 +1,5 @@
 # Memory
 
 - a
-- b
-- c
\ No newline at end of file
+- B
+- c
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// largeText is the size of the largest document, in bytes.
const largeText = 1 << 20

// Adversarial texts must not make a diff quadratic: a megabyte of short lines in another order.
func TestDiffOfHardTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few := func() string {
		var b strings.Builder
		for b.Len() < largeText {
			b.WriteString([]string{"a\n", "b\n", "c\n", "\n"}[r.IntN(4)])
		}
		return b.String()
	}
	shuffled := func() string {
		lines := make([]string, largeText/8)
		for i := range lines {
			lines[i] = fmt.Sprintf("%07d", i)
		}
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		return strings.Join(lines, "\n")
	}
	var nested []string // each round of anchors uncovers one more line only
	for i := range 20_000 {
		nested = append(nested, fmt.Sprint(i), fmt.Sprint(i+1))
	}
	backwards := slices.Clone(nested)
	slices.Reverse(backwards)
	for name, texts := range map[string][2]string{
		"few different lines": {few(), few()},
		"another order":       {shuffled(), shuffled()},
		"nested":              {strings.Join(nested, "\n"), strings.Join(backwards, "\n")},
	} {
		began := time.Now()
		diffLines(splitLines(texts[0]), splitLines(texts[1]))
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		} else {
			t.Logf("%s: %v", name, took)
		}
	}
}

// Following a history by its differences gives the origins that comparing whole texts gives.
func TestOriginsAreThoseOfWholeTexts(t *testing.T) {
	line := rapid.SampledFrom([]string{"- a", "* a", "- b", "- c", "  - c", "# h", "", "- d", "- e", "- f"})
	ending := rapid.SampledFrom([]string{"\n", "\n", "\n", "\n", "\r\n", ""})
	rapid.Check(t, func(t *rapid.T) {
		var texts []string
		var lines []string
		for range rapid.IntRange(1, 6).Draw(t, "texts") {
			at := rapid.IntRange(0, len(lines)).Draw(t, "from")
			to := rapid.IntRange(at, len(lines)).Draw(t, "to")
			changed := rapid.SliceOfN(rapid.Map(line, func(l string) string { return l + ending.Draw(t, "ending") }), 0, 6).Draw(t, "lines")
			lines = slices.Replace(slices.Clone(lines), at, to, changed...)
			texts = append(texts, strings.Join(lines, ""))
		}
		var before []string
		var want []int
		for n, text := range texts {
			next := Lines(text)
			want, before = carryOrigins(before, next, want, diffLines(before, next), n), next
		}
		got, origins := LineOrigins(texts)
		if !slices.Equal(got, before) || !slices.Equal(origins, want) {
			t.Fatalf("%q:\n%q from %v, want\n%q from %v", texts, got, origins, before, want)
		}
	})
}
