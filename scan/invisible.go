package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Characters that carry invisible text, or show text in another order than it is stored.
const (
	blackFlag      = 0x1F3F4 // begins the flags of regions, which are spelled with tag characters
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
	longestCarried = 512    // bytes checked after an override
)

// regionFlags are the flags spelled with tag characters.
var regionFlags = map[string]bool{"gbeng": true, "gbsct": true, "gbwls": true}

// hidden finds invisible characters and returns the edits that remove them.
//
// Zero-width spaces come with ordinary pasting, and direction marks with phone numbers and paths from address books;
// removing them changes nothing visible. If they hide text, by spelling it or by reversing what is shown, the text is
// quarantined. Words split by invisible characters are found by the other rules, which run afterwards.
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
			// A selector chooses the shape of the previous character. A run of them, or of tags, spells a message.
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

// hide records hidden characters. They quarantine the text if they carry text.
func (s *scanner) hide(rule string, at int, carries bool) {
	if carries {
		s.block(classInvisible, rule, s.line(at))
	} else {
		s.find(classInvisible, rule, s.line(at))
	}
}

func isTag(r rune) bool { return 0xE0000 <= r && r <= 0xE007F }

// isSelector reports whether r selects a shape of the previous character.
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

// belongs reports whether the invisible character r at an offset is part of its script's spelling.
func belongs(text string, at int, r, previous rune) bool {
	next, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
	switch r {
	case byteOrderMark:
		return at == 0
	case softHyphen: // within a word it is left from line breaking; elsewhere it is visible or harmless
		return !unicode.IsLetter(previous) || !unicode.IsLetter(next)
	case joiner, nonJoiner: // emoji, Persian, the scripts of India
		if previous < utf8.RuneSelf || isInvisible(previous) {
			return false
		}
		return next >= utf8.RuneSelf && !isInvisible(next) || !unicode.IsLetter(next) && !unicode.IsDigit(next)
	}
	return false
}

// regionFlag returns the length of the tags that make a flag of the black flag before them; 0 if they do not.
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

// spells reports whether a run of tags and selectors spells a message.
func spells(run string) bool {
	shapes := 0
	for _, r := range run {
		switch {
		case r == textShape || r == emojiShape: // sometimes doubled by editors; many of them could spell bits
			shapes++
		case isSelector(r), 0xE0020 <= r && r < cancelTag:
			return true
		}
	}
	return shapes >= 8
}

// reverses reports whether an override affects the text up to its end, the next override or the end of the line: a
// right-to-left override any letter or digit, a left-to-right override letters. Address books wrap phone numbers in the
// latter.
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
