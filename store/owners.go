package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// UnsignalledTurn is a completed turn of an owner that Temporal has not accepted yet.
type UnsignalledTurn struct {
	memory.OwnerRef
	Turn   int64
	TurnAt time.Time
}

// ResolveOwner tells whose opaque id ownerID is, within the identity's agent. Unless the owner is the identity's own, it
// needs AnyOwner.
func (s *Store) ResolveOwner(ctx context.Context, id memory.Identity, ownerID uuid.UUID) (memory.Owner, error) {
	panic("signature")
}

// Signalled notes that Temporal has accepted the owner's turns up to turn. A smaller turn than before changes nothing.
func (s *Store) Signalled(ctx context.Context, id memory.Identity, turn int64) error {
	panic("signature")
}

// Unsignalled lists owners of all workspaces whose last completed turn came in before the given time and was not accepted
// by Temporal, oldest first. It returns references only, and takes no identity because the sweep works for the deployment.
func (s *Store) Unsignalled(ctx context.Context, before time.Time, limit int) ([]UnsignalledTurn, error) {
	panic("signature")
}
