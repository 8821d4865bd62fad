package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// Conversation is where a conversation stands. The sequence numbers are inclusive, and
// Cursor <= Considered <= Complete <= Last.
type Conversation struct {
	ID           string    // the client's
	UID          uuid.UUID // ours, for ids that leave the database
	Owner        memory.Owner
	OwnerID      uuid.UUID
	Trigger      memory.Trigger // of its first batch
	Last         int64          // last message stored
	Complete     int64          // last message of a completed turn
	Considered   int64          // how far extraction has looked; a closed gate moves it too
	Cursor       int64          // how far messages are accounted for
	PendingSince *time.Time     // when the oldest completed message that was not considered came in
	CreatedAt    time.Time
	UpdatedAt    time.Time // last batch stored
}

// Conversation returns the conversation with the client's id.
func (s *Store) Conversation(ctx context.Context, id memory.Identity, conversation string) (Conversation, error) {
	panic("signature")
}

// ConversationByUID returns the conversation with our id.
func (s *Store) ConversationByUID(ctx context.Context, id memory.Identity, uid uuid.UUID) (Conversation, error) {
	panic("signature")
}

// Conversations lists the owner's conversations, with AnyOwner those of every owner, the latest batch first.
func (s *Store) Conversations(ctx context.Context, id memory.Identity, p Page) (Listed[Conversation], error) {
	panic("signature")
}
