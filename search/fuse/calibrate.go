package fuse

import (
	"cmp"
	"math"
	"slices"

	"reverie/search/index"
)

const (
	// tailTo is the last rank used to estimate the spread of noise. The first quarter of the ranks is skipped, because
	// relevant units may be there.
	tailTo = 50
	// tailLeast is the minimum number of hits to estimate a spread without statistics, tailSure the minimum to correct
	// a given spread: a short list may consist of relevant units only.
	tailLeast = 8
	tailSure  = 30
)

// standings returns the score of each hit of a dense list: the number of deviations above the mean of all
// similarities of the view. The best of n noise hits is expected at noiseBest(n).
//
// The deviation is the greater of the given one and the one estimated from the tail of the list: similarities of real
// texts are not normally distributed, and with a heavy tail a normal deviation would make every list look confident.
// Without given statistics, mean and deviation are those of a normal distribution fitted to the tail. It returns nil
// for an empty list.
func standings(d Dense, n int) []float64 {
	s := make([]float64, len(d.Hits))
	for i, h := range d.Hits {
		s[i] = h.Similarity
	}
	if len(s) == 0 {
		return nil
	}
	slope, end := tailSlope(s, n)
	known := d.Deviation > 0
	if known && len(s) < tailSure {
		slope = 0
	}
	mean, deviation := d.Mean, max(d.Deviation, slope)
	switch {
	case !known && slope <= 0: // too few hits: place each where noise is expected
		for i := range s {
			s[i] = noiseAt(i+1, n)
		}
		return s
	case !known:
		mean = s[end-1] - slope*noiseAt(end, n)
	}
	for i := range s {
		s[i] = (s[i] - mean) / deviation
	}
	return s
}

// tailSlope returns the deviation of the normal distribution that matches the spacings in the tail of s, the best of n
// similarities in descending order, and the last rank of that tail; 0 if the list is too short. Spacings of noise, each
// multiplied by its rank, are about equal (Rényi), so all of them count the same.
func tailSlope(s []float64, n int) (slope float64, end int) {
	end = min(len(s), tailTo)
	if end < tailLeast {
		return 0, end
	}
	var found, normal float64
	for rank := end/4 + 1; rank < end; rank++ {
		found += float64(rank) * (s[rank-1] - s[rank])
		normal += float64(rank) * (noiseAt(rank, n) - noiseAt(rank+1, n))
	}
	return found / normal, end
}

// noiseAt returns where the hit at a 1-based rank of n is expected if all are noise, in deviations of a normal
// distribution above its mean (Blom).
func noiseAt(rank, n int) float64 {
	p := 1 - (float64(rank)-.375)/(float64(max(n, rank))+.25)
	return math.Sqrt2 * math.Erfinv(2*p-1)
}

// cleanDense returns a dense list without NaNs and duplicates, best first, ties by unit, cut to depth.
func cleanDense(d Dense, depth int) Dense {
	d.Hits = clean(d.Hits, depth, func(h DenseHit) (index.UnitKey, float64) { return h.Unit, h.Similarity })
	known := d.Count > 0 && d.Deviation > 0 && finite(d.Mean) && finite(d.Deviation)
	if ranked := withoutBottom(d.Hits); len(ranked) < len(d.Hits) {
		d.Hits, known = ranked, false
	}
	if !known {
		d.Mean, d.Deviation = 0, 0
	}
	return d
}

// withoutBottom removes several equally similar hits from the end of a list: they are placeholders for omitted units
// rather than ranked, and counting them would make the others look outstanding.
func withoutBottom(hits []DenseHit) []DenseHit {
	end := len(hits)
	for end > 0 && hits[end-1].Similarity == hits[len(hits)-1].Similarity {
		end--
	}
	if len(hits)-end < 2 {
		return hits
	}
	return hits[:end]
}

// cleanLexical does the same for a lexical list and also drops hits without a score.
func cleanLexical(l Lexical, depth int) Lexical {
	l.Hits = slices.DeleteFunc(slices.Clone(l.Hits), func(h LexicalHit) bool { return h.Score <= 0 })
	l.Hits = clean(l.Hits, depth, func(h LexicalHit) (index.UnitKey, float64) { return h.Unit, h.Score })
	return l
}

// coverable is the number of words of a question above which no passage is expected to contain all. It is two to three times what the
// best passages of real conversations contain (three to six words, however long the question is), so that the words of a long
// question stay less sure than those of a short one.
const coverable = 14

// covered returns the share that a hit contains of what a passage can contain of the question, 0..1. A question may be a whole
// dialogue, of which every passage contains little.
func (l Lexical) covered(h LexicalHit) float64 {
	return min(max(h.Coverage, 0)*max(float64(l.Words)/coverable, 1), 1)
}

// clean orders hits by value, best first, ties by unit, and keeps the first depth distinct hits with a finite value.
func clean[H any](hits []H, depth int, of func(H) (index.UnitKey, float64)) []H {
	hits = slices.DeleteFunc(slices.Clone(hits), func(h H) bool {
		_, value := of(h)
		return !finite(value)
	})
	slices.SortStableFunc(hits, func(a, b H) int {
		unitA, valueA := of(a)
		unitB, valueB := of(b)
		return cmp.Or(cmp.Compare(valueB, valueA), unitA.Compare(unitB))
	})
	seen := make(map[index.UnitKey]bool, len(hits))
	hits = slices.DeleteFunc(hits, func(h H) bool {
		unit, _ := of(h)
		again := seen[unit]
		seen[unit] = true
		return again
	})
	return hits[:min(len(hits), max(depth, 0))]
}

// finite reports whether v is neither infinite nor NaN.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// agreementDepth is the number of top hits of a list that are looked up in the other.
const agreementDepth = 10

// agreement measures how much the tops of two lists over the same n units have in common: the mean of how high the best
// of each are ranked in the other. Independent lists have a mean of about 0 and a deviation of 1, whatever the
// distribution of their scores; two lists that are both good for the question have 3 to 10.
func agreement(a, b []index.UnitKey, n int) float64 {
	return (highIn(a, b, n) + highIn(b, a, n)) / 2
}

// highIn measures how high the best units of a are ranked in b. Each contributes the logarithm of n over its rank in b,
// which is exponentially distributed with mean and deviation 1 if a and b are independent; the result is their sum less
// its mean, divided by its deviation. A unit missing from b counts with the expectation for ranks beyond its end.
func highIn(a, b []index.UnitKey, n int) float64 {
	a = a[:min(len(a), agreementDepth)]
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	ranks := make(map[index.UnitKey]int, len(b))
	for i, u := range b {
		ranks[u] = i + 1
	}
	missing := 0.
	if q := float64(len(b)) / float64(n); q < 1 {
		missing = 1 + q*math.Log(q)/(1-q)
	}
	sum := 0.
	for _, u := range a {
		if rank, ok := ranks[u]; ok {
			sum += math.Log(float64(n) / (float64(rank) - .5))
		} else {
			sum += missing
		}
	}
	return (sum - float64(len(a))) / math.Sqrt(float64(len(a)))
}
