package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
)

// DreamLoad is what light sleep looks at.
type DreamLoad struct {
	Dream    Dream
	Agent    Agent
	Now      time.Time // in the agent's time zone
	AsOf     time.Time // the end of the window, in the agent's time zone
	From     dream.Day // the first day of the window
	Scope    memory.Scope
	Notes    []DreamNote
	Sessions []DreamSession
	Recalls  []Recalled
	States   []dream.State
	News     int64 // the mark of the owner's news, taken before anything was read
}

// DreamNote is a daily note of the window with what is known about its lines.
type DreamNote struct {
	memory.Document
	Day   dream.Day
	Lines []memory.BlameLine // one for each line of Content
}

// DreamSession are the messages of one conversation within the window, oldest first.
type DreamSession struct {
	Conversation    string
	ConversationUID uuid.UUID
	Trigger         memory.Trigger
	Messages        []memory.Message
}

// LoadDream reads what a dream looks at: the daily notes (memory/YYYY-MM-DD*.md) and the messages of the days of its
// settings up to its moment, organic recalls and states. A replay reads what its original had pinned, at those versions.
// Conversations that the system itself caused (cron, dream) are left out.
func (s *Store) LoadDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID) (DreamLoad, error) {
	return DreamLoad{}, errors.ErrUnsupported
}
