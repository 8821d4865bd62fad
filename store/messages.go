package store

import (
	"context"

	"github.com/google/uuid"

	"reverie/memory"
)

// Batch is what a client posts to one conversation of the identity's owner.
type Batch struct {
	Conversation string // the client's id, at most memory.MaxConversation bytes
	// Trigger says where the conversation comes from. It counts when the batch begins the conversation.
	Trigger      memory.Trigger
	TurnComplete bool             // the last message ends a turn: what is stored may be extracted
	Messages     []memory.Message // 1 to memory.MaxBatchMessages, in order; Seq is ignored
}

// Stored tells what became of a batch.
type Stored struct {
	ConversationUID uuid.UUID
	OwnerID         uuid.UUID
	Stored          int   // new messages
	Duplicates      int   // messages that were stored before
	LastSeq         int64 // of the conversation
	Turn            int64 // the owner's turn that this batch completed, from 1; 0: none
}

// AppendMessages stores a batch, all of it or nothing. A message whose id is stored already is left alone; when its words
// or role differ the batch is refused (*ConflictError with CodeMessageIDReused). The conversation is made when it is new;
// one of another owner is refused (CodeConversationOfAnotherOwner). Sequence numbers are given in the order of the
// batch, without gaps. A completed turn counts once, however often its batch is sent.
func (s *Store) AppendMessages(ctx context.Context, id memory.Identity, b Batch) (Stored, error) {
	panic("signature")
}

// CompleteTurn marks everything that the owner's conversation has as complete. Turn is 0 when it was so already.
func (s *Store) CompleteTurn(ctx context.Context, id memory.Identity, conversation string) (Stored, error) {
	panic("signature")
}

// Messages lists at most limit messages behind sequence number after, oldest first.
func (s *Store) Messages(ctx context.Context, id memory.Identity, conversation string, after int64, limit int) ([]memory.Message, error) {
	panic("signature")
}
