// Package worker runs the workflows and their steps: registration, task queues, limits, the sweeps that deliver what
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

// stopTimeout is how long steps that are under way may go on after a stop was asked for; a model call that takes longer
// is tried again by another worker.
const stopTimeout = 30 * time.Second

// nightsAtOnce is how many agents' nights one worker goes through at once; the others wait for their turn. Each of them waits
// for some dreams, which take no place of theirs.
const nightsAtOnce = 100

// importsAtOnce is how many imports one worker moves in at once. Each of them waits for some extractions, which take no place of
// theirs.
const importsAtOnce = 50

// Options are the limits of one worker process.
type Options struct {
	ModelConcurrency int           // model calls at once
	EmbedConcurrency int           // agents whose units are embedded at once
	SweepInterval    time.Duration // between two looks for undelivered turns and for indexes with work to do
	Log              *slog.Logger
}

// Worker polls the task queues of this deployment.
type Worker struct {
	queues     []queue
	patrol     patrol
	sweep      *sweep
	indexSweep *indexSweep
	snapshots  snapshotSweep
	imports    importSweep
	writeSweep writeSweep
	schedules  *dreamSchedules // nil: they are left alone
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
	w := &Worker{
		patrol:     patrol{interval: o.SweepInterval, log: o.Log},
		sweep:      &sweep{Sweep: activities.NewSweep(steps.Options), client: c},
		indexSweep: &indexSweep{IndexSweep: activities.NewIndexSweep(steps), client: c, interval: o.SweepInterval, log: o.Log},
		snapshots:  snapshotSweep{SnapshotSweep: activities.NewSnapshotSweep(steps.Options), client: c},
		imports:    importSweep{ImportSweep: activities.NewImportSweep(steps.Options), client: c},
		writeSweep: writeSweep{WriteSweep: activities.NewWriteSweep(steps.Options), client: c},
	}
	if steps.DreamSchedule.Cron != "" {
		w.schedules = &dreamSchedules{DreamSweep: activities.NewDreamSweep(steps.Store, steps.DreamSchedule), client: c, now: steps.Now, log: o.Log}
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
	if w.indexSweep.Vectors() {
		poll(workflows.EmbedQueue, worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: o.EmbedConcurrency})
	}
	return w
}

// Registry is what workflows are registered with: a worker, a replayer or a test environment.
type Registry interface {
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
}

// Register names every workflow as it stands on the wire.
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
	w.done.Go(func() { w.patrol.walk(ctx, "turns", w.patrol.counted("turns", w.sweep.once)) })
	w.done.Go(func() { w.patrol.walk(ctx, "writes", w.patrol.counted("writes", w.writeSweep.once)) })
	w.done.Go(func() { w.patrol.walk(ctx, "snapshots", w.snapshots.once) })
	w.done.Go(func() { w.patrol.walk(ctx, "imports", w.imports.once) })
	if w.schedules != nil {
		w.done.Go(func() { w.schedules.run(ctx) })
	}
	return nil
}

// Stop ends polling and waits for what is under way, up to half a minute.
func (w *Worker) Stop() {
	w.cancel()
	w.done.Wait()
	stop(w.queues)
}

// stop ends polling: of steps first, all at once, and then of the first queue, whose workflows wait for them.
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
