package store

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"reverie/memory"
)

// News lists owners of the identity's agent (AnyOwner) about whom something was written or said since their last dream, in the
// order of their opaque ids, behind after. That of the shared memory is the owner system. It costs in proportion to what it
// finds, however many owners the agent has.
func (s *Store) News(ctx context.Context, id memory.Identity, after uuid.UUID, limit int) ([]memory.OwnerRef, error) {
	return nil, errors.ErrUnsupported
}
