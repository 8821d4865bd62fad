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

// people are the units that name somebody of a dialogue.
type people struct {
	named []bool // per unit; nil: the question is no dialogue, nobody of it is known, or its speakers have turns of their own
	share float64
}

// peopleOf returns the units that may be about the people of a question that is a dialogue: they name one of its speakers, or a name
// that it mentions. Where a speaker has turns, texts do not name whom they are about. What an assistant said loses nothing more.
func (r *ranking) peopleOf() people {
	if r.o.Speaker == 0 || len(r.q.Speakers) == 0 || r.c.Corpus != search.Sessions {
		return people{}
	}
	named, about := make([]bool, len(r.c.Units)), make([]bool, len(r.c.Units))
	for i, term := range r.q.Terms {
		speaks := slices.Contains(r.q.Speakers, term.Forms[0])
		switch {
		case speaks && len(r.c.Context[i]) > 0:
			return people{}
		case !speaks && term.Sound == "":
			continue
		}
		for _, posting := range r.c.Body[i] {
			named[posting.Unit] = true
			about[posting.Unit] = about[posting.Unit] || speaks
		}
	}
	persons, known := 0, 0
	for unit := range named {
		if r.sessions.near[unit] == prose {
			named[unit] = true
			continue
		}
		persons++
		if about[unit] {
			known++
		}
	}
	if known == 0 {
		return people{}
	}
	return people{named, float64(known) / float64(persons)}
}

// missing returns the share of its score that a unit loses because it names nobody of the dialogue: the share of units that name a
// speaker. Where most of them do, the unit is about somebody else.
func (p people) missing(unit int) float64 {
	if p.named == nil || p.named[unit] {
		return 0
	}
	return p.share
}
