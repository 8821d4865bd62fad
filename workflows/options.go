package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
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

	// rulesStep: a transcript is read by rules, or a part of a summary is written by them, in milliseconds; a busy machine takes
	// seconds. It has time of its own, however late a model has made it, and waits for a database that is away as storeStep does.
	rulesStep = workflow.LocalActivityOptions{
		StartToCloseTimeout:    30 * time.Second,
		ScheduleToCloseTimeout: 7 * 24 * time.Hour,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
		},
	}

	// dreamStep: what a dream staged is read, weighed and saved, 400 candidates in a fifth of a second. Unlike messages, a dream
	// is given up after a day: the next night looks at the same.
	dreamStep = workflow.LocalActivityOptions{
		StartToCloseTimeout:    time.Minute,
		ScheduleToCloseTimeout: dreamPatience,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 5 * time.Minute,
		},
	}

	// lightStep: the notes and conversations of a week are read, with who wrote each line. At the store's bounds (2,000
	// messages, 100 notes) that takes a second of a whole CPU, which many dreams share at night. It is a regular step, so that
	// it is no part of a workflow task that is in hand, and there is a point behind it to reset to.
	lightStep = workflow.ActivityOptions{
		StartToCloseTimeout:    10 * time.Minute,
		ScheduleToCloseTimeout: dreamPatience,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 5 * time.Minute,
		},
	}

	// snapshotStep: an archive is read, or its documents are written in one transaction, at most 499 with 16 MiB of text together. That
	// takes 26 seconds on two busy CPUs, and 2.6 when the documents are short (BenchmarkCommitSnapshot). A database that is away is waited for; after a day the sweep begins anew.
	snapshotStep = workflow.ActivityOptions{
		StartToCloseTimeout:    10 * time.Minute,
		ScheduleToCloseTimeout: 24 * time.Hour,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		WaitForCancellation:    true, // it may write all the same
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	}

	// nightStep: a page of owners dreams, of whom each is waited for as long as nightPatience. A retry goes on behind those
	// that are done.
	nightStep = workflow.ActivityOptions{
		TaskQueue:              NightQueue,
		StartToCloseTimeout:    activities.NewsPage*nightPatience + 10*time.Minute,
		ScheduleToCloseTimeout: 2 * activities.NewsPage * nightPatience,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 5 * time.Minute,
		},
	}
)

// importStep: a page of items is moved in, of which each conversation waits for its extraction: seconds, with a slow model minutes,
// and days while the model is away or the budget is spent. It is never given up: a retry goes on behind what is settled. The
// heartbeat tells how far it is, and that its worker lives.
var importStep = workflow.ActivityOptions{
	TaskQueue:              ImportQueue,
	StartToCloseTimeout:    30 * 24 * time.Hour,
	ScheduleToCloseTimeout: 365 * 24 * time.Hour,
	HeartbeatTimeout:       activities.HeartbeatTimeout,
	WaitForCancellation:    true,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
	},
}

// modelCall: a proposal takes seconds to minutes, and a repair round doubles it; providers ask us to slow down for up to an
// hour, and outages last hours. A day without a proposal is recorded as failed, and the messages stay pending.
func modelCall(s memory.ExtractSettings) workflow.ActivityOptions {
	return askModel(s.ModelTimeout, s.ModelHeartbeat, 24*time.Hour)
}

// consolidateStep: as modelCall. A night without an answer is recorded as failed, and the news stay news for the next one.
func consolidateStep(s memory.DreamSettings) workflow.ActivityOptions {
	return askModel(s.ModelTimeout, s.ModelHeartbeat, dreamPatience)
}

// flushCall: as modelCall, for as long as the model may take for the flush: somebody waits for it, so that it goes first.
func flushCall(s memory.FlushSettings, left time.Duration, ref memory.OwnerRef) workflow.ActivityOptions {
	return inTime(askModel(s.Extract.ModelTimeout, s.Extract.ModelHeartbeat, left), ref)
}

// summaryCall: one call of a model, for as long as it may take for the summary. Somebody waits for it as well.
func summaryCall(s memory.CompactSettings, left time.Duration, ref memory.OwnerRef) workflow.ActivityOptions {
	return inTime(askModel(s.ModelTimeout, s.ModelHeartbeat, left), ref)
}

// inTime has a model's step go first, and try again soon: there is little time.
func inTime(o workflow.ActivityOptions, ref memory.OwnerRef) workflow.ActivityOptions {
	o.StartToCloseTimeout = min(o.StartToCloseTimeout, o.ScheduleToCloseTimeout)
	o.Priority = urgent(ref)
	return o
}

func askModel(timeout, heartbeat, patience time.Duration) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              ModelQueue,
		StartToCloseTimeout:    modelRounds*timeout + modelOverhead,
		ScheduleToCloseTimeout: patience,
		HeartbeatTimeout:       heartbeat,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 5 * time.Minute,
		},
	}
}

var (
	// indexStep: some seconds of merging and indexing, of which each piece is a transaction; the largest conversation takes
	// minutes. It waits for a database that is away as storeStep does.
	indexStep = workflow.ActivityOptions{
		StartToCloseTimeout:    10 * time.Minute,
		ScheduleToCloseTimeout: 7 * 24 * time.Hour,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	}

	// embedStep: some seconds of embedding; a model on a slow machine takes minutes for one batch. After a quarter of an
	// hour of trying the workflow waits instead of the step, where people see it.
	embedStep = workflow.ActivityOptions{
		TaskQueue:              EmbedQueue,
		StartToCloseTimeout:    embedTimeout,
		ScheduleToCloseTimeout: 15 * time.Minute,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	}
)

// embedTimeout bounds one attempt at embedding.
const embedTimeout = 10 * time.Minute

// embedBackoff is how long a space waits after so many failures in a row: a wrong key is noticed to be right again within
// half an hour without anybody's doing.
func embedBackoff(failures int) time.Duration {
	return min(time.Minute<<min(failures-1, 5), 30*time.Minute)
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
	// indexLinger: how long an Index waits for the next change before it ends; writes come in bursts.
	indexLinger = 10 * time.Second
	// followFirst and followLast: how often a Reindex looks at how far it is. A small index is done within a second.
	followFirst, followLast = 500 * time.Millisecond, 30 * time.Second
	// dreamPatience: how long a dream tries what fails. It ends before the next night begins.
	dreamPatience = 20 * time.Hour
	// nightParallel: how many owners of one agent dream at once, unless the schedule says otherwise.
	nightParallel = 4
	// nightPatience: how long an owner is waited for before another one takes the place. A dream takes seconds, one with a
	// slow model minutes; one whose model is away goes on by itself.
	nightPatience = 10 * time.Minute
	// importParallel: how many owners of one import are extracted at once. Each has one conversation under way.
	importParallel = 8
	// missedAfter: a night that is this late was not only caught up with, and is dreamed as of its own moment.
	missedAfter = 24 * time.Hour
	// flushPatience: how long a flush that may not fall back to rules asks a model, as long as an extraction does. Then whoever
	// asks next has it tried again.
	flushPatience = 24 * time.Hour
	// flushFirst and flushLast: how often a Compact looks whether somebody else's flush is done, for which a turn may wait.
	flushFirst, flushLast = 250 * time.Millisecond, 5 * time.Second
	// leastSummaryBytes: a model whose context is too small for so little of a conversation, some 2,000 tokens, cannot summarise it.
	leastSummaryBytes = 8 << 10
	// dropVectors go in one transaction, which takes about a second.
	dropVectors = 20_000
)

// localStep runs a store step. A wrong argument does not compile.
func localStep[In, Out any](ctx workflow.Context, summary string, run func(context.Context, In) (Out, error), in In) (Out, error) {
	return local(ctx, storeStep, summary, run, in)
}

// local runs a local step with the given options. A wrong argument does not compile.
func local[In, Out any](ctx workflow.Context, options workflow.LocalActivityOptions, summary string, run func(context.Context, In) (Out, error), in In) (Out, error) {
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

// waitForBudget sleeps until the budget renews, looking now and then whether it was raised.
func waitForBudget(ctx workflow.Context, until time.Time) error {
	if err := workflow.UpsertTypedSearchAttributes(ctx, OutcomeAttribute.ValueSet(string(memory.OutcomeWaiting))); err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, "The model budget of the workspace is spent; it renews at "+until.UTC().Format(time.RFC3339)+".")
	wait := max(min(until.Sub(workflow.Now(ctx)), budgetRecheck), time.Second)
	return workflow.NewTimerWithOptions(ctx, wait, workflow.TimerOptions{Summary: "the budget is spent"}).Get(ctx, nil)
}
