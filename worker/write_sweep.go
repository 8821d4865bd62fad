package worker

import (
	"context"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/workflows"
)

// writeSweep starts the workflows of writes that were staged and not started, because Temporal could not be reached when they came
// in. One that is running already is left alone.
type writeSweep struct {
	activities.WriteSweep
	client client.Client
}

// once starts what is due and reports how many it started.
func (s writeSweep) once(ctx context.Context) (int, error) {
	due, err := s.Due(ctx)
	if err != nil {
		return 0, err
	}
	for i, ref := range due {
		if _, err := workflows.StartWrite(ctx, s.client, ref); err != nil {
			return i, err
		}
	}
	return len(due), nil
}
