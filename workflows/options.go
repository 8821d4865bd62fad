package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/memory"
)

// Every timeout and retry of every step stands here, with its reason.
var (
	// storeStep: one transaction. It commits within seconds, or the database is away: then the step waits for it to come
	// back, up to a week, since giving up would leave messages unaccounted for. It runs in the worker that has the
	// workflow in hand, which costs no round trip through the task queue.
	storeStep = workflow.LocalActivityOptions{
		StartToCloseTimeout:    15 * time.Second,
		ScheduleToCloseTimeout: 7 * 24 * time.Hour,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
		},
	}
)

// modelCall: a proposal takes seconds to minutes, and a repair round doubles it; providers ask us to slow down for up to an
// hour, and outages last hours. A day without a proposal is recorded as failed, and the messages stay pending.
func modelCall(s memory.ExtractSettings) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              ModelQueue,
		StartToCloseTimeout:    modelRounds*s.ModelTimeout + modelOverhead,
		ScheduleToCloseTimeout: 24 * time.Hour,
		HeartbeatTimeout:       s.ModelHeartbeat,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 5 * time.Minute,
		},
	}
}

const (
	// modelRounds: the proposal and its one repair.
	modelRounds = 2
	// modelOverhead: reading and recording around the calls.
	modelOverhead = time.Minute
)

const (
	// budgetRecheck: a raised budget is noticed within this time; a renewed one at its own moment.
	budgetRecheck = 10 * time.Minute
	// staleRounds: how often a proposal is made anew because someone edited the same lines meanwhile.
	staleRounds = 3
	// quietLimit: a conversation that never pauses is extracted after this many quiet periods all the same.
	quietLimit = 15
	// busyRetry: how long an Inbox waits when the range it wants is being extracted already (left over from a
	// terminated Inbox).
	busyRetry = 5 * time.Second
	// failureBackoff: how long an Inbox waits before it looks again when it could not even ask what is pending.
	failureBackoff = time.Minute
)

// localStep runs a store step. A wrong argument does not compile.
func localStep[In, Out any](ctx workflow.Context, summary string, run func(context.Context, In) (Out, error), in In) (Out, error) {
	options := storeStep
	options.Summary = summary
	var out Out
	err := workflow.ExecuteLocalActivity(workflow.WithLocalActivityOptions(ctx, options), run, in).Get(ctx, &out)
	return out, err
}

// step runs a regular step with the given options. A wrong argument does not compile.
func step[In, Out any](ctx workflow.Context, options workflow.ActivityOptions, summary string, run func(context.Context, In) (Out, error), in In) (Out, error) {
	options.Summary = summary
	var out Out
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, options), run, in).Get(ctx, &out)
	return out, err
}
