package store

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"reverie/memory"
)

// RevertedDream tells how a dream was undone.
type RevertedDream struct {
	Dream   Dream
	Receipt memory.Receipt // the new versions
	// Conflicts are documents that were changed on the same lines since, by path; nothing was undone then.
	Conflicts map[string][]memory.Conflict
}

// RevertDream undoes what a dream wrote, as new versions by the identity: changes that others made since stay. With conflicts
// nothing is written. What it had promoted is rejected (reason undone), so that the next night does not bring it back. A dream
// that was undone before is returned as it is.
func (s *Store) RevertDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, key string) (RevertedDream, error) {
	return RevertedDream{}, errors.ErrUnsupported
}
