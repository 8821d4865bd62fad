package judge

import (
	"fmt"
	"slices"
	"time"

	"reverie/dream"
	"reverie/memory"
)

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
func (w wish) least(c dream.Candidate, s memory.DreamSettings) (int, bool) {
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
