package workflows

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"reverie/memory"
)

// StartFlush starts the Flush of a planned range and waits for nothing. One that is running is left alone.
func StartFlush(ctx context.Context, c client.Client, in FlushInput) error {
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       FlushID(in.Conversation, in.From, in.To),
		TaskQueue:                TaskQueue,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, // the store flushes a range once
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    attributes(in.OwnerRef),
		StaticSummary:            flushSummary(in),
		Priority:                 urgent(in.OwnerRef),
	}, FlushName, in)
	return err
}

func flushSummary(in FlushInput) string {
	return fmt.Sprintf("Messages %d to %d of one conversation are saved before they leave the context of agent %s", in.From, in.To, in.Agent)
}

// urgent lets what a turn waits for go first; agents take turns.
func urgent(ref memory.OwnerRef) temporal.Priority {
	return temporal.Priority{PriorityKey: 1, FairnessKey: agentRef(ref.Workspace, ref.Agent)}
}
