package activities

import "context"

// WriteSweep is the store's side of the sweep that starts what was staged while Temporal was away. It is no step: it works while
// Temporal is away.
type WriteSweep struct{ o Options }

// NewWriteSweep returns a sweep over the store of the steps.
func NewWriteSweep(o Options) WriteSweep { return WriteSweep{o} }

// Due hands out writes that nobody has started, each for a minute.
func (s WriteSweep) Due(ctx context.Context) ([]WriteRef, error) {
	return s.o.Store.DueWrites(ctx, sweepBatch)
}
