package choose

import (
	"cmp"
	"slices"
)

// Balance merges the results of several corpora, whose scores do not quite compare, into at most limit. Of n corpora with
// results each is sure of its best ⌊limit/n⌋; further places go first to the one after them of each, so that a corpus has
// ⌈limit/n⌉ before another one has more, and then to the best of all. The order is by score, then path, then unit. Each list
// must be best first. What found no place is returned as dropped, in the same order.
func Balance(limit int, lists ...[]Result) ([]Result, []Dropped) {
	lists = slices.DeleteFunc(slices.Clone(lists), func(l []Result) bool { return len(l) == 0 })
	limit = max(limit, 0)
	type entry struct {
		Result

		round int
	}
	var entries []entry
	for _, list := range lists {
		for i, r := range list {
			e := entry{Result: r}
			switch {
			case i < limit/len(lists): // sure of its place
			case i*len(lists) < limit: // up to ⌈limit/n⌉
				e.round = 1
			default:
				e.round = 2
			}
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.round, b.round), byScoreAndPath(a.Result, b.Result))
	})
	var kept []Result
	var dropped []Dropped
	for i, e := range entries {
		if i < limit {
			kept = append(kept, e.Result)
		} else {
			dropped = append(dropped, Dropped{Result: e.Result, Reason: BeyondLimit})
		}
	}
	slices.SortFunc(kept, byScoreAndPath)
	slices.SortFunc(dropped, func(a, b Dropped) int { return byScoreAndPath(a.Result, b.Result) })
	return kept, dropped
}

// byScoreAndPath orders results of several corpora best first, the same scores by path and unit.
func byScoreAndPath(a, b Result) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Candidate.Path, b.Candidate.Path), byScore(a, b))
}
