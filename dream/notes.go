package dream

import (
	"time"

	"reverie/memory"
)

// Note is a daily note of the window.
type Note struct {
	memory.Document
	Day   Day
	Lines []memory.BlameLine // one for each line of Content; may be empty: nothing is known about them
}

// NoteStatements are the statements of a note, one for each list item, paragraph, row or quotation. Machine text (what a dream
// wrote, its markers, transcripts of it) is none. zone is the owner's.
func NoteStatements(n Note, zone *time.Location) []Statement { return nil }
