package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Characters that carry text nobody sees, or show text in another order than it is stored.
const (
	blackFlag      = 0x1F3F4 // begins the flags of countries' parts, which are spelt with tag characters
	cancelTag      = 0xE007F
	byteOrderMark  = 0xFEFF
	textShape      = 0xFE0E // selectors
	emojiShape     = 0xFE0F
	softHyphen     = 0x00AD
	nonJoiner      = 0x200C
	joiner         = 0x200D
	popDirection   = 0x202C
	leftToRight    = 0x202D // override
	rightToLeft    = 0x202E // override
	longestCarried = 512    // bytes looked at after an override
)

// regionFlags are the flags that are made of tag characters.
var regionFlags = map[string]bool{"gbeng": true, "gbsct": true, "gbwls": true}

// hidden finds invisible characters and returns how to take them out.
//
// Zero-width spaces come with ordinary pasting, direction marks with phone numbers and paths copied from an address book:
// taking them out changes nothing that anyone saw. Where they hide text, by spelling it or by reversing what is shown, the
// text is quarantined. What is split by invisible characters to escape other rules is seen by these, which run afterwards.
func (s *scanner) hidden() []edit {
	var edits []edit
	text, previous := s.text, rune(0)
	for at := 0; at < len(text); {
		if text[at] < utf8.RuneSelf {
			previous = rune(text[at])
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		switch from := at; {
		case r == blackFlag:
			at += size + regionFlag(text[at+size:])
		case isTag(r) || isSelector(r) && isSelector(previous):
			// A selector chooses the shape of the character before it; a run of them, like one of tags, spells a message.
			for at < len(text) {
				next, n := utf8.DecodeRuneInString(text[at:])
				if !isTag(next) && !isSelector(next) {
					break
				}
				at += n
			}
			if isTag(r) || spells(text[from:at]) {
				s.hide("hidden-text", from, spells(text[from:at]))
				edits = append(edits, edit{from: from, to: at})
			}
		case isInvisible(r) && !belongs(text, at, r, previous):
			at += size
			if r == leftToRight || r == rightToLeft {
				s.hide("direction-override", from, reverses(r, text[at:]))
			} else {
				s.find(classInvisible, ruleOf(r), s.line(from))
			}
			edits = append(edits, edit{from: from, to: at})
		default:
			at += size
		}
		previous = r
	}
	return edits
}

// hide records hidden characters, which carry text or do not.
func (s *scanner) hide(rule string, at int, carries bool) {
	if carries {
		s.block(classInvisible, rule, s.line(at))
	} else {
		s.find(classInvisible, rule, s.line(at))
	}
}

func isTag(r rune) bool { return 0xE0000 <= r && r <= 0xE007F }

// isSelector reports whether r chooses between shapes of the character before it.
func isSelector(r rune) bool { return 0xFE00 <= r && r <= 0xFE0F || 0xE0100 <= r && r <= 0xE01EF }

func isInvisible(r rune) bool {
	switch r {
	case softHyphen, 0x180E, byteOrderMark:
		return true
	}
	return 0x200B <= r && r <= 0x200F || 0x202A <= r && r <= 0x202E || 0x2060 <= r && r <= 0x206F
}

func ruleOf(r rune) string {
	switch r {
	case softHyphen:
		return "soft-hyphen"
	case byteOrderMark:
		return "byte-order-mark"
	case joiner, nonJoiner:
		return "joiner"
	case 0x200E, 0x200F, 0x202A, 0x202B, popDirection, 0x2066, 0x2067, 0x2068, 0x2069:
		return "direction-mark"
	}
	return "zero-width"
}

// belongs reports whether the invisible character r at an offset is part of how its script is written.
func belongs(text string, at int, r, previous rune) bool {
	next, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
	switch r {
	case byteOrderMark:
		return at == 0
	case softHyphen: // within a word it is left over from line breaking; elsewhere it is shown or means nothing
		return !unicode.IsLetter(previous) || !unicode.IsLetter(next)
	case joiner, nonJoiner: // emoji, Persian, the scripts of India
		if previous < utf8.RuneSelf || isInvisible(previous) {
			return false
		}
		return next >= utf8.RuneSelf && !isInvisible(next) || !unicode.IsLetter(next) && !unicode.IsDigit(next)
	}
	return false
}

// regionFlag is the length of the tags that make a flag out of the black flag before them, 0 if they do not.
func regionFlag(text string) int {
	var name strings.Builder
	for at, r := range text {
		switch {
		case r == cancelTag && regionFlags[name.String()]:
			return at + utf8.RuneLen(r)
		case isTag(r) && r != cancelTag && name.Len() < 5:
			name.WriteRune(r - 0xE0000)
		default:
			return 0
		}
	}
	return 0
}

// spells reports whether a run of tags and selectors holds a message.
func spells(run string) bool {
	shapes := 0
	for _, r := range run {
		switch {
		case r == textShape || r == emojiShape: // doubled by editors; enough of both could still spell bits
			shapes++
		case isSelector(r), 0xE0020 <= r && r < cancelTag:
			return true
		}
	}
	return shapes >= 8
}

// reverses reports whether an override has an effect on what follows it, up to its end, the next or the line's: the one
// to the left on any letter or digit, the one to the right on letters. Address books wrap phone numbers in the latter.
func reverses(override rune, text string) bool {
	for _, r := range window(text, 0, longestCarried) {
		switch {
		case r == popDirection, r == leftToRight, r == rightToLeft, r == '\n':
			return false
		case unicode.IsLetter(r), override == rightToLeft && unicode.IsDigit(r):
			return true
		}
	}
	return false
}
