package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/test/bench/services"
	"reverie/workflows"
)

// floor measures the cost of Temporal alone: nights and dreams with the same steps, of the same kinds, in queues with
// the same limits, that do nothing but wait as long as the model would.
type floor struct {
	client client.Client
	delay  time.Duration
}

// Queues and names of the floor.
const (
	floorQueue      = "floor"
	floorModelQueue = "floor-model"
	floorNightQueue = "floor-night"

	floorNightName = "FloorNight"
	floorDreamName = "FloorDream"
)

// floorNight is a night of the floor.
type floorNight struct {
	Owners   int  `json:"owners"`
	Parallel int  `json:"parallel"`
	Model    bool `json:"model"` // each dream has a step that waits like a model
}

// night has the steps of DreamNight: per page of owners a local one, and a regular one that starts dreams and waits.
func (f *floor) night(ctx workflow.Context, in floorNight) error {
	regular := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: floorNightQueue, StartToCloseTimeout: patience, HeartbeatTimeout: activities.HeartbeatTimeout,
	})
	for left := in.Owners; ; left -= activities.NewsPage {
		if err := f.local(ctx); err != nil || left <= 0 {
			return err
		}
		page := floorNight{Owners: min(left, activities.NewsPage), Parallel: in.Parallel, Model: in.Model}
		if err := workflow.ExecuteActivity(regular, f.Start, page).Get(ctx, nil); err != nil || left <= activities.NewsPage {
			return err
		}
	}
}

// dream has the steps of Dream: open (local), light sleep (regular), REM and deep sleep (local), the model (regular, in its own
// queue) and commit (local).
func (f *floor) dream(ctx workflow.Context, model bool) error {
	regular := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, HeartbeatTimeout: activities.HeartbeatTimeout,
	})
	atModel := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: floorModelQueue, StartToCloseTimeout: time.Minute, HeartbeatTimeout: activities.HeartbeatTimeout,
	})
	steps := []func() error{
		func() error { return f.local(ctx) },
		func() error { return workflow.ExecuteActivity(regular, f.Nothing).Get(ctx, nil) },
		func() error { return f.local(ctx) },
		func() error { return f.local(ctx) },
	}
	if model {
		steps = append(steps, func() error { return workflow.ExecuteActivity(atModel, f.Wait).Get(ctx, nil) })
	}
	steps = append(steps,
		func() error { return f.local(ctx) },
		func() error {
			return workflow.UpsertTypedSearchAttributes(ctx, workflows.OutcomeAttribute.ValueSet("written"))
		})
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (f *floor) local(ctx workflow.Context) error {
	options := workflow.LocalActivityOptions{StartToCloseTimeout: time.Minute}
	return workflow.ExecuteLocalActivity(workflow.WithLocalActivityOptions(ctx, options), f.Nothing).Get(ctx, nil)
}

// Nothing is an empty step.
func (*floor) Nothing(context.Context) error { return nil }

// Wait is a step that takes as long as the model.
func (f *floor) Wait(ctx context.Context) error {
	select {
	case <-time.After(f.delay):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Start starts a page of dreams, some at a time, and waits for them with heartbeats, as a night does.
func (f *floor) Start(ctx context.Context, in floorNight) error {
	ctx, cancel := context.WithCancel(ctx)
	var beats sync.WaitGroup
	beats.Go(func() { beat(ctx) })
	defer beats.Wait()
	defer cancel()
	return services.Parallel(ctx, in.Parallel, in.Owners, func(ctx context.Context, _ int) error {
		id := uuid.NewString()
		run, err := f.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: "floor-dream/" + id, TaskQueue: floorQueue,
			TypedSearchAttributes: temporal.NewSearchAttributes(
				workflows.AgentAttribute.ValueSet("floor"), workflows.OwnerAttribute.ValueSet(id)),
			StaticSummary: "Dream of one owner of the floor", StaticDetails: "Nothing to see",
			Priority: temporal.Priority{PriorityKey: 5, FairnessKey: "floor"},
		}, floorDreamName, in.Model)
		if err != nil {
			return err
		}
		return run.Get(ctx, nil)
	})
}

// beat heartbeats until ctx is done.
func beat(ctx context.Context) {
	ticker := time.NewTicker(activities.HeartbeatTimeout / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			activity.RecordHeartbeat(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// work runs the floor's workers until stop is called.
func (f *floor) work(models int) (stop func(), err error) {
	steps := worker.New(f.client, floorQueue, worker.Options{})
	model := worker.New(f.client, floorModelQueue, worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: models})
	nights := worker.New(f.client, floorNightQueue, worker.Options{DisableWorkflowWorker: true})
	steps.RegisterWorkflowWithOptions(f.night, workflow.RegisterOptions{Name: floorNightName})
	steps.RegisterWorkflowWithOptions(f.dream, workflow.RegisterOptions{Name: floorDreamName})
	var started []worker.Worker
	stop = func() {
		var group sync.WaitGroup
		for _, w := range started {
			group.Go(w.Stop)
		}
		group.Wait()
	}
	for _, w := range []worker.Worker{steps, model, nights} {
		w.RegisterActivity(f)
		if err := w.Start(); err != nil {
			stop()
			return nil, err
		}
		started = append(started, w)
	}
	return stop, nil
}

// sleep runs a night and returns its duration.
func (f *floor) sleep(ctx context.Context, in floorNight) (time.Duration, error) {
	began := time.Now()
	run, err := f.begin(ctx, in)
	if err == nil {
		err = run.Get(ctx, nil)
	}
	if err != nil {
		return 0, fmt.Errorf("the floor: %w", err)
	}
	return time.Since(began), nil
}

// begin starts a night.
func (f *floor) begin(ctx context.Context, in floorNight) (client.WorkflowRun, error) {
	return f.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "floor-night/" + uuid.NewString(), TaskQueue: floorQueue},
		floorNightName, in)
}
