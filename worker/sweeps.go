package worker

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/approvals"
	"reverie/store/deletion"
	"reverie/store/revocation"
	"reverie/store/talk"
	"reverie/store/transfer"
	"reverie/workflows"
)

const (
	// sweepGrace is the age of a record before a sweep handles it: younger ones are left to the request that stored them.
	sweepGrace = 10 * time.Second
	// sweepBatch bounds the records that are taken at once.
	sweepBatch = 200
	// sweepBudget bounds one round of a sweep; the next one continues.
	sweepBudget = 5 * time.Minute
	// sweepParallel bounds the concurrent requests of a sweep, to spare Temporal.
	sweepParallel = 8
	// sweepTimeout bounds what is done about one record.
	sweepTimeout = 10 * time.Second
	// sweepAway is the number of failures in a row after which a round ends: Temporal is away.
	sweepAway = 2 * sweepParallel
	// stalledAfter is the age at which messages that were delivered and are still pending are delivered again: their Inbox
	// was terminated, or Temporal's database was lost. A running Inbox treats the signal as a turn without news.
	stalledAfter = time.Hour
)

// sweeps starts recorded work that was not started because Temporal was unavailable.
type sweeps struct {
	store    *store.Store
	client   client.Client
	timing   setting.Timing // of Inboxes of agents without settings
	now      func() time.Time
	interval time.Duration
	log      *slog.Logger
	// idle is the time after which messages that no turn completes are extracted as well, unless an agent has its own; 0: never.
	idle time.Duration
	// keepAudit is the age at which entries of the audit log are deleted.
	keepAudit time.Duration
	// keepInjections is the age at which records of what was put into contexts are deleted.
	keepInjections time.Duration
	// queues are the task queues whose depth is sampled.
	queues    []string
	namespace string

	// lost is when Temporal was found to have lost its database, until every message that was pending then is delivered again.
	// woken starts a round at once.
	lost  atomic.Pointer[time.Time]
	woken chan struct{}
}

// run runs a sweep now, at every interval and when woken (wake may be nil), until ctx ends. sweep returns how many records it has
// handled. What failed is left to a later round.
func (s *sweeps) run(ctx context.Context, over string, wake <-chan struct{}, sweep func(context.Context) (int, error)) {
	s.every(ctx, s.interval, over, wake, sweep)
}

// every is run with another interval.
func (s *sweeps) every(
	ctx context.Context, interval time.Duration, over string, wake <-chan struct{}, sweep func(context.Context) (int, error),
) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		n, err := s.round(ctx, sweep)
		if n > 0 {
			s.log.Info("a sweep delivered what was left", "over", over, "done", n)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Warn("a sweep left something to the next one", "over", over, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-wake:
		}
	}
}

func (s *sweeps) round(ctx context.Context, sweep func(context.Context) (int, error)) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, sweepBudget)
	defer cancel()
	n, err := sweep(ctx)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil { // the next round continues
		err = nil
	}
	return n, err
}

// lease takes work that has waited for at least grace, and takes it again after some time if it has not ended.
func (s *sweeps) lease(grace, again time.Duration) store.Lease {
	now := s.now()
	return store.Lease{Before: now.Add(-grace), Until: now.Add(again - grace), Limit: sweepBatch}
}

// drain takes work and handles it until none is left, ctx ends, or none of a batch could be handled. It returns how many were
// handled. One that fails does not stop the others: its lease ends, and a later round takes it again.
func drain[T any](ctx context.Context, take func(context.Context) ([]T, error), handle func(context.Context, T) error) (int, error) {
	done := 0
	var failed error // of the last batch that had an error
	for {
		batch, err := take(ctx)
		if err != nil || len(batch) == 0 {
			return done, cmp.Or(err, failed)
		}
		n, err := each(ctx, batch, handle)
		done, failed = done+n, cmp.Or(err, failed)
		if n == 0 || ctx.Err() != nil {
			return done, failed
		}
	}
}

// each handles all of a batch, some at a time, unless so many fail in a row that all would. It returns how many were handled, and
// one error.
func each[T any](ctx context.Context, batch []T, handle func(context.Context, T) error) (int, error) {
	var (
		done, failed, inRow atomic.Int32
		last                atomic.Pointer[error]
		all                 sync.WaitGroup
	)
	places := make(chan struct{}, sweepParallel)
	for _, x := range batch {
		if ctx.Err() != nil || inRow.Load() >= sweepAway {
			break
		}
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
			defer cancel()
			if err := handle(ctx, x); err != nil {
				failed.Add(1)
				inRow.Add(1)
				last.Store(&err)
				return
			}
			done.Add(1)
			inRow.Store(0)
		})
	}
	all.Wait()
	if err := last.Load(); err != nil {
		return int(done.Load()), fmt.Errorf("%d failed, the last one: %w", failed.Load(), *err)
	}
	return int(done.Load()), ctx.Err()
}

// turns delivers completed turns that Temporal has not accepted, and those whose Inbox was lost. After a loss of Temporal's database
// all pending ones are delivered. A turn that Temporal refuses stops none of them.
func (s *sweeps) turns(ctx context.Context) (int, error) {
	missed, err := drain(ctx, func(ctx context.Context) ([]talk.UnsignalledTurn, error) {
		return s.store.Unsignalled(ctx, s.lease(sweepGrace, s.interval))
	}, s.deliver)
	if err != nil {
		if _, away := s.client.CheckHealth(ctx, nil); away != nil { // leases of the others would delay them for longer than that
			return missed, err
		}
	}
	lost, began := s.lost.Load(), s.now()
	stalled, failed := drain(ctx, func(ctx context.Context) ([]talk.UnsignalledTurn, error) {
		age, again := stalledAfter, stalledAfter
		if lost != nil {
			age, again = 0, sweepGrace
		}
		return s.store.Stalled(ctx, s.lease(age, again))
	}, s.deliver)
	if failed == nil && lost != nil && began.Sub(*lost) >= sweepGrace { // requests of that moment have ended
		s.lost.CompareAndSwap(lost, nil)
	}
	return missed + stalled, errors.Join(err, failed)
}

// deliver signals a turn to its Inbox and records that Temporal has accepted it.
func (s *sweeps) deliver(ctx context.Context, turn talk.UnsignalledTurn) error {
	if err := workflows.TurnCompleted(ctx, s.client, turn.OwnerRef, s.timing.With(turn.Settings)); err != nil {
		return err
	}
	id := memory.Identity{Workspace: turn.Workspace, Agent: turn.Agent, AnyOwner: true, Role: memory.RoleMember}
	owner, err := s.store.ResolveOwner(ctx, id, turn.Owner)
	if err != nil {
		return err
	}
	return s.store.Signalled(ctx, id.For(turn.Agent, owner), turn.Turn)
}

// idleTurns completes turns that clients have left open. The sweep of turns delivers them.
func (s *sweeps) idleTurns(ctx context.Context) (int, error) {
	return drain(ctx, func(ctx context.Context) ([]talk.IdleConversation, error) {
		return s.store.Idle(ctx, s.lease(0, s.interval), s.idle)
	}, func(ctx context.Context, x talk.IdleConversation) error {
		id := memory.Identity{Workspace: x.Workspace, Agent: x.Agent, AnyOwner: true, Role: memory.RoleMember}
		c, err := s.store.ConversationByUID(ctx, id, x.UID)
		if err != nil {
			return err
		}
		_, err = s.store.CompleteTurn(ctx, id.For(x.Agent, c.Owner), c.ID)
		return err
	})
}

// writes starts the workflows of staged writes. One whose workflow is running is left alone.
func (s *sweeps) writes(ctx context.Context) (int, error) {
	return drain(ctx, func(ctx context.Context) ([]transfer.WriteRef, error) {
		return s.store.DueWrites(ctx, s.lease(0, transfer.StartAgain))
	}, func(ctx context.Context, ref transfer.WriteRef) error {
		_, err := workflows.StartWrite(ctx, s.client, ref)
		return err
	})
}

// snapshots starts the imports of snapshots that have not ended. One whose workflow is running is left alone.
func (s *sweeps) snapshots(ctx context.Context) (int, error) {
	_, err := drain(ctx, func(ctx context.Context) ([]transfer.WaitingSnapshot, error) {
		return s.store.WaitingSnapshots(ctx, s.lease(sweepGrace, s.interval))
	}, func(ctx context.Context, w transfer.WaitingSnapshot) error {
		_, err := workflows.StartImportSnapshot(ctx, s.client, workflows.ImportSnapshotInput{
			AgentRef: activities.AgentRef{Workspace: w.Workspace, Agent: w.Agent},
			Import:   w.ID, Archive: hex.EncodeToString(w.Archive[:]), Particular: w.Particular,
		})
		return err
	})
	return 0, err // most of them are running
}

// imports starts the workflow of every import that is recorded as running. One whose workflow is running is left alone.
func (s *sweeps) imports(ctx context.Context) (int, error) {
	_, err := drain(ctx, func(ctx context.Context) ([]transfer.RunningImport, error) {
		return s.store.RunningImports(ctx, s.lease(sweepGrace, s.interval))
	}, func(ctx context.Context, x transfer.RunningImport) error {
		return workflows.StartImport(ctx, s.client, workflows.ImportInput{AgentRef: x.AgentRef, Import: x.ID, Format: x.Format})
	})
	return 0, err
}

// deletions starts the workflow of every deletion that has not ended. One whose workflow is running is left alone.
func (s *sweeps) deletions(ctx context.Context) (int, error) {
	_, err := drain(ctx, func(ctx context.Context) ([]deletion.Due, error) {
		return s.store.DueDeletions(ctx, s.lease(sweepGrace, s.interval))
	}, func(ctx context.Context, x deletion.Due) error {
		return workflows.StartDelete(ctx, s.client, workflows.DeleteInput{AgentRef: x.AgentRef, Deletion: x.ID, Kind: x.Kind, Due: x.Due})
	})
	return 0, err
}

// revocations starts the workflow of every revocation that has not ended. One whose workflow is running is left alone.
func (s *sweeps) revocations(ctx context.Context) (int, error) {
	_, err := drain(ctx, func(ctx context.Context) ([]revocation.Due, error) {
		return s.store.DueRevocations(ctx, s.lease(sweepGrace, s.interval))
	}, func(ctx context.Context, x revocation.Due) error {
		return workflows.StartRevoke(ctx, s.client, workflows.RevokeInput{AgentRef: x.AgentRef, Revocation: x.ID})
	})
	return 0, err
}

// approvals starts the workflow of every proposal that waits for a person. One whose workflow is running is left alone.
func (s *sweeps) approvals(ctx context.Context) (int, error) {
	_, err := drain(ctx, func(ctx context.Context) ([]approvals.Due, error) {
		return s.store.DueApprovals(ctx, s.lease(0, openGrace))
	}, func(ctx context.Context, x approvals.Due) error {
		return workflows.StartApprove(ctx, s.client, activities.ApprovalInput{AgentRef: x.AgentRef, Approval: x.ID})
	})
	return 0, err // most of them are running
}

// depthInterval is the time between two samples of the queues.
const depthInterval = 5 * time.Minute

// depths samples how much waits. While Temporal is away, only the queues of the workspaces are sampled.
func (s *sweeps) depths(ctx context.Context) (int, error) {
	tasks, failed := map[string]int64{}, error(nil)
	for _, queue := range s.queues {
		depth, err := s.tasks(ctx, queue)
		if err != nil {
			failed = err
			break
		}
		tasks[queue] = depth
	}
	_, err := s.store.SampleDepths(ctx, s.now().Truncate(depthInterval), tasks)
	return 0, errors.Join(failed, err)
}

// tasks returns the number of tasks that wait in a task queue, of workflows and of steps, as Temporal estimates it.
func (s *sweeps) tasks(ctx context.Context, queue string) (sum int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	for _, kind := range []enumspb.TaskQueueType{enumspb.TASK_QUEUE_TYPE_WORKFLOW, enumspb.TASK_QUEUE_TYPE_ACTIVITY} {
		d, err := s.client.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
			Namespace: s.namespace, TaskQueue: &taskqueue.TaskQueue{Name: queue}, TaskQueueType: kind, ReportStats: true,
		})
		if err != nil {
			return 0, err
		}
		sum += d.GetStats().GetApproximateBacklogCount()
	}
	return sum, nil
}

// audit deletes entries of the audit log that are old enough, a part in each round.
func (s *sweeps) audit(ctx context.Context) (int, error) {
	return s.store.ExpireAudit(ctx, s.now().Add(-s.keepAudit))
}

// injections deletes records of what was put into contexts that are old enough, a part in each round.
func (s *sweeps) injections(ctx context.Context) (int, error) {
	return s.store.ExpireInjections(ctx, s.now().Add(-s.keepInjections))
}
