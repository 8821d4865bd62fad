package workflows

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
)

// importPriority lets turns and writes of business processes go before archives.
const importPriority = 4

// StartImportSnapshot starts an ImportSnapshot and waits for nothing. One that is running already is found; an archive that was
// imported before is imported again, since what it would change may be there again: the store imports each request once.
func StartImportSnapshot(ctx context.Context, c client.Client, in ImportSnapshotInput) (client.WorkflowRun, error) {
	record := fmt.Sprintf("Its record, with what became of each file: `GET /api/v1/agents/%s/workspace/memory/imports/%s` with an admin key", in.Agent, in.Import)
	return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       in.ID(),
		TaskQueue:                TaskQueue,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    agentAttributes(in.AgentRef),
		StaticSummary:            "An archive of documents is imported into agent " + in.Agent,
		StaticDetails:            record,
		Priority:                 temporal.Priority{PriorityKey: importPriority, FairnessKey: agentRef(in.Workspace, in.Agent)},
	}, ImportSnapshotName, in)
}
