package choose

import (
	"math"
	"slices"

	"reverie/search"
	"reverie/search/index"
)

// Statement is the sentence of a passage that has the most words of the question. Its lists are sorted and distinct.
type Statement struct {
	Asked  []index.TermID // words of the question that it has
	Words  []index.TermID // all its words that carry meaning
	Values []Value        // its numbers, in any order
	// First and Last bound when it was said or written, in Unix seconds; 0 if unknown.
	First, Last int64
}

// Value is a number with the word or sign next to it: "%", "calls", "April". A number between two words is two values.
type Value struct{ Unit, Number index.TermID }

const (
	// rivalDepth is the number of first results of each corpus that are compared with each other.
	rivalDepth = 10
	// sameAsked is the least share of the question's words in one of two rivals that the other has too.
	sameAsked = 0.66
	// sameWords is the least cosine of the words of two rivals. A long sentence has most words of a short one by chance.
	sameWords = 0.3
	// minRival is the minimum score of a rival relative to that of the result above which it is moved.
	minRival = 0.25
)

// rivals reports whether two statements give different values of the same thing.
func (s *Statement) rivals(o *Statement) bool {
	return s != nil && o != nil && s.differs(o) && contained(s.Asked, o.Asked) >= sameAsked && cosine(s.Words, o.Words) >= sameWords
}

// differs reports whether both have numbers of one unit, and none of s's is in o.
func (s *Statement) differs(o *Statement) bool {
	return slices.ContainsFunc(s.Values, func(v Value) bool {
		return !slices.Contains(o.Values, v) && slices.ContainsFunc(o.Values, func(w Value) bool { return w.Unit == v.Unit })
	})
}

// contained returns the share of the shorter of two lists that the other one has too.
func contained(a, b []index.TermID) float64 {
	return float64(common(a, b)) / float64(max(1, min(len(a), len(b))))
}

// cosine returns the similarity of two lists: their common words by the geometric mean of their lengths.
func cosine(a, b []index.TermID) float64 {
	return float64(common(a, b)) / math.Sqrt(float64(max(1, len(a)*len(b))))
}

// rival is a result with what it states. A document that quotes a message states what the message does, and said it then.
type rival struct {
	Result

	said  Candidate
	says  *Statement
	moved bool
}

// newestFirst moves every result that states a later value than one of the first depth results directly above it, and marks all
// older ones. Scores stay with their places. A result moves once: orders of messages and of times may contradict each other.
// replaced is Options.Replaced.
func newestFirst(results []Result, depth int, replaced func(older, newer Candidate) bool) {
	rivals := make([]rival, min(len(results), depth))
	for i := range rivals {
		r := rival{Result: results[i], said: results[i].Candidate}
		if quoted := r.said.Quoted; quoted != nil {
			r.said = *quoted
		}
		if r.said.Statement != nil {
			r.says = r.said.Statement()
		}
		rivals[i] = r
	}
	isNewer := func(r, o *rival) bool {
		return r.later(o) && o.says.rivals(r.says) || replaced != nil && replaced(o.Candidate, r.Candidate)
	}
	for i := 0; i < len(rivals); i++ {
		newest := i
		for j := i + 1; j < len(rivals); j++ {
			if !rivals[j].moved && rivals[j].Score >= minRival*rivals[i].Score && isNewer(&rivals[j], &rivals[i]) &&
				(newest == i || rivals[j].later(&rivals[newest])) {
				newest = j
			}
		}
		if newest == i {
			continue
		}
		by := rivals[newest].Candidate.Unit
		rivals[newest].moved, rivals[i].Parts.SupersededBy = true, &by
		for at := newest; at > i; at-- {
			rivals[at-1], rivals[at] = rivals[at], rivals[at-1]
			rivals[at-1].Score, rivals[at].Score = rivals[at].Score, rivals[at-1].Score
		}
		i-- // the moved one may have later rivals itself
	}
	for i := range rivals {
		for j := 0; j < i && rivals[i].Parts.SupersededBy == nil; j++ { // those already above
			if rivals[i].Score >= minRival*rivals[j].Score && isNewer(&rivals[j], &rivals[i]) {
				by := rivals[j].Candidate.Unit
				rivals[i].Parts.SupersededBy = &by
			}
		}
		results[i] = rivals[i].Result
	}
}

// later reports whether r was said after o. Lines of a document are in no order.
func (r *rival) later(o *rival) bool {
	if r.said.Corpus == search.Sessions && o.said.Corpus == search.Sessions {
		return r.said.laterThan(o.said)
	}
	return r.says != nil && o.says != nil && o.says.Last != 0 && r.says.First > o.says.Last
}

// laterThan reports whether c was said after o: in the order of messages, or between sources in that of their times.
func (c Candidate) laterThan(o Candidate) bool {
	if c.Unit.Group == o.Unit.Group {
		return c.Unit.Ordinal > o.Unit.Ordinal
	}
	return c.At > o.At && o.At != 0
}
