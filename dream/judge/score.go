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
	// mentionRelevance is the relevance of a statement that was noted or said on one day and never recalled. A mention is
	// weaker evidence than an answer that used the statement. OpenClaw uses the same value for ingested text.
	mentionRelevance = .62
	// askedSignals is the number of signals that "remember this" adds, each with full relevance. With the mention itself they
	// make the three signals of the gate.
	askedSignals = 2

	fullFrequency  = 10 // signals
	fullDiversity  = 5  // distinct questions or days
	fullConceptual = 6  // tags
	fullGrounding  = 3  // days on which it was said, and questions that used it
	fullBoost      = 6  // days with a dream
	fullDays       = 5  // days, for consolidation
	fullSpan       = 7  // days
)

// score returns the components of a candidate at a time and their weighted sum with the boosts, 0 to 1. asOf is in the
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

// partsOf returns the components that do not depend on the time.
func partsOf(g dream.Signals, tags []string) dream.Components {
	return dream.Components{
		Frequency:     logShare(signalsOf(g), fullFrequency),
		Relevance:     relevance(g),
		Diversity:     share(float64(diversityOf(g)+asked(g)), fullDiversity),
		Consolidation: consolidation(g),
		Conceptual:    share(float64(distinctTags(tags)), fullConceptual),
	}
}

// total returns the weighted sum of the components plus the boosts. Negative weights count as 0; when no weight is left, only
// the boosts count.
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

// signalsOf counts the evidence for a statement: uses as a search result, days on which it was noted or said, and the
// explicit request of a person.
func signalsOf(g dream.Signals) int { return g.Recalls + len(g.MentionDays) + asked(g) }

// asked returns the number of signals of an explicit request.
func asked(g dream.Signals) int {
	if g.Asked {
		return askedSignals
	}
	return 0
}

// diversityOf returns the number of distinct questions that used a statement or of distinct days on which it came up,
// whichever is higher.
func diversityOf(g dream.Signals) int { return max(g.Queries, len(union(g.RecallDays, g.MentionDays))) }

// relevance returns the mean over all signals: the score of a recall, 1 for an explicit request, and for each mention a value
// that grows with the number of mentions. Each further day makes a passing remark less likely: the remaining doubt of one
// mention is raised to the power of the number of days.
func relevance(g dream.Signals) float64 {
	all := signalsOf(g)
	if all == 0 {
		return 0
	}
	mentions := float64(len(g.MentionDays))
	sum := finite(g.RecallScore) + mentions*(1-math.Pow(1-mentionRelevance, mentions)) + float64(asked(g))
	return clamp(sum / float64(all))
}

// consolidation returns the degree to which a statement has settled, 0 to 1: spread over days, grounded in mentions and uses,
// or explicitly requested.
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
	if diversityOf(g) < 2 { // a single context: only the spread counts
		return spread
	}
	return max(spread, share(float64(len(g.MentionDays)+g.Queries), fullGrounding))
}

// hits counts the days on which dreams took up a statement, including the current one. Two dreams of one day count once.
func hits(before int, at, asOf time.Time, now bool) (int, time.Time) {
	if !now {
		return before, at
	}
	if before == 0 || at.IsZero() || dream.DayOf(at.In(asOf.Location())) != dream.DayOf(asOf) {
		before++
	}
	return before, asOf
}

// boost returns the addition to the score of a statement that earlier dreams took up.
func boost(full float64, hits int, at, asOf time.Time, halfLife float64) float64 {
	if hits <= 0 {
		return 0
	}
	return max(finite(full), 0) * logShare(hits, fullBoost) * decay(at, asOf, halfLife)
}

// decay returns 1, halved for every halfLife days between at and asOf; without a half-life it returns 1. For the zero time it
// returns 0.
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

// distinctTags counts the distinct tags that are not empty.
func distinctTags(tags []string) int {
	seen := make(map[string]bool, len(tags))
	for _, t := range tags {
		if t != "" {
			seen[t] = true
		}
	}
	return len(seen)
}

// union merges the days of two ascending lists into one without repeats, ascending.
func union(a, b []dream.Day) []dream.Day {
	days := slices.Concat(a, b)
	slices.Sort(days)
	return slices.Compact(days)
}

// spanDays returns the number of days between the first and the last day on which a statement came up.
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

// clamp limits x to 0 to 1; NaN and infinities become 0.
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

// gates returns the conditions of promotion. An explicit request of a person needs no second context.
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

// failing returns the gates that a candidate does not pass.
func failing(all []dream.Gate) []dream.Gate {
	var out []dream.Gate
	for _, g := range all {
		if !g.Passed {
			out = append(out, g)
		}
	}
	return out
}

// lack describes how a gate fails.
func lack(g dream.Gate) string {
	switch g.Name {
	case gateSignals:
		return fmt.Sprintf("%s of %s signals", number(g.Value), number(g.Need))
	case gateDiversity:
		return fmt.Sprintf("%s of %s distinct days or questions", number(g.Value), number(g.Need))
	}
	return "score " + below(g.Value, g.Need)
}

// gateMeaning explains what a gate counts; empty for the score.
func gateMeaning(g dream.Gate) string {
	switch g.Name {
	case gateSignals:
		return ": the days on which it was noted or said, its uses in answers, and 2 when a person asks for it"
	case gateDiversity:
		return ": those on which it came up, or that used it"
	}
	return ""
}

// below formats x < need with as few decimals as show the difference, at least two.
func below(x, need float64) string {
	for decimals := 2; ; decimals++ {
		a, b := fmt.Sprintf("%.*f", decimals, x), fmt.Sprintf("%.*f", decimals, need)
		if a != b || decimals == 9 {
			return a + " < " + b
		}
	}
}

// number formats a count, or a setting that may be a fraction.
func number(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

// reasonOf returns the reason code of candidates that fail these gates. Too few signals takes precedence over a low score,
// which follows from it.
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

// sentenceOfLacks formats the failed gates as one sentence.
func sentenceOfLacks(failed []dream.Gate) string {
	lacks := make([]string, len(failed))
	for i, g := range failed {
		lacks[i] = lack(g)
	}
	return "It waits: " + strings.Join(lacks, "; ") + "."
}

// passedWith formats the values with which a candidate passed.
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

// plural formats a number with its noun.
func plural(n float64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}
