// Package match finds literals and words in a text, in linear time.
package match

import "strings"

// Literals finds many literals in one pass over a text. It is the cheap test before an expensive one.
type Literals[T any] struct {
	WordStart bool // match only at the start of a word, for literals that begin with a letter or digit
	byFirst   [256][]literal[T]
}

type literal[T any] struct {
	text string
	of   T
}

// Add adds a literal, which must not be empty.
func (l *Literals[T]) Add(text string, of T) {
	l.byFirst[text[0]] = append(l.byFirst[text[0]], literal[T]{text: text, of: of})
}

// Each calls found with the range of every literal in text, including several at the same offset.
func (l *Literals[T]) Each(text string, found func(from, to int, of T)) {
	for at := range len(text) {
		candidates := l.byFirst[text[at]]
		if len(candidates) == 0 || l.WordStart && at > 0 && IsWordByte(text[at]) && IsWordByte(text[at-1]) {
			continue
		}
		for _, c := range candidates {
			if strings.HasPrefix(text[at:], c.text) {
				found(at, at+len(c.text), c.of)
			}
		}
	}
}

// IsWordByte reports whether b is an ASCII letter or digit.
func IsWordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

// IsWide reports whether r is a Han, Hiragana or Katakana character, which needs no spaces around words.
func IsWide(r rune) bool {
	return 0x3400 <= r && r <= 0x9FFF || 0x3041 <= r && r <= 0x30FF || 0x20000 <= r && r <= 0x3FFFF
}

// Window returns at most size bytes from an offset: enough for an anchored pattern, and a bound that keeps scans linear.
func Window(text string, at, size int) string {
	return text[at:min(at+size, len(text))]
}

// LongestCommand bounds the bytes of a command, and of the line before it, that are checked.
const LongestCommand = 1500

// Command returns the text from an offset to the end of its line, or of the lines that continue it.
func Command(text string, at int) string {
	rest := Window(text, at, LongestCommand)
	for end := 0; ; {
		i := strings.IndexByte(rest[end:], '\n')
		if i < 0 {
			return rest
		}
		line := strings.TrimRight(rest[end:end+i], " \r")
		end += i + 1
		if !strings.HasSuffix(line, `\`) && !strings.HasSuffix(line, "`") {
			return rest[:end-1]
		}
	}
}
