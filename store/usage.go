package store

import (
	"context"
	"time"

	"reverie/memory"
)

// AddUsage records what model calls cost that belong to no extraction's record, such as an attempt that failed.
func (s *Store) AddUsage(ctx context.Context, id memory.Identity, model string, u memory.Usage) error {
	panic("signature")
}

// SpentToday sums what all agents of the workspace have spent on the UTC day of the given time.
func (s *Store) SpentToday(ctx context.Context, id memory.Identity, day time.Time) (memory.Usage, error) {
	panic("signature")
}
