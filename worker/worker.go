// Package worker runs the workflows and their activities: registration, task queues, limits, the sweeps that deliver what
// Temporal has not accepted and find what is left to index, and the schedules of dreams.
package worker

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/nexus-rpc/sdk-go/nexus"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/temporalnexus"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	reverie "github.com/reverie-memory/reverie/client"
	"github.com/reverie-memory/reverie/client/durable"
	"reverie/activities"
	"reverie/memory/writereq"
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
	DatabaseConns    int     // connections of the store's pool, which bound the steps that run at once; 0: 16
	ModelConcurrency int     // concurrent model calls
	ModelRate        float64 // model steps that all workers start per second; 0: any number
	EmbedConcurrency int     // concurrent agents whose units are embedded
	EmbedRate        float64 // embedding steps that all workers start per second; 0: any number
	// WebhookConcurrency bounds the endpoints to which this process delivers at once.
	WebhookConcurrency int
	SweepInterval      time.Duration // pause between two rounds of a sweep
	IdleTurn           time.Duration // as Settings.IdleTurn
	AuditRetention     time.Duration // age at which entries of the audit log are deleted; 0: never
	InjectionKeep      time.Duration // age at which records of injections are deleted; 0: never
	Namespace          string        // of Temporal
	Build              string        // id of this program, which Temporal shows; empty: none is reported
	Log                *slog.Logger
}

// Worker polls the task queues of this deployment.
type Worker struct {
	queues     []queue
	leader     leader
	sweeps     *sweeps
	indexSweep *indexSweep
	archives   *archiveSweep
	schedules  *dreamSchedules // nil: schedules are not reconciled
	// webhookSweep is nil when this process sends nothing to webhooks.
	webhookSweep *webhookSweep
	cancel       context.CancelFunc
	done         sync.WaitGroup
	failed       chan error
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
		failed: make(chan error, 1),
		leader: leader{store: steps.Store, holder: uuid.NewString(), duration: leaseFor(o.SweepInterval), log: o.Log},
		sweeps: &sweeps{
			store: steps.Store, client: c, timing: steps.Timing, now: steps.Now, interval: o.SweepInterval, log: o.Log,
			woken: make(chan struct{}, 1), idle: o.IdleTurn, keepAudit: o.AuditRetention, keepInjections: o.InjectionKeep,
			namespace: cmp.Or(o.Namespace, client.DefaultNamespace),
		},
		indexSweep: &indexSweep{
			store: steps.Store, embedders: steps.Embedders, changed: changed, client: c, now: steps.Now, interval: o.SweepInterval, log: o.Log,
		},
	}
	w.archives = &archiveSweep{store: steps.Store, defaults: steps.DreamDefaults, now: steps.Now}
	if steps.DreamSchedule.Cron != "" {
		w.schedules = &dreamSchedules{
			store: steps.Store, defaults: steps.DreamSchedule, client: c, now: steps.Now, log: o.Log, lost: make(chan struct{}, 1),
		}
	}
	poll := func(name string, options worker.Options) worker.Worker {
		options.WorkerStopTimeout = stopTimeout
		options.OnFatalError = w.fail
		if o.Build != "" { // reported only: any build runs any workflow
			options.DeploymentOptions.Version = worker.WorkerDeploymentVersion{DeploymentName: workflows.Deployment, BuildID: o.Build}
		}
		q := worker.New(c, name, options)
		q.RegisterActivity(steps)
		w.queues = append(w.queues, queue{q, name})
		w.sweeps.queues = append(w.sweeps.queues, name)
		return q
	}
	steps.Dreamer = workflows.Dreams{Client: c}
	steps.ResetReason = func(ctx context.Context, workflowID, runID string) (string, bool, error) {
		return workflows.ResetReason(ctx, c, workflowID, runID)
	}
	steps.Extractor = workflows.Inboxes{Client: c}
	steps.Writer = workflows.Writes{Client: c}
	steps.Histories = workflows.Histories{Client: c, Namespace: cmp.Or(o.Namespace, client.DefaultNamespace)}
	main := poll(workflows.TaskQueue, slots(o.DatabaseConns))
	Register(main)
	main.RegisterNexusService(nexusService(activities.WriteStage{Store: steps.Store}))
	poll(workflows.ModelQueue, worker.Options{
		DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: o.ModelConcurrency, TaskQueueActivitiesPerSecond: o.ModelRate,
	})
	poll(workflows.NightQueue, worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: nightsAtOnce})
	poll(workflows.ImportQueue, worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: importsAtOnce})
	poll(workflows.SnapshotQueue, worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: 1})
	if steps.Hooks != nil {
		w.webhookSweep = &webhookSweep{steps: steps, client: c}
		poll(workflows.WebhookQueue, worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: o.WebhookConcurrency})
	}
	if len(steps.Embedders) > 0 {
		poll(workflows.EmbedQueue, worker.Options{
			DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: o.EmbedConcurrency, TaskQueueActivitiesPerSecond: o.EmbedRate,
		})
	}
	return w
}

// tasksPerConn is the number of workflow tasks for each connection to PostgreSQL: most of a task is not a statement.
const tasksPerConn = 4

// slots sizes the main queue to the pool of connections. A step of the store holds one connection at a time, and its time limit runs
// from its start: with more steps than connections, they would wait for each other within their time limits, and fail. Steps that
// find no slot wait in the queue instead, where priorities order them.
func slots(conns int) worker.Options {
	if conns == 0 {
		conns = defaultConns
	}
	return worker.Options{
		MaxConcurrentLocalActivityExecutionSize: conns,
		MaxConcurrentActivityExecutionSize:      conns,
		MaxConcurrentWorkflowTaskExecutionSize:  max(2, tasksPerConn*conns), // the SDK needs two
	}
}

// defaultConns is the default size of the store's pool.
const defaultConns = 16

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
	r.RegisterWorkflowWithOptions(workflows.Revoke, workflow.RegisterOptions{Name: workflows.RevokeName})
	r.RegisterWorkflowWithOptions(workflows.Delete, workflow.RegisterOptions{Name: workflows.DeleteName})
	r.RegisterWorkflowWithOptions(workflows.DeliverEvents, workflow.RegisterOptions{Name: workflows.DeliverEventsName})
	r.RegisterWorkflowWithOptions(workflows.Approve, workflow.RegisterOptions{Name: workflows.ApproveName})
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
	w.done.Go(func() { w.indexSweep.announce(ctx) })
	w.done.Go(func() { w.leader.run(ctx, w.sweep) })
	return nil
}

// sweep runs all sweeps until ctx ends, for as long as this process leads.
func (w *Worker) sweep(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	for over, sweep := range map[string]func(context.Context) (int, error){
		"writes": w.sweeps.writes, "snapshots": w.sweeps.snapshots, "imports": w.sweeps.imports, "deletions": w.sweeps.deletions,
		"revocations":  w.sweeps.revocations,
		"approvals":    w.sweeps.approvals,
		"open records": w.sweeps.open, "idle turns": w.sweeps.idleTurns, "indexes": w.indexSweep.tend, "embedding models": w.indexSweep.change,
	} {
		all.Go(func() { w.sweeps.run(ctx, over, nil, sweep) })
	}
	all.Go(func() { w.sweeps.run(ctx, "turns", w.sweeps.woken, w.sweeps.turns) })
	all.Go(func() { w.sweeps.every(ctx, depthInterval, "queue depths", nil, w.sweeps.depths) })
	if w.sweeps.keepAudit > 0 {
		all.Go(func() { w.sweeps.run(ctx, "audit log", nil, w.sweeps.audit) })
	}
	if w.sweeps.keepInjections > 0 {
		all.Go(func() { w.sweeps.run(ctx, "injections", nil, w.sweeps.injections) })
	}
	all.Go(func() { w.sweeps.every(ctx, archivePause, "facts to archive", nil, w.archives.look) })
	if w.webhookSweep != nil {
		all.Go(func() {
			w.sweeps.every(ctx, min(w.sweeps.interval, webhookInterval), "webhooks", nil, w.webhookSweep.look)
		})
	}
	if w.schedules != nil {
		all.Go(func() { w.schedules.run(ctx) })
	}
}

// fail records that Temporal has refused to give out work for minutes, as without its namespace. The SDK then stops polling.
func (w *Worker) fail(err error) {
	select {
	case w.failed <- err:
	default:
	}
}

// Failed returns a channel with the error after which a queue is no longer polled. The worker must then be stopped.
func (w *Worker) Failed() <-chan error { return w.failed }

// Recover starts all pending work again and creates all schedules, for a Temporal that has lost its database.
func (w *Worker) Recover() {
	lost := w.sweeps.now()
	w.sweeps.lost.Store(&lost)
	kick(w.sweeps.woken)
	if w.schedules != nil {
		kick(w.schedules.lost)
	}
}

// kick wakes a loop, unless it is about to run anyway.
func kick(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
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

// nexusService returns the service that workflows of other namespaces call. Its only operation stages a write and lets the
// caller wait for the workflow that applies it; both Web UIs link the two.
func nexusService(stage activities.WriteStage) *nexus.Service {
	write := temporalnexus.MustNewWorkflowRunOperationWithOptions(temporalnexus.WorkflowRunOperationOptions[reverie.SignedRequest,
		writereq.WriteReceipt]{
		Name: durable.NexusOperation,
		Handler: func(ctx context.Context, in reverie.SignedRequest,
			o nexus.StartOperationOptions,
		) (temporalnexus.WorkflowHandle[writereq.WriteReceipt], error) {
			staged, err := stage.Stage(ctx, in)
			if err != nil {
				return nil, nexusError(err)
			}
			return temporalnexus.ExecuteUntypedWorkflow[writereq.WriteReceipt](ctx, o, workflows.WriteOptions(staged.Ref), workflows.WriteMemoryName,
				staged.Ref)
		},
	})
	service := nexus.NewService(durable.NexusService)
	service.MustRegister(write)
	return service
}

// nexusError fails the operation for an error that a retry cannot help; Temporal retries any other error.
func nexusError(err error) error {
	if refused, is := err.(*temporal.ApplicationError); is && refused.NonRetryable() { //nolint:errorlint // Stage returns it as it is
		return &nexus.OperationError{State: nexus.OperationStateFailed, Message: refused.Message(), Cause: refused}
	}
	return err
}
