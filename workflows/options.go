package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
)

// All timeouts and retries of all steps, each with its reason.
var (
	// storeStep: one transaction. It commits within seconds, or the database is unavailable: then the step waits for
	// it for up to a week, since giving up would leave messages unprocessed. As a local activity it costs no round
	// trip through the task queue.
	storeStep = workflow.LocalActivityOptions{
		StartToCloseTimeout:    15 * time.Second,
		ScheduleToCloseTimeout: 7 * 24 * time.Hour,
		RetryPolicy:            retry(200*time.Millisecond, 30*time.Second),
	}

	// rulesStep: rules read a transcript or write a part of a summary in milliseconds; a busy machine takes seconds.
	// It has its own time limit, however late a model has made it, and waits for an unavailable database like
	// storeStep.
	rulesStep = workflow.LocalActivityOptions{
		StartToCloseTimeout:    30 * time.Second,
		ScheduleToCloseTimeout: 7 * 24 * time.Hour,
		RetryPolicy:            retry(200*time.Millisecond, 30*time.Second),
	}

	// openStep: like storeStep, for a dream.
	openStep = dreamOptions{storeStep, regular(storeStep, false)}

	// commitStep: like openStep. A cancelled dream waits for its end, because it may still write.
	commitStep = dreamOptions{storeStep, regular(storeStep, true)}

	// weighStep: reads, weighs and saves what a dream staged: 400 candidates take 0.2 seconds. Unlike for messages,
	// it gives up after a day: the next night looks at the same.
	weighStep = dreamOptions{weighing, regular(weighing, false)}
	weighing  = workflow.LocalActivityOptions{
		StartToCloseTimeout:    time.Minute,
		ScheduleToCloseTimeout: dreamPatience,
		RetryPolicy:            retry(200*time.Millisecond, 5*time.Minute),
	}

	// lightStep: reads the notes and conversations of a week, with the author of each line. At the store's limits
	// (2,000 messages, 100 notes) that takes a second of CPU, which many dreams share at night.
	lightStep = workflow.ActivityOptions{
		StartToCloseTimeout:    10 * time.Minute,
		ScheduleToCloseTimeout: dreamPatience,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		RetryPolicy:            retry(time.Second, 5*time.Minute),
	}

	// snapshotStep: reads an archive, or writes its documents in one transaction: at most 499 with 16 MiB of text in
	// total. That takes 26 seconds on two busy CPUs, and 2.6 when the documents are short (BenchmarkCommitSnapshot).
	// It waits for an unavailable database; after a day the sweep starts again.
	snapshotStep = workflow.ActivityOptions{
		TaskQueue:              SnapshotQueue,
		StartToCloseTimeout:    10 * time.Minute,
		ScheduleToCloseTimeout: 24 * time.Hour,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		WaitForCancellation:    true, // it may still write
		RetryPolicy:            retry(time.Second, time.Minute),
	}

	// nightStep: runs the dreams of a page of owners, each for up to nightPatience. A retry continues after those
	// that are done.
	nightStep = workflow.ActivityOptions{
		TaskQueue:              NightQueue,
		StartToCloseTimeout:    activities.NewsPage*nightPatience + 10*time.Minute,
		ScheduleToCloseTimeout: 2 * activities.NewsPage * nightPatience,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		RetryPolicy:            retry(time.Second, 5*time.Minute),
	}
)

// deletionStep: deletes batches of rows, each in well under a second, or histories of workflows. It waits for writers of what is deleted,
// and never gives up: a retry continues with what is left.
var deletionStep = workflow.ActivityOptions{
	StartToCloseTimeout:    30 * time.Minute,
	ScheduleToCloseTimeout: 365 * 24 * time.Hour,
	HeartbeatTimeout:       activities.HeartbeatTimeout,
	WaitForCancellation:    true,
	RetryPolicy:            retry(200*time.Millisecond, time.Minute),
}

// outsideStep: asks programs to delete what they have, each within some seconds. They get a few minutes to come back.
var outsideStep = workflow.ActivityOptions{
	StartToCloseTimeout:    10 * time.Minute,
	ScheduleToCloseTimeout: 30 * time.Minute,
	RetryPolicy:            &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 4, MaximumAttempts: outsideAttempts},
}

// outsideAttempts are about six minutes.
const outsideAttempts = 6

// importStep: imports a page of items. Each conversation waits for its extraction: seconds, minutes with a slow
// model, days while the model is unavailable or the budget is spent. It never gives up: a retry continues after the
// settled items. The heartbeat carries the progress and shows that the worker lives.
var importStep = workflow.ActivityOptions{
	TaskQueue:              ImportQueue,
	StartToCloseTimeout:    30 * 24 * time.Hour,
	ScheduleToCloseTimeout: 365 * 24 * time.Hour,
	HeartbeatTimeout:       activities.HeartbeatTimeout,
	WaitForCancellation:    true,
	RetryPolicy:            retry(time.Second, time.Minute),
}

// modelCall: a proposal takes seconds to minutes, and a repair round doubles it. Providers ask for delays of up to an
// hour, and outages last hours. After a day without a proposal the extraction is recorded as failed, and the messages
// stay pending.
func modelCall(s setting.ExtractSettings) workflow.ActivityOptions {
	return askModel(s.ModelTimeout, s.ModelHeartbeat, 24*time.Hour)
}

// consolidateStep: like modelCall. A night without an answer is recorded as failed, and the next one sees the same
// news.
func consolidateStep(s setting.DreamSettings) workflow.ActivityOptions {
	return askModel(s.ModelTimeout, s.ModelHeartbeat, dreamPatience)
}

// tidyStep: like openStep, or like modelCall if a model may rewrite SOUL.md. It does not wait for a model that is away for long.
func tidyStep(s setting.DreamSettings) workflow.ActivityOptions {
	if !s.Paid || s.SoulWrites == 0 {
		return commitStep.regular
	}
	o := askModel(s.ModelTimeout, s.ModelHeartbeat, time.Hour)
	o.WaitForCancellation = true
	return o
}

// flushCall: like modelCall, limited to the model's time for the flush. A turn waits for it, so it has priority.
func flushCall(s setting.FlushSettings, left time.Duration, ref memory.OwnerRef) workflow.ActivityOptions {
	return inTime(askModel(s.Extract.ModelTimeout, s.Extract.ModelHeartbeat, left), ref)
}

// summaryCall: one model call, limited to the model's time for the summary. A turn waits for it as well.
func summaryCall(s setting.CompactSettings, left time.Duration, ref memory.OwnerRef) workflow.ActivityOptions {
	return inTime(askModel(s.ModelTimeout, s.ModelHeartbeat, left), ref)
}

// inTime gives a model's step priority and short retry intervals, because little time is left.
func inTime(o workflow.ActivityOptions, ref memory.OwnerRef) workflow.ActivityOptions {
	o.StartToCloseTimeout = min(o.StartToCloseTimeout, o.ScheduleToCloseTimeout)
	o.Priority = fair(urgentPriority, ref.Workspace)
	return o
}

func askModel(timeout, heartbeat, patience time.Duration) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              ModelQueue,
		StartToCloseTimeout:    modelRounds*timeout + modelOverhead,
		ScheduleToCloseTimeout: patience,
		HeartbeatTimeout:       heartbeat,
		RetryPolicy:            retry(time.Second, 5*time.Minute),
	}
}

// dreamOptions are the options of a step of a dream as a local activity, as in histories without dreamSteps, and as a regular one.
type dreamOptions struct {
	folded  workflow.LocalActivityOptions
	regular workflow.ActivityOptions
}

func regular(o workflow.LocalActivityOptions, waitForCancellation bool) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout: o.StartToCloseTimeout, ScheduleToCloseTimeout: o.ScheduleToCloseTimeout, RetryPolicy: o.RetryPolicy,
		WaitForCancellation: waitForCancellation,
	}
}

// retry doubles the interval between attempts, from first up to last.
func retry(first, last time.Duration) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{InitialInterval: first, BackoffCoefficient: 2, MaximumInterval: last}
}

var (
	// indexStep: some seconds of merging and indexing in many transactions; the largest conversation takes minutes.
	// It waits for an unavailable database like storeStep.
	indexStep = workflow.ActivityOptions{
		StartToCloseTimeout:    10 * time.Minute,
		ScheduleToCloseTimeout: 7 * 24 * time.Hour,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		RetryPolicy:            retry(time.Second, time.Minute),
	}

	// embedStep: some seconds of embedding; a model on a slow machine takes minutes for one batch. After a quarter of
	// an hour of retries the workflow waits instead of the step, where people see it.
	embedStep = workflow.ActivityOptions{
		TaskQueue:              EmbedQueue,
		StartToCloseTimeout:    embedTimeout,
		ScheduleToCloseTimeout: 15 * time.Minute,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		RetryPolicy:            retry(time.Second, time.Minute),
	}
)

var (
	// webhookStep: some seconds of deliveries, and one attempt that takes up to the timeout of an endpoint, at most a minute. It waits
	// for an unavailable database like storeStep.
	webhookStep = workflow.ActivityOptions{
		TaskQueue:              WebhookQueue,
		StartToCloseTimeout:    3 * time.Minute,
		ScheduleToCloseTimeout: 7 * 24 * time.Hour,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		RetryPolicy:            retry(time.Second, time.Minute),
	}

	// pingStep: one attempt, for which a person waits.
	pingStep = workflow.ActivityOptions{
		TaskQueue:              WebhookQueue,
		StartToCloseTimeout:    90 * time.Second,
		ScheduleToCloseTimeout: 3 * time.Minute,
		RetryPolicy:            retry(time.Second, 10*time.Second),
	}
)

// embedTimeout bounds one attempt at embedding.
const embedTimeout = 10 * time.Minute

// embedBackoff returns how long a space waits after consecutive failures. It is at most half an hour, so a corrected
// API key takes effect within that time.
func embedBackoff(failures int) time.Duration {
	return min(time.Minute<<min(failures-1, 5), 30*time.Minute)
}

const (
	// modelRounds: the proposal and one repair.
	modelRounds = 2
	// modelOverhead: reading and recording around the model calls.
	modelOverhead = time.Minute
)

const (
	// budgetRecheck: a raised budget and the end of a pause are noticed within this time, a renewed one at its own time.
	budgetRecheck = 10 * time.Minute
	// staleRounds: how often a proposal is made again because the same lines were edited concurrently.
	staleRounds = 3
	// quietLimit: a conversation that never pauses is extracted after this many quiet periods.
	quietLimit = 15
	// busyFirst and busyLast: bounds of the interval at which an Inbox checks an Extract that another execution has started. It
	// may wait for a model for a day.
	busyFirst, busyLast = 5 * time.Second, 2 * time.Minute
	// failureBackoff and failureLast: how long an Inbox waits after it failed to read or extract what is pending, for the first
	// time and after many.
	failureBackoff, failureLast = time.Minute, 30 * time.Minute
	// indexLinger: how long an Index waits for the next change before it ends; writes come in bursts.
	indexLinger = 10 * time.Second
	// webhookLinger: how long a DeliverEvents waits for the next event before it ends; events come in bursts.
	webhookLinger = 10 * time.Second
	// followFirst and followLast: bounds of the interval at which a Reindex checks its progress. A small index is
	// done within a second.
	followFirst, followLast = 500 * time.Millisecond, 30 * time.Second
	// dreamPatience: how long a dream retries. It ends before the next night begins.
	dreamPatience = 20 * time.Hour
	// nightParallel: how many owners of one agent dream at once, unless the schedule sets another number.
	nightParallel = 4
	// nightPatience: how long a dream occupies one of the parallel slots. A dream takes seconds, one with a slow
	// model minutes; one whose model is unavailable continues automatically.
	nightPatience = 10 * time.Minute
	// importParallel: how many owners of one import are extracted at once, one conversation each.
	importParallel = 8
	// missedAfter: a night that is this late was backfilled, not merely caught up, and dreams as of its scheduled
	// time.
	missedAfter = 24 * time.Hour
	// flushPatience: how long a flush that may not fall back to rules asks a model; the same as for an extraction.
	// The next request then tries again.
	flushPatience = 24 * time.Hour
	// flushFirst and flushLast: bounds of the interval at which a Compact checks another execution's flush. A turn may wait for it,
	// and it may wait for a model for a day: beyond flushSoon, the interval is an eighth of the time that it has waited.
	flushFirst, flushSoon, flushLast = 250 * time.Millisecond, 5 * time.Second, 2 * time.Minute
	// minSummaryBytes: a model whose context cannot hold this much of a conversation, some 2,000 tokens, cannot
	// summarise it.
	minSummaryBytes = 8 << 10
	// deletionAgain: pause before rows that a scan found are deleted.
	deletionAgain = time.Second
	// dropVectors is the number of vectors deleted in one transaction, which takes about a second.
	dropVectors = 20_000
)

// localStep runs a store step. Arguments are type-checked at compile time.
func localStep[In, Out any](ctx workflow.Context, summary string, run func(context.Context, In) (Out, error), in In) (Out, error) {
	return local(ctx, storeStep, summary, run, in)
}

// local runs a local activity with the given options. Arguments are type-checked at compile time.
func local[In, Out any](ctx workflow.Context, options workflow.LocalActivityOptions, summary string,
	run func(context.Context, In) (Out, error), in In,
) (Out, error) {
	options.Summary = summary
	var out Out
	err := workflow.ExecuteLocalActivity(workflow.WithLocalActivityOptions(ctx, options), run, in).Get(ctx, &out)
	return out, err
}

// step runs a regular activity with the given options. Arguments are type-checked at compile time.
func step[In, Out any](ctx workflow.Context, options workflow.ActivityOptions, summary string,
	run func(context.Context, In) (Out, error), in In,
) (Out, error) {
	options.Summary = summary
	var out Out
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, options), run, in).Get(ctx, &out)
	return out, err
}

// waitForBudget sleeps until the budget renews, and returns earlier now and then to check whether it was raised, or a pause of the
// agent's use of models has ended.
func waitForBudget(ctx workflow.Context, until time.Time) error {
	if err := showOutcome(ctx, string(memory.OutcomeWaiting)); err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, "No model may be asked: the budget is spent, or the agent's use of models is paused. Budgets renew at "+
		until.UTC().Format(time.RFC3339)+".")
	wait := max(min(until.Sub(workflow.Now(ctx)), budgetRecheck), time.Second)
	return pause(ctx, wait, "the budget is spent")
}
