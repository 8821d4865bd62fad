package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const (
	bareQueue      = "bare"
	bareModelQueue = "bare-model"
	// barePerOwner is the number of conversations per owner that the bare workflows simulate.
	barePerOwner = 10
)

// bare runs workflows of the same shape with empty steps, for as many owners at once, to measure Temporal alone. It
// returns how many conversations they simulate.
func (w *world) bare(ctx context.Context) (int, error) {
	steps := worker.New(w.temporal, bareModelQueue, worker.Options{DisableWorkflowWorker: true})
	steps.RegisterActivity(nothing)
	flows := worker.New(w.temporal, bareQueue, worker.Options{})
	flows.RegisterActivity(nothing)
	flows.RegisterWorkflow(bareInbox)
	flows.RegisterWorkflow(bareExtract)
	for _, one := range []worker.Worker{steps, flows} {
		if err := one.Start(); err != nil {
			return 0, err
		}
		defer one.Stop()
	}
	each := min(barePerOwner, (w.conversations+w.owners-1)/w.owners)
	places, errs := make(chan struct{}, ownersAtOnce), make([]error, w.owners)
	var working sync.WaitGroup
	for owner := range w.owners {
		places <- struct{}{}
		working.Go(func() {
			defer func() { <-places }()
			errs[owner] = w.bareOwner(ctx, owner, each)
		})
	}
	working.Wait()
	for _, err := range errs {
		if err != nil {
			return 0, err
		}
	}
	return each * w.owners, nil
}

// bareOwner requests one conversation after the other, and ends the Inbox.
func (w *world) bareOwner(ctx context.Context, owner, conversations int) error {
	id := fmt.Sprintf("bare-inbox/%d", owner)
	for n := range conversations {
		start := client.StartWorkflowOptions{
			ID: id, TaskQueue: bareQueue,
			WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		}
		asked, err := w.temporal.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
			StartWorkflowOperation: w.temporal.NewWithStartWorkflowOperation(start, bareInbox),
			UpdateOptions: client.UpdateWorkflowOptions{
				WorkflowID: id, UpdateName: "next", Args: []any{n}, WaitForStage: client.WorkflowUpdateStageCompleted,
			},
		})
		if err != nil {
			return err
		}
		if err := asked.Get(ctx, nil); err != nil {
			return err
		}
	}
	return w.temporal.TerminateWorkflow(ctx, id, "", "measured")
}

// nothing is an empty step.
func nothing(context.Context) error { return nil }

// bareInbox is an Inbox without a store.
func bareInbox(ctx workflow.Context) error {
	asked, answered := 0, 0
	err := workflow.SetUpdateHandler(ctx, "next", func(ctx workflow.Context, _ int) error {
		asked++
		mine := asked
		return workflow.Await(ctx, func() bool { return answered >= mine })
	})
	if err != nil {
		return err
	}
	for {
		if _, err := workflow.AwaitWithTimeout(ctx, time.Hour, func() bool { return asked > answered }); err != nil {
			return err
		}
		if err := bareLocal(ctx); err != nil {
			return err
		}
		if err := workflow.ExecuteChildWorkflow(ctx, bareExtract).Get(ctx, nil); err != nil {
			return err
		}
		answered++
	}
}

// bareExtract is an Extract without a model or a store.
func bareExtract(ctx workflow.Context) error {
	remote := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: bareModelQueue, StartToCloseTimeout: time.Minute})
	if err := workflow.ExecuteActivity(remote, nothing).Get(ctx, nil); err != nil {
		return err
	}
	return bareLocal(ctx)
}

func bareLocal(ctx workflow.Context) error {
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: time.Minute})
	return workflow.ExecuteLocalActivity(ctx, nothing).Get(ctx, nil)
}
