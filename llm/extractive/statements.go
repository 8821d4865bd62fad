package extractive

import (
	"time"

	"reverie/memory"
)

// Said is one statement of a conversation, in the third person.
type Said struct {
	Text     string
	Messages []int64 // sequence numbers
	Asked    bool    // the user asked for it to be remembered
	Unsure   bool    // said with doubt, or of this day only
	Ends     bool    // something no longer holds
	Corrects string  // the value that is wrong
}

// Statements reads what the user says in a transcript, as Engine.Propose does, without files: it is what a dream weighs. now is
// in the owner's zone.
func Statements(transcript []memory.Line, now time.Time) []Said { return nil }
