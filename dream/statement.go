package dream

import (
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// Day is a date as 2026-01-31, in the owner's time zone. Days are compared as texts.
type Day string

// DayOf is the date of t in t's own zone.
func DayOf(t time.Time) Day { return Day(t.Format(time.DateOnly)) }

// Origin is what a statement was read from.
type Origin string

// Origins of statements.
const (
	FromNote    Origin = "note"
	FromSession Origin = "session"
)

// Place is where a statement was seen: lines of a note, messages of a conversation, or both when it is known which messages
// the lines of a note come from.
type Place struct {
	Origin          Origin    `json:"origin"`
	Day             Day       `json:"day"`
	Path            string    `json:"path,omitempty"`
	Document        uuid.UUID `json:"document,omitzero"`
	Version         int       `json:"version,omitempty"`
	FromLine        int       `json:"fromLine,omitempty"` // 1-based, inclusive
	ToLine          int       `json:"toLine,omitempty"`
	Conversation    string    `json:"conversation,omitempty"` // the client's id
	ConversationUID uuid.UUID `json:"conversationUid,omitzero"`
	Messages        []int64   `json:"messages,omitempty"` // sequence numbers in the conversation
}

// Statement is one thing that was noted or said, at one place.
type Statement struct {
	ID      memory.EntryID
	Text    string // on one line; that of a nested item begins with what it stands under
	Heading string // over it in its note; empty when it says nothing but a time
	Place   Place
	At      time.Time // when it was noted or said, in the owner's zone; of a note without a time the noon of its day
	Asked   bool      // a person asked for it to be remembered
	Person  bool      // a person wrote it
	// Ends and Corrects tell what it says about an earlier statement: that it no longer holds, or another value.
	Ends     bool
	Corrects string // the value that is wrong; empty: not known
}
