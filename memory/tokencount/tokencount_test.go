package tokencount

import (
	"testing"

	"pgregory.net/rapid"
)

func TestEstimateTokens(t *testing.T) {
	for text, want := range map[string]int{
		"":                     0,
		"a":                    1,
		"\x7f":                 1,
		"bread":                1,
		"the smell of bread":   4, // the space before a word is its
		"bookshelves":          3, // 11 letters
		"parseHTTPHeader":      5, // parse, HTTP, Header
		"2026":                 2, // three digits and one
		"1234567890123":        5,
		"}":                    1,
		"----------------":     4, // a row of one sign
		"if x {\n\t\treturn\n": 6,
		"你好":                   3,
		"你好，世界。":               6,
		"こんにちは":                5,
		"한국어":                  4,
		"é":                    2,
		"café":                 2,
		"Привет":               3,
		"مرحبا":                4,
		"สวัสดี":               5,
		"😀":                    3,
		"👍🏽":                   5, // a thumb, and its colour
		"\U00020000":           3, // an ideograph beyond the basic plane
		"hello 世界 café":        5,
	} {
		if got := Estimate(text); got != want {
			t.Errorf("Estimate(%q) is %d, want %d", text, got, want)
		}
	}
}

// Code that cuts a text to fit relies on this.
func TestAnEstimateNeverFallsWhenTextIsAdded(t *testing.T) {
	kinds := rapid.StringOf(rapid.SampledFrom([]rune("\x00aBC1?? \n\téя你👍")))
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.OneOf(rapid.String(), kinds)
		addingNeverSaves(t, of.Draw(t, "a"), of.Draw(t, "b"))
	})
}

// One character of each kind, in every order; random Unicode text seldom has this.
func TestAnEstimateOfEveryOrderOfKinds(t *testing.T) {
	const kinds = "\x00aBC1? \né你"
	texts := []string{""}
	for range 5 {
		longer := make([]string, 0, len(texts)*len(kinds))
		for _, s := range texts {
			for _, r := range kinds {
				longer = append(longer, s+string(r))
			}
		}
		texts = longer
		for _, s := range texts {
			for at := range s {
				addingNeverSaves(t, s[:at], s[at:])
			}
		}
	}
}

// addingNeverSaves checks that two texts together cost at least as much as either of them, and no more than both
// separately.
func addingNeverSaves(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, a, b string,
) {
	t.Helper()
	all, first, second := Estimate(a+b), Estimate(a), Estimate(b)
	if all < first {
		t.Fatalf("%q and %q: %d tokens with more text, %d without", a, b, all, first)
	}
	if all > first+second {
		t.Fatalf("%q and %q: %d tokens together, %d and %d apart", a, b, all, first, second)
	}
}
