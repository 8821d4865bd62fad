package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// EventKind says what an event is about.
type EventKind string

// Kinds of events.
const (
	EventDocumentWritten     EventKind = "document.written"
	EventDocumentDeleted     EventKind = "document.deleted"
	EventDocumentUndeleted   EventKind = "document.undeleted"
	EventDocumentPrompt      EventKind = "document.prompt"      // enabled or sort order changed
	EventDocumentQuarantined EventKind = "document.quarantined" // the scan refused a text; nothing was written
	EventAgentCreated        EventKind = "agent.created"
	EventAgentUpdated        EventKind = "agent.updated"
	EventKeyCreated          EventKind = "key.created"
	EventKeyRevoked          EventKind = "key.revoked"
)

// Event is one entry of the journal. It has no contents.
type Event struct {
	ID       int64 // ascending, with gaps
	Kind     EventKind
	Scope    memory.Scope // of a document; empty for events of the workspace
	Owner    memory.Owner
	Document uuid.UUID // zero when the event is not about a stored document
	Path     string
	Version  int
	Author   memory.Author
	Detail   json.RawMessage // verdict and findings of a write; other kinds: what changed, by name
	At       time.Time
}

// JournalFilter limits a list of events.
type JournalFilter struct {
	After int64  // events behind this id
	Path  string // of the document; empty: all
	Limit int    // 0: DefaultPage, at most MaxPage
}

// Journal lists events that the identity sees, oldest first.
func (s *Store) Journal(ctx context.Context, id memory.Identity, f JournalFilter) ([]Event, error) {
	panic("signature")
}
