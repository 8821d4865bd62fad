// Package dreamtest provides helpers for tests of dreams.
package dreamtest

import (
	"cmp"
	"slices"
	"time"

	"reverie/dream"
	"reverie/memory/markdown"
)

// Remembered returns the states to store for the next dream.
func Remembered(states []dream.State, candidates []dream.Candidate, r dream.Reflection, asOf time.Time) []dream.State {
	byID := map[markdown.EntryID]dream.State{}
	for _, s := range states {
		byID[s.ID] = s
	}
	for _, c := range candidates {
		s := c.Before
		s.ID, s.Text, s.Aliases, s.MentionDays, s.Asked = c.ID, c.Text, c.Aliases, c.Signals.MentionDays, c.Signals.Asked
		s.LastSeen = c.Signals.LastSeen
		if s.FirstSeen.IsZero() {
			s.FirstSeen = asOf
		}
		if s.LightAt.IsZero() || dream.DayOf(s.LightAt.In(asOf.Location())) != dream.DayOf(asOf) {
			s.LightHits++
		}
		s.LightAt = asOf
		if slices.ContainsFunc(r.Truths, func(t dream.Truth) bool { return t.Candidate == c.ID }) {
			s.REMHits++
			s.REMAt = asOf
		}
		s.ReasonCode = c.ReasonCode
		switch {
		case c.Verdict == dream.VerdictPromoted:
			s.Status = dream.Promoted
		case c.Verdict == dream.VerdictRejected && c.ReasonCode == dream.ReasonCorrected:
			s.Status = dream.Rejected
		case s.Status == "":
			s.Status = dream.Open
		}
		byID[s.ID] = s
	}
	out := make([]dream.State, 0, len(byID))
	for _, s := range byID {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b dream.State) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// Night is the time of the first dream in tests.
var Night = time.Date(2026, 1, 31, 2, 0, 0, 0, time.UTC)

// InNote is a line of a daily note.
var InNote = dream.Place{Origin: dream.FromNote, Path: "memory/2026-01-28.md", FromLine: 4, ToLine: 4}

// Passing returns a candidate that passed the gates.
func Passing(text string, score float64, places ...dream.Place) dream.Candidate {
	return dream.Candidate{
		ID: markdown.EntryIDOf("- " + text), Text: text, Score: score, Verdict: dream.VerdictPromoted, ReasonCode: dream.ReasonPassed,
		Places: places,
	}
}
