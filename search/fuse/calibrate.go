package fuse

import (
	"cmp"
	"math"
	"slices"

	"reverie/search/index"
)

const (
	// tailTo is the last rank from which the spread of noise is read; the first quarter of them is left out, since what was
	// asked for may stand there.
	tailTo = 50
	// tailLeast is the fewest hits from which a spread is read when nothing else tells, and tailSure when it is to correct
	// one that is known: a short list may consist of what was asked for.
	tailLeast = 8
	tailSure  = 30
)

// standings says how far each hit of a dense list stands out: the number of deviations above the mean of all
// similarities of the view. Of n that are only noise, the best is expected at noiseBest(n).
//
// The deviation is the greater of that which is given and that which the tail of the list shows: similarities of real
// texts are not normal, and against a heavy tail a normal deviation would make every list look sure of itself. Without
// given statistics, mean and deviation are those of the normal distribution through the tail. It returns nil for an empty
// list.
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
	case !known && slope <= 0: // too few hits to tell: each stands where noise would
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

// tailSlope is the deviation of the normal distribution that has the spacings of the tail of similarities, of which s are
// the best of n in falling order, and the last rank of that tail; 0 when the list is too short. Spacings of noise, each
// times its rank, are about equally large (Rényi), so that each of them counts the same.
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

// noiseAt is where the hit at a rank, from 1, of n is expected when all are noise: in deviations of a normal distribution
// above its mean (Blom).
func noiseAt(rank, n int) float64 {
	p := 1 - (float64(rank)-.375)/(float64(max(n, rank))+.25)
	return math.Sqrt2 * math.Erfinv(2*p-1)
}

// cleanDense is a dense list without what is not a number and without repetitions, best first, ties by unit, cut to depth.
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

// withoutBottom removes the hits at the end of a list that are all equally similar, when there are several: they are not
// ranked but stand for what was left out, and whoever reckons with them takes the others for outstanding.
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

// cleanLexical is the same of a lexical list, which has no hits without a score either.
func cleanLexical(l Lexical, depth int) Lexical {
	l.Hits = slices.DeleteFunc(slices.Clone(l.Hits), func(h LexicalHit) bool { return h.Score <= 0 })
	l.Hits = clean(l.Hits, depth, func(h LexicalHit) (index.UnitKey, float64) { return h.Unit, h.Score })
	return l
}

// clean orders hits by value, best first, ties by unit, and keeps the first depth of those that have a finite value and
// are not there already.
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

// finite reports whether v is a number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// agreementDepth is how many of the best hits of a list are looked up in the other.
const agreementDepth = 10

// agreement says how much two lists over the same n units have in common at their tops: the mean of how high the best of
// each stand in the other. Lists that know nothing of each other have about 0 with a deviation of 1, whatever the
// distribution of their scores; lists by two good judges of the same question have 3 to 10.
func agreement(a, b []index.UnitKey, n int) float64 {
	return (highIn(a, b, n) + highIn(b, a, n)) / 2
}

// highIn says how high the best of a stand in b: for each the logarithm of n over its rank there, which is exponentially
// distributed with mean and deviation 1 when a says nothing about b; their sum less its mean, over its deviation. A unit
// that b does not have counts with what is expected of ranks beyond its end.
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
