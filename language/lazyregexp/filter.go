package lazyregexp

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// filter finds out, at a fraction of the cost of an expression, that a text cannot match it.
type filter struct {
	sets  []*set
	reach int // if positive, a match is within so many bytes from the beginning of the text
}

// set finds one of several strings.
type set struct {
	starts [64]uint64          // whether a string begins with two bytes, by their hash
	single [4]uint64           // whether a byte is a string
	of     map[uint16][]string // strings by their first two bytes without edges
}

func newFilter(expr string) *filter {
	f := &filter{}
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return f // nothing is filtered, so that compiling reports it
	}
	re = re.Simplify()
	if n, bounded := longest(re); bounded && isAnchored(re) {
		f.reach = n + 1 // with the byte that decides whether a word ends there
	}
	for _, strs := range required(re) {
		s := &set{of: map[uint16][]string{}}
		for _, str := range strs {
			text := strings.Trim(str, edge) + edge
			key := keyOf(text[0], text[1])
			s.of[key] = append(s.of[key], str)
			if text[1] == edge[0] {
				s.single[text[0]>>6] |= 1 << (text[0] & 63)
			} else {
				h := hash(text[0], text[1])
				s.starts[h>>6] |= 1 << (h & 63)
			}
		}
		f.sets = append(f.sets, s)
	}
	return f
}

func keyOf(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

func hash(a, b byte) uint { return (uint(a)*37 + uint(b)) & (64*64 - 1) }

// lower maps ASCII letters to lower case.
var lower = func() (out [256]byte) {
	for i := range out {
		out[i] = byte(i)
		if 'A' <= i && i <= 'Z' {
			out[i] += 'a' - 'A'
		}
	}
	return out
}()

// may reports whether a text may match.
func (f *filter) may(text string) bool {
	if f.reach > 0 && f.reach < len(text) {
		text = text[:f.reach]
	}
	if strings.Contains(text, longS) || strings.Contains(text, kelvin) {
		return true
	}
	for _, s := range f.sets {
		if !s.in(text) {
			return false
		}
	}
	return true
}

// in reports whether a text contains a string of the set.
func (s *set) in(text string) bool {
	for i := range len(text) {
		c := lower[text[i]]
		if s.single[c>>6]&(1<<(c&63)) != 0 && s.at(text, i, keyOf(c, edge[0])) {
			return true
		}
		if i+1 == len(text) {
			break
		}
		d := lower[text[i+1]]
		if h := hash(c, d); s.starts[h>>6]&(1<<(h&63)) != 0 && s.at(text, i, keyOf(c, d)) {
			return true
		}
	}
	return false
}

// at reports whether a string with a key is at a place of a text.
func (s *set) at(text string, i int, key uint16) bool {
	for _, str := range s.of[key] {
		if at(text, i, str) {
			return true
		}
	}
	return false
}

// at reports whether a string is at a place of a text.
func at(text string, i int, str string) bool {
	if str[0] == edge[0] {
		if !isEdge(text, i) {
			return false
		}
		str = str[1:]
	}
	ends := str[len(str)-1] == edge[0]
	if ends {
		str = str[:len(str)-1]
	}
	if len(text)-i < len(str) {
		return false
	}
	for k := range len(str) {
		if lower[text[i+k]] != str[k] {
			return false
		}
	}
	return !ends || isEdge(text, i+len(str))
}

// isEdge reports whether `\b` matches at a place.
func isEdge(text string, i int) bool {
	before := i > 0 && isWord(text[i-1])
	behind := i < len(text) && isWord(text[i])
	return before != behind
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= lower[c] && lower[c] <= 'z'
}

// isAnchored reports whether all matches begin at the beginning of the text.
func isAnchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText:
		return true
	case syntax.OpCapture, syntax.OpConcat:
		return len(re.Sub) > 0 && isAnchored(re.Sub[0])
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(part *syntax.Regexp) bool { return !isAnchored(part) })
	}
	return false
}

// longest returns a length in bytes that no match exceeds; false if there is none.
func longest(re *syntax.Regexp) (n int, bounded bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune) * utf8.UTFMax, true
	case syntax.OpCharClass, syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		return utf8.UTFMax, true
	case syntax.OpNoMatch, syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return 0, true
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat: // simplified expressions repeat only without a bound
		return 0, false
	case syntax.OpCapture, syntax.OpQuest, syntax.OpConcat, syntax.OpAlternate:
	}
	for _, part := range re.Sub {
		of, ok := longest(part)
		if !ok {
			return 0, false
		}
		if re.Op == syntax.OpAlternate {
			n = max(n, of)
		} else {
			n += of
		}
	}
	return n, true
}
