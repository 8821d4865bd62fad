package judge

import (
	"cmp"
	"math"
	"slices"
	"time"

	"reverie/dream"
)

// MaxReflections bounds the themes of one dream, and its likely truths.
const MaxReflections = 10

// MinConfidence is what a likely truth needs.
const MinConfidence = .45

// Shares of what the confidence in a statement is made of, after OpenClaw's.
const (
	relevanceShare = .45
	recallShare    = .25
	dayShare       = .20
	tagShare       = .10

	fullRecalls   = 6 // recalls
	fullTruthDays = 3 // days
)

// minTruthSignals keeps what was said once and never asked for out of the truths.
const minTruthSignals = 2

// REM finds what candidates of several days have in common, and which of them are likely truths. It changes nothing. asOf bounds
// the days that count.
//
// A theme is a concept of at least two candidates from at least two days. A likely truth has spoken for itself twice at least,
// or was asked to be remembered, and its confidence is
//
//	.45 relevance + .25 min(1, ln(1+recalls)/ln 7) + .20 min(1, days/3) + .10 min(1, tags/6)
//
// where days are those on which it was said or recalled. What was decided about before (known, forgotten, rejected) is none. The
// strongest come first; there are at most MaxReflections of each.
func REM(candidates []dream.Candidate, asOf time.Time) dream.Reflection {
	return dream.Reflection{Themes: themes(candidates, asOf), Truths: truths(candidates, asOf)}
}

// truths are the statements that are probably lasting.
func truths(candidates []dream.Candidate, asOf time.Time) []dream.Truth {
	out := []dream.Truth{}
	for _, c := range candidates {
		if c.Before.Status != "" && c.Before.Status != dream.Open || signalsOf(c.Signals) < minTruthSignals && !c.Signals.Asked {
			continue
		}
		if confidence := confidenceIn(c, asOf); confidence >= MinConfidence {
			out = append(out, dream.Truth{Candidate: c.ID, Confidence: confidence})
		}
	}
	slices.SortFunc(out, func(a, b dream.Truth) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.Candidate, b.Candidate))
	})
	return out[:min(len(out), MaxReflections)]
}

// confidenceIn is how likely a candidate is to last, 0 to 1.
func confidenceIn(c dream.Candidate, asOf time.Time) float64 {
	recalls := min(1, math.Log1p(float64(c.Signals.Recalls))/math.Log1p(fullRecalls))
	days := min(1, float64(len(daysOf(c, asOf)))/fullTruthDays)
	tags := min(1, float64(distinctTags(c.Tags))/fullConceptual)
	return relevanceShare*relevance(c.Signals) + recallShare*recalls + dayShare*days + tagShare*tags
}

// daysOf are the days up to asOf on which a candidate was noted, said or recalled, ascending.
func daysOf(c dream.Candidate, asOf time.Time) []dream.Day {
	days := slices.Concat(c.Signals.MentionDays, c.Signals.RecallDays)
	slices.Sort(days)
	days = slices.Compact(days)
	if !asOf.IsZero() {
		until := dream.DayOf(asOf)
		days = slices.DeleteFunc(days, func(d dream.Day) bool { return d > until })
	}
	return days
}
