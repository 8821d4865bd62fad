package dream

import (
	"time"

	"reverie/memory"
)

// Promotion is MEMORY.md with what was promoted.
type Promotion struct {
	Memory  string         // the full new text; empty: it stays as it is
	Moved   []MovedSection // machine-made sections that make room by moving to an archive
	Ranking Ranking        // with the Line of each that was promoted, and those that found no room as kept (ceiling)
}

// Promote writes what passed into a section of MEMORY.md, "## Promoted From Short-Term Memory (DATE)", with source and score
// of each line. The ceiling holds by moving the oldest sections of this kind to an archive; if that does not do, candidates
// wait.
func Promote(current string, r Ranking, asOf time.Time, s memory.DreamSettings) Promotion {
	return Promotion{}
}

// Fit makes a text that a model wrote keep the ceiling by moving the oldest machine-made sections to an archive. What is still
// too long is for Check to refuse.
func Fit(text string, asOf time.Time, s memory.DreamSettings) (fitted string, moved []MovedSection) {
	return text, nil
}

// Settle gives the verdicts of a ranking after a model has written MEMORY.md: promoted is what the text says now and did not
// say before; what passed and is not there is kept (left_out).
func Settle(before, after string, r Ranking) Ranking { return r }
