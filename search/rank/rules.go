package rank

import (
	"cmp"
	"slices"

	"reverie/search/index"
)

// rule returns the standing instruction to an assistant that has most of the words of the question, or -1. Such instructions are few
// and short, and share little more with a question than its subject.
func (r *ranking) rule() int {
	if r.o.Rule == 0 {
		return -1
	}
	found, most := -1, 0.
	for _, unit := range r.sessions.rules {
		if !r.sessions.assisted[r.sessions.of[unit]] {
			continue
		}
		words := 0.
		for i, term := range r.q.Terms {
			_, has := slices.BinarySearchFunc(r.c.Body[i], unit, func(p index.Posting, u int32) int { return cmp.Compare(p.Unit, u) })
			if has && !r.names(term) {
				words += r.idf(len(r.c.Body[i]))
			}
		}
		if words > most {
			found, most = int(unit), words
		}
	}
	return found
}

// liftRule raises the score of the rule among hits, which are in order, to the given share of the best.
func liftRule(ranked []Ranked, share float64) {
	at := slices.IndexFunc(ranked, func(r Ranked) bool { return r.rule })
	if at < 0 {
		return
	}
	rule := &ranked[at]
	rule.Parts.Rule = max(0, share*ranked[0].Score-rule.Score)
	rule.Score += rule.Parts.Rule
	slices.SortFunc(ranked, better)
}
