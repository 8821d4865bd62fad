package worker

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

const (
	// sweepGrace leaves a turn to the request that stored it before the sweep delivers it.
	sweepGrace = 10 * time.Second
	// sweepBatch bounds one round; the next one takes the rest.
	sweepBatch = 500
	// stalledAfter is when messages that were delivered and are still pending are delivered once more: their Inbox was
	// terminated, or Temporal's database was lost. An Inbox that is at work takes the signal as a turn without news.
	stalledAfter = time.Hour
)

// sweep delivers completed turns that Temporal has not accepted, because it could not be reached when they came in.
type sweep struct {
	client   client.Client
	store    *store.Store
	timing   memory.Timing
	interval time.Duration
	now      func() time.Time
	log      *slog.Logger
}

func (s sweep) run(ctx context.Context) {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	for {
		if delivered, err := s.once(ctx); err != nil && ctx.Err() == nil {
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

// once delivers what is undelivered now and reports how many Inboxes it reached.
func (s sweep) once(ctx context.Context) (int, error) {
	now := s.now()
	undelivered, err := s.store.Unsignalled(ctx, now.Add(-sweepGrace), sweepBatch)
	if err != nil {
		return 0, err
	}
	stalled, err := s.store.Stalled(ctx, now.Add(-stalledAfter), sweepBatch)
	if err != nil {
		return 0, err
	}
	for i, turn := range append(undelivered, stalled...) {
		if err := workflows.TurnCompleted(ctx, s.client, turn.OwnerRef, s.timing); err != nil {
			return i, err
		}
		if err := s.store.Signalled(ctx, turn.OwnerRef, turn.Turn); err != nil {
			return i, err
		}
	}
	return len(undelivered) + len(stalled), nil
}
