package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"reverie/dream"
	"reverie/memory/setting"
)

const (
	// mentionRelevance is how relevant a statement is that was noted or said on one day and never recalled: a person found it
	// worth a note, which says less than that an answer was found with it. OpenClaw gives what it ingests the same.
	mentionRelevance = .62
	// askedSignals is what "remember this" counts for, each with full relevance: with the mention itself it makes the three
	// signals of the gate.
	askedSignals = 2

	fullFrequency  = 10 // signals
	fullDiversity  = 5  // distinct questions or days
	fullConceptual = 6  // tags
	fullGrounding  = 3  // days on which it was said, and questions that used it
	fullBoost      = 6  // dreams' days
	fullDays       = 5  // of consolidation
	fullSpan       = 7  // days
)

// score weighs a candidate at a moment: its components, and their weighted sum with the boosts, from 0 to 1. asOf is in the
// owner's zone.
func score(c dream.Candidate, asOf time.Time, s setting.DreamSettings) (dream.Components, float64) {
	light, lightAt := hits(c.Before.LightHits, c.Before.LightAt, asOf, true)
	rem, remAt := hits(c.Before.REMHits, c.Before.REMAt, asOf, c.Truth > 0)
	parts := partsOf(c.Signals, c.Tags)
	parts.Recency = decay(laterOf(c.Signals.LastSeen, c.Signals.LastRecalled), asOf, s.HalfLifeDays)
	parts.LightBoost = boost(s.LightBoost, light, lightAt, asOf, s.HalfLifeDays)
	parts.REMBoost = boost(s.REMBoost, rem, remAt, asOf, s.HalfLifeDays)
	return parts, total(parts, s.Weights)
}

// partsOf are the components that do not depend on the moment.
func partsOf(g dream.Signals, tags []string) dream.Components {
	return dream.Components{
		Frequency:     logShare(signalsOf(g), fullFrequency),
		Relevance:     relevance(g),
		Diversity:     share(float64(diversityOf(g)+asked(g)), fullDiversity),
		Consolidation: consolidation(g),
		Conceptual:    share(float64(distinctTags(tags)), fullConceptual),
	}
}

// total is the weighted sum of the components, with the boosts. Weights below 0 count as 0; when none is left the boosts stand
// alone.
func total(c dream.Components, w setting.DreamWeights) float64 {
	pairs := [...][2]float64{
		{w.Frequency, c.Frequency},
		{w.Relevance, c.Relevance},
		{w.Diversity, c.Diversity},
		{w.Recency, c.Recency},
		{w.Consolidation, c.Consolidation},
		{w.Conceptual, c.Conceptual},
	}
	var sum, weights float64
	for _, p := range pairs {
		weight := max(finite(p[0]), 0)
		weights += weight
		sum += weight * p[1]
	}
	if weights > 0 {
		sum /= weights
	}
	return clamp(sum + c.LightBoost + c.REMBoost)
}

// signalsOf counts what speaks for a statement: uses as a search result, days on which it was noted or said, and that a person
// asked for it.
func signalsOf(g dream.Signals) int { return g.Recalls + len(g.MentionDays) + asked(g) }

// asked is what an explicit wish counts for.
func asked(g dream.Signals) int {
	if g.Asked {
		return askedSignals
	}
	return 0
}

// diversityOf counts the distinct questions that used a statement, or the distinct days on which it came up, whichever are more.
func diversityOf(g dream.Signals) int { return max(g.Queries, len(union(g.RecallDays, g.MentionDays))) }

// relevance is the mean over all signals: a recall's score, 1 for a wish, and for each mention what all of them together are
// worth. A statement that comes up on another day again is that much less likely to be a passing remark, so that
// the doubt that one mention leaves is multiplied with itself for each further day.
func relevance(g dream.Signals) float64 {
	all := signalsOf(g)
	if all == 0 {
		return 0
	}
	mentions := float64(len(g.MentionDays))
	sum := finite(g.RecallScore) + mentions*(1-math.Pow(1-mentionRelevance, mentions)) + float64(asked(g))
	return clamp(sum / float64(all))
}

// consolidation is how far a statement has settled: spread over days, grounded in what was said and used, or asked for.
func consolidation(g dream.Signals) float64 {
	if g.Asked {
		return 1
	}
	days := len(union(g.RecallDays, g.MentionDays))
	var spread float64
	switch {
	case days == 1:
		spread = .2
	case days > 1:
		spread = .55*logRatio(float64(days), fullDays) + .45*share(float64(spanDays(g)), fullSpan)
	}
	if diversityOf(g) < 2 { // of one context: nothing but its day has settled
		return spread
	}
	return max(spread, share(float64(len(g.MentionDays)+g.Queries), fullGrounding))
}

// hits counts the days on which dreams took a statement up, with the one that is dreamed now: two dreams of one day add once.
func hits(before int, at, asOf time.Time, now bool) (int, time.Time) {
	if !now {
		return before, at
	}
	if before == 0 || at.IsZero() || dream.DayOf(at.In(asOf.Location())) != dream.DayOf(asOf) {
		before++
	}
	return before, asOf
}

// boost is what having been taken up by earlier dreams adds to a score.
func boost(full float64, hits int, at, asOf time.Time, halfLife float64) float64 {
	if hits <= 0 {
		return 0
	}
	return max(finite(full), 0) * logShare(hits, fullBoost) * decay(at, asOf, halfLife)
}

// decay halves what is worth 1 for every halfLife days that lie between at and asOf; without a half-life nothing fades. A moment
// that is not known has faded.
func decay(at, asOf time.Time, halfLife float64) float64 {
	switch {
	case at.IsZero():
		return 0
	case halfLife <= 0 || math.IsNaN(halfLife):
		return 1
	}
	age := max(asOf.Sub(at).Hours()/24, 0)
	return math.Exp2(-age / halfLife)
}

// distinctTags counts tags that tell something.
func distinctTags(tags []string) int {
	seen := make(map[string]bool, len(tags))
	for _, t := range tags {
		if t != "" {
			seen[t] = true
		}
	}
	return len(seen)
}

// union is the distinct days of two ascending lists, ascending.
func union(a, b []dream.Day) []dream.Day {
	days := slices.Concat(a, b)
	slices.Sort(days)
	return slices.Compact(days)
}

// spanDays is how many days lie between the first and the last day on which a statement came up.
func spanDays(g dream.Signals) int {
	days := union(g.RecallDays, g.MentionDays)
	if len(days) < 2 {
		return 0
	}
	first, err1 := time.Parse(time.DateOnly, string(days[0]))
	last, err2 := time.Parse(time.DateOnly, string(days[len(days)-1]))
	if err1 != nil || err2 != nil {
		return 0
	}
	return int(last.Sub(first).Hours() / 24)
}

// logShare grows with n and reaches 1 at full.
func logShare(n, full int) float64 { return logRatio(float64(1+n), float64(1+full)) }

func logRatio(x, full float64) float64 { return clamp(math.Log(x) / math.Log(full)) }

func share(x, full float64) float64 { return clamp(x / full) }

// clamp is x within 0 and 1; what is no number is 0.
func clamp(x float64) float64 { return min(max(finite(x), 0), 1) }

func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Names of gates.
const (
	gateScore     = "score"
	gateSignals   = "signals"
	gateDiversity = "diversity"
)

// gates are the conditions of promotion. What a person asked for by name needs no second context.
func gates(c dream.Candidate, s setting.DreamSettings) []dream.Gate {
	signals, diversity := signalsOf(c.Signals), diversityOf(c.Signals)
	return []dream.Gate{
		{Name: gateScore, Value: c.Score, Need: s.MinScore, Passed: c.Score >= s.MinScore},
		{Name: gateSignals, Value: float64(signals), Need: float64(s.MinSignals), Passed: signals >= s.MinSignals},
		{
			Name: gateDiversity, Value: float64(diversity), Need: float64(s.MinDiversity),
			Passed: c.Signals.Asked || diversity >= s.MinDiversity,
		},
	}
}

// failing are the gates that do not let a candidate through.
func failing(all []dream.Gate) []dream.Gate {
	var out []dream.Gate
	for _, g := range all {
		if !g.Passed {
			out = append(out, g)
		}
	}
	return out
}

// lack describes what a gate lacks.
func lack(g dream.Gate) string {
	switch g.Name {
	case gateSignals:
		return fmt.Sprintf("%s of %s signals", number(g.Value), number(g.Need))
	case gateDiversity:
		return fmt.Sprintf("%s of %s distinct days or questions", number(g.Value), number(g.Need))
	}
	return "score " + below(g.Value, g.Need)
}

// gateMeaning explains what a gate counts; it is empty for the score.
func gateMeaning(g dream.Gate) string {
	switch g.Name {
	case gateSignals:
		return ": the days on which it was noted or said, its uses in answers, and 2 when a person asks for it"
	case gateDiversity:
		return ": those on which it came up, or that used it"
	}
	return ""
}

// below writes x < need with as few decimals as show the difference, from two on.
func below(x, need float64) string {
	for decimals := 2; ; decimals++ {
		a, b := fmt.Sprintf("%.*f", decimals, x), fmt.Sprintf("%.*f", decimals, need)
		if a != b || decimals == 9 {
			return a + " < " + b
		}
	}
}

// number writes a count, or a setting that need not be one.
func number(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

// reasonOf is why candidates that fail these gates wait: too few signals says more than too low a score, which follows from it.
func reasonOf(failed []dream.Gate) string {
	reason := dream.ReasonLowScore
	for _, g := range failed {
		switch g.Name {
		case gateSignals:
			return dream.ReasonOneOff
		case gateDiversity:
			reason = dream.ReasonOneContext
		}
	}
	return reason
}

// sentenceOfLacks says in one sentence why a candidate waits.
func sentenceOfLacks(failed []dream.Gate) string {
	lacks := make([]string, len(failed))
	for i, g := range failed {
		lacks[i] = lack(g)
	}
	return "It waits: " + strings.Join(lacks, "; ") + "."
}

// passedWith says what a candidate passed with.
func passedWith(all []dream.Gate) string {
	var score, signals, diversity string
	for _, g := range all {
		switch g.Name {
		case gateScore:
			score = fmt.Sprintf("score %.2f", g.Value)
		case gateSignals:
			signals = plural(g.Value, "signal", "signals")
		case gateDiversity:
			diversity = plural(g.Value, "distinct day or question", "distinct days or questions")
		}
	}
	return fmt.Sprintf("%s, %s, %s", score, signals, diversity)
}

// plural counts things.
func plural(n float64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}
