package worker

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/workflows"
)

// sweep delivers completed turns that Temporal has not accepted, and looks now and then for those that it has accepted in vain, the
// first time first.
type sweep struct {
	activities.Sweep
	client           client.Client
	lookedForStalled time.Time
}

// once delivers what is undelivered and reports how many Inboxes it reached.
func (s *sweep) once(ctx context.Context) (int, error) {
	stalled := s.Now().Sub(s.lookedForStalled) >= activities.StalledAfter
	if stalled {
		s.lookedForStalled = s.Now()
	}
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
