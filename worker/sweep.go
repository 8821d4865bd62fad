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
	// terminated, or Temporal's database was lost. An Inbox that is at work takes the signal as a turn without news. It is
	// also how often a worker looks for them, at its start first.
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
	var lookedForStalled time.Time
	for {
		stalled := s.now().Sub(lookedForStalled) >= stalledAfter
		if stalled {
			lookedForStalled = s.now()
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

// once delivers what is undelivered now, with stalled also what was delivered in vain, and reports how many Inboxes it
// reached.
func (s sweep) once(ctx context.Context, stalled bool) (int, error) {
	now := s.now()
	turns, err := s.store.Unsignalled(ctx, now.Add(-sweepGrace), sweepBatch)
	if err != nil {
		return 0, err
	}
	if stalled {
		more, err := s.store.Stalled(ctx, now.Add(-stalledAfter), sweepBatch)
		if err != nil {
			return 0, err
		}
		turns = append(turns, more...)
	}
	for i, turn := range turns {
		if err := s.deliver(ctx, turn); err != nil {
			return i, err
		}
	}
	return len(turns), nil
}

func (s sweep) deliver(ctx context.Context, turn store.UnsignalledTurn) error {
	if err := workflows.TurnCompleted(ctx, s.client, turn.OwnerRef, s.timing); err != nil {
		return err
	}
	id := memory.Identity{Workspace: turn.Workspace, Agent: turn.Agent, AnyOwner: true, Role: memory.RoleMember}
	owner, err := s.store.ResolveOwner(ctx, id, turn.Owner)
	if err != nil {
		return err
	}
	return s.store.Signalled(ctx, id.For(turn.Agent, owner), turn.Turn)
}
