package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reverie/dream"
	"reverie/memory/setting"
)

// Explanation says why a candidate was promoted or not, and what would promote it.
type Explanation struct {
	Candidate dream.Candidate `json:"candidate"`
	// Summary is one line, such as "0.71 < 0.75; one more distinct day would pass".
	Summary string   `json:"summary"`
	Lacks   []string `json:"lacks,omitempty"` // what fails, one sentence each
	Would   []string `json:"would,omitempty"` // what would pass, one sentence each
}

// Explain tells why. It weighs the candidate as Deep does, so that it never says other than what a dream would do: with the
// components that a dream has found, under settings that may be others by now.
//
// What would pass is tried out, one kind of signal at a time: that it is noted or said on more days, that answers to more questions use
// it, that a person asks for it. The summary names the least of them.
func Explain(c dream.Candidate, s setting.DreamSettings) Explanation {
	c.Score = total(c.Components, s.Weights)
	c.Gates = gates(c, s)
	e := Explanation{Candidate: c}
	failed := failing(c.Gates)
	switch {
	case c.Verdict == dream.VerdictRejected:
		e.Summary = clause(c.Reason)
		e.Lacks = []string{c.Reason}
	case len(failed) == 0 && c.Verdict == dream.VerdictKept && !ofGates[c.ReasonCode]:
		e.Summary = "passes with " + passedWith(c.Gates) + "; " + clause(c.Reason)
		e.Lacks = []string{c.Reason}
	case len(failed) == 0:
		e.Summary = "passes with " + passedWith(c.Gates)
	default:
		e.lacks(failed, s)
	}
	return e
}

// ofGates are the reasons that gates give.
var ofGates = map[string]bool{"": true, dream.ReasonLowScore: true, dream.ReasonOneOff: true, dream.ReasonOneContext: true}

// lacks explains a candidate that does not pass its gates.
func (e *Explanation) lacks(failed []dream.Gate, s setting.DreamSettings) {
	short := make([]string, len(failed))
	for i, g := range failed {
		short[i] = strings.TrimPrefix(lack(g), "score ")
		e.Lacks = append(e.Lacks, sentenceCase(lack(g))+gateMeaning(g))
	}
	e.Summary = strings.Join(short, ", ")
	if e.Candidate.ReasonCode == dream.ReasonContradiction {
		e.Lacks = append(e.Lacks, e.Candidate.Reason)
		e.Summary += "; " + clause(e.Candidate.Reason)
		return
	}
	least, would := 0, "more of one kind of signal alone would not pass"
	for _, w := range wishes {
		n, ok := w.least(e.Candidate, s)
		if !ok {
			continue
		}
		e.Would = append(e.Would, sentenceCase(w.inWords(n)+" would pass"))
		if least == 0 || n < least {
			least, would = n, w.inWords(n)+" would pass"
		}
	}
	e.Summary += "; " + would
}

// sentenceCase makes a sentence of a clause.
func sentenceCase(clause string) string {
	first, size := utf8.DecodeRuneInString(clause)
	return string(unicode.ToUpper(first)) + clause[size:] + "."
}

// clause makes a clause of a sentence: what its first word is called stays when it is a name such as MEMORY.md.
func clause(sentence string) string {
	sentence = strings.TrimSuffix(sentence, ".")
	first, size := utf8.DecodeRuneInString(sentence)
	if next, _ := utf8.DecodeRuneInString(sentence[size:]); unicode.IsUpper(next) {
		return sentence
	}
	return string(unicode.ToLower(first)) + sentence[size:]
}

// wish is one kind of signal that a candidate may get more of.
type wish struct {
	add       func(dream.Candidate) dream.Candidate // one more of it, at the moment of the dream
	most      int
	one, many string
}

// wishes are tried out in this order; of two that need as much the first is named.
var wishes = []wish{
	{add: onAnotherDay, most: 14, one: "one more distinct day", many: "%d more distinct days"},
	{add: byAnotherQuestion, most: 14, one: "one recall by a new question", many: "%d recalls by new questions"},
	{add: whenAsked, most: 1, one: `being asked to remember it`},
}

// least is how much of it would pass the gates; false when not even the most of it would.
func (w wish) least(c dream.Candidate, s setting.DreamSettings) (int, bool) {
	for n := 1; n <= w.most; n++ {
		c = w.add(c)
		c.Components = renewed(c)
		c.Score = total(c.Components, s.Weights)
		if len(failing(gates(c, s))) == 0 {
			return n, true
		}
	}
	return 0, false
}

func (w wish) inWords(n int) string {
	if n == 1 {
		return w.one
	}
	return fmt.Sprintf(w.many, n)
}

// renewed are the components of a candidate that something has spoken for right now. Boosts stay: they come from dreams.
func renewed(c dream.Candidate) dream.Components {
	parts := c.Components
	fresh := partsOf(c.Signals, c.Tags)
	parts.Frequency, parts.Relevance, parts.Diversity = fresh.Frequency, fresh.Relevance, fresh.Diversity
	parts.Consolidation, parts.Conceptual = fresh.Consolidation, fresh.Conceptual
	parts.Recency = 1
	return parts
}

// onAnotherDay is a candidate that is noted or said once more, on the day after the last one that is known.
func onAnotherDay(c dream.Candidate) dream.Candidate {
	c.Signals.MentionDays = append(slices.Clone(c.Signals.MentionDays), dayAfter(union(c.Signals.RecallDays, c.Signals.MentionDays)))
	return c
}

// byAnotherQuestion is a candidate that is found and used once more, by a question of its own, as relevant as it was so far. The day
// is taken for one that is known: a question of another day would do more.
func byAnotherQuestion(c dream.Candidate) dream.Candidate {
	score := relevance(c.Signals)
	if n := c.Signals.Recalls; n > 0 {
		score = c.Signals.RecallScore / float64(n)
	}
	c.Signals.Recalls++
	c.Signals.Queries++
	c.Signals.RecallScore += score
	return c
}

// whenAsked is a candidate that a person asks to remember.
func whenAsked(c dream.Candidate) dream.Candidate {
	c.Signals.Asked = true
	return c
}

// dayAfter is the day after the last one; of none, any.
func dayAfter(days []dream.Day) dream.Day {
	if len(days) == 0 {
		return "2000-01-01"
	}
	last, err := time.Parse(time.DateOnly, string(days[len(days)-1]))
	if err != nil {
		return days[len(days)-1] + "+" // later than the last one, and another one
	}
	return dream.DayOf(last.AddDate(0, 0, 1))
}
