package choose

import (
	"math"
	"slices"

	"reverie/search/index"
)

// Statement is the sentence of a passage that has the most words of the question. Its lists are sorted and distinct.
type Statement struct {
	Asked  []index.TermID // words of the question that it has
	Words  []index.TermID // all its words that carry meaning
	Values []Value        // its numbers, in any order
}

// Value is a number with the word or sign next to it: "%", "calls", "April". A number between two words is two values.
type Value struct{ Unit, Number index.TermID }

const (
	// rivalDepth is the number of first results that are compared with each other.
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

// newestFirst moves every result that states a later value than one of the first results directly above it, and marks
// the older one. Scores stay with their places. A result moves once: orders of messages and of times may contradict each other.
func newestFirst(results []Result) {
	results = results[:min(len(results), rivalDepth)]
	statements, moved := make([]*Statement, len(results)), make([]bool, len(results))
	for i, r := range results {
		if r.Candidate.Statement != nil {
			statements[i] = r.Candidate.Statement()
		}
	}
	for i := 0; i < len(results); i++ {
		newest := i
		for j := i + 1; j < len(results); j++ {
			if !moved[j] && results[j].Score >= minRival*results[i].Score && results[j].Candidate.laterThan(results[newest].Candidate) &&
				statements[i].rivals(statements[j]) {
				newest = j
			}
		}
		if newest == i {
			continue
		}
		moved[newest] = true
		by := results[newest].Candidate.Unit
		results[i].Parts.SupersededBy = &by
		for at := newest; at > i; at-- {
			results[at-1], results[at] = results[at], results[at-1]
			results[at-1].Score, results[at].Score = results[at].Score, results[at-1].Score
			statements[at-1], statements[at] = statements[at], statements[at-1]
			moved[at-1], moved[at] = moved[at], moved[at-1]
		}
		i-- // the moved one may have later rivals itself
	}
}

// laterThan reports whether c was said after o: in the order of messages, or between sources in that of their times.
func (c Candidate) laterThan(o Candidate) bool {
	if c.Unit.Group == o.Unit.Group {
		return c.Unit.Ordinal > o.Unit.Ordinal
	}
	return c.At > o.At && o.At != 0
}
