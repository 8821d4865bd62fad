package worker

import (
	"context"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/workflows"
)

// importSweep has every import that is marked as running run. One whose workflow is running is left alone.
type importSweep struct {
	activities.ImportSweep
	client client.Client
}

// once goes through all of them.
func (s importSweep) once(ctx context.Context) error {
	for after := (activities.RunningImport{}); ; {
		running, err := s.Running(ctx, after)
		if err != nil || len(running) == 0 {
			return err
		}
		for _, after = range running {
			in := workflows.ImportInput{AgentRef: after.AgentRef, Import: after.ID, Format: after.Format}
			if err := workflows.StartImport(ctx, s.client, in); err != nil {
				return err
			}
		}
	}
}
