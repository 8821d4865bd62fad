package workflows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
)

// CompactInput names what to compact, with the settings that apply to it.
type CompactInput struct {
	memory.OwnerRef
	Conversation uuid.UUID               `json:"conversation"`
	To           int64                   `json:"to"`
	Trigger      memory.CompactTrigger   `json:"trigger"`
	FlushOnly    bool                    `json:"flushOnly,omitempty"` // no summary
	Settings     setting.CompactSettings `json:"settings"`
	// Carried is the progress that a Compact carries over when it continues as new.
	Carried *CompactCarried `json:"carried,omitempty"`
}

// CompactCarried is the progress of a Compact.
type CompactCarried struct {
	Began    time.Time         `json:"began,omitzero"` // the summary; zero: not yet
	MaxBytes int               `json:"maxBytes,omitempty"`
	Fallback memory.ReasonCode `json:"fallback,omitempty"`
	Result   CompactResult     `json:"result"`
}

// ID returns the workflow id of the compaction.
func (in CompactInput) ID() string {
	r := CompactRef{Conversation: in.Conversation, To: in.To, Window: in.Settings.Window, Rules: !in.Settings.Paid}
	if in.FlushOnly {
		r.Window, r.Rules = 0, !in.Settings.Flush.Paid
	}
	return CompactID(r)
}

// CompactResult identifies the compaction.
type CompactResult struct {
	Compaction uuid.UUID      `json:"compaction,omitzero"` // zero for a flush without a summary
	Flushes    []uuid.UUID    `json:"flushes,omitempty"`   // the flushes it waited for
	To         int64          `json:"to"`
	Outcome    memory.Outcome `json:"outcome"`
	Fallback   bool           `json:"fallback,omitempty"`
	Usage      memory.Usage   `json:"usage,omitzero"`
}

// Compact flushes a conversation up to a message, one Flush at a time, and summarises what was flushed. It never
// summarises messages whose flush is not acknowledged. The model has Settings.SummaryDeadline for the summary; after
// that, rules write the rest. Requesting the same compaction again returns the existing one.
func Compact(ctx workflow.Context, in CompactInput) (CompactResult, error) {
	c := compacting{CompactInput: in, log: workflow.GetLogger(ctx)}
	c.result = CompactResult{To: in.To, Outcome: memory.OutcomeNothing}
	if was := in.Carried; was != nil {
		c.began, c.maxBytes, c.fallback, c.result = was.Began, was.MaxBytes, was.Fallback, was.Result
	}
	err := c.flush(ctx)
	if err == nil && !in.FlushOnly {
		err = c.summarise(ctx)
	}
	switch {
	case errors.Is(err, errFull):
		in.Carried = &CompactCarried{Began: c.began, MaxBytes: c.maxBytes, Fallback: c.fallback, Result: c.result}
		return CompactResult{}, workflow.NewContinueAsNewError(ctx, Compact, in)
	case err != nil:
		return CompactResult{}, c.stop(ctx, err)
	}
	if err := showOutcome(ctx, string(c.result.Outcome)); err != nil {
		return CompactResult{}, err
	}
	c.describe(ctx, "ended")
	return c.result, nil
}

type compacting struct {
	CompactInput
	result   CompactResult
	began    time.Time         // the summary; zero: not yet
	done     int64             // last message in the summary so far
	maxBytes int               // limit for the messages of one part; 0: SummaryPartBytes
	fallback memory.ReasonCode // why rules summarise; empty while the model does
	log      log.Logger
}

// flush makes sure that everything up to the message is flushed. It waits for a flush that another execution is
// running, whose range may be shorter or longer than this one's.
func (c *compacting) flush(ctx workflow.Context) error {
	for wait, began := flushFirst, workflow.Now(ctx); ; {
		plan, err := localStep(ctx, "plan the next flush", steps.PlanFlush, activities.PlanFlushInput{
			OwnerRef: c.OwnerRef, Conversation: c.Conversation, To: c.To,
		})
		if err != nil || !plan.Needed {
			return err
		}
		c.describe(ctx, "saving messages that leave the window")
		out, err := c.runFlush(ctx, plan)
		switch {
		case temporal.IsWorkflowExecutionAlreadyStartedError(err):
			if err := pause(ctx, wait, "another flush is saving these messages"); err != nil {
				return err
			}
			if isFull(ctx) {
				return errFull
			}
			wait = min(2*wait, max(flushSoon, workflow.Now(ctx).Sub(began)/8), flushLast)
		case err != nil:
			return err
		default:
			c.flushed(out)
		}
	}
}

// runFlush runs one Flush as a separate execution and waits for it. Cancelling the wait does not cancel the flush:
// others may wait for it too.
func (c *compacting) runFlush(ctx workflow.Context, plan activities.PlanFlushResult) (FlushResult, error) {
	in := FlushInput{
		OwnerRef: c.OwnerRef, Conversation: c.Conversation, Flush: plan.Flush, From: plan.From, To: plan.To, Settings: c.Settings.Flush,
	}
	apart, _ := workflow.NewDisconnectedContext(ctx)
	child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(apart, childOptions(FlushID(in.Conversation, in.From, in.To),
		flushSummary(in), attributes(in.OwnerRef), fair(urgentPriority, in.Workspace))), Flush, in)
	if err := workflow.Await(ctx, child.IsReady); err != nil {
		return FlushResult{}, err
	}
	var out FlushResult
	return out, child.Get(ctx, &out)
}

// flushed records a flush that was waited for.
func (c *compacting) flushed(out FlushResult) {
	c.result.Flushes = append(c.result.Flushes, out.Flush)
	c.result.Usage = c.result.Usage.Add(out.Usage)
	c.result.Fallback = c.result.Fallback || out.Fallback
	if out.Outcome.Severity() > c.result.Outcome.Severity() {
		c.result.Outcome = out.Outcome
	}
}

// summarise brings the summary up to date, part by part.
func (c *compacting) summarise(ctx workflow.Context) error {
	record, err := localStep(ctx, "open the record", steps.BeginCompaction, activities.BeginCompactionInput{
		OwnerRef: c.OwnerRef, Conversation: c.Conversation, To: c.To, Trigger: c.Trigger, Settings: c.Settings,
	})
	if err != nil {
		return err
	}
	c.result.Compaction = record.Compaction
	if c.began.IsZero() {
		c.began = workflow.Now(ctx)
	}
	for ended := record.Ended; !ended; {
		if isFull(ctx) {
			return errFull
		}
		c.describe(ctx, "summarising")
		part, err := c.summarisePart(ctx, c.Settings.SummaryDeadline-workflow.Now(ctx).Sub(c.began))
		if err != nil {
			return err
		}
		c.result.Usage = c.result.Usage.Add(part.Usage)
		switch {
		case part.TooLong:
			c.shorten()
		case part.FallBack != "":
			c.fallback = part.FallBack
		default:
			ended, c.done = part.Ended, part.Done
		}
	}
	c.result.Outcome = memory.OutcomeWritten
	return nil
}

// summarisePart summarises the next part: with the model while it has time left, otherwise by rules.
func (c *compacting) summarisePart(ctx workflow.Context, left time.Duration) (activities.SummariseResult, error) {
	in := activities.SummariseInput{OwnerRef: c.OwnerRef, Compaction: c.result.Compaction, Settings: c.Settings, MaxBytes: c.maxBytes}
	if c.Settings.Paid && c.fallback == "" && left > 0 {
		out, err := step(ctx, summaryCall(c.Settings, left, c.OwnerRef), "summarise", steps.Summarise, in)
		if err == nil || ctx.Err() != nil || !canGoOn(err) {
			return out, err
		}
		c.log.Warn("The model did not summarise in time", "error", err)
	}
	summary := "summarise by rules"
	if c.Settings.Paid {
		c.fallback = cmp.Or(c.fallback, ReasonDeadline)
		c.result.Fallback, in.Fallback, in.Why = true, true, c.fallback
		summary += " instead of the model"
	}
	in.MaxBytes = 0
	return local(ctx, rulesStep, summary, steps.Summarise, in)
}

// shorten halves the input of the model, and falls back to rules when almost nothing would remain.
func (c *compacting) shorten() {
	if c.maxBytes = cmp.Or(c.maxBytes, activities.SummaryPartBytes) / 2; c.maxBytes < minSummaryBytes {
		c.fallback = ReasonContextTooLong
	}
}

// stop records that the compaction was interrupted, also by cancellation: the next request continues it.
func (c *compacting) stop(ctx workflow.Context, cause error) error {
	apart, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	if c.result.Compaction != uuid.Nil && workflow.GetVersion(apart, changeCleanUp, workflow.DefaultVersion, 1) >= 1 {
		if _, err := localStep(apart, "record why it stopped", steps.StopCompaction, activities.StopCompactionInput{
			OwnerRef: c.OwnerRef, Compaction: c.result.Compaction, ReasonCode: interruption(ctx),
		}); err != nil {
			return errors.Join(cause, err)
		}
	}
	if err := showOutcome(apart, string(memory.OutcomeFailed)); err != nil {
		return err
	}
	c.describe(apart, "stopped")
	return cause
}

// describe shows operators the progress in Markdown, without contents.
func (c *compacting) describe(ctx workflow.Context, phase string) {
	var b strings.Builder
	fmt.Fprintf(&b, "Phase: **%s**; messages up to %d; trigger: %s.\n", phase, c.To, c.Trigger)
	for _, flush := range c.result.Flushes {
		fmt.Fprintf(&b, "\n- saved by flush `%s`", flush)
	}
	if c.result.Compaction != uuid.Nil {
		fmt.Fprintf(&b, "\n- compaction `%s`", c.result.Compaction)
		if c.done > 0 {
			fmt.Fprintf(&b, ", summarised up to message %d", c.done)
		}
		fmt.Fprintf(&b, "\n- record: `GET %s/compactions`", conversationsPath(c.Agent))
	}
	if c.fallback != "" {
		fmt.Fprintf(&b, "\n- rules summarise instead of the model (%s)", c.fallback)
	}
	workflow.SetCurrentDetails(ctx, b.String())
}

// StartCompact starts a Compact without waiting for it. A running one is reused. One that has ended runs again and
// returns the existing result.
func StartCompact(ctx context.Context, c client.Client, in CompactInput) (client.WorkflowRun, error) {
	done := "summarised"
	if in.FlushOnly {
		done = "saved"
	}
	summary := fmt.Sprintf("One conversation with agent %s is %s up to message %d", in.Agent, done, in.To)
	return start(ctx, c, startOptions(in.ID(), summary, attributes(in.OwnerRef), fair(urgentPriority, in.Workspace)), CompactName, in)
}
