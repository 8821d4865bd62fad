// Package worker runs the workflows and their activities: registration, task queues, limits, the sweeps that deliver what
// Temporal has not accepted and find what is left to index, and the schedules of dreams.
package worker

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/workflows"
)

// stopTimeout bounds running activities after Stop. Another worker repeats a model call that takes longer.
const stopTimeout = 30 * time.Second

// nightsAtOnce bounds the concurrent nights of one worker. A night waits for dreams, which do not count.
const nightsAtOnce = 100

// importsAtOnce bounds the concurrent imports of one worker. An import waits for extractions, which do not count.
const importsAtOnce = 50

// Options are the limits of one worker process.
type Options struct {
	ModelConcurrency int           // concurrent model calls
	EmbedConcurrency int           // concurrent agents whose units are embedded
	SweepInterval    time.Duration // pause between two rounds of a sweep
	AuditRetention   time.Duration // age at which entries of the audit log are deleted; 0: never
	Log              *slog.Logger
}

// Worker polls the task queues of this deployment.
type Worker struct {
	queues     []queue
	sweeps     *sweeps
	indexSweep *indexSweep
	schedules  *dreamSchedules // nil: schedules are not reconciled
	cancel     context.CancelFunc
	done       sync.WaitGroup
}

// queue is a task queue that is polled.
type queue struct {
	worker.Worker
	name string
}

// New prepares a worker; Start begins to poll.
func New(c client.Client, steps *activities.Activities, o Options) *Worker {
	changed := make(chan activities.AgentRef, changesKept)
	steps.Changed = changed
	w := &Worker{
		sweeps: &sweeps{
			store: steps.Store, client: c, timing: steps.Timing, now: steps.Now, interval: o.SweepInterval, log: o.Log,
			keepAudit: o.AuditRetention,
		},
		indexSweep: &indexSweep{
			store: steps.Store, embedders: steps.Embedders, changed: changed, client: c, interval: o.SweepInterval, log: o.Log,
		},
	}
	if steps.DreamSchedule.Cron != "" {
		w.schedules = &dreamSchedules{store: steps.Store, defaults: steps.DreamSchedule, client: c, now: steps.Now, log: o.Log}
	}
	poll := func(name string, options worker.Options) worker.Worker {
		options.WorkerStopTimeout = stopTimeout
		q := worker.New(c, name, options)
		q.RegisterActivity(steps)
		w.queues = append(w.queues, queue{q, name})
		return q
	}
	steps.Dreamer = workflows.Dreams{Client: c}
	steps.Extractor = workflows.Inboxes{Client: c}
	steps.Writer = workflows.Writes{Client: c}
	main := poll(workflows.TaskQueue, worker.Options{})
	Register(main)
	main.RegisterNexusService(nexusService(activities.WriteStage{Store: steps.Store}))
	poll(workflows.ModelQueue, worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: o.ModelConcurrency})
	poll(workflows.NightQueue, worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: nightsAtOnce})
	poll(workflows.ImportQueue, worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: importsAtOnce})
	if len(steps.Embedders) > 0 {
		poll(workflows.EmbedQueue, worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: o.EmbedConcurrency})
	}
	return w
}

// Registry registers workflows: a worker, a replayer or a test environment.
type Registry interface {
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
}

// Register registers every workflow with its name on the wire.
func Register(r Registry) {
	r.RegisterWorkflowWithOptions(workflows.Inbox, workflow.RegisterOptions{Name: workflows.InboxName})
	r.RegisterWorkflowWithOptions(workflows.Extract, workflow.RegisterOptions{Name: workflows.ExtractName})
	r.RegisterWorkflowWithOptions(workflows.Flush, workflow.RegisterOptions{Name: workflows.FlushName})
	r.RegisterWorkflowWithOptions(workflows.Compact, workflow.RegisterOptions{Name: workflows.CompactName})
	r.RegisterWorkflowWithOptions(workflows.Index, workflow.RegisterOptions{Name: workflows.IndexName})
	r.RegisterWorkflowWithOptions(workflows.Reindex, workflow.RegisterOptions{Name: workflows.ReindexName})
	r.RegisterWorkflowWithOptions(workflows.Import, workflow.RegisterOptions{Name: workflows.ImportName})
	r.RegisterWorkflowWithOptions(workflows.Dream, workflow.RegisterOptions{Name: workflows.DreamName})
	r.RegisterWorkflowWithOptions(workflows.DreamNight, workflow.RegisterOptions{Name: workflows.NightName})
	r.RegisterWorkflowWithOptions(workflows.ImportSnapshot, workflow.RegisterOptions{Name: workflows.ImportSnapshotName})
	r.RegisterWorkflowWithOptions(workflows.WriteMemory, workflow.RegisterOptions{Name: workflows.WriteMemoryName})
}

// Start begins to poll and to sweep. It fails when Temporal cannot be reached.
func (w *Worker) Start() error {
	for i, q := range w.queues {
		if err := q.Start(); err != nil {
			stop(w.queues[:i])
			return fmt.Errorf("start polling %s: %w", q.name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	w.done.Go(func() { w.indexSweep.run(ctx) })
	w.done.Go(func() { w.sweeps.run(ctx, "turns", w.sweeps.turns) })
	w.done.Go(func() { w.sweeps.run(ctx, "writes", w.sweeps.writes) })
	w.done.Go(func() { w.sweeps.run(ctx, "snapshots", w.sweeps.snapshots) })
	w.done.Go(func() { w.sweeps.run(ctx, "imports", w.sweeps.imports) })
	if w.sweeps.keepAudit > 0 {
		w.done.Go(func() { w.sweeps.run(ctx, "audit log", w.sweeps.audit) })
	}
	if w.schedules != nil {
		w.done.Go(func() { w.schedules.run(ctx) })
	}
	return nil
}

// Stop ends polling and waits for running activities, up to stopTimeout.
func (w *Worker) Stop() {
	w.cancel()
	w.done.Wait()
	stop(w.queues)
}

// stop stops the queues of activities, in parallel, then the first queue, whose workflows wait for them.
func stop(queues []queue) {
	var steps sync.WaitGroup
	for _, q := range queues[min(1, len(queues)):] {
		steps.Go(q.Stop)
	}
	steps.Wait()
	if len(queues) > 0 {
		queues[0].Stop()
	}
}
