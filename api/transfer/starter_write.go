package transfer

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/api/rest"
	"reverie/store"
	"reverie/workflows"
)

// write has a staged write made by its workflow, and reports whether it has ended within wait. It is staged, so that a failure is no
// error: the worker's sweep starts what was not started here, and the workflow goes on when nobody waits.
func (s *transferRoom) write(ctx, stop context.Context, ref store.WriteRef, wait time.Duration) bool {
	var run client.WorkflowRun
	_, err := s.Workflows.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest.SignalTimeout) // who hangs up has asked all the same
		defer cancel()
		var err error
		run, err = workflows.StartWrite(ctx, s.Temporal, ref)
		return struct{}{}, err
	})
	if err != nil {
		s.Workflows.LogAway(ctx, "the write is left to the sweep", err)
		return false
	}
	waited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(stop, cancel)()
	if err := run.Get(waited, nil); err != nil && waited.Err() == nil {
		s.Log.WarnContext(ctx, "A write that a request waited for has not ended", "error", err, "workflow", run.GetID(), "request", rest.RequestID(ctx))
	}
	return waited.Err() == nil
}
