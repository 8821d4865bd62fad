package transfer

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/workflows"
)

// runImport starts an import whose archive is staged, and waits for its end, at most for wait; done says whether it has ended. When
// workflows cannot be reached it waits for the worker's sweep.
func (s *transferRoom) runImport(ctx context.Context, in workflows.ImportSnapshotInput, wait time.Duration) (done bool, err error) {
	var run client.WorkflowRun
	_, err = s.Workflows.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest.SignalTimeout) // a client that hangs up has asked all the same
		defer cancel()
		run, err = workflows.StartImportSnapshot(ctx, s.Temporal, in)
		return struct{}{}, err
	})
	if err != nil {
		s.Workflows.LogAway(ctx, "the import is left to the sweep", err)
		return false, nil
	}
	waited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(s.Stopping, cancel)()
	switch err := run.Get(waited, nil); {
	case err == nil, temporal.IsCanceledError(err):
		return true, nil // its record says how
	case waited.Err() != nil, rest.TemporalAway(err):
		return false, nil
	default:
		s.Log.WarnContext(ctx, "An import of a snapshot failed", "error", err, "workflow", in.ID(), "request", rest.RequestID(ctx))
		return false, fault.New(fault.WorkflowFailed, "the import failed and wrote nothing; it is tried again, and the history of its workflow %s tells more", in.ID())
	}
}

func changedSincePreview() *fault.Problem {
	return fault.New(fault.ChangedSincePreview, "something has changed since the preview: look at a new one, and send its token")
}

// refusedImport is the answer to an import that something was in the way of.
func refusedImport(reason memory.ReasonCode) *fault.Problem {
	switch reason {
	case workflows.ReasonChangedSincePreview:
		return changedSincePreview()
	case memory.GateTeamMember:
		return fault.New(fault.TeamMember, "memory is read-only for team members: nothing was imported")
	case memory.GateMemoryOff:
		return fault.New(fault.MemoryOff, "memory is switched off for this agent: nothing was imported; switch it on with memoryEnabled in the agent's settings")
	case workflows.ReasonForbidden:
		return fault.New(fault.Forbidden, "this key may not write the documents of the archive: nothing was imported")
	case workflows.ReasonCancelled:
		return fault.New(fault.Conflict, "the import was cancelled: nothing was imported; send the archive again when it is wanted")
	}
	return fault.New(fault.SnapshotRefused, "nothing was imported: %s", reason)
}
