package grounding

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// isLatin reports whether most of some sentences is in Latin letters.
func isLatin(sentences []sentence) bool {
	latin, other := 0, 0
	for _, s := range sentences {
		for _, r := range s.text {
			switch {
			case r < 0x250 && unicode.IsLetter(r), unicode.Is(unicode.Latin, r):
				latin++
			case isRun(r):
				other += 3 // a character of a script without spaces is half a word
			case unicode.IsLetter(r):
				other++
			}
		}
	}
	return latin >= other
}

// namesAbroad maps the name of a country or language to its names in the other languages, squeezed.
var namesAbroad = sync.OnceValue(func() map[string][]string {
	var groups [][]string
	tags := []language.Tag{
		language.English, language.Chinese, language.German, language.Spanish, language.French, language.Portuguese, language.Italian,
		language.Japanese, language.Korean, language.Vietnamese, language.Russian, language.Arabic,
	}
	collect := func(name func(display.Namer) string, namers []display.Namer) {
		var group []string
		for _, namer := range namers {
			if s := squeezed(name(namer)); s != "" && !slices.Contains(group, s) {
				group = append(group, s)
			}
		}
		groups = append(groups, group)
	}
	var regions, languages []display.Namer
	for _, tag := range tags {
		regions, languages = append(regions, display.Regions(tag)), append(languages, display.Languages(tag))
	}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if r, err := language.ParseRegion(string([]rune{a, b})); err == nil && r.IsCountry() {
				collect(func(n display.Namer) string { return n.Name(r) }, regions)
			}
		}
	}
	for code := range strings.FieldsSeq(`en zh de es fr pt it ja ko vi ru ar nl pl tr sv da no fi el he hi fa uk cs hu ro th id ca eu la`) {
		tag := language.Make(code)
		collect(func(n display.Namer) string { return n.Name(tag) }, languages)
	}
	out := map[string][]string{}
	for _, group := range groups {
		for _, name := range group {
			if len(name) > 3 {
				out[name] = append(out[name], group...)
			}
		}
	}
	return out
})
