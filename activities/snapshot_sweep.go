package activities

import (
	"context"

	"reverie/store"
)

// SnapshotSweep is the store's side of starting imports whose workflow was not started, because Temporal could not be reached
// when they were asked for, or has ended without them. It is no step: it works while Temporal is away.
type SnapshotSweep struct{ o Options }

// NewSnapshotSweep returns a sweep over the store of the steps.
func NewSnapshotSweep(o Options) SnapshotSweep { return SnapshotSweep{o} }

// Waiting lists imports that have not ended.
func (s SnapshotSweep) Waiting(ctx context.Context) ([]store.WaitingSnapshot, error) {
	return s.o.Store.WaitingSnapshots(ctx, s.o.Now().Add(-sweepGrace), sweepBatch)
}
