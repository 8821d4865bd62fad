package worker

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/workflows"
)

// writeSweep starts the workflows of writes that were staged and not started, because Temporal could not be reached when they came
// in. One that is running already is left alone.
type writeSweep struct {
	activities.WriteSweep
	client   client.Client
	interval time.Duration
	log      *slog.Logger
}

func (s writeSweep) run(ctx context.Context) {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	for {
		if started, err := s.once(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("sweep over writes stopped early", "started", started, "error", err)
		} else if started > 0 {
			s.log.Info("sweep started writes", "started", started)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
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
