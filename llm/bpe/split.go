package bpe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Texts are split into pieces before they are encoded, by a pattern for each vocabulary:
//
//	o200k_base:   p?[Lu Lt Lm Lo M]*[Ll Lm Lo M]+c? | p?[Lu Lt Lm Lo M]+[Ll Lm Lo M]*c? | N{1,3} |  ?x+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
//	cl100k_base:  c | p?L+ | N{1,3} |  ?x+[\r\n]* | \s*[\r\n]+ | \s+(?!\S) | \s+
//
// with p = [^\r\n L N], x = [^\s L N] and c = 's 't 're 've 'm 'll 'd in any case. These functions find the same pieces without
// backtracking.

// class is a class of characters in the patterns.
type class uint8

const (
	nothing class = iota // after the end
	newline
	space  // except newlines
	number // N
	upper  // Lu, Lt
	lower  // Ll
	letter // Lm, Lo
	mark   // M
	other
)

func (c class) isLetter() bool { return c == upper || c == lower || c == letter }

// isEither reports whether a letter counts as upper and as lower case.
func (c class) isEither() bool { return c == letter || c == mark }

// canLead reports whether a character may precede a word in its piece.
func (c class) canLead() bool { return c == space || c == mark || c == other }

func (c class) isSymbol() bool { return c == mark || c == other }

// asciiClasses holds the classes of ASCII characters.
var asciiClasses = func() (classes [utf8.RuneSelf]class) {
	for r := range classes {
		classes[r] = classOf(rune(r))
	}
	return classes
}()

func classOf(r rune) class {
	switch {
	case r == '\n' || r == '\r':
		return newline
	case unicode.IsSpace(r):
		return space
	case unicode.Is(unicode.Ll, r):
		return lower
	case unicode.Is(unicode.Lo, r), unicode.Is(unicode.Lm, r):
		return letter
	case unicode.IsLetter(r):
		return upper
	case unicode.IsNumber(r):
		return number
	case unicode.IsMark(r):
		return mark
	}
	return other
}

// at returns the class of the character at i, and its end.
func at(s string, i int) (class, int) {
	if i >= len(s) {
		return nothing, i
	}
	if s[i] < utf8.RuneSelf {
		return asciiClasses[s[i]], i + 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return classOf(r), i + size
}

// while returns the end of the run of characters from i whose class matches.
func while(s string, i int, is func(class) bool) int {
	for {
		c, end := at(s, i)
		if c == nothing || !is(c) {
			return i
		}
		i = end
	}
}

// nextO200k returns the end of o200k_base's piece at i.
func nextO200k(s string, i int) int {
	first, behind := at(s, i)
	for _, word := range []func(s string, i int) (int, bool){lowerWord, upperWord} {
		if first.canLead() {
			if end, ok := word(s, behind); ok {
				return contraction(s, end)
			}
		}
		if end, ok := word(s, i); ok {
			return contraction(s, end)
		}
	}
	return nextOther(s, i, "\r\n/")
}

// lowerWord returns the end of [Lu Lt Lm Lo M]*[Ll Lm Lo M]+ at i.
func lowerWord(s string, i int) (end int, ok bool) {
	either := -1 // the end of the last character that can be the final one
	for {
		c, behind := at(s, i)
		switch {
		case c == lower:
			return while(s, i, func(c class) bool { return c == lower || c.isEither() }), true
		case c.isEither():
			either = behind
		case c != upper:
			return either, either >= 0
		}
		i = behind
	}
}

// upperWord returns the end of [Lu Lt Lm Lo M]+[Ll Lm Lo M]* at i, where lowerWord finds nothing.
func upperWord(s string, i int) (end int, ok bool) {
	end = while(s, i, func(c class) bool { return c == upper })
	return end, end > i
}

// nextCl100k returns the end of cl100k_base's piece at i.
func nextCl100k(s string, i int) int {
	if end := contraction(s, i); end > i {
		return end
	}
	first, begin := at(s, i)
	if !first.canLead() {
		begin = i
	}
	if end := while(s, begin, class.isLetter); end > begin {
		return end
	}
	return nextOther(s, i, "\r\n")
}

// longS is an s in lower case too.
const longS = "ſ"

// contraction returns the end of a contraction at i, or i if there is none.
func contraction(s string, i int) int {
	if i+1 >= len(s) || s[i] != '\'' {
		return i
	}
	if strings.HasPrefix(s[i+1:], longS) {
		return i + 1 + len(longS)
	}
	switch s[i+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	}
	if i+2 >= len(s) {
		return i
	}
	switch [2]byte{s[i+1] | 0x20, s[i+2] | 0x20} {
	case [2]byte{'r', 'e'}, [2]byte{'v', 'e'}, [2]byte{'l', 'l'}:
		return i + 3
	}
	return i
}

// nextOther returns the end of the piece at i where no word begins. trailing are the characters that may follow symbols.
func nextOther(s string, i int, trailing string) int {
	if c, _ := at(s, i); c == number {
		return numberEnd(s, i)
	}
	begin := i
	if s[i] == ' ' {
		begin++
	}
	if end := while(s, begin, class.isSymbol); end > begin {
		for end < len(s) && strings.IndexByte(trailing, s[end]) >= 0 {
			end++
		}
		return end
	}
	return spaceEnd(s, i)
}

// numberEnd returns the end of up to three digits at i.
func numberEnd(s string, i int) int {
	for range 3 {
		c, end := at(s, i)
		if c != number {
			break
		}
		i = end
	}
	return i
}

// spaceEnd returns the end of the white space at i: after its last line break, else before its last character, which belongs to
// the next word.
func spaceEnd(s string, i int) int {
	end, broken, last := i, -1, i
	for {
		c, behind := at(s, end)
		if c != space && c != newline {
			break
		}
		if c == newline {
			broken = behind
		}
		last, end = end, behind
	}
	switch {
	case broken >= 0:
		return broken
	case end == len(s) || last == i:
		return end
	}
	return last
}
