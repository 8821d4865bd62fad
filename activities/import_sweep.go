package activities

import (
	"context"

	"reverie/store"
)

// ImportSweep is the store's side of starting imports that are marked as running while no workflow goes through them, because
// Temporal could not be reached when they were started. It is no step: it works while Temporal is away.
type ImportSweep struct{ o Options }

// NewImportSweep returns a sweep over the store of the steps.
func NewImportSweep(o Options) ImportSweep { return ImportSweep{o} }

// Running lists some imports that have not ended, behind another one in their order; none when there are no more.
func (s ImportSweep) Running(ctx context.Context, after RunningImport) ([]RunningImport, error) {
	return s.o.Store.RunningImports(ctx, s.o.Now().Add(-sweepGrace), after, sweepBatch)
}

// RunningImport is an import that is marked as running.
type RunningImport = store.RunningImport
