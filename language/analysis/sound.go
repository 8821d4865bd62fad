package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language"
)

// minSound is the number of letters in a sound from which a name is recognised by it.
const minSound = 2

// Sound returns the form under which a name in Latin letters is found if it is spelt in another way: its first letter and its
// consonants, without doubled letters and h. Muhammad, Muhhamed and Mohamed have the same. It returns "" for words that are too short or
// have other characters than Latin letters.
func Sound(folded string) string {
	if strings.ContainsFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) || r >= 0x250 }) {
		return ""
	}
	var b strings.Builder
	last := rune(0)
	for i, r := range folded {
		r = soundsLike(r)
		if r == 'h' && i > 0 || r == last {
			continue // "hh" separates two equal letters
		}
		if last = r; r != 'a' || i == 0 {
			b.WriteRune(r)
		}
	}
	if utf8.RuneCountInString(b.String()) < minSound {
		return ""
	}
	return language.StemMark + "sound" + language.StemMark + b.String()
}

// soundsLike returns one letter for those that are confused in names, and a for all vowels.
func soundsLike(r rune) rune {
	switch r {
	case 'e', 'i', 'o', 'u', 'y':
		return 'a'
	case 'c', 'q':
		return 'k'
	case 'z':
		return 's'
	}
	return r
}

// isName reports whether a word is written like a name.
func isName(written string) bool {
	r, _ := utf8.DecodeRuneInString(written)
	return unicode.IsUpper(r)
}
