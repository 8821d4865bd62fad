package main

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// The floor is the cost of Temporal alone: the steps of an Inbox and its Extract, in the same places, but empty.
const (
	floorQueue      = "floor"
	floorModelQueue = "floor-model"
	floorSignal     = "turn-completed"
)

type floor struct {
	finished chan floorTime
}

func (f *floor) options() workflow.LocalActivityOptions {
	return workflow.LocalActivityOptions{StartToCloseTimeout: 15 * time.Second}
}

// floorTime holds the time of the request of a floor workflow and of its last step.
type floorTime struct{ asked, finished time.Time }

// inbox is signalled, runs a local step and one child, and ends.
func (f *floor) inbox(ctx workflow.Context, asked time.Time) error {
	workflow.GetSignalChannel(ctx, floorSignal).Receive(ctx, nil)
	if err := workflow.ExecuteLocalActivity(workflow.WithLocalActivityOptions(ctx, f.options()), f.nothing).Get(ctx, nil); err != nil {
		return err
	}
	child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{TypedSearchAttributes: floorAttributes})
	return workflow.ExecuteChildWorkflow(child, f.extract, asked).Get(ctx, nil)
}

// extract has one regular step on the model's queue and one local step, like Propose and Apply.
func (f *floor) extract(ctx workflow.Context, asked time.Time) error {
	regular := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: floorModelQueue, StartToCloseTimeout: time.Minute})
	if err := workflow.ExecuteActivity(regular, f.nothing).Get(ctx, nil); err != nil {
		return err
	}
	if err := workflow.ExecuteLocalActivity(workflow.WithLocalActivityOptions(ctx, f.options()), f.finish, asked).Get(ctx, nil); err != nil {
		return err
	}
	return workflow.UpsertTypedSearchAttributes(ctx, temporal.NewSearchAttributeKeyKeyword("Outcome").ValueSet("written"))
}

var floorAttributes = temporal.NewSearchAttributes(
	temporal.NewSearchAttributeKeyKeyword("AgentID").ValueSet("floor"),
	temporal.NewSearchAttributeKeyKeyword("OwnerKey").ValueSet("floor"),
)

func (f *floor) nothing(context.Context) error { return nil }

func (f *floor) finish(_ context.Context, asked time.Time) error {
	f.finished <- floorTime{asked, time.Now()}
	return nil
}

// start runs the floor's workers; stop ends them.
func (f *floor) start(c client.Client, modelConcurrency int) (stop func(), err error) {
	steps := worker.New(c, floorQueue, worker.Options{})
	model := worker.New(c, floorModelQueue, worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: modelConcurrency})
	steps.RegisterWorkflowWithOptions(f.inbox, workflow.RegisterOptions{Name: "FloorInbox"})
	steps.RegisterWorkflowWithOptions(f.extract, workflow.RegisterOptions{Name: "FloorExtract"})
	for _, w := range []worker.Worker{steps, model} {
		w.RegisterActivityWithOptions(f.nothing, activity.RegisterOptions{Name: "FloorNothing"})
		w.RegisterActivityWithOptions(f.finish, activity.RegisterOptions{Name: "FloorFinish"})
	}
	if err := steps.Start(); err != nil {
		return nil, err
	}
	if err := model.Start(); err != nil {
		steps.Stop()
		return nil, err
	}
	return func() { model.Stop(); steps.Stop() }, nil
}
