package judge

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/language/script"
	"reverie/memory/markdown"
)

// MaxReflections bounds the themes of one dream, and its likely truths.
const MaxReflections = 10

// MinConfidence is the minimum confidence of a likely truth.
const MinConfidence = .45

// Weights of the parts of the confidence in a statement, after OpenClaw's.
const (
	relevanceShare = .45
	recallShare    = .25
	dayShare       = .20
	tagShare       = .10

	fullRecalls   = 6 // recalls
	fullTruthDays = 3 // days
)

// minTruthSignals excludes statements that were said once and never explicitly requested.
const minTruthSignals = 2

// REM finds what candidates of several days have in common, and the candidates that are likely truths. It changes nothing. asOf
// bounds the days that count.
//
// A theme is at least two concepts that at least two candidates from at least two days share; a single word that statements have
// in common is not a theme. A likely truth has at least two signals or was
// explicitly requested, and its confidence is
//
//	.45 relevance + .25 min(1, ln(1+recalls)/ln 7) + .20 min(1, days/3) + .10 min(1, tags/6)
//
// where days are those on which it was said or recalled. Statements decided before (known, forgotten, rejected) are excluded.
// Results are sorted by strength, at most MaxReflections of each.
func REM(candidates []dream.Candidate, asOf time.Time) dream.Reflection {
	return dream.Reflection{Themes: themes(candidates, asOf), Truths: truths(candidates, asOf)}
}

// truths returns the likely truths, highest confidence first.
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

// confidenceIn estimates the probability that a candidate is of lasting value, 0 to 1.
func confidenceIn(c dream.Candidate, asOf time.Time) float64 {
	recalls := min(1, math.Log1p(float64(c.Signals.Recalls))/math.Log1p(fullRecalls))
	days := min(1, float64(len(daysOf(c, asOf)))/fullTruthDays)
	tags := min(1, float64(distinctTags(c.Tags))/fullConceptual)
	return relevanceShare*relevance(c.Signals) + recallShare*recalls + dayShare*days + tagShare*tags
}

// daysOf returns the days up to asOf on which a candidate was noted, said or recalled, ascending.
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

const (
	// minThemeDays and minThemeCandidates are the minimum of a theme: the concepts recurred, and in more than one statement.
	minThemeDays       = 2
	minThemeCandidates = 2
	// maxThemeWords bounds the words of a theme's tag.
	maxThemeWords = 3
	// fullTheme bounds the number of candidates that gives a theme full strength. Without it half of all candidates would be
	// needed, which no theme of a long list reaches.
	fullTheme = 12
)

// found is a pair of concepts with the candidates that contain both.
type found struct {
	keys       [2]string
	candidates []*dream.Candidate
	days       []dream.Day
	at         int // the first position of the later one among the concepts of a candidate
}

// themes returns the pairs of concepts that recur over days, strongest first. Pairs of the same statements are one theme.
func themes(candidates []dream.Candidate, asOf time.Time) []dream.Theme {
	all := pairsIn(candidates, asOf)
	slices.SortFunc(all, func(a, b *found) int {
		return cmp.Or(
			cmp.Compare(len(b.candidates), len(a.candidates)), cmp.Compare(len(b.days), len(a.days)), cmp.Compare(a.at, b.at),
			slices.Compare(a.keys[:], b.keys[:]),
		)
	})
	out := []dream.Theme{}
	var taken [][]markdown.EntryID
	for _, f := range all {
		evidence := evidenceOf(f.candidates)
		if slices.ContainsFunc(taken, func(t []markdown.EntryID) bool { return slices.Equal(t, evidence) }) {
			continue
		}
		taken = append(taken, evidence)
		half := min(float64(len(candidates))/2, fullTheme)
		out = append(out, dream.Theme{
			Tag: f.tag(), Strength: min(1, float64(len(f.candidates))/half), Days: f.days,
			Candidates: evidence[:min(len(evidence), dream.MaxEvidence)],
		})
		if len(out) == MaxReflections {
			break
		}
	}
	return out
}

// pairsIn returns the pairs of concepts that meet the minimum of a theme.
func pairsIn(candidates []dream.Candidate, asOf time.Time) []*found {
	byKeys := map[[2]string]*found{}
	for i := range candidates {
		concepts := distinct(claim.Concepts(candidates[i].Text))
		for later, b := range concepts {
			for _, a := range concepts[:later] {
				if oneWord(a.Key, b.Key) {
					continue
				}
				keys := [2]string{min(a.Key, b.Key), max(a.Key, b.Key)}
				f := byKeys[keys]
				if f == nil {
					f = &found{keys: keys, at: later}
					byKeys[keys] = f
				}
				f.at = min(f.at, later)
				f.candidates = append(f.candidates, &candidates[i])
			}
		}
	}
	var out []*found
	for _, f := range byKeys {
		if len(f.candidates) < minThemeCandidates {
			continue
		}
		for _, c := range f.candidates {
			f.days = append(f.days, daysOf(*c, asOf)...)
		}
		slices.Sort(f.days)
		if f.days = slices.Compact(f.days); len(f.days) >= minThemeDays {
			out = append(out, f)
		}
	}
	return out
}

// maxThemeConcepts bounds the concepts of one statement that are paired.
const maxThemeConcepts = 24

// distinct returns the concepts without repeats.
func distinct(all []claim.Concept) []claim.Concept {
	known := map[string]bool{}
	var out []claim.Concept
	for _, c := range all {
		if !known[c.Key] && len(out) < maxThemeConcepts {
			known[c.Key] = true
			out = append(out, c)
		}
	}
	return out
}

// oneWord reports whether two concepts are parts of one word: one contains the other, or they overlap, as pairs of characters of
// a script without spaces do.
func oneWord(a, b string) bool {
	if strings.Contains(a, b) || strings.Contains(b, a) {
		return true
	}
	firstA, size := utf8.DecodeRuneInString(a)
	lastA, _ := utf8.DecodeLastRuneInString(a[size:])
	firstB, size := utf8.DecodeRuneInString(b)
	lastB, _ := utf8.DecodeLastRuneInString(b[size:])
	return script.IsHan(firstA) && script.IsHan(firstB) && (lastA == firstB || lastB == firstA)
}

// evidenceOf returns the candidates of a theme, those with the most signals first.
func evidenceOf(candidates []*dream.Candidate) []markdown.EntryID {
	sorted := slices.SortedFunc(slices.Values(candidates), func(a, b *dream.Candidate) int {
		return cmp.Or(cmp.Compare(signalsOf(b.Signals), signalsOf(a.Signals)), newestFirst(*a, *b))
	})
	out := make([]markdown.EntryID, len(sorted))
	for i, c := range sorted {
		out[i] = c.ID
	}
	return out
}

// tag returns the concepts that all statements of a theme share, as the newest statement writes them.
func (f *found) tag() string {
	shared := distinct(claim.Concepts(f.candidates[0].Text))
	for _, c := range f.candidates[1:] {
		in := map[string]bool{}
		for _, concept := range claim.Concepts(c.Text) {
			in[concept.Key] = true
		}
		shared = slices.DeleteFunc(shared, func(concept claim.Concept) bool { return !in[concept.Key] })
	}
	var words, keys []string
	for _, c := range shared {
		if len(words) < maxThemeWords && !slices.ContainsFunc(keys, func(key string) bool { return oneWord(key, c.Key) }) {
			words, keys = append(words, c.Word), append(keys, c.Key)
		}
	}
	return strings.Join(words, " ")
}
