package worker

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/workflows"
)

// sweep delivers completed turns that Temporal has not accepted, at every interval, and looks now and then for those that
// it has accepted in vain, at its start first.
type sweep struct {
	activities.Sweep
	client   client.Client
	interval time.Duration
	log      *slog.Logger
}

func (s sweep) run(ctx context.Context) {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	var lookedForStalled time.Time
	for {
		stalled := s.Now().Sub(lookedForStalled) >= activities.StalledAfter
		if stalled {
			lookedForStalled = s.Now()
		}
		if delivered, err := s.once(ctx, stalled); err != nil && ctx.Err() == nil {
			s.log.Warn("sweep stopped early", "delivered", delivered, "error", err)
		} else if delivered > 0 {
			s.log.Info("sweep delivered turns", "delivered", delivered)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// once delivers what is undelivered and reports how many Inboxes it reached.
func (s sweep) once(ctx context.Context, stalled bool) (int, error) {
	turns, err := s.Undelivered(ctx, stalled)
	if err != nil {
		return 0, err
	}
	for i, turn := range turns {
		if err := workflows.TurnCompleted(ctx, s.client, turn.OwnerRef, s.Timing()); err != nil {
			return i, err
		}
		if err := s.Delivered(ctx, turn); err != nil {
			return i, err
		}
	}
	return len(turns), nil
}
