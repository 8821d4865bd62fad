package workflows

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
)

// FlushFailedType is the type of the error of a Flush that got no entry from a model in time and may not fall back to
// rules; its details are the FlushResult. The flush stays open, and the next request tries it again.
const FlushFailedType = "FlushFailed"

// ReasonDeadline means that rules flushed or summarised a range because the model did not in time.
const ReasonDeadline memory.ReasonCode = "deadline"

// FlushInput is a range of messages that is about to leave a context window, with the settings that apply to it.
type FlushInput struct {
	memory.OwnerRef
	Conversation uuid.UUID             `json:"conversation"`
	Flush        uuid.UUID             `json:"flush"`
	From         int64                 `json:"from"`
	To           int64                 `json:"to"`
	Settings     setting.FlushSettings `json:"settings"`
	// Carried is the progress that a Flush carries over when it continues as new.
	Carried *FlushCarried `json:"carried,omitempty"`
}

// FlushCarried is the progress of a Flush.
type FlushCarried struct {
	Began    time.Time               `json:"began"`
	Next     int64                   `json:"next"`
	Extract  setting.ExtractSettings `json:"extract"`            // with the transcript size that the model accepts
	Fallback memory.ReasonCode       `json:"fallback,omitempty"` // why rules do the rest
	Result   FlushResult             `json:"result"`
}

// FlushResult is the acknowledgement: everything in the range is saved.
type FlushResult struct {
	Flush      uuid.UUID         `json:"flush"`
	From       int64             `json:"from"`
	To         int64             `json:"to"`
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	Fallback   bool              `json:"fallback,omitempty"`
	Usage      memory.Usage      `json:"usage,omitzero"`
}

// Flush saves a range of messages before it is dropped, once: propose and commit, in as many steps as transcripts are
// needed. Each step commits with its own account. It appends to today's note. The model has Settings.Deadline for all
// of it; then, as Settings.Policy says, rules do the rest with their own time limit, or the flush waits for the
// model.
func Flush(ctx workflow.Context, in FlushInput) (FlushResult, error) {
	f := newFlushing(ctx, in)
	f.describe(ctx, "saving")
	for !f.acknowledged {
		if err := f.takeStep(ctx); err != nil {
			return FlushResult{}, f.hold(ctx, err)
		}
		f.describe(ctx, "saving")
		if !f.acknowledged && workflow.GetInfo(ctx).GetContinueAsNewSuggested() { // after some thousand steps
			return FlushResult{}, workflow.NewContinueAsNewError(ctx, Flush, f.carried())
		}
	}
	if err := showOutcome(ctx, string(f.result.Outcome)); err != nil {
		return FlushResult{}, err
	}
	f.describe(ctx, "acknowledged")
	return f.result, nil
}

type flushing struct {
	FlushInput
	began        time.Time
	next         int64 // first message that is not saved
	extract      setting.ExtractSettings
	fallback     memory.ReasonCode // why rules do the rest; empty while the model does
	acknowledged bool
	takenOver    bool
	ruled        bool // rules made the last proposal
	refused      bool // the model's text for this step may not be written
	result       FlushResult
	log          log.Logger
}

func newFlushing(ctx workflow.Context, in FlushInput) *flushing {
	f := &flushing{
		FlushInput: in, began: workflow.Now(ctx), next: in.From, extract: in.Settings.Extract, log: workflow.GetLogger(ctx),
		result: FlushResult{Flush: in.Flush, From: in.From, To: in.To},
	}
	if c := in.Carried; c != nil {
		f.began, f.next, f.extract, f.fallback, f.result = c.Began, c.Next, c.Extract, c.Fallback, c.Result
	}
	return f
}

func (f *flushing) carried() FlushInput {
	in := f.FlushInput
	in.Carried = &FlushCarried{Began: f.began, Next: f.next, Extract: f.extract, Fallback: f.fallback, Result: f.result}
	return in
}

// takeStep saves the next messages: as many as fit one transcript. A draft is made again when an extraction has
// processed its messages since then; each time the extraction has advanced, so this ends.
func (f *flushing) takeStep(ctx workflow.Context) error {
	proposed, err := f.propose(ctx)
	if err != nil {
		return err
	}
	f.result.Usage = f.result.Usage.Add(proposed.Usage)
	if !proposed.HasDraft {
		f.account(proposed.To, proposed.Acknowledged, proposed.Fallback)
		f.result.Outcome, f.result.ReasonCode = proposed.Outcome, proposed.ReasonCode
		return nil
	}
	committed, err := localStep(ctx, "append to today's note", steps.CommitFlush, activities.CommitFlushInput{
		FlushRef: f.ref(), From: proposed.From, To: proposed.To, Rules: f.ruled,
	})
	if isSuperseded(err) && !f.takenOver { // reset to a point after the proposal, which assigns the flush to its run
		f.takenOver = true
		return nil
	}
	f.refused = committed.FallBack != ""
	if err != nil || committed.Stale || f.refused {
		return err
	}
	f.account(committed.Done, committed.Acknowledged, committed.Fallback)
	f.result.Outcome, f.result.ReasonCode = committed.Outcome, committed.ReasonCode
	return nil
}

// account advances past what is done.
func (f *flushing) account(done int64, acknowledged, fallback bool) {
	f.next, f.acknowledged, f.result.Fallback = done+1, acknowledged, fallback
}

// propose asks until the step has an entry or needs none: the model while it has time, then rules.
func (f *flushing) propose(ctx workflow.Context) (activities.FlushStepResult, error) {
	f.ruled = false
	for f.asksModel(ctx) {
		out, err := step(ctx, flushCall(f.Settings, f.left(ctx), f.OwnerRef), "propose", steps.ProposeFlush, f.input(false))
		switch {
		case err != nil && (ctx.Err() != nil || !canGoOn(err)):
			return out, err
		case err != nil && f.Settings.Policy == setting.FlushWait: // the model failed for a whole day
			f.log.Warn("No flush", "error", err)
			return out, f.failed(ReasonModelUnavailable)
		case err != nil:
			f.log.Warn("The model did not flush in time", "error", err)
			f.fallback = ReasonDeadline
		case out.TooLong:
			f.result.Usage = f.result.Usage.Add(out.Usage)
			shorter, possible := f.extract.Shorter(out.Messages)
			if !possible {
				return f.byRules(ctx)
			}
			f.extract = shorter
		case !out.WaitUntil.IsZero() && f.Settings.Policy == setting.FlushWait:
			if err := waitForBudget(ctx, out.WaitUntil); err != nil {
				return out, err
			}
		case out.FallBack != "":
			f.result.Usage = f.result.Usage.Add(out.Usage)
			if ofThisStep(out.FallBack) {
				return f.byRules(ctx)
			}
			f.fallback = out.FallBack
		default:
			return out, nil
		}
	}
	return f.byRules(ctx)
}

// asksModel reports whether the model does the next step. After the deadline it does so only if the policy is to
// wait.
func (f *flushing) asksModel(ctx workflow.Context) bool {
	return f.Settings.Paid && f.fallback == "" && !f.refused && f.left(ctx) > 0
}

// left returns the time that the model has for the rest of the range.
func (f *flushing) left(ctx workflow.Context) time.Duration {
	if f.Settings.Policy == setting.FlushWait {
		return flushPatience
	}
	return f.Settings.Deadline - workflow.Now(ctx).Sub(f.began)
}

// byRules runs the step with the built-in engine, with a separate time limit.
func (f *flushing) byRules(ctx workflow.Context) (activities.FlushStepResult, error) {
	f.ruled = true
	summary := "propose by rules"
	if f.Settings.Paid {
		summary += " instead of the model"
	}
	return local(ctx, rulesStep, summary, steps.ProposeFlush, f.input(f.Settings.Paid))
}

// input returns the step's input. Rules need no shortened transcripts.
func (f *flushing) input(fallback bool) activities.FlushStepInput {
	in := activities.FlushStepInput{FlushRef: f.ref(), Settings: f.Settings, Fallback: fallback}
	if !fallback {
		in.Settings.Extract = f.extract
	}
	return in
}

func (f *flushing) ref() activities.FlushRef {
	return activities.FlushRef{OwnerRef: f.OwnerRef, Flush: f.Flush}
}

// ofThisStep reports whether the reason concerns only this step's messages, so the model may do the next step.
func ofThisStep(reason memory.ReasonCode) bool {
	switch reason {
	case "refused", activities.ReasonInvalidProposal, activities.ReasonGuards, activities.ReasonPanic:
		return true
	}
	return false
}

// canGoOn reports whether rules may succeed where a step failed: it timed out, or the model was unavailable until the
// deadline.
func canGoOn(err error) bool {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	return !ok || app.Type() == activities.TypeUnavailable || !app.NonRetryable()
}

func (f *flushing) failed(reason memory.ReasonCode) error {
	f.result.Outcome, f.result.ReasonCode = memory.OutcomeFailed, reason
	return failure("the flush failed: "+string(reason), FlushFailedType, f.result)
}

// hold records that the flush was interrupted, also by cancellation, and returns the error to end with.
func (f *flushing) hold(ctx workflow.Context, cause error) error {
	if isSuperseded(cause) { // another execution owns the record
		return cause
	}
	reason := interruption(ctx)
	if ctx.Err() == nil && f.result.ReasonCode == ReasonModelUnavailable {
		reason = ReasonModelUnavailable
	}
	apart, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	if _, err := localStep(apart, "record why it stopped", steps.HoldFlush,
		activities.HoldFlushInput{FlushRef: f.ref(), ReasonCode: reason}); err != nil {
		return errors.Join(cause, err)
	}
	if err := showOutcome(apart, string(memory.OutcomeFailed)); err != nil {
		return errors.Join(cause, err)
	}
	f.describe(apart, "stopped: "+string(reason))
	return cause
}

// conversationsPath returns the API path of records of flushes and compactions. Its last part is elided: clients
// choose their own conversation ids, which workflows do not know.
func conversationsPath(agent string) string { return "/api/v1/agents/" + agent + "/conversations/…" }

// describe shows operators the progress in Markdown, without contents.
func (f *flushing) describe(ctx workflow.Context, phase string) {
	saved := fmt.Sprintf("those up to %d", f.next-1)
	if f.next == f.From {
		saved = "none"
	}
	text := fmt.Sprintf("Phase: **%s**; of messages %d to %d, %s are saved.\n", phase, f.From, f.To, saved)
	if f.acknowledged {
		text += "\n- outcome: " + inWords(f.result.Outcome, f.result.ReasonCode)
	}
	if f.result.Fallback {
		text += "\n- rules did all or part of it instead of the model"
		if f.fallback != "" {
			text += fmt.Sprintf(" (%s)", f.fallback)
		}
	}
	text += fmt.Sprintf("\n- flush `%s`\n- record: `GET %s/flushes`", f.Flush, conversationsPath(f.Agent))
	workflow.SetCurrentDetails(ctx, text)
}

func flushSummary(in FlushInput) string {
	return fmt.Sprintf("Messages %d to %d of one conversation are saved before they leave the context of agent %s", in.From, in.To, in.Agent)
}
