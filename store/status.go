package store

import (
	"context"

	"reverie/memory"
)

// Backlog counts what waits in a workspace, over the agents that the identity may use and all their owners.
type Backlog struct {
	PendingConversations int // with completed messages that were not considered
	PendingMessages      int
	UnsignalledTurns     int // completed turns that Temporal has not accepted
	Waiting              int // extractions that go on by themselves later
	Quarantined          int // extractions that were refused and not successfully retried
}

// Backlog counts what waits. A pinned credential is refused.
func (s *Store) Backlog(ctx context.Context, id memory.Identity) (Backlog, error) { panic("signature") }
