package window

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	nonJoiner   = 0x200C
	joiner      = 0x200D
	emojiShape  = 0xFE0F
	firstIndic  = 0x0590 // from here on scripts join their letters with joiners, and emoji their parts
	replacement = utf8.RuneError
)

// visible is a text without characters that show nothing, among them those that hide text or turn its direction, and with one
// kind of line break. Joiners and emoji selectors stay where a script or an emoji needs them.
func visible(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	previous := rune(0)
	for at, r := range text {
		switch {
		case r == '\r':
			if strings.HasPrefix(text[at:], "\r\n") {
				continue
			}
			r = '\n'
		case r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
			r = '\n'
		case r == '\n', r == '\t':
		case r == joiner, r == nonJoiner, r == emojiShape:
			if previous < firstIndic && (r != emojiShape || !keycap(previous)) || hides(previous) {
				continue
			}
		case hides(r), r == replacement:
			continue
		}
		b.WriteRune(r)
		previous = r
	}
	return b.String()
}

// plain reports whether a text has only characters of ASCII that show, tabs and line feeds.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7F || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// keycap reports whether a selector makes an emoji of an ASCII character or a sign of Latin text.
func keycap(r rune) bool {
	return '0' <= r && r <= '9' || r == '#' || r == '*' || r == '©' || r == '®'
}

// hides reports whether a character shows nothing by itself.
func hides(r rune) bool {
	if r == 0x2800 { // a cell without dots
		return true
	}
	// The last are fillers, marks without a shape, and what Unicode keeps free for more of these.
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
