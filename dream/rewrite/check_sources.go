package rewrite

import (
	"slices"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/memory"
)

// checkedSources are what new lines may come from, and what they must not. What takes long to read is read when it is asked
// for: by rules every new line is one that passed, word for word.
type checkedSources struct {
	CheckInput
	passed   []dream.Candidate
	waiting  []waitingClaim
	verbatim map[memory.EntryID]bool // what passed, word for word
	notes    [][]Claim
	allow    *sourceBook
	every    *sourceBook
}

// waitingClaim is what a candidate says that did not pass, with the reason.
type waitingClaim struct {
	Claim
	reason string
}

func (c *checking) sources() *checkedSources {
	s := &checkedSources{CheckInput: c.CheckInput, verbatim: map[memory.EntryID]bool{}}
	for _, r := range c.Ranking.Candidates {
		switch r.Verdict {
		case dream.VerdictPromoted:
			s.passed = append(s.passed, r)
			s.verbatim[r.ID], s.verbatim[memory.EntryIDOf(r.Text)] = true, true
		case dream.VerdictKept:
			s.waiting = append(s.waiting, waitingClaim{ClaimOf(r.Text), r.ReasonCode})
		}
	}
	return s
}

// allowed are the sources of new lines: what passed, under the headings that it was noted under and in all words of the notes
// for it, and MEMORY.md.
func (s *checkedSources) allowed() *sourceBook {
	if s.allow != nil {
		return s.allow
	}
	s.allow = bookOf([]string{s.Before}, nil)
	s.allow.texts = append(s.allow.texts, s.Sources...) // for their days
	passed := make([]Claim, len(s.passed))
	ids := map[memory.EntryID]bool{}
	for i, r := range s.passed {
		passed[i] = claimUnder(r.Heading, r.Text)
		s.allow.add(passed[i])
		ids[r.ID] = true
		for _, id := range r.Aliases {
			ids[id] = true
		}
	}
	for n, note := range s.noted() {
		for _, c := range note {
			if ids[c.Id] || slices.ContainsFunc(passed, func(p Claim) bool { return claim.SameStatement(p.Says, c.Says) }) {
				c.group.text = n + 2 // behind MEMORY.md
				s.allow.add(c)
			}
		}
	}
	return s.allow
}

// said is everything that anybody said, whether it passed or not.
func (s *checkedSources) said() *sourceBook {
	if s.every != nil {
		return s.every
	}
	var statements []string
	for _, r := range s.Ranking.Candidates {
		if r.Verdict != dream.VerdictRejected {
			statements = append(statements, r.Text)
		}
	}
	s.every = bookOf(append([]string{s.Before}, s.Sources...), statements)
	return s.every
}

// noted are the statements of each note.
func (s *checkedSources) noted() [][]Claim {
	if s.notes == nil {
		for _, text := range s.Sources {
			s.notes = append(s.notes, claimsOf(text))
		}
	}
	return s.notes
}

// waits finds that a line says what a candidate says that did not pass, perhaps among other things.
func (s *checkedSources) waits(line Claim) (reason string, found bool) {
	for _, w := range s.waiting {
		if _, stated := w.statedIn([]Claim{line}); stated {
			return w.reason, true
		}
	}
	return "", false
}

// waitsWhole is waits for a text that may name what a candidate is about: only the most of what it says counts.
func (s *checkedSources) waitsWhole(text Claim) (reason string, found bool) {
	for _, w := range s.waiting {
		if claim.SameStatement(w.Says, text.Says) || w.MostlyIn(text) {
			return w.reason, true
		}
	}
	return "", false
}
