package memory

import (
	"strings"
	"unicode/utf8"
)

// While JSON is repaired, its escapes stand as characters for private use: the repair takes backslashes for parts of file
// names when it sees fit, and would turn line breaks into words.
const (
	firstEscape   = '\uE000' // the escape of the byte n is firstEscape+n
	unicodeEscape = '\uE080' // \u; its digits follow
	lastEscape    = unicodeEscape
)

// escapable are the bytes that may follow a backslash in JSON, and the apostrophe, which Python escapes.
const escapable = `"\/bfnrt'`

// hideEscapes replaces the escapes of a JSON text. A backslash that begins none stands for itself, as in the escapes of
// Markdown. It reports false when the text cannot be written this way.
func hideEscapes(s string) (string, bool) {
	if strings.ContainsFunc(s, func(r rune) bool { return r >= firstEscape && r <= lastEscape }) {
		return "", false
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\':
			b.WriteByte(s[i])
		case i+1 < len(s) && strings.IndexByte(escapable, s[i+1]) >= 0:
			b.WriteRune(firstEscape + rune(s[i+1]))
			i++
		case i+5 < len(s) && s[i+1] == 'u':
			if strings.Trim(s[i+2:i+6], "0123456789abcdefABCDEF") != "" {
				return "", false
			}
			b.WriteRune(unicodeEscape)
			i++
		default:
			b.WriteRune(firstEscape + '\\')
		}
	}
	return b.String(), true
}

// showEscapes is the inverse of hideEscapes.
func showEscapes(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == firstEscape+'\'':
			b.WriteByte('\'')
		case r == unicodeEscape:
			b.WriteString(`\u`)
		case r >= firstEscape && r < unicodeEscape:
			b.WriteByte('\\')
			b.WriteByte(byte(r - firstEscape))
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}
