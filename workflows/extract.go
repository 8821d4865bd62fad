package workflows

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
)

// steps provides typed references to the activities; it is never called.
var steps *activities.Activities

// FailedType is the type of the error of an Extract that recorded the outcome "failed"; its details are the
// ExtractResult.
const FailedType = "ExtractionFailed"

// Reasons that the workflow itself gives.
const (
	ReasonNoNewMessages    memory.ReasonCode = "no_new_messages"
	ReasonModelUnavailable memory.ReasonCode = "model_unavailable"
	ReasonContextTooLong   memory.ReasonCode = "context_too_long"
	ReasonKeepsChanging    memory.ReasonCode = "keeps_changing"
)

// ExtractInput is a range of messages, with the settings that applied when it was started.
type ExtractInput struct {
	memory.OwnerRef
	Conversation uuid.UUID               `json:"conversation"`
	From         int64                   `json:"from"`
	To           int64                   `json:"to"`
	RetryOf      uuid.UUID               `json:"retryOf,omitzero"`
	Settings     setting.ExtractSettings `json:"settings"`
	// Carried is the progress that an Extract carries over when it continues as new.
	Carried *ExtractCarried `json:"carried,omitempty"`
}

// ExtractCarried is the progress of an Extract.
type ExtractCarried struct {
	Next   int64         `json:"next"`
	Result ExtractResult `json:"result"`
}

// ExtractResult is the outcome; of several steps, the most significant one.
type ExtractResult struct {
	Outcome     memory.Outcome    `json:"outcome"`
	ReasonCode  memory.ReasonCode `json:"reasonCode,omitempty"`
	Extractions []uuid.UUID       `json:"extractions,omitempty"` // records, one per step
	Documents   int               `json:"documents,omitempty"`   // documents changed
	Usage       memory.Usage      `json:"usage,omitzero"`
	More        bool              `json:"more,omitempty"` // the owner has other pending messages
}

// Extract turns a range of messages into memory, once: propose, guard, apply, in as many steps as transcripts are
// needed. Each step commits with its outcome and the cursor. A range that was processed before is left alone. It can be reset to any
// step. One that is interrupted, also by cancellation, records that it failed: its messages are read with the next turn.
func Extract(ctx workflow.Context, in ExtractInput) (ExtractResult, error) {
	e := extract{ExtractInput: in, next: in.From, log: workflow.GetLogger(ctx)}
	if c := in.Carried; c != nil {
		e.next, e.result = c.Next, c.Result
	}
	for e.next <= in.To && !e.ended {
		err := e.takeStep(ctx)
		switch {
		case errors.Is(err, errFull), err == nil && e.next <= in.To && !e.ended && isFull(ctx):
			e.Carried = &ExtractCarried{Next: e.next, Result: e.result}
			return ExtractResult{}, workflow.NewContinueAsNewError(ctx, Extract, e.ExtractInput)
		case err != nil:
			return ExtractResult{}, e.giveUp(ctx, err)
		}
	}
	if err := showOutcome(ctx, string(e.result.Outcome)); err != nil {
		return ExtractResult{}, err
	}
	workflow.SetCurrentDetails(ctx, e.details())
	if e.result.Outcome == memory.OutcomeFailed {
		return ExtractResult{}, failure("no proposal:  "+string(e.result.ReasonCode), FailedType, e.result)
	}
	return e.result, nil
}

type extract struct {
	ExtractInput
	next   int64 // first unprocessed message
	ended  bool
	result ExtractResult
	log    log.Logger
}

// takeStep processes the next messages: as many as fit one transcript.
func (e *extract) takeStep(ctx workflow.Context) error {
	for round := range staleRounds {
		proposal, err := e.propose(ctx)
		if err != nil {
			return err
		}
		if !proposal.HasDraft {
			e.record(proposal)
			return nil
		}
		applied, err := localStep(ctx, "apply", steps.Apply, activities.ApplyInput{
			OwnerRef: e.OwnerRef, Extraction: proposal.Extraction, Last: round == staleRounds-1,
		})
		if err != nil {
			return err
		}
		if !applied.Stale && !applied.Superseded { // otherwise a new proposal assigns the record to this run
			proposal.Outcome, proposal.ReasonCode, proposal.More = applied.Outcome, applied.ReasonCode, applied.More
			e.result.Documents += applied.Documents
			e.record(proposal)
			return nil
		}
	}
	failed, err := e.conclude(ctx, ReasonKeepsChanging)
	if err != nil {
		return err
	}
	e.record(failed)
	return nil
}

// propose asks until there is a proposal. It waits for the budget and shortens the transcript when the model's
// context is too small.
func (e *extract) propose(ctx workflow.Context) (activities.ProposeResult, error) {
	in := activities.ProposeInput{
		OwnerRef: e.OwnerRef, Conversation: e.Conversation, From: e.next, To: e.To, First: e.next == e.From,
		RetryOf: e.RetryOf, Settings: e.Settings,
	}
	for {
		out, err := step(ctx, modelCall(in.Settings), "propose", steps.Propose, in)
		switch {
		case err != nil && ctx.Err() != nil:
			return out, err
		case err != nil: // the model failed for a whole day
			e.log.Warn("No proposal", "error", err)
			return e.conclude(ctx, ReasonModelUnavailable)
		case out.TooLong:
			shorter, possible := in.Settings.Shorter(out.Messages)
			if !possible {
				return e.conclude(ctx, ReasonContextTooLong)
			}
			in.Settings = shorter
		case !out.WaitUntil.IsZero():
			if err := waitForBudget(ctx, out.WaitUntil); err != nil {
				return out, err
			}
			if isFull(ctx) {
				return out, errFull
			}
		default:
			return out, nil
		}
	}
}

// giveUp records that the rest of the range failed because a step did, or the workflow was cancelled, and returns the error to end
// with.
func (e *extract) giveUp(ctx workflow.Context, cause error) error {
	apart, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	if isSuperseded(cause) || workflow.GetVersion(apart, changeCleanUp, workflow.DefaultVersion, 1) < 1 {
		return cause
	}
	failed, err := e.conclude(apart, interruption(ctx))
	if err != nil {
		return errors.Join(cause, err)
	}
	e.record(failed)
	if err := showOutcome(apart, string(e.result.Outcome)); err != nil {
		return errors.Join(cause, err)
	}
	workflow.SetCurrentDetails(apart, e.details())
	return cause
}

// recordsPath returns the API path of an agent's outcome records.
func recordsPath(agent string) string { return "/api/v1/agents/" + agent + "/extractions" }

// details shows operators the outcome and where to read more, in Markdown, without a memory's content.
func (e *extract) details() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Outcome: %s; %d documents changed.\n", inWords(e.result.Outcome, e.result.ReasonCode), e.result.Documents)
	for _, id := range e.result.Extractions {
		fmt.Fprintf(&b, "\n- record `GET %s/%s`", recordsPath(e.Agent), id)
	}
	return b.String()
}

// conclude records that the rest of the range failed because there was no proposal.
func (e *extract) conclude(ctx workflow.Context, reason memory.ReasonCode) (activities.ProposeResult, error) {
	out, err := localStep(ctx, "record the failure", steps.Conclude, activities.ConcludeInput{
		OwnerRef: e.OwnerRef, Conversation: e.Conversation, From: e.next, To: e.To, RetryOf: e.RetryOf, ReasonCode: reason,
	})
	return activities.ProposeResult{
		Extraction: out.Extraction, To: e.To, Outcome: memory.OutcomeFailed, ReasonCode: reason, More: out.More,
	}, err
}

// record stores the end of a step and advances past it. A closed gate or a failure applies to the whole range.
func (e *extract) record(p activities.ProposeResult) {
	if p.Extraction != uuid.Nil {
		e.result.Extractions = append(e.result.Extractions, p.Extraction)
	}
	if e.result.Outcome == "" || p.Outcome.Severity() > e.result.Outcome.Severity() {
		e.result.Outcome, e.result.ReasonCode = p.Outcome, p.ReasonCode
	}
	e.result.Usage = e.result.Usage.Add(p.Usage)
	e.result.More = p.More
	e.next = p.To + 1
	e.ended = p.Outcome == memory.OutcomeSkipped || p.Outcome == memory.OutcomeFailed
}
