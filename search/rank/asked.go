package rank

import (
	"slices"

	"reverie/language/analysis"
	"reverie/search"
	"reverie/search/index"
)

// mostBalanced is the largest factor for the terms of a short question: one of two common words is mostly small talk.
const mostBalanced = 3

// balanceOf returns the factors for the terms of several questions of one text, such that each question counts as much as the one with
// most inverse document frequency: a long one would take all places. A question with fewer than two known words keeps its weight. It
// returns nil if fewer than two questions have them.
func balanceOf(q analysis.Query, c *index.Collection) []float64 {
	if q.Questions < 2 {
		return nil
	}
	weights, known := make([]float64, q.Questions), make([]int, q.Questions)
	for i, term := range q.Terms {
		if term.Stop || len(c.Body[i]) == 0 {
			continue
		}
		for j := range weights {
			if term.In&(1<<j) != 0 {
				weights[j] += idf(len(c.Units), len(c.Body[i]))
				known[j]++
			}
		}
	}
	most, several := 0., 0
	for j := range weights {
		if known[j] < 2 {
			weights[j] = 0
			continue
		}
		most = max(most, weights[j])
		several++
	}
	if several < 2 {
		return nil
	}
	for j, weight := range weights {
		if weights[j] = 1; weight > 0 {
			weights[j] = min(mostBalanced, most/weight)
		}
	}
	return weights
}

// balanced returns the factor for a term: the greatest of the questions that have it.
func balanced(factors []float64, term analysis.QueryTerm) float64 {
	greatest := 0.
	for j, factor := range factors {
		if term.In&(1<<j) != 0 {
			greatest = max(greatest, factor)
		}
	}
	if greatest == 0 {
		return 1
	}
	return greatest
}

// people are the units in which somebody who speaks in a dialogue is named or speaks.
type people struct {
	named []bool // per unit; nil: the question is no dialogue, or nobody of it is known
	share float64
}

// peopleOf returns the units about the people of a question that is a dialogue. What an assistant said is about them anyway.
func (r *ranking) peopleOf() (p people) {
	if r.o.Speaker == 0 || len(r.q.Speakers) == 0 || r.c.Corpus != search.Sessions {
		return p
	}
	named := make([]bool, len(r.c.Units))
	for i, term := range r.terms {
		if !slices.Contains(r.q.Speakers, term.Forms[0]) {
			continue
		}
		for _, postings := range [][]index.Posting{r.c.Body[i], r.c.Context[i]} {
			for _, posting := range postings {
				named[posting.Unit] = true
			}
		}
	}
	persons, about := 0, 0
	for unit := range named {
		switch {
		case r.sessions.near[unit] == prose:
			named[unit] = true
		case named[unit]:
			about++
			persons++
		default:
			persons++
		}
	}
	if about == 0 {
		return p
	}
	return people{named, float64(about) / float64(persons)}
}

// missing returns the share of its score that a unit loses because it names nobody of the dialogue: the share of the units that do.
// Where that is most of them, the unit is about somebody else.
func (p people) missing(unit int) float64 {
	if p.named == nil || p.named[unit] {
		return 0
	}
	return p.share
}
