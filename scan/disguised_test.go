package scan

import (
	"testing"

	"pgregory.net/rapid"
)

// The expression decides what is undone. The faster test must not differ from it.
func TestIsSpaced(t *testing.T) {
	t.Parallel()
	spaced := 0
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{
			"a ", "b.", "é-", "你_", "' ", "a  ", "a ._-", "a", "a     ", " ", "1 ", "\n", "\xff", ".",
		})
		usual := rapid.SampledFrom([]string{"a ", "a.", "a ", "你  ", "b-", "c"})
		line := ""
		for range rapid.IntRange(0, 30).Draw(t, "units") {
			if rapid.IntRange(0, 15).Draw(t, "kind") == 7 {
				line += unit.Draw(t, "unit")
			} else {
				line += usual.Draw(t, "usual")
			}
		}
		want := spacedRun.MatchString(line)
		if want {
			spaced++
		}
		if got := isSpaced(line); got != want {
			t.Fatalf("%q: %t, the expression says %t", line, got, want)
		}
	})
	if spaced == 0 {
		t.Error("no line was spaced")
	}
	for line, want := range map[string]bool{
		"a b c d e f g h i j k ": false, "a b c d e f g h i j k l": true, "a b c d e f g h i j k l ": true,
		"a b c d e f g h i j kl": false, "a b c d e f     g h i j k l": false, "a b c d e f    g h i j k l": true,
	} {
		if isSpaced(line) != want || spacedRun.MatchString(line) != want {
			t.Errorf("%q: %t, want %t", line, isSpaced(line), want)
		}
	}
}
