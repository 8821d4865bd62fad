package grounding

import (
	"strings"
	"unicode"
)

// consonants maps the consonants of Cyrillic, Arabic, kana and Latin letters to common ones, for names in another script.
var consonants = func() map[rune]string {
	out := map[rune]string{}
	for pair := range strings.FieldsSeq(`бb вv гg дd жz зz йy кk лl мm нn пp рr сs тt фf хh цs чc шs щs
		بb تt ثt جj حh خh دd ذd رr زz سs شs صs ضd طt ظz عa غg فf قk كk لl مm نn هh وv يy
		bb cs dd ff gg hh jj kk ll mm nn pp qk rr ss tt vv wv xk yy zz`) {
		runes := []rune(pair)
		out[runes[0]] = string(runes[1:])
	}
	return out
}()

// skeleton returns the consonants of a name, without h, y and w and without repetitions: Liyan and ليان are "ln".
func skeleton(name string) string {
	name = strings.NewReplacer("kh", "h", "sh", "s", "ch", "c", "zh", "z", "ts", "s", "th", "t", "dj", "j", "dh", "d", "ph", "f", "gh", "g",
		"ck", "k", "ك", "k").Replace(bare(name))
	var b strings.Builder
	last := ""
	for _, r := range name {
		c := consonants[r]
		if c == "h" || c == "y" || c == "v" && (r == 'و' || r == 'w') || c == "a" || c == "" || c == last {
			continue
		}
		b.WriteString(c)
		last = c
	}
	return b.String()
}

// heardAbroad reports whether a name in Latin letters is a name of a source in Cyrillic or Arabic letters.
func (c *checking) heardAbroad(n mention) bool {
	want := skeleton(n.keys[0])
	if len(want) < 2 {
		return false
	}
	if c.abroad == nil {
		c.abroad = map[string]bool{}
		for form := range c.said.index {
			if r, _ := firstRune(form); unicode.In(r, unicode.Cyrillic, unicode.Arabic) {
				c.abroad[skeleton(form)] = true
			}
		}
	}
	return c.abroad[want]
}
