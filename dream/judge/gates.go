package judge

import (
	"fmt"
	"strings"

	"reverie/dream"
	"reverie/memory"
)

// Names of gates.
const (
	gateScore     = "score"
	gateSignals   = "signals"
	gateDiversity = "diversity"
)

// gates are the conditions of promotion. What a person asked for by name needs no second context.
func gates(c dream.Candidate, s memory.DreamSettings) []dream.Gate {
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
