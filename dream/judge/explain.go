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

// Explanation is the reason why a candidate was promoted or not, and what would promote it.
type Explanation struct {
	Candidate dream.Candidate `json:"candidate"`
	// Summary is one line, such as "0.71 < 0.75; one more distinct day would pass".
	Summary string   `json:"summary"`
	Lacks   []string `json:"lacks,omitempty"` // failed conditions, one sentence each
	Would   []string `json:"would,omitempty"` // changes that would pass, one sentence each
}

// Explain explains the verdict on a candidate. It scores the candidate as Deep does, so that it always agrees with a dream:
// with the components that the dream found, under the given settings, which may have changed since.
//
// It tries out what would pass, one kind of signal at a time: mentions on more days, uses in answers to more questions, and
// an explicit request of a person. The summary names the smallest change that passes.
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

// ofGates holds the reasons that gates give.
var ofGates = map[string]bool{"": true, dream.ReasonLowScore: true, dream.ReasonOneOff: true, dream.ReasonOneContext: true}

// lacks explains a candidate that fails its gates.
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

// sentenceCase turns a clause into a sentence.
func sentenceCase(clause string) string {
	first, size := utf8.DecodeRuneInString(clause)
	return string(unicode.ToUpper(first)) + clause[size:] + "."
}

// clause turns a sentence into a clause. The first word keeps its capitals when it is a name such as MEMORY.md.
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
	add       func(dream.Candidate) dream.Candidate // adds one, at the time of the dream
	most      int
	one, many string
}

// wishes lists the kinds in the order in which they are tried; the first one wins a tie.
var wishes = []wish{
	{add: onAnotherDay, most: 14, one: "one more distinct day", many: "%d more distinct days"},
	{add: byAnotherQuestion, most: 14, one: "one recall by a new question", many: "%d recalls by new questions"},
	{add: whenAsked, most: 1, one: `being asked to remember it`},
}

// least returns the number of added signals that passes the gates; false when even most of them do not.
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

// renewed returns the components of a candidate with a signal at the current time. Boosts stay: they come from earlier
// dreams.
func renewed(c dream.Candidate) dream.Components {
	parts := c.Components
	fresh := partsOf(c.Signals, c.Tags)
	parts.Frequency, parts.Relevance, parts.Diversity = fresh.Frequency, fresh.Relevance, fresh.Diversity
	parts.Consolidation, parts.Conceptual = fresh.Consolidation, fresh.Conceptual
	parts.Recency = 1
	return parts
}

// onAnotherDay adds a mention on the day after the last known one.
func onAnotherDay(c dream.Candidate) dream.Candidate {
	c.Signals.MentionDays = append(slices.Clone(c.Signals.MentionDays), dayAfter(union(c.Signals.RecallDays, c.Signals.MentionDays)))
	return c
}

// byAnotherQuestion adds a recall by a new question, with the mean relevance so far. It is counted on a known day; a recall
// on another day would add more.
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

// whenAsked adds an explicit request of a person.
func whenAsked(c dream.Candidate) dream.Candidate {
	c.Signals.Asked = true
	return c
}

// dayAfter returns the day after the last one, and an arbitrary day for an empty list.
func dayAfter(days []dream.Day) dream.Day {
	if len(days) == 0 {
		return "2000-01-01"
	}
	last, err := time.Parse(time.DateOnly, string(days[len(days)-1]))
	if err != nil {
		return days[len(days)-1] + "+" // a distinct day that sorts after the last one
	}
	return dream.DayOf(last.AddDate(0, 0, 1))
}
