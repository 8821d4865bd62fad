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
		s.corrects(c.Corrects)
	}
	if c.Ends {
		s.ends()
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
			why, is, ok := dispute(older.reading, newer.reading)
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
