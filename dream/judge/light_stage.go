package judge

import (
	"cmp"
	"slices"

	"reverie/dream"
	"reverie/memory"
)

// MaxAliases bounds how many other identities are kept of a statement.
const MaxAliases = 64

// staged reports whether a thing is weighed: it was said in the window, or it is open and was recalled since it was last weighed.
func (t *thing) staged() bool {
	if len(t.statements) > 0 {
		return true
	}
	if t.state.Status != dream.Open && t.state.Status != "" {
		return false
	}
	since := t.state.LightAt
	if since.IsZero() {
		since = t.state.LastSeen
	}
	return slices.ContainsFunc(t.recalls, func(r *dream.Recall) bool { return r.At.After(since) })
}

// candidate is the thing as it is weighed, without its tags.
func (t *thing) candidate() dream.Candidate {
	c := dream.Candidate{
		ID: t.id, Text: t.text, Before: t.state, Aliases: t.otherIDs(), Signals: t.signals(), Places: t.places(),
	}
	for _, s := range t.statements { // the newest first
		c.Heading = cmp.Or(c.Heading, s.Heading)
		c.Corrects = cmp.Or(c.Corrects, s.Corrects)
		c.Person = c.Person || s.Person
		c.Ends = c.Ends || s.Ends
	}
	return c
}

// otherIDs are the aliases, what was known of them first.
func (t *thing) otherIDs() []memory.EntryID {
	ids := t.aliases[:min(len(t.aliases), MaxAliases)]
	return slices.Sorted(slices.Values(ids))
}

// signals are what speaks for the thing.
func (t *thing) signals() dream.Signals {
	s := dream.Signals{Asked: t.state.Asked, LastSeen: t.state.LastSeen}
	mentions := slices.Clone(t.state.MentionDays)
	for _, said := range t.statements {
		mentions = append(mentions, said.Place.Day)
		s.Asked = s.Asked || said.Asked
		if said.At.After(s.LastSeen) {
			s.LastSeen = said.At
		}
	}
	s.MentionDays = lastDays(mentions)
	var (
		queries = map[string]bool{}
		days    []dream.Day
	)
	for _, r := range t.recalls {
		s.Recalls++
		s.RecallScore += r.Score
		queries[r.Query] = true
		days = append(days, r.Day)
		if r.At.After(s.LastRecalled) {
			s.LastRecalled = r.At
		}
	}
	s.Queries = len(queries)
	s.RecallDays = lastDays(days)
	return s
}

// lastDays are the last MaxDays distinct days, ascending.
func lastDays(days []dream.Day) []dream.Day {
	if len(days) == 0 {
		return nil
	}
	slices.Sort(days)
	days = slices.Compact(days)
	return days[max(0, len(days)-dream.MaxDays):]
}

// places are where it was noted or said, the newest first.
func (t *thing) places() []dream.Place {
	sorted := slices.SortedFunc(slices.Values(t.statements), func(a, b *dream.Statement) int {
		return cmp.Or(b.At.Compare(a.At), comparePlaces(a.Place, b.Place))
	})
	out := make([]dream.Place, 0, min(len(sorted), dream.MaxPlaces))
	for _, s := range sorted {
		if len(out) == dream.MaxPlaces {
			break
		}
		if !slices.ContainsFunc(out, func(p dream.Place) bool { return samePlace(p, s.Place) }) {
			out = append(out, s.Place)
		}
	}
	return out
}

// samePlace reports whether two places are the same lines or messages.
func samePlace(a, b dream.Place) bool {
	return a.Day == b.Day && comparePlaces(a, b) == 0
}
