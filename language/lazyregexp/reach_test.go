package lazyregexp

import (
	"regexp"
	"strings"
	"testing"
)

func TestReach(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]int{
		`^ab`:          9,
		`^(?:a|bcd)\b`: 13,
		`^(?:a|^bc)?d`: 13,
		`^[a-z]{2,3}$`: 13,
		`^a|^b`:        5,
		`(^a)`:         5,
		`^$`:           1,
		`^a+`:          0, // without a bound
		`^.*a`:         0,
		`a`:            0, // anywhere
		`^a|b`:         0,
		`(?m)^a`:       0, // at each line
		`(?:^a)?b`:     0,
		`\ba`:          0,
	} {
		if got := newFilter(expr).reach; got != want {
			t.Errorf("%q reaches %d bytes, want %d", expr, got, want)
		}
	}
}

// What is behind the reach of an expression does not change whether it matches.
func TestWhatIsBehindAMatch(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{`^(?:\.|st|nd|é|𝄞𝄞)(?:\P{L}|$)`, `^no\b`, `(?i)^(?:kilos?|naïve)\b`, `^[^a]?b\B`, `^$`} {
		r, plain := New(expr), regexp.MustCompile(expr)
		for _, head := range []string{"", ".", "st", "é", "𝄞𝄞", "no", "KILOS", "\u212aiLoſ", "NAÏVE", "xb", "b", "𝄞b"} {
			for _, next := range []string{"", " ", "x", "é", "\n", "\xff", "𝄞"} {
				for _, rest := range []string{"", strings.Repeat("no st b ", 10)} {
					text := head + next + rest
					if got, want := r.MatchString(text), plain.MatchString(text); got != want {
						t.Errorf("%q matches %q: %v, want %v", expr, text, got, want)
					}
				}
			}
		}
	}
}
