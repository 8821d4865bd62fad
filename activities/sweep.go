package activities

import (
	"context"
	"time"

	"reverie/memory"
	"reverie/store"
)

const (
	// sweepGrace leaves a turn to the request that stored it before the sweep delivers it.
	sweepGrace = 10 * time.Second
	// sweepBatch bounds one round; the next one takes the rest.
	sweepBatch = 500
	// StalledAfter is when messages that were delivered and are still pending are delivered once more: their Inbox was
	// terminated, or Temporal's database was lost. An Inbox that is at work takes the signal as a turn without news.
	StalledAfter = time.Hour
)

// Sweep is the store's side of the sweep, which delivers completed turns that Temporal has not accepted, because it could
// not be reached when they came in. It is no step: it works while Temporal is away.
type Sweep struct{ o Options }

// NewSweep returns a sweep over the store of the steps.
func NewSweep(o Options) Sweep { return Sweep{o} }

// Timing is what an Inbox is started with.
func (s Sweep) Timing() memory.Timing { return s.o.Timing }

// Now is the clock of the steps.
func (s Sweep) Now() time.Time { return s.o.Now() }

// Undelivered lists turns that are to be delivered now; with stalled also those that were delivered in vain.
func (s Sweep) Undelivered(ctx context.Context, stalled bool) ([]store.UnsignalledTurn, error) {
	now := s.o.Now()
	turns, err := s.o.Store.Unsignalled(ctx, now.Add(-sweepGrace), sweepBatch)
	if err != nil || !stalled {
		return turns, err
	}
	more, err := s.o.Store.Stalled(ctx, now.Add(-StalledAfter), sweepBatch)
	return append(turns, more...), err
}

// Delivered notes that Temporal has accepted a turn.
func (s Sweep) Delivered(ctx context.Context, turn store.UnsignalledTurn) error {
	id := memory.Identity{Workspace: turn.Workspace, Agent: turn.Agent, AnyOwner: true, Role: memory.RoleMember}
	owner, err := s.o.Store.ResolveOwner(ctx, id, turn.Owner)
	if err != nil {
		return err
	}
	return s.o.Store.Signalled(ctx, id.For(turn.Agent, owner), turn.Turn)
}
