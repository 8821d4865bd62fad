package worker

import (
	"context"
	"encoding/hex"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/workflows"
)

// snapshotSweep starts, at every interval, the imports of snapshots that wait for a workflow. One that is running is left alone.
type snapshotSweep struct {
	activities.SnapshotSweep
	client   client.Client
	interval time.Duration
	log      *slog.Logger
}

func (s snapshotSweep) run(ctx context.Context) {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	for {
		if err := s.once(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("the sweep of snapshots stopped early", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// once starts what is waiting.
func (s snapshotSweep) once(ctx context.Context) error {
	waiting, err := s.Waiting(ctx)
	if err != nil {
		return err
	}
	for _, w := range waiting {
		_, err := workflows.StartImportSnapshot(ctx, s.client, workflows.ImportSnapshotInput{
			AgentRef: activities.AgentRef{Workspace: w.Workspace, Agent: w.Agent},
			Import:   w.ID, Archive: hex.EncodeToString(w.Archive[:]), Particular: w.Particular,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
