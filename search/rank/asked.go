package rank

import (
	"slices"

	"reverie/search"
)

// minKnown is the number of known words from which a question counts as one of several: shorter ones are small talk.
const minKnown = 2

// answerEach sets the parts that units, which are ranked by all words, owe to single questions of a text that asks several. By all
// words, the units that match a long question take all places. The best unit for each question has the same score.
func (r *ranking) answerEach(ranked []Ranked) {
	if len(ranked) == 0 || r.o.Question == 0 {
		return
	}
	share, asked := make([]float64, len(ranked)), 0
	for number := range r.q.Questions {
		one := r.of(number)
		if one == nil {
			continue
		}
		asked++
		scores, best := make([]float64, len(ranked)), 0.
		for i, found := range ranked {
			scores[i] = one.parts(found.Unit).total()
			best = max(best, scores[i])
		}
		for i := range share {
			if best > 0 {
				share[i] = max(share[i], scores[i]/best)
			}
		}
	}
	if asked < 2 {
		return
	}
	best := ranked[0].Parts.total()
	for _, found := range ranked {
		best = max(best, found.Parts.total())
	}
	for i := range ranked {
		ranked[i].Parts.Question = r.o.Question * (share[i]*best - ranked[i].Parts.total())
	}
}

// of returns the ranking by the words of one of several questions; nil if it has too few that are known.
func (r *ranking) of(number int) *ranking {
	one := *r
	one.sessions = newEnclosing(r.sessions.sessions)
	one.allocate()
	known := 0
	for i, term := range r.terms {
		if term.In&(1<<number) == 0 {
			continue
		}
		one.add(i, term)
		if !term.Stop && i < len(r.q.Terms) && len(r.c.Body[i]) > 0 {
			known++
		}
	}
	if known < minKnown {
		return nil
	}
	return &one
}

// people are the units that name somebody of a dialogue.
type people struct {
	named []bool // per unit; nil: the question is not a dialogue, nobody of it is known, or its speakers have their own turns
	share float64
}

// peopleOf returns the units that may be about the people of a question that is a dialogue: they name one of its speakers, or a name
// that it mentions. Where a speaker has turns, texts do not name whom they are about. What an assistant said loses nothing more.
func (r *ranking) peopleOf() people {
	if r.o.Speaker == 0 || r.o.People == 0 || len(r.q.Speakers) == 0 || r.c.Corpus != search.Sessions {
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
	return people{named, r.o.People * float64(known) / float64(persons)}
}

// missing returns the share of its score that a unit loses because it names nobody of the dialogue: the share of units that name a
// speaker. Where most of them do, the unit is about somebody else.
func (p people) missing(unit int) float64 {
	if p.named == nil || p.named[unit] {
		return 0
	}
	return p.share
}
