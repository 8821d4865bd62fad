package choose

import (
	"cmp"
	"slices"

	"reverie/search/index"
)

// DiversityOptions lets a result that repeats earlier ones wait: maximal marginal relevance (Carbonell and Goldstein, 1998).
type DiversityOptions struct {
	// Lambda is the weight of relevance against novelty, 0..1: at 1 only relevance counts.
	Lambda float64
}

// DefaultDiversityOptions weigh relevance 0.7 and novelty 0.3.
func DefaultDiversityOptions() DiversityOptions { return DiversityOptions{Lambda: 0.7} }

// diversify reorders results, which are in order of score, so that each of the first limit is the one with the greatest
// Lambda·relevance − (1−Lambda)·similarity to those before it; the others follow in order of score. Relevance is the score
// between the lowest (0) and the highest (1); when all are the same it is 1. Ties go to the higher score.
func diversify(results []Result, limit int, o DiversityOptions) {
	if len(results) < 2 {
		return
	}
	lambda := min(max(o.Lambda, 0), 1)
	high, low := results[0].Score, results[len(results)-1].Score
	relevance := func(r Result) float64 {
		if high == low {
			return 1
		}
		return (r.Score - low) / (high - low)
	}
	rest := slices.Clone(results)
	for place := range min(limit, len(results)) {
		best := 0
		for i := range rest {
			parts := &rest[i].Parts
			if place > 0 {
				parts.Similarity = max(parts.Similarity, jaccard(rest[i].Candidate.Terms, results[place-1].Candidate.Terms))
			}
			parts.Marginal = lambda*relevance(rest[i]) - (1-lambda)*parts.Similarity
			if cmp.Compare(parts.Marginal, rest[best].Parts.Marginal) > 0 {
				best = i
			}
		}
		results[place] = rest[best]
		rest = slices.Delete(rest, best, best+1)
	}
	copy(results[min(limit, len(results)):], rest)
}

// jaccard is the share of the terms of two texts that both have. Both must be sorted and distinct. Texts without terms have
// nothing in common with any.
func jaccard(a, b []index.TermID) float64 {
	common, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			common, i, j = common+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if common == 0 {
		return 0
	}
	return float64(common) / float64(len(a)+len(b)-common)
}
