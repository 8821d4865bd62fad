package rewrite

import "reverie/dream"

// Settle gives the verdicts of a ranking after a model has written MEMORY.md: what passed is promoted when the text says it
// now and did not say it before, known when it did, and kept (left_out) when it does not. What did not pass stays as it was.
func Settle(before, after string, r dream.Ranking) dream.Ranking {
	fresh, stood := newIn(claimsOf(before), claimsOf(after))
	out := dream.Ranking{Candidates: append([]dream.Candidate(nil), r.Candidates...), Contradictions: r.Contradictions}
	for i := range out.Candidates {
		c := &out.Candidates[i]
		if c.Verdict != dream.VerdictPromoted {
			continue
		}
		said := ClaimOf(c.Text)
		if line, found := said.statedIn(fresh); found {
			c.Line = line
			continue
		}
		if _, found := said.statedIn(stood); found {
			c.Judge(dream.VerdictRejected, dream.ReasonKnown, "MEMORY.md says it already")
		} else {
			c.Judge(dream.VerdictKept, dream.ReasonLeftOut, "the model did not take it")
		}
	}
	return out
}
