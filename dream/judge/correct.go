package judge

import (
	"slices"
	"time"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/memory/markdown"
)

// sentence is a statement that can correct another one or be corrected.
type sentence struct {
	id    markdown.EntryID
	at    time.Time // when it was last said
	order int       // order among sentences of the same time; a higher one was said later
	claim.Reading
}

// sentenceOf reads a candidate. Ends and Corrects come from the reader of its source; the rest is derived from its words.
func sentenceOf(c dream.Candidate, order int) sentence {
	s := sentence{id: c.ID, at: c.Signals.LastSeen, order: order, Reading: claim.Read(c.Text)}
	s.Text = c.Text
	if c.Corrects != "" {
		s.Corrects(c.Corrects)
	}
	if c.Ends {
		s.Ends()
	}
	return s
}

// laterThan reports whether s was said after o. Of two sentences of the same time, the one that describes a change is the
// later one.
func (s sentence) laterThan(o sentence) bool {
	switch {
	case !s.at.Equal(o.at):
		return s.at.After(o.at)
	case s.Changes() != o.Changes():
		return s.Changes()
	}
	return s.order > o.order
}

// disputes returns the pairs of sentences that cannot both hold, in the order of the older one. Each older sentence is
// settled by the newest one that corrects it; a settled sentence is in no other pair.
func disputes(all []sentence) []dream.Contradiction {
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
	var out []dream.Contradiction
	settled := map[markdown.EntryID]bool{}
	for i, older := range byTime {
		var open []dream.Contradiction
		for _, newer := range slices.Backward(byTime[i+1:]) {
			why, is, ok := claim.Dispute(older.Reading, newer.Reading)
			if !ok || older.id == newer.id {
				continue
			}
			pair := dream.Contradiction{
				Older: older.id, Newer: newer.id, Settled: is, Why: why,
				OlderText: older.Text, NewerText: newer.Text,
			}
			if is {
				settled[older.id] = true
				out, open = append(out, pair), nil
				break
			}
			open = append(open, pair)
		}
		out = append(out, open...)
	}
	return slices.DeleteFunc(out, func(c dream.Contradiction) bool { return !c.Settled && (settled[c.Older] || settled[c.Newer]) })
}

// Supersedes reports whether newer restates older with a new value, so that it can replace the older line; see
// claim.Supersedes. It is false for two spellings of one entry.
func Supersedes(older, newer string) bool {
	return markdown.EntryIDOf(older) != markdown.EntryIDOf(newer) && claim.Supersedes(older, newer)
}

// Alike reports whether two statements say the same, so that a dream treats them as one and the second one adds nothing to
// MEMORY.md. When in doubt it reports false: a repeated line does less harm than a lost one.
//
// Statements are alike when they differ only in what memory.EntryID ignores, or when their meaningful words are the same in
// the same order (a phrase may be at the beginning or the end), up to inflection, a few synonyms and a fifth of words that
// only one of them has. Those must not be numbers, names, identifiers or people. Words that change the sense of a statement
// (not, no longer, used to, plans to, only, if, a question mark) must be in both, and neither may say after or from where the
// other says before or in. Scripts without spaces are compared by characters.
//
// The relation is symmetric, but not transitive.
func Alike(a, b string) bool {
	return markdown.EntryIDOf(a) == markdown.EntryIDOf(b) || claim.SameStatement(claim.WordsOf(a), claim.WordsOf(b))
}
