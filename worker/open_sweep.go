package worker

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"reverie/memory"
	"reverie/store"
	"reverie/store/admin"
	"reverie/workflows"
)

const (
	// openGrace is the age of an open record before a sweep looks for its workflow.
	openGrace = 10 * time.Minute
	// openAgain is the time after which it looks again.
	openAgain = time.Hour
)

// open resumes records that are open without a workflow: their worker died at the wrong moment, a person ended the workflow, or one
// of the databases was restored to an earlier state.
func (s *sweeps) open(ctx context.Context) (int, error) {
	_, err := drain(ctx, func(ctx context.Context) ([]admin.OpenRecord, error) {
		return s.store.OpenRecords(ctx, s.lease(openGrace, openAgain))
	}, s.takeUp)
	return 0, err // most of them are running
}

// takeUp continues or ends a record, unless its workflow is running. A dream is started again unless a person has ended it; an
// extraction whose messages wait is left to the owner's Inbox. Everything else ends: the next request begins it again.
func (s *sweeps) takeUp(ctx context.Context, of admin.OpenRecord) error {
	id := memory.Identity{Workspace: of.Workspace, Agent: of.Agent, AnyOwner: true, Role: memory.RoleAdmin}
	x, err := s.store.OpenRun(ctx, id, of.Kind, of.ID)
	if errors.Is(err, store.ErrNotFound) { // it has ended since then
		return nil
	}
	if err != nil {
		return err
	}
	status, err := s.status(ctx, x.WorkflowID)
	if err != nil || status == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return err
	}
	ref := memory.OwnerRef{Workspace: of.Workspace, Agent: of.Agent, Owner: x.OwnerID}
	stopped := status == enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED || status == enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED
	switch {
	case x.Kind == admin.OpenDream && !stopped:
		_, err = workflows.StartDream(ctx, s.client, workflows.DreamInput{
			OwnerRef: ref, Dream: x.ID, Mode: x.Mode, Trigger: memory.DreamTrigger(x.Trigger), Night: x.Night, AsOf: x.AsOf, DryRun: x.DryRun,
		})
		if errors.Is(err, workflows.ErrDreaming) { // a later round tries again
			return nil
		}
	case x.Kind == admin.OpenExtraction && x.Pending:
		agent, found := s.store.Agent(ctx, id)
		if found != nil {
			return found
		}
		err = workflows.TurnCompleted(ctx, s.client, ref, s.timing.With(agent.Settings))
	default:
		own := id.For(of.Agent, x.Owner)
		own.AnyOwner = false
		err = s.store.EndAbandoned(ctx, own, x)
	}
	if err == nil {
		s.log.Info("a record without a workflow was resumed", "kind", x.Kind, "record", x.ID, "workspace", of.Workspace, "agent", of.Agent)
	}
	return err
}

// status returns the status of the latest run of a workflow; unspecified when Temporal does not know it.
func (s *sweeps) status(ctx context.Context, workflow string) (enumspb.WorkflowExecutionStatus, error) {
	if workflow == "" {
		return enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED, nil
	}
	described, err := s.client.DescribeWorkflowExecution(ctx, workflow, "")
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED, nil
	}
	return described.GetWorkflowExecutionInfo().GetStatus(), err
}
