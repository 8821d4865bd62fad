package worker

import (
	"context"
	"encoding/hex"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/workflows"
)

// snapshotSweep starts the imports of snapshots that wait for a workflow. One that is running is left alone.
type snapshotSweep struct {
	activities.SnapshotSweep
	client client.Client
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
