package judge

import (
	"slices"
	"time"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/memory"
)

// barred are statements of earlier dreams that do not come back by themselves.
type barred struct {
	states []barredState
	zone   *time.Location
}

// barredState is one of them with its words.
type barredState struct {
	dream.State
	ids  []memory.EntryID
	said claim.Words
	what claim.Content
}

// barredBy reads the states that bar: what was forgotten or rejected, what a person put other words in place of, and what was
// promoted and has left MEMORY.md since.
func barredBy(m dream.Material, candidates []dream.Candidate) barred {
	b := barred{zone: m.AsOf.Location()}
	states := slices.Clone(m.States)
	for _, c := range candidates {
		states = append(states, c.Before)
	}
	seen := make(map[memory.EntryID]bool, len(states))
	for _, s := range states {
		if s.Status == dream.Open || s.Status == "" || seen[s.ID] {
			continue
		}
		seen[s.ID] = true
		state := barredState{State: s, ids: append([]memory.EntryID{s.ID}, s.Aliases...)}
		if s.Text != "" {
			state.said, state.what = claim.WordsOf(s.Text), claim.ContentOf(s.Text)
		}
		b.states = append(b.states, state)
	}
	return b
}

// bars tells whether a candidate must not come back, and why.
//
// What was forgotten never does, neither in other words nor with more around it, nor the most of it by itself. What was
// corrected, undone or edited does when the person says it anew on a later day than it was said before.
func (b barred) bars(c dream.Candidate, said claim.Words) (code, why string, ok bool) {
	what := claim.ContentOf(c.Text)
	for _, s := range b.states {
		same := s.is(c, said)
		switch {
		case s.Status == dream.Forgotten:
			if same || s.tells(what) {
				return dream.ReasonForgotten, "A person wanted it gone.", true
			}
		case !same || b.saidAnew(c, s.State):
		case s.Status == dream.Rejected && s.ReasonCode == dream.ReasonCorrected:
			return dream.ReasonCorrected, "It was corrected before, and nobody has said it anew.", true
		case s.Status == dream.Rejected:
			return dream.ReasonUndone, "Its promotion was undone, and nobody has said it anew.", true
		case s.Status == dream.Edited:
			return dream.ReasonKnown, "A person put other words in its place.", true
		}
	}
	return "", "", false
}

// left reports whether a candidate was promoted before and has left MEMORY.md since, which does not say it: somebody took it
// out, put it in other words or moved it to an archive. It comes back as other statements do.
func (b barred) left(c dream.Candidate, said claim.Words) bool {
	return slices.ContainsFunc(b.states, func(s barredState) bool {
		return (s.Status == dream.Promoted || s.Status == dream.Confirmed) && s.is(c, said) && !b.saidAnew(c, s.State)
	})
}

// tells reports whether what is said has everything that a state says, or is a part of it, at least half.
func (s barredState) tells(what claim.Content) bool {
	return len(s.what) > 1 && s.what.Within(what) || len(what) > 1 && 2*len(what) >= len(s.what) && what.Within(s.what)
}

// is reports whether a candidate says what a state is of.
func (s barredState) is(c dream.Candidate, said claim.Words) bool {
	known := func(id memory.EntryID) bool { return slices.Contains(s.ids, id) }
	return known(c.ID) || slices.ContainsFunc(c.Aliases, known) || len(s.what) > 0 && claim.SameStatement(s.said, said)
}

// saidAnew reports whether the person said a candidate on a later day than what is known of it.
func (b barred) saidAnew(c dream.Candidate, s dream.State) bool {
	if s.LastSeen.IsZero() {
		return false
	}
	before := dream.DayOf(s.LastSeen.In(b.zone))
	return slices.ContainsFunc(c.Places, func(p dream.Place) bool {
		return p.Day > before && (p.Origin == dream.FromSession || c.Person)
	})
}
