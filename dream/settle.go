package dream

// Settle gives the verdicts of a ranking after a model has written MEMORY.md: what passed is promoted when the text says it
// now and did not say it before, known when it did, and kept (left_out) when it does not. What did not pass stays as it was.
func Settle(before, after string, r Ranking) Ranking {
	fresh, stood := newIn(claimsOf(before), claimsOf(after))
	out := Ranking{Candidates: append([]Candidate(nil), r.Candidates...), Contradictions: r.Contradictions}
	for i := range out.Candidates {
		c := &out.Candidates[i]
		if c.Verdict != VerdictPromoted {
			continue
		}
		said := claimOf(c.Text)
		if line, found := said.statedIn(fresh); found {
			c.Line = line
			continue
		}
		if _, found := said.statedIn(stood); found {
			c.judge(VerdictRejected, ReasonKnown, "MEMORY.md says it already")
		} else {
			c.judge(VerdictKept, ReasonLeftOut, "the model did not take it")
		}
	}
	return out
}
