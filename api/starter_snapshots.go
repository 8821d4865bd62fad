package api

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"reverie/memory"
	"reverie/workflows"
)

// runImport starts an import whose archive is staged, and waits for its end, at most for wait; done says whether it has ended. When
// workflows cannot be reached it waits for the worker's sweep.
func (s *transferRoom) runImport(ctx context.Context, in workflows.ImportSnapshotInput, wait time.Duration) (done bool, err error) {
	var run client.WorkflowRun
	_, err = s.workflows.breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), signalTimeout) // a client that hangs up has asked all the same
		defer cancel()
		run, err = workflows.StartImportSnapshot(ctx, s.Temporal, in)
		return struct{}{}, err
	})
	if err != nil {
		s.workflows.logAway(ctx, "the import is left to the sweep", err)
		return false, nil
	}
	waited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(s.stopping, cancel)()
	switch err := run.Get(waited, nil); {
	case err == nil, temporal.IsCanceledError(err):
		return true, nil // its record says how
	case waited.Err() != nil, temporalAway(err):
		return false, nil
	default:
		s.Log.WarnContext(ctx, "An import of a snapshot failed", "error", err, "workflow", in.ID(), "request", requestID(ctx))
		return false, problem(nameWorkflowFailed, "the import failed and wrote nothing; it is tried again, and the history of its workflow %s tells more", in.ID())
	}
}

func changedSincePreview() *Problem {
	return problem(nameChangedSincePreview, "something has changed since the preview: look at a new one, and send its token")
}

// refusedImport is the answer to an import that something was in the way of.
func refusedImport(reason memory.ReasonCode) *Problem {
	switch reason {
	case workflows.ReasonChangedSincePreview:
		return changedSincePreview()
	case memory.GateTeamMember:
		return problem(nameTeamMember, "memory is read-only for team members: nothing was imported")
	case memory.GateMemoryOff:
		return problem(nameMemoryOff, "memory is switched off for this agent: nothing was imported; switch it on with memoryEnabled in the agent's settings")
	case workflows.ReasonForbidden:
		return problem(nameForbidden, "this key may not write the documents of the archive: nothing was imported")
	case workflows.ReasonCancelled:
		return problem(nameConflict, "the import was cancelled: nothing was imported; send the archive again when it is wanted")
	}
	return problem(nameSnapshotRefused, "nothing was imported: %s", reason)
}
