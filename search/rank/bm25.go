package rank

import (
	"math"

	"reverie/search/index"
)

// bm25 is the formula with the statistics of a collection. A term of the question adds to a unit that has it
//
//	weight · idf · tf·(K1+1) / (tf + K1·(1−B+B·length/average)), idf = ln(1 + (N−df+½)/(df+½))
//
// where weight is StopWeight for stop words and 1 for others, B is TurnB for turns, and N, df and the average length are those
// of the collection.
type bm25 struct {
	units int
	k1    float64
	norms []float64 // per unit: 1−B+B·length/average
}

func newBM25(c *index.Collection, o Options) bm25 {
	lengths := make([]float64, len(c.Units))
	for i := range c.Units {
		lengths[i] = float64(c.Units[i].Length)
	}
	return bm25{units: len(c.Units), k1: o.K1, norms: norms(lengths, o.b(c.Corpus))}
}

// norms turns lengths into what they divide frequencies by, in place.
func norms(lengths []float64, b float64) []float64 {
	total := 0.
	for _, l := range lengths {
		total += l
	}
	scale := 0.
	if total > 0 {
		scale = b * float64(len(lengths)) / total
	}
	for i, l := range lengths {
		lengths[i] = 1 - b + scale*l
	}
	return lengths
}

// idf is the inverse document frequency of a term that df units have. It is positive, also for a term that all have.
func (b bm25) idf(df int) float64 { return idf(b.units, df) }

func idf(units, df int) float64 {
	return math.Log1p((float64(units) - float64(df) + .5) / (float64(df) + .5))
}

// saturated is what a frequency counts, after it was divided by the unit's norm: below K1+1, and 1 for 1.
func (b bm25) saturated(frequency float64) float64 {
	return frequency * (b.k1 + 1) / (frequency + b.k1)
}
