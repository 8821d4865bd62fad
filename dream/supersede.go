package dream

import (
	"regexp"
	"slices"
	"strings"

	"reverie/memory"
)

// Supersedes reports whether a statement says anew what an older one says, so that it can take the older one's line and
// nothing else is lost with that: both state the same attribute of the same thing with another value, or one denies the other.
// Who says it anew means what they say now; no word like "actually" is asked for.
//
// In doubt both hold: people have several sisters, pets and friends, projects have their own deadlines, and who likes one
// language may like another one. An older statement that says more than what is said anew is not superseded.
func Supersedes(older, newer string) bool {
	was, is := sentence{reading: read(older)}, sentence{reading: read(newer)}
	if was.isRow || is.isRow || memory.EntryIDOf(older) == memory.EntryIDOf(newer) {
		return false
	}
	why, _, ok := dispute(was, is)
	if !ok {
		return false
	}
	rest := was.content
	switch why {
	case whyWrong:
		for _, wrong := range is.wrong {
			rest = rest.without(wrong)
		}
	case whyValues, whyChanged:
		value, found := disputed(was, is)
		if !found || ofSeveral.MatchString(value.key) && !takesBack.MatchString(newer) {
			return false
		}
		rest = contentOf(strings.ReplaceAll(plainWords(was.text), value.value, " "))
	case whyOpposite:
		if was.taste != 0 {
			rest = was.object
		}
	}
	return len(rest.without(is.content).without(is.object).without(stateWords)) == 0
}

// disputed is the older one of the two values.
func disputed(older, newer sentence) (slot, bool) {
	for _, was := range older.slots {
		if slices.ContainsFunc(newer.slots, func(is slot) bool { return was.key == is.key && was.differs(is) }) {
			return was, true
		}
	}
	return slot{}, false
}

// takesBack are words that take an earlier statement back; "now" and "new" only tell of another one.
var takesBack = regexp.MustCompile(`(?i)\b(?:actually|in fact|correction|to correct|i was wrong|i meant|not)\b|其实|实际上|更正|说错了|搞错了|不是`)
