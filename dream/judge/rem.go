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

// REM finds the concepts that candidates of several days share, and the candidates that are likely truths. It changes
// nothing. asOf bounds the days that count.
//
// A theme is a concept of at least two candidates from at least two days. A likely truth has at least two signals or was
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
	// minThemeDays and minThemeCandidates are the minimum of a theme: the concept recurred, and in more than one statement.
	minThemeDays       = 2
	minThemeCandidates = 2
	// fullTheme bounds the number of candidates that gives a theme full strength. Without it half of all candidates would be
	// needed, which no theme of a long list reaches.
	fullTheme = 12
)

// found is a concept with the candidates that contain it.
type found struct {
	key        string
	words      map[string]int // number of uses of each spelling
	candidates []*dream.Candidate
	days       []dream.Day
	at         int // its first position among the concepts of a candidate
}

// themes returns the concepts that recur over days, strongest first.
func themes(candidates []dream.Candidate, asOf time.Time) []dream.Theme {
	all := conceptsIn(candidates, asOf)
	slices.SortFunc(all, func(a, b *found) int {
		return cmp.Or(
			cmp.Compare(len(b.candidates), len(a.candidates)), cmp.Compare(len(b.days), len(a.days)), cmp.Compare(a.at, b.at),
			cmp.Compare(a.key, b.key),
		)
	})
	out := []dream.Theme{}
	var taken [][]markdown.EntryID
	for _, f := range all {
		evidence := evidenceOf(f.candidates)
		// The words of one recurring phrase are one theme: "green" and "tea" of the same statements.
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

// conceptsIn returns the concepts that meet the minimum of a theme.
func conceptsIn(candidates []dream.Candidate, asOf time.Time) []*found {
	byKey := map[string]*found{}
	for i := range candidates {
		c := &candidates[i]
		known := map[string]bool{}
		for at, concept := range claim.Concepts(c.Text) {
			if known[concept.Key] {
				continue
			}
			known[concept.Key] = true
			f := byKey[concept.Key]
			if f == nil {
				f = &found{key: concept.Key, words: map[string]int{}, at: at}
				byKey[concept.Key] = f
			}
			f.at = min(f.at, at)
			f.words[concept.Word]++
			f.candidates = append(f.candidates, c)
		}
	}
	var out []*found
	for _, f := range byKey {
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

// tag returns the display form of a concept: its most frequent spelling. In a script without spaces it includes the
// characters around it that all its statements share.
func (f *found) tag() string {
	tag, most := f.key, 0
	for word, n := range f.words {
		if n > most || n == most && word < tag {
			tag, most = word, n
		}
	}
	if !script.HasHan(tag) {
		return tag
	}
	for grown := true; grown; {
		tag, grown = f.grow(tag)
	}
	return tag
}

// grow adds one character that is next to the tag in all statements.
func (f *found) grow(tag string) (string, bool) {
	text := f.candidates[0].Text
	at := strings.Index(text, tag)
	if at < 0 || utf8.RuneCountInString(tag) >= 2*claim.MaxHanConcept {
		return tag, false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+len(tag):])
	for _, longer := range []string{tag + string(after), string(before) + tag} {
		if claim.IsUnbroken(longer) && allIdeographs(longer) && f.inAll(longer) {
			return longer, true
		}
	}
	return tag, false
}

// inAll reports whether all statements of a theme contain a text.
func (f *found) inAll(text string) bool {
	return !slices.ContainsFunc(f.candidates, func(c *dream.Candidate) bool { return !strings.Contains(c.Text, text) })
}

func allIdeographs(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !script.IsHan(r) }) < 0
}
