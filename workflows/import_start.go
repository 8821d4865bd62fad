package workflows

import (
	"context"
	"errors"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"reverie/activities"
)

// StartImport has an import run. One that is running is left alone; one that has ended goes on with what waits.
func StartImport(ctx context.Context, c client.Client, in ImportInput) error {
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       ImportID(in.Workspace, in.Agent, in.Import),
		TaskQueue:                TaskQueue,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, // the store settles an item once
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    agentAttributes(in.AgentRef),
		StaticSummary:            "Memory moves in to agent " + in.Agent + " (" + in.Format + ")",
		StaticDetails:            "Progress: `GET /api/v1/agents/" + in.Agent + "/imports/" + in.Import.String() + "`",
	}, ImportName, in)
	return err
}

// CancelImport has an import that runs stop, and reports false when none does.
func CancelImport(ctx context.Context, c client.Client, id string) (running bool, err error) {
	err = c.CancelWorkflow(ctx, id, "")
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return false, nil
	}
	return err == nil, err
}

// Inboxes are how steps have conversations extracted that are moved in.
type Inboxes struct{ Client client.Client }

// Extract has the owner's Inbox extract what is pending in a conversation now, and waits for it until ctx ends. Asked for again
// with the same request while it is under way, it waits for the same.
func (i Inboxes) Extract(ctx context.Context, o activities.ExtractOrder) (activities.Extracted, error) {
	out, err := ExtractNow(ctx, i.Client, o.OwnerRef, o.Timing, ExtractNowInput{RequestID: o.Request, Conversation: o.Conversation})
	return activities.Extracted{
		Outcome: out.Outcome, ReasonCode: out.ReasonCode,
		Again: out.ReasonCode == ReasonModelUnavailable || out.ReasonCode == ReasonKeepsChanging,
	}, err
}
