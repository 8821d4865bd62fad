package dream

import (
	"slices"
	"time"

	"reverie/memory"
)

// sentence is a statement as far as it can correct another one, or be corrected.
type sentence struct {
	id    memory.EntryID
	at    time.Time // when it was last said
	order int       // among sentences of one moment: a greater one was said later
	reading
}

// sentenceOf reads a candidate. What it says of itself (Ends, Corrects) comes from who heard it; the rest is read in its words.
func sentenceOf(c Candidate, order int) sentence {
	s := sentence{id: c.ID, at: c.Signals.LastSeen, order: order, reading: read(c.Text)}
	s.text = c.Text
	if c.Corrects != "" {
		s.wrong = append(s.wrong, contentOf(c.Corrects))
		s.cue = true
	}
	if c.Ends && len(s.over) == 0 {
		s.over = append(s.over, s.content)
		s.cue = true
	}
	return s
}

// laterThan reports whether s was said after o. Of two sentences of one moment the one that speaks of a change is the later
// one.
func (s sentence) laterThan(o sentence) bool {
	switch {
	case !s.at.Equal(o.at):
		return s.at.After(o.at)
	case s.changes() != o.changes():
		return s.changes()
	}
	return s.order > o.order
}

// changes reports whether a sentence says that something is no longer as it was.
func (s sentence) changes() bool { return s.cue || len(s.over) > 0 || len(s.wrong) > 0 }

// Reasons of contradictions, in words.
const (
	whyWrong    = "the newer one names the older value as wrong or replaced"
	whyOver     = "the newer one says that it is over"
	whyChanged  = "the newer one says that it has changed"
	whyValues   = "two values of what has one at a time"
	whyOpposite = "one says the opposite of the other"
)

// dispute compares two sentences of which newer is the later one. ok is false when both can hold.
func dispute(older, newer sentence) (why string, settled, ok bool) {
	switch {
	case slices.ContainsFunc(newer.wrong, func(w content) bool { return older.has(w) && newer.shares(older, w) }):
		return whyWrong, true, true
	case slices.ContainsFunc(newer.over, func(over content) bool { return older.isOver(over, newer) }):
		return whyOver, true, true
	case slices.ContainsFunc(newer.overHan, func(over string) bool {
		return len(older.over) == 0 && !older.negated && inOrderHan(over, older.text)
	}):
		return whyOver, true, true
	}
	for _, was := range older.slots {
		for _, is := range newer.slots {
			if was.key != is.key || !was.differs(is) {
				continue
			}
			if is.changed || newer.cue || was.grows(is) {
				return whyChanged, true, true
			}
			if was.single && is.single {
				return whyValues, false, true
			}
		}
	}
	if older.opposite(newer) {
		if newer.cue && !older.cue {
			return whyChanged, true, true
		}
		return whyOpposite, false, true
	}
	return "", false, false
}

// has reports whether a sentence speaks of a value that another one calls wrong, and does not call it so itself.
func (s sentence) has(value content) bool {
	return len(value) > 0 && value.within(s.content) && !slices.ContainsFunc(s.wrong, value.within)
}

// shares reports whether two sentences speak of the same thing besides a value: they have a word in common, state the same
// attribute, or the older one says nothing else.
func (s sentence) shares(older sentence, value content) bool {
	rest := older.content.without(value)
	if len(rest.without(stateWords)) == 0 {
		return true
	}
	if rest.without(stateWords).meets(s.content) {
		return true
	}
	for _, was := range older.slots {
		if slices.ContainsFunc(s.slots, func(is slot) bool { return is.key == was.key }) {
			return true
		}
	}
	return false
}

// isOver reports whether what newer says to be over is what s says.
func (s sentence) isOver(over content, newer sentence) bool {
	if len(s.over) > 0 || s.negated || len(over) == 0 {
		return false
	}
	if newer.taste != 0 && s.taste > 0 {
		return len(newer.object) > 0 && newer.object.equal(s.object)
	}
	if !over.within(s.content) {
		return false
	}
	return len(over) > 1 || len(s.content) <= maxPlain
}

// maxPlain is how many words a sentence may have for one of them to be what it is about.
const maxPlain = 3

// opposite reports whether one sentence denies what the other says.
func (s sentence) opposite(o sentence) bool {
	if s.taste != 0 && o.taste != 0 {
		return s.taste != o.taste && len(s.object) > 0 && s.object.equal(o.object)
	}
	return s.negated != o.negated && len(s.over)+len(o.over) == 0 && len(s.content) > 1 && s.content.equal(o.content)
}

// disputes finds the pairs of sentences that cannot both hold, in the order of the older one. Each older sentence is settled by
// the newest that corrects it; what is settled is in no other pair.
func disputes(all []sentence) []Contradiction {
	byTime := slices.Clone(all)
	slices.SortStableFunc(byTime, func(a, b sentence) int {
		switch {
		case a.laterThan(b):
			return 1
		case b.laterThan(a):
			return -1
		}
		return 0
	})
	var out []Contradiction
	settled := map[memory.EntryID]bool{}
	for i, older := range byTime {
		var open []Contradiction
		for _, newer := range slices.Backward(byTime[i+1:]) {
			why, is, ok := dispute(older, newer)
			if !ok || older.id == newer.id {
				continue
			}
			pair := Contradiction{Older: older.id, Newer: newer.id, Settled: is, Why: why, OlderText: older.text, NewerText: newer.text}
			if is {
				settled[older.id] = true
				out, open = append(out, pair), nil
				break
			}
			open = append(open, pair)
		}
		out = append(out, open...)
	}
	return slices.DeleteFunc(out, func(c Contradiction) bool { return !c.Settled && (settled[c.Older] || settled[c.Newer]) })
}
