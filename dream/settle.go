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

// abridgedShare is the share of the words of a statement that a shorter one must keep to stand for it.
const abridgedShare = 1. / 2

// abridges reports whether the claim says the essence of s, and nothing else.
func (c claim) abridges(s claim) bool {
	return len(c.says.units) > 1 && c.coveredBy(s) && s.shareIn(c.keys) >= abridgedShare
}

// statedIn finds the line of a text that says a claim.
func (c claim) statedIn(text []claim) (line string, found bool) {
	for _, t := range text {
		if t.id == c.id || len(c.says.units) > 0 && c.says.within(t.says) && c.says.turns == t.says.turns {
			return t.line, true
		}
	}
	for _, t := range text {
		if sameStatement(c.says, t.says) || c.mostlyIn(t) || t.abridges(c) {
			return t.line, true
		}
	}
	return "", false
}
