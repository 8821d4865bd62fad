package workflows

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// Changes of shipped workflows (workflow.GetVersion). Histories contain them: never rename one.
const (
	// changeLongWaits: an Inbox, an Extract and a Compact that wait for long continue as new, and an Inbox backs off.
	changeLongWaits = "long-waits"
	// changeCleanUp: an Extract and a Compact that are interrupted end their record.
	changeCleanUp = "clean-up"
)

// InboxLeavesType is the type of the error with which an Inbox answers an update when its history is full. The next execution takes
// the same request.
const InboxLeavesType = "InboxLeaves"

// hasType reports whether a step or a workflow failed with an error of this type.
func hasType(err error, name string) bool {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok && app.Type() == name
}

func isSuperseded(err error) bool { return hasType(err, activities.TypeSuperseded) }

// interruption returns why a workflow ends with an error.
func interruption(ctx workflow.Context) memory.ReasonCode {
	if ctx.Err() != nil {
		return ReasonCancelled
	}
	return ReasonStepFailed
}

// pause waits for d. Operators see the summary.
func pause(ctx workflow.Context, d time.Duration, summary string) error {
	return workflow.NewTimerWithOptions(ctx, d, workflow.TimerOptions{Summary: summary}).Get(ctx, nil)
}

// await waits until done, at most for d. Operators see the summary.
func await(ctx workflow.Context, d time.Duration, summary string, done func() bool) (isDone bool, err error) {
	return workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{Timeout: d, TimerOptions: workflow.TimerOptions{Summary: summary}}, done)
}

// errFull interrupts a wait when the history is long enough to continue as new. Otherwise a wait of a day, with signals arriving
// all the time, would reach the limits of an execution: 10,000 signals or 51,200 events.
var errFull = errors.New("the history is full")

// errLeaves answers the updates of an Inbox that continues as new.
var errLeaves = temporal.NewNonRetryableApplicationError("the inbox continues in a new execution: ask again", InboxLeavesType, nil)

// isFull reports whether a workflow should continue as new although it waits. It must not be called in a condition of Await, since
// it may record a version: use suggested there.
func isFull(ctx workflow.Context) bool {
	return suggested(ctx) && workflow.GetVersion(ctx, changeLongWaits, workflow.DefaultVersion, 1) >= 1
}

func suggested(ctx workflow.Context) bool { return workflow.GetInfo(ctx).GetContinueAsNewSuggested() }

// backoff returns first doubled for each earlier attempt, up to last.
func backoff(first, last time.Duration, earlier int) time.Duration {
	for ; earlier > 0 && first < last; earlier-- {
		first = min(2*first, last)
	}
	return first
}
