package dream

import "reverie/memory"

// CheckInput is a new MEMORY.md with what it is held to.
type CheckInput struct {
	Before, After string
	Moved         []MovedSection   // sections that left for an archive; their lines are not lost
	Protected     []string         // lines that a person wrote or confirmed
	Retired       []memory.Retired // named by the proposal, each with a reason
	// Sources are all texts that a new line may come from: notes, candidates, MEMORY.md itself.
	Sources []string
	Ranking Ranking
	Barred  []State // forgotten and rejected statements: none of them may come back, in no words
}

// Check says what is wrong with a new MEMORY.md, in words that its author can act on; nothing: it may be written. See
// memory.Guard for the guards that both share.
//
//   - every line of a person stands as before, unless it is retired by name with a reason;
//   - no more than MaxRetiredShare of the lines are dropped or retired in one night;
//   - every new line is in some source: its words, and all its names, numbers and identifiers;
//   - nothing forgotten or rejected comes back, and no contradiction is settled silently;
//   - the ceiling holds; nothing is elided; no dialogue; nothing that the scan refuses; no instruction out of a note.
func Check(in CheckInput, s memory.DreamSettings) []memory.Violation { return nil }
