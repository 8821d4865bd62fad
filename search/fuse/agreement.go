package fuse

import (
	"math"

	"reverie/search/index"
)

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
