package grounding

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// consonants maps the consonants of Cyrillic, Arabic and Latin letters to common ones, for names in another script.
var consonants = func() map[rune]string {
	out := map[rune]string{}
	for pair := range strings.FieldsSeq(`бb вv гg дd жz зz йy кk лl мm нn пp рr сs тt фf хh цs чc шs щs
		bb تt ثt جj حh خh دd ذd رr زz سs شs صs ضd طt ظz عa غg فf قk كk لl مm نn هh وv يy
		bb cs dd ff gg hh jj kk ll mm nn pp qk rr ss tt vv wv xk yy zz`) {
		runes := []rune(pair)
		out[runes[0]] = string(runes[1:])
	}
	return out
}()

// digraphs are Latin spellings of one consonant.
var digraphs = strings.NewReplacer("kh", "h", "sh", "s", "ch", "c", "zh", "z", "ts", "s", "th", "t", "dj", "j", "dh", "d", "ph", "f", "gh", "g",
	"ck", "k")

// skeleton returns the consonants of a name, without h, y and w and without repetitions: Liyan and ليان are "ln".
func skeleton(name string) string {
	var b strings.Builder
	last := ""
	for _, r := range digraphs.Replace(bare(name)) {
		c := consonants[r]
		if c == "h" || c == "y" || c == "v" && (r == 'و' || r == 'w') || c == "a" || c == "" || c == last {
			continue
		}
		b.WriteString(c)
		last = c
	}
	return b.String()
}

// Letters of Hangul syllables in the official romanization.
var (
	hangulInitials = strings.Split("g kk n d tt r m b pp s ss  j jj ch k t p h", " ")
	hangulVowels   = strings.Fields("a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i")
	hangulFinals   = strings.Split(" k k k n n n t l k m l l l p l m p p t t ng t t k t p t", " ")
)

// romanized returns Hangul in Latin letters.
func romanized(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0xAC00 || r > 0xD7A3 {
			b.WriteRune(' ')
			continue
		}
		n := int(r - 0xAC00)
		b.WriteString(hangulInitials[n/588] + hangulVowels[n%588/28] + hangulFinals[n%28])
	}
	return b.String()
}

// heardAbroad reports whether a name in Latin letters is a name of a source in Cyrillic, Arabic or Hangul letters, or of a country or
// language in another language.
func (c *checking) heardAbroad(n mention) bool {
	for _, other := range namesAbroad()[n.keys[0]] {
		if strings.Contains(c.said.squeezed, other) {
			return true
		}
	}
	if c.abroad == nil {
		c.abroad = map[string]bool{}
		for form := range c.said.index {
			if r, _ := firstRune(form); unicode.In(r, unicode.Cyrillic, unicode.Arabic) {
				c.abroad[skeleton(form)] = true
			}
		}
		c.hangul = romanized(c.said.squeezed)
	}
	want := skeleton(n.keys[0])
	return len(want) > 1 && c.abroad[want] || len(n.keys[0]) > 3 && strings.Contains(c.hangul, n.keys[0])
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
