package talk

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/chat"
	"reverie/workflows"
)

// compactor is how turns have conversations flushed and compacted, by workflows.
type compactor struct {
	workflows *rest.Starter
	stopping  context.Context // the server's: who waits is answered when it stops
}

// Compact flushes and summarises, and waits for it.
func (c compactor) Compact(ctx context.Context, r chat.CompactRequest) error {
	_, err := c.run(ctx, workflowInput(r, false), rest.MaxWait)
	return err
}

// Flush flushes alone, and waits for it.
func (c compactor) Flush(ctx context.Context, r chat.CompactRequest) error {
	_, err := c.run(ctx, workflowInput(r, true), rest.MaxWait)
	return err
}

// FlushSoon starts a flush behind the answer.
func (c compactor) FlushSoon(ctx context.Context, r chat.CompactRequest) {
	c.startSoon(ctx, workflowInput(r, true), "a flush is due again at the next turn")
}

// CompactSoon starts a compaction behind the answer.
func (c compactor) CompactSoon(ctx context.Context, r chat.CompactRequest) {
	c.startSoon(ctx, workflowInput(r, false), "a compaction is due again at the next turn")
}

// startSoon has a Compact run behind the answer; then says what becomes of it when it cannot be started.
func (c compactor) startSoon(ctx context.Context, in workflows.CompactInput, then string) {
	ctx = context.WithoutCancel(ctx)
	go func() {
		if _, err := c.start(ctx, in); err != nil {
			c.workflows.LogAway(ctx, then, err)
		}
	}()
}

// start has a Compact run. It is started in any case: a client that hangs up has asked all the same. Nothing is sent while
// Temporal does not answer.
func (c compactor) start(ctx context.Context, in workflows.CompactInput) (run client.WorkflowRun, err error) {
	_, err = c.workflows.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest.SignalTimeout)
		defer cancel()
		run, err = workflows.StartCompact(ctx, c.workflows.Client, in)
		return struct{}{}, err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", chat.ErrUnreachable, err)
	}
	return run, nil
}

// run starts a Compact, or finds it when it is running, and waits for its end, at most for wait.
func (c compactor) run(ctx context.Context, in workflows.CompactInput, wait time.Duration) (workflows.CompactResult, error) {
	var out workflows.CompactResult
	run, err := c.start(ctx, in)
	if err != nil {
		return out, err
	}
	waited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(c.stopping, cancel)()
	err = run.Get(waited, &out)
	switch {
	case err == nil:
		return out, nil
	case waited.Err() != nil:
		return out, fmt.Errorf("%w: %w", chat.ErrStillRunning, waited.Err())
	case rest.TemporalAway(err):
		return out, fmt.Errorf("%w: %w", chat.ErrUnreachable, err)
	}
	c.workflows.Log.WarnContext(ctx, "A compaction failed", "error", err, "workflow", run.GetID(), "request", rest.RequestID(ctx))
	return out, fault.New(fault.WorkflowFailed, "saving earlier messages failed; the history of the workflow %s tells more", run.GetID())
}

func workflowInput(r chat.CompactRequest, flushOnly bool) workflows.CompactInput {
	return workflows.CompactInput{
		OwnerRef: r.Owner, Conversation: r.Conversation, To: r.To, Trigger: r.Trigger, FlushOnly: flushOnly, Settings: r.Settings,
	}
}
