package claim

import (
	"slices"
	"strings"

	"reverie/language/lazyregexp"
)

// Reasons for contradictions, shown to the user.
const (
	whyWrong    = "the newer one names the older value as wrong or replaced"
	whyOver     = "the newer one says that it is over"
	WhyChanged  = "the newer one says that it has changed"
	whyValues   = "two values of what has one at a time"
	whyOpposite = "one says the opposite of the other"
)

// Dispute compares two readings; newer is the later one. ok is false if both can hold.
func Dispute(older, newer Reading) (why string, settled, ok bool) {
	switch {
	case slices.ContainsFunc(newer.wrong, func(w Content) bool { return older.has(w) && newer.shares(older, w) }):
		return whyWrong, true, true
	case slices.ContainsFunc(newer.over, func(over Content) bool { return older.isOver(over, newer) }):
		return whyOver, true, true
	case slices.ContainsFunc(newer.overHan, func(over string) bool {
		return len(older.over) == 0 && !older.negated && inOrderHan(over, older.Text)
	}):
		return whyOver, true, true
	}
	for _, was := range older.slots {
		for _, is := range newer.slots {
			if was.key != is.key || !was.differs(is) {
				continue
			}
			if is.changed || newer.cue || was.grows(is) {
				return WhyChanged, true, true
			}
			if was.single && is.single {
				return whyValues, false, true
			}
		}
	}
	if older.opposite(newer) {
		if newer.cue && !older.cue {
			return WhyChanged, true, true
		}
		return whyOpposite, false, true
	}
	return "", false, false
}

// has reports whether a sentence contains a value that another one calls wrong, and does not call it wrong itself.
func (r Reading) has(value Content) bool {
	return len(value) > 0 && value.Within(r.content) && !slices.ContainsFunc(r.wrong, value.Within)
}

// shares reports whether two readings are about the same thing besides a value: they share a word, state the same
// attribute, or the older one has no other words.
func (r Reading) shares(older Reading, value Content) bool {
	rest := older.content.without(value)
	if len(rest.without(stateWords)) == 0 {
		return true
	}
	if rest.without(stateWords).meets(r.content) {
		return true
	}
	for _, was := range older.slots {
		if slices.ContainsFunc(r.slots, func(is slot) bool { return is.key == was.key }) {
			return true
		}
	}
	return false
}

// isOver reports whether newer declares that r is over.
func (r Reading) isOver(over Content, newer Reading) bool {
	if len(r.over) > 0 || r.negated || len(over) == 0 {
		return false
	}
	if newer.taste != 0 && r.taste > 0 {
		return len(newer.object) > 0 && newer.object.equal(r.object)
	}
	if !over.Within(r.content) {
		return false
	}
	return len(over) > 1 || len(r.content) <= maxPlain
}

// maxPlain is the maximum number of words in a sentence for any one of them to be its subject.
const maxPlain = 3

// opposite reports whether one sentence denies the other.
func (r Reading) opposite(o Reading) bool {
	if r.taste != 0 && o.taste != 0 {
		return r.taste != o.taste && len(r.object) > 0 && r.object.equal(o.object)
	}
	return r.negated != o.negated && len(r.over)+len(o.over) == 0 && len(r.content) > 1 && r.content.equal(o.content)
}

// Changes reports whether a sentence states that something has changed.
func (r Reading) Changes() bool { return r.cue || len(r.over) > 0 || len(r.wrong) > 0 }

// Corrects marks a value as wrong.
func (r *Reading) Corrects(value string) {
	r.wrong = append(r.wrong, ContentOf(value))
	r.cue = true
}

// Ends marks the content of the statement as over, unless the statement itself names the thing that ended.
func (r *Reading) Ends() {
	if len(r.over) == 0 {
		r.over = append(r.over, r.content)
		r.cue = true
	}
}

// Supersedes reports whether a newer statement restates an older one, so that it can replace it without losing anything
// else: both state the same attribute of the same thing with another value, or one denies the other. No word like
// "actually" is required.
//
// In doubt both hold: people have several sisters, pets and friends, projects have separate deadlines, and a person who
// likes one language may like another one. An older statement that contains more than the newer one is not superseded.
func Supersedes(older, newer string) bool {
	was, is := Read(older), Read(newer)
	if was.isRow || is.isRow {
		return false
	}
	why, _, ok := Dispute(was, is)
	if !ok {
		return false
	}
	rest := was.content
	switch why {
	case whyWrong:
		for _, wrong := range is.wrong {
			rest = rest.without(wrong)
		}
	case whyValues, WhyChanged:
		value, found := disputed(was, is)
		if !found || ofSeveral.MatchString(value.key) && !takesBack.MatchString(newer) {
			return false
		}
		rest = ContentOf(strings.ReplaceAll(plainWords(was.Text), value.value, " "))
	case whyOpposite:
		if was.taste != 0 {
			rest = was.object
		}
	}
	return len(rest.without(is.content).without(is.object).without(stateWords)) == 0
}

// disputed returns the older one of the two conflicting values.
func disputed(older, newer Reading) (slot, bool) {
	for _, was := range older.slots {
		if slices.ContainsFunc(newer.slots, func(is slot) bool { return was.key == is.key && was.differs(is) }) {
			return was, true
		}
	}
	return slot{}, false
}

// takesBack matches words that retract an earlier statement; "now" and "new" only introduce another one.
var takesBack = lazyregexp.New(`(?i)\b(?:actually|in fact|correction|to correct|i was wrong|i meant|not)\b|其实|实际上|更正|说错了|搞错了|不是`)
