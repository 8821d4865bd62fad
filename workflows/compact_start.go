package workflows

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"reverie/memory"
)

// StartCompact starts a Compact and waits for nothing. One that is running already is found; one that has ended is repeated,
// which finds what it has made.
func StartCompact(ctx context.Context, c client.Client, in CompactInput) (client.WorkflowRun, error) {
	return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       in.ID(),
		TaskQueue:                TaskQueue,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    attributes(in.OwnerRef),
		StaticSummary:            compactSummary(in),
		Priority:                 urgent(in.OwnerRef),
	}, CompactName, in)
}

func compactSummary(in CompactInput) string {
	if in.FlushOnly {
		return fmt.Sprintf("One conversation with agent %s is saved up to message %d", in.Agent, in.To)
	}
	return fmt.Sprintf("One conversation with agent %s is summarised up to message %d", in.Agent, in.To)
}

// urgent lets what a turn waits for go first; agents take turns.
func urgent(ref memory.OwnerRef) temporal.Priority {
	return temporal.Priority{PriorityKey: 1, FairnessKey: agentRef(ref.Workspace, ref.Agent)}
}
