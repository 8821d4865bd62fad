package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
)

// InboxInput is the initial state of an Inbox, or its state when it continues as new.
type InboxInput struct {
	memory.OwnerRef
	Timing  setting.Timing `json:"timing"`
	Pending bool           `json:"pending,omitempty"` // a turn arrived and was not handled yet
	FirstAt time.Time      `json:"firstAt,omitzero"`  // first waiting turn
	LastAt  time.Time      `json:"lastAt,omitzero"`
	ReadyAt time.Time      `json:"readyAt,omitzero"` // end of the cooldown
	// Failures counts the extractions that could not be run, one after the other.
	Failures int `json:"failures,omitempty"`
}

// Turn is the signal that a turn is complete. It names no message: Postgres holds the pending ones.
type Turn struct {
	Timing setting.Timing `json:"timing"`
}

// Inbox collects the completed turns of one owner. It waits until the conversation has been quiet and the cooldown is
// over, then runs one Extract at a time until nothing is pending, and ends when it is empty and the cooldown is over.
// Turns that arrive in the meantime are handled together; none is dropped. When its history is full it continues as new, even while an
// Extract runs, and waits for that one again.
func Inbox(ctx workflow.Context, in InboxInput) error {
	b := inbox{InboxInput: in, log: workflow.GetLogger(ctx), turns: workflow.GetSignalChannel(ctx, TurnCompletedSignal)}
	validated := workflow.UpdateHandlerOptions{Validator: ExtractNowInput.validate}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, ExtractNowUpdate, b.extractNow, validated); err != nil {
		return err
	}
	return b.run(ctx)
}

type inbox struct {
	InboxInput
	log      log.Logger
	turns    workflow.ReceiveChannel
	requests []*request
}

// request is an extraction that a caller waits for.
type request struct {
	ExtractNowInput
	done   bool
	result ExtractNowResult
	err    error
}

func (b *inbox) run(ctx workflow.Context) error {
	for {
		b.drain(ctx)
		switch wait := b.wait(workflow.Now(ctx)); {
		case isFull(ctx):
			return b.leave(ctx)
		case len(b.requests) > 0:
			b.serve(ctx)
		case workflow.GetInfo(ctx).GetContinueAsNewSuggested() && workflow.AllHandlersFinished(ctx):
			return workflow.NewContinueAsNewError(ctx, Inbox, b.InboxInput)
		case wait > 0:
			if err := b.sleep(ctx, wait); err != nil {
				return err
			}
		case b.Pending:
			if err := b.extractPending(ctx); err != nil {
				return err
			}
		default:
			// A handler that has its result must still return it before the workflow may end.
			if err := workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) }); err != nil {
				return err
			}
			if b.turns.Len() == 0 && len(b.requests) == 0 {
				return nil
			}
		}
	}
}

// leave continues as new. Callers that wait are asked to come again.
func (b *inbox) leave(ctx workflow.Context) error {
	for done := false; !done; {
		for _, r := range b.requests {
			r.err, r.done = errLeaves, true
		}
		b.requests = nil
		if err := workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) || len(b.requests) > 0 }); err != nil {
			return err
		}
		done = len(b.requests) == 0
	}
	b.drain(ctx)
	return workflow.NewContinueAsNewError(ctx, Inbox, b.InboxInput)
}

// drain receives every signal that has arrived.
func (b *inbox) drain(ctx workflow.Context) {
	var turn Turn
	for b.turns.ReceiveAsync(&turn) {
		now := workflow.Now(ctx)
		b.Timing = turn.Timing
		b.LastAt = now
		if !b.Pending {
			b.Pending, b.FirstAt = true, now
		}
	}
}

// wait returns how long extraction must wait for quiet and cooldown. With nothing pending it is the rest of the
// cooldown, which would be lost if the Inbox ended.
func (b *inbox) wait(now time.Time) time.Duration {
	until := b.ReadyAt
	if b.Pending {
		quiet := b.LastAt.Add(b.Timing.Quiet)
		if latest := b.FirstAt.Add(quietLimit * b.Timing.Quiet); quiet.After(latest) {
			quiet = latest
		}
		if quiet.After(until) {
			until = quiet
		}
	}
	return until.Sub(now)
}

// sleep waits for d or until something arrives.
func (b *inbox) sleep(ctx workflow.Context, d time.Duration) error {
	summary := "cooldown"
	if b.Pending {
		summary = "quiet period or cooldown, then extract"
	}
	_, err := await(ctx, d, summary, func() bool { return b.turns.Len() > 0 || len(b.requests) > 0 })
	return err
}

// extractPending extracts everything that is pending for the owner, one range after the other.
func (b *inbox) extractPending(ctx workflow.Context) error {
	b.Pending = false
	for more := true; more && len(b.requests) == 0; {
		if isFull(ctx) {
			b.Pending = true
			return nil
		}
		next, err := b.next(ctx, activities.NextRangeInput{OwnerRef: b.OwnerRef})
		if hasType(err, activities.TypeNotFound) && workflow.GetVersion(ctx, missingOwnerChange, workflow.DefaultVersion, 1) == 1 {
			return b.missing()
		}
		if err != nil {
			return b.putOff(ctx, err)
		}
		b.Timing = next.Timing
		if !next.Found {
			break
		}
		out, err := b.extract(ctx, next, uuid.Nil, turnPriority)
		switch {
		case errors.Is(err, errFull):
			b.Pending = true
			return nil
		case err != nil:
			return b.putOff(ctx, err)
		}
		more, b.Failures = out.More, 0
		b.Pending = more // a request may interrupt: the rest stays pending
	}
	b.ReadyAt = workflow.Now(ctx).Add(b.Timing.Cooldown)
	return nil
}

// putOff keeps the turn pending after a failure and sets a time to retry, unless the workflow itself was cancelled.
func (b *inbox) putOff(ctx workflow.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	b.log.Warn("Extraction postponed", "error", err)
	b.Pending = true
	wait := max(failureBackoff, b.Timing.Cooldown)
	if b.Failures > 0 && workflow.GetVersion(ctx, changeLongWaits, workflow.DefaultVersion, 1) >= 1 {
		wait = backoff(wait, failureLast, b.Failures)
	}
	b.Failures++
	b.ReadyAt = workflow.Now(ctx).Add(wait)
	return nil
}

// missingOwnerChange versions the end of an Inbox whose owner is not in the database; before, it retried forever.
const missingOwnerChange = "end without an owner"

// missing returns the error of an Inbox whose owner or agent is not in the database.
func (b *inbox) missing() error {
	return temporal.NewNonRetryableApplicationError("owner "+b.Owner.String()+" of agent "+b.Agent+
		" is not in the database, which was restored to an older state: these messages are lost unless clients send them again",
		activities.TypeNotFound, nil)
}

func (b *inbox) next(ctx workflow.Context, in activities.NextRangeInput) (activities.NextRangeResult, error) {
	return localStep(ctx, "find pending messages", steps.NextRange, in)
}

// extract runs one Extract as a separate execution and waits for it. If one is already running (left by a terminated Inbox, or by
// one that has continued as new), it waits for that one. It returns errFull when the Inbox should continue as new.
func (b *inbox) extract(ctx workflow.Context, r activities.NextRangeResult, retryOf uuid.UUID, priority int) (ExtractResult, error) {
	options := childOptions(ExtractID(r.Conversation, r.From, r.To, retryOf),
		fmt.Sprintf("Messages %d to %d of one conversation become memory of agent %s", r.From, r.To, b.Agent),
		attributes(b.OwnerRef), fair(priority, b.Workspace))
	options.StaticDetails = "Outcome records: `GET " + recordsPath(b.Agent) + "`"
	in := ExtractInput{
		OwnerRef: b.OwnerRef, Conversation: r.Conversation, From: r.From, To: r.To, RetryOf: retryOf, Settings: r.Settings,
	}
	for busy := 0; ; busy++ {
		child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, options), Extract, in)
		started := child.GetChildWorkflowExecution()
		if err := workflow.Await(ctx, func() bool { return child.IsReady() || suggested(ctx) && started.IsReady() }); err != nil {
			return ExtractResult{}, err
		}
		if !child.IsReady() && isFull(ctx) {
			return ExtractResult{}, errFull
		}
		var out ExtractResult
		err := child.Get(ctx, &out)
		if !temporal.IsWorkflowExecutionAlreadyStartedError(err) {
			return out, extractionFailed(err, &out)
		}
		if _, err := await(ctx, backoff(busyFirst, busyLast, busy), "", func() bool { return suggested(ctx) }); err != nil {
			return ExtractResult{}, err
		}
		if isFull(ctx) {
			return ExtractResult{}, errFull
		}
	}
}

// extractionFailed converts the failure of an extraction that recorded its outcome into that outcome. The messages
// stay pending for the next turn.
func extractionFailed(err error, out *ExtractResult) error {
	var app *temporal.ApplicationError
	if errors.As(err, &app) && app.Type() == FailedType && app.Details(out) == nil {
		return nil
	}
	return err
}

// extractNow handles the update: it queues the request and waits for its result.
func (b *inbox) extractNow(ctx workflow.Context, in ExtractNowInput) (ExtractNowResult, error) {
	r := &request{ExtractNowInput: in}
	b.requests = append(b.requests, r)
	if err := workflow.Await(ctx, func() bool { return r.done }); err != nil {
		return ExtractNowResult{}, err
	}
	return r.result, r.err
}

// serve answers the oldest request. An error is returned to its caller; the Inbox continues.
func (b *inbox) serve(ctx workflow.Context) {
	r := b.requests[0]
	b.requests = b.requests[1:]
	r.result, r.err = b.answer(ctx, r.ExtractNowInput)
	r.done = true
}

func (b *inbox) answer(ctx workflow.Context, in ExtractNowInput) (ExtractNowResult, error) {
	next, err := b.next(ctx, activities.NextRangeInput{OwnerRef: b.OwnerRef, Conversation: in.Conversation, RetryOf: in.RetryOf})
	if err != nil {
		return ExtractNowResult{}, err
	}
	if !next.Found {
		return ExtractNowResult{Outcome: memory.OutcomeNothing, ReasonCode: ReasonNoNewMessages}, nil
	}
	out, err := b.extract(ctx, next, in.RetryOf, in.priority())
	if errors.Is(err, errFull) {
		err = errLeaves
	}
	if err != nil {
		return ExtractNowResult{}, err
	}
	b.Timing = next.Timing
	b.ReadyAt = workflow.Now(ctx).Add(b.Timing.Cooldown)
	return ExtractNowResult{Outcome: out.Outcome, ReasonCode: out.ReasonCode, Extractions: out.Extractions}, nil
}

// TurnCompleted signals the owner's Inbox that messages are waiting, and starts it if it is not running.
func TurnCompleted(ctx context.Context, c client.Client, ref memory.OwnerRef, t setting.Timing) error {
	_, err := c.SignalWithStartWorkflow(ctx, InboxID(ref), TurnCompletedSignal, Turn{Timing: t},
		inboxOptions(ref), Inbox, InboxInput{OwnerRef: ref, Timing: t})
	return err
}

// ExtractNowInput asks for an extraction without waiting for quiet period and cooldown.
type ExtractNowInput struct {
	// RequestID identifies the request: sending it again is safe.
	RequestID    string    `json:"requestId"`
	Conversation uuid.UUID `json:"conversation"`
	// RetryOf retries a quarantined extraction; zero extracts the conversation's pending messages.
	RetryOf uuid.UUID `json:"retryOf,omitzero"`
	// Import means that the messages were imported: live messages are handled first.
	Import bool `json:"import,omitempty"`
}

func (in ExtractNowInput) priority() int {
	if in.Import {
		return importPriority
	}
	return awaitedPriority
}

// maxRequestID bounds the id of a request, in bytes.
const maxRequestID = 200

// validate refuses a request that cannot be served, before it is in the history.
func (in ExtractNowInput) validate() error {
	switch {
	case in.RequestID == "" || len(in.RequestID) > maxRequestID:
		return fmt.Errorf("requestId: use 1 to %d bytes", maxRequestID)
	case in.Conversation == uuid.Nil && in.RetryOf == uuid.Nil:
		return errors.New("name a conversation, or the extraction to retry")
	}
	return nil
}

// ExtractNowResult is the outcome of ExtractNow.
type ExtractNowResult struct {
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	// Extractions are the outcome records, oldest first; empty when nothing was pending.
	Extractions []uuid.UUID `json:"extractions,omitempty"`
}

// ExtractNow runs an extraction now and waits for its outcome until ctx ends. If ctx ends first, the extraction
// continues: call again with the same RequestID, or read the outcome records.
func ExtractNow(ctx context.Context, c client.Client, ref memory.OwnerRef, t setting.Timing, in ExtractNowInput) (ExtractNowResult, error) {
	for {
		out, err := extractNow(ctx, c, ref, t, in)
		if err == nil || !inboxJustClosed(err) || ctx.Err() != nil {
			return out, err
		}
		select { // the Inbox ended before it took the update: the next round starts a new one
		case <-ctx.Done():
			return ExtractNowResult{}, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func extractNow(ctx context.Context, c client.Client, ref memory.OwnerRef, t setting.Timing, in ExtractNowInput) (ExtractNowResult, error) {
	options := inboxOptions(ref)
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	handle, err := c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: c.NewWithStartWorkflowOperation(options, Inbox, InboxInput{OwnerRef: ref, Timing: t}),
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateID: in.RequestID, WorkflowID: InboxID(ref), UpdateName: ExtractNowUpdate,
			Args: []any{in}, WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err != nil {
		return ExtractNowResult{}, err
	}
	var out ExtractNowResult
	return out, handle.Get(ctx, &out)
}

// inboxJustClosed reports whether err means that the workflow completed before it accepted the update, or continued as new before it
// had a result.
func inboxJustClosed(err error) bool {
	return hasType(err, "AcceptedUpdateCompletedWorkflow") || hasType(err, InboxLeavesType) || isNotFound(err)
}

func inboxOptions(ref memory.OwnerRef) client.StartWorkflowOptions {
	return startOptions(InboxID(ref), "Inbox of one owner of agent "+ref.Agent, attributes(ref), fair(turnPriority, ref.Workspace))
}
