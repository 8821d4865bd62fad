package memory

import "strings"

// literals finds where one of many literals begins, in one pass over a text: the cheap question before a costly one.
type literals[T any] struct {
	byFirst   [256][]literal[T]
	wordStart bool // only where no letter or digit stands before, for literals that begin with one
}

type literal[T any] struct {
	text string
	of   T
}

func (l *literals[T]) add(text string, of T) {
	l.byFirst[text[0]] = append(l.byFirst[text[0]], literal[T]{text: text, of: of})
}

// each calls found with the range of every literal in text. Literals that begin at the same place are found each.
func (l *literals[T]) each(text string, found func(from, to int, of T)) {
	for at := range len(text) {
		candidates := l.byFirst[text[at]]
		if len(candidates) == 0 || l.wordStart && at > 0 && isWordByte(text[at]) && isWordByte(text[at-1]) {
			continue
		}
		for _, c := range candidates {
			if strings.HasPrefix(text[at:], c.text) {
				found(at, at+len(c.text), c.of)
			}
		}
	}
}

func isWordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

// window is what follows an offset, at most size bytes: enough for an anchored pattern, and what keeps a scan linear.
func window(text string, at, size int) string {
	return text[at:min(at+size, len(text))]
}

// lowerASCII is text with its ASCII letters in lower case; every offset stays the same.
func lowerASCII(text string) string {
	lower := []byte(text)
	for i, b := range lower {
		if 'A' <= b && b <= 'Z' {
			lower[i] = b + ('a' - 'A')
		}
	}
	return string(lower)
}
