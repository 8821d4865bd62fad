package main

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"reverie/language/lazyregexp"
)

// The program contains all packages with expressions that are compiled when they are used. A text that is made to match one of them is
// filtered out by none: as it is, in other letters, after and in front of other words.
func TestExpressionsMatchAsRegexpDoes(t *testing.T) {
	t.Parallel()
	all := lazyregexp.All()
	if len(all) < 500 {
		t.Fatalf("%d expressions were made, there are more", len(all))
	}
	const texts = 12
	random := rand.New(rand.NewPCG(1, 2))
	matched := 0
	for _, r := range all {
		plain := regexp.MustCompile(r.String())
		made := rapid.StringMatching(r.String())
		for n := range texts {
			text := made.Example(n)
			for _, variant := range []string{text, otherLetters(random, text), "so " + text + " then", "x" + text + "x", text[:random.IntN(len(text)+1)]} {
				found := plain.FindStringSubmatchIndex(variant)
				if found != nil {
					matched++
				}
				if r.MatchString(variant) != (found != nil) || len(r.FindStringSubmatchIndex(variant)) != len(found) {
					t.Errorf("%s of %q: filtered out, but it matches", r, variant)
				}
			}
		}
	}
	if matched < texts*len(all) {
		t.Errorf("%d texts of %d expressions match", matched, len(all))
	}
}

// otherLetters writes about half of the letters in another case.
func otherLetters(random *rand.Rand, text string) string {
	return strings.Map(func(r rune) rune {
		if random.IntN(2) == 0 {
			return unicode.SimpleFold(r)
		}
		return r
	}, text)
}
