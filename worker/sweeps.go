package worker

import (
	"context"
	"encoding/hex"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/talk"
	"reverie/store/transfer"
	"reverie/workflows"
)

const (
	// sweepGrace is the age of a record before a sweep handles it: younger ones are left to the request that stored them.
	sweepGrace = 10 * time.Second
	// sweepBatch bounds the records of one round; the next round takes the others.
	sweepBatch = 500
	// sweepAgents bounds the agents of one page; a sweep over indexes takes the others in its next round.
	sweepAgents = 1000
	// stalledAfter is the age at which messages that were delivered and are still pending are delivered again: their Inbox
	// was terminated, or Temporal's database was lost. A running Inbox treats the signal as a turn without news.
	stalledAfter = time.Hour
)

// sweeps starts recorded work that was not started because Temporal was unavailable.
type sweeps struct {
	store    *store.Store
	client   client.Client
	timing   setting.Timing // of Inboxes
	now      func() time.Time
	interval time.Duration
	log      *slog.Logger
	// keepAudit is the age at which entries of the audit log are deleted.
	keepAudit time.Duration

	lookedForStalled time.Time
}

// run runs a sweep now and at every interval, until ctx ends. A failed round is left to the next one. sweep returns how many
// records it has handled.
func (s *sweeps) run(ctx context.Context, over string, sweep func(context.Context) (int, error)) {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	for {
		n, err := sweep(ctx)
		if n > 0 {
			s.log.Info("a sweep delivered what was left", "over", over, "done", n)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Warn("a sweep stopped early", "over", over, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// turns delivers completed turns that Temporal has not accepted, and once per stalledAfter those whose Inbox was lost. The
// first round includes them.
func (s *sweeps) turns(ctx context.Context) (int, error) {
	now := s.now()
	turns, err := s.store.Unsignalled(ctx, now.Add(-sweepGrace), sweepBatch)
	if err != nil {
		return 0, err
	}
	if now.Sub(s.lookedForStalled) >= stalledAfter {
		s.lookedForStalled = now
		stalled, err := s.store.Stalled(ctx, now.Add(-stalledAfter), sweepBatch)
		if err != nil {
			return 0, err
		}
		turns = append(turns, stalled...)
	}
	for i, turn := range turns {
		if err := workflows.TurnCompleted(ctx, s.client, turn.OwnerRef, s.timing); err != nil {
			return i, err
		}
		if err := s.delivered(ctx, turn); err != nil {
			return i, err
		}
	}
	return len(turns), nil
}

// delivered records that Temporal has accepted a turn.
func (s *sweeps) delivered(ctx context.Context, turn talk.UnsignalledTurn) error {
	id := memory.Identity{Workspace: turn.Workspace, Agent: turn.Agent, AnyOwner: true, Role: memory.RoleMember}
	owner, err := s.store.ResolveOwner(ctx, id, turn.Owner)
	if err != nil {
		return err
	}
	return s.store.Signalled(ctx, id.For(turn.Agent, owner), turn.Turn)
}

// writes starts the workflows of staged writes. The store leases each write for a minute; one whose workflow is running is
// left alone.
func (s *sweeps) writes(ctx context.Context) (int, error) {
	due, err := s.store.DueWrites(ctx, sweepBatch)
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

// snapshots starts the imports of snapshots that have not ended. One whose workflow is running is left alone.
func (s *sweeps) snapshots(ctx context.Context) (int, error) {
	waiting, err := s.store.WaitingSnapshots(ctx, s.now().Add(-sweepGrace), sweepBatch)
	if err != nil {
		return 0, err
	}
	for _, w := range waiting {
		_, err := workflows.StartImportSnapshot(ctx, s.client, workflows.ImportSnapshotInput{
			AgentRef: activities.AgentRef{Workspace: w.Workspace, Agent: w.Agent},
			Import:   w.ID, Archive: hex.EncodeToString(w.Archive[:]), Particular: w.Particular,
		})
		if err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// imports starts the workflow of every import that is recorded as running. One whose workflow is running is left alone.
func (s *sweeps) imports(ctx context.Context) (int, error) {
	for after := (transfer.RunningImport{}); ; {
		running, err := s.store.RunningImports(ctx, s.now().Add(-sweepGrace), after, sweepBatch)
		if err != nil || len(running) == 0 {
			return 0, err
		}
		for _, after = range running {
			in := workflows.ImportInput{AgentRef: after.AgentRef, Import: after.ID, Format: after.Format}
			if err := workflows.StartImport(ctx, s.client, in); err != nil {
				return 0, err
			}
		}
	}
}

// audit deletes entries of the audit log that are old enough, a part in each round.
func (s *sweeps) audit(ctx context.Context) (int, error) {
	return s.store.ExpireAudit(ctx, s.now().Add(-s.keepAudit))
}
