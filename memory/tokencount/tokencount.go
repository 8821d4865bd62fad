// Package tokencount estimates the number of tokens of texts and cuts texts to a number of tokens.
package tokencount

import (
	"sort"
	"strings"
	"unicode"
)

// tokenUnit is the number of cost units per token. Costs are whole numbers, so that results are the same everywhere.
const tokenUnit = 12

// Costs in twelfths of a token, measured on texts in the named scripts (see the table in docs/context.md). Where OpenAI's two
// vocabularies differ much, a cost lies between them, closer to the larger: other vendors' vocabularies need more tokens for
// most scripts.
const (
	wordCost    = 12 // a word in Latin letters, or a part of one that begins with a capital; the space before it is free
	tailCost    = 3  // each letter after shortWord
	shortWord   = 5
	capitalCost = 6  // each further capital in a row
	accentCost  = 6  // each letter that is not ASCII, in addition
	toneCost    = 9  // the same for Vietnamese
	digitsCost  = 12 // up to digitGroup digits
	digitGroup  = 3
	symbolCost  = 8 // an ASCII punctuation mark or symbol
	repeatCost  = 2 // the same one repeated
	layoutCost  = 8 // white space, except one space between words

	greekCost    = 5  // a Greek or Cyrillic letter
	semiticCost  = 8  // Armenian, Hebrew, Arabic and others
	indicCost    = 9  // the scripts of India, Thai, Lao
	burmeseCost  = 12 // other scripts
	signCost     = 12 // symbols and punctuation that are not ASCII
	ideographs   = 13 // Han
	kanaCost     = 11
	hangulCost   = 13
	wideSignCost = 10 // punctuation between ideographs
	joinerCost   = 8  // joiners and variation selectors of emoji
	astralCost   = 26 // emoji, rare ideographs
)

// Estimate estimates the number of tokens of s, for models whose vocabulary is not available.
//
// It follows what vocabularies have in common: words and groups of digits are tokens, long words are several, and each
// script has a cost per letter. It is meant for budgets, not for bills.
func Estimate(s string) int {
	var e estimate
	for _, r := range s {
		e.add(r)
	}
	return (e.cost + tokenUnit - 1) / tokenUnit
}

// estimate is the cost of a text so far, with the state that the next character depends on.
type estimate struct {
	cost  int
	last  rune
	group groupKind
	size  int // characters of the group
}

// groupKind is the kind of a run of similar characters.
type groupKind int

const (
	noGroup groupKind = iota
	lowerWord
	upperWord
	digits
	symbols
	spaces
)

func (e *estimate) add(r rune) {
	switch {
	case r >= 'a' && r <= 'z':
		e.letter()
	case r >= 'A' && r <= 'Z':
		e.capital()
	case r >= '0' && r <= '9':
		if e.begin(digits); e.size%digitGroup == 1 {
			e.cost += digitsCost
		}
	case r == ' ' || r >= '\t' && r <= '\r':
		e.space(r)
	case r < 0x80:
		if e.begin(symbols); e.size > 1 && r == e.last {
			e.cost += repeatCost
		} else {
			e.cost += symbolCost
		}
	case r >= 0xC0 && r < 0x250:
		e.letter()
		e.cost += accentCost
	case r >= 0x1E00 && r < 0x1F00:
		e.letter()
		e.cost += toneCost
	default:
		e.group = noGroup
		e.cost += costOf(r)
	}
	e.last = r
}

// begin counts a character of a group, beginning a new group if the kind changes.
func (e *estimate) begin(group groupKind) {
	if e.group != group {
		e.group, e.size = group, 0
	}
	e.size++
}

func (e *estimate) letter() {
	if e.group == upperWord { // the last capital begins this word
		if e.size > 1 {
			e.cost += wordCost - capitalCost
		}
		e.group, e.size = lowerWord, 1
	}
	switch e.begin(lowerWord); {
	case e.size == 1:
		e.cost += wordCost
	case e.size > shortWord:
		e.cost += tailCost
	}
}

func (e *estimate) capital() {
	if e.begin(upperWord); e.size == 1 {
		e.cost += wordCost
		return
	}
	e.cost += capitalCost
}

func (e *estimate) space(r rune) {
	if e.begin(spaces); e.size == 1 && r == ' ' && e.cost > 0 { // free after something, so that a text of spaces is not free
		return
	}
	if e.size == 1 || e.size == 2 && e.last == ' ' {
		e.cost += layoutCost
	}
}

// costOf returns the cost of a character of another script.
func costOf(r rune) int {
	switch {
	case r < 0x370:
		return signCost
	case r < 0x530:
		return greekCost
	case r < 0x900:
		return semiticCost
	case r < 0xF00:
		return indicCost
	case r < 0x2000:
		return burmeseCost
	case r == 0x200D, r >= 0xFE00 && r <= 0xFE0F:
		return joinerCost
	case r < 0x2E80:
		return signCost
	case r < 0x3040, r >= 0xFE10 && r < 0x10000:
		return wideSignCost
	case r < 0x3400:
		return kanaCost
	case r >= 0xAC00 && r < 0xD800:
		return hangulCost
	case r < 0x10000:
		return ideographs
	}
	return astralCost
}

// cutSign ends a text that was cut within a line.
const cutSign = " …"

// Cut cuts a text to maxTokens as counted by count, including a sign that it was cut. It cuts at a space if there is one
// in the last fifth. A text that fits is returned unchanged.
func Cut(text string, maxTokens int, count func(string) int) string {
	if count(text) <= maxTokens {
		return text
	}
	runes := []rune(text)
	n := sort.Search(len(runes), func(n int) bool { return count(string(runes[:n+1])+cutSign) > maxTokens })
	for back := n; back > n*4/5; back-- {
		if unicode.IsSpace(runes[back-1]) {
			n = back
			break
		}
	}
	if n == 0 {
		return ""
	}
	return strings.TrimSpace(string(runes[:n])) + cutSign
}
