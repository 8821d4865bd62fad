package workflows

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/memory"
)

// WriteOptions are what a WriteMemory is started with: one that is running is found, and one that has ended is repeated, which tells
// how the write ended.
func WriteOptions(in activities.WriteRef) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                       WriteMemoryID(in),
		TaskQueue:                TaskQueue,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    agentAttributes(activities.AgentRef{Workspace: in.Workspace, Agent: in.Agent}),
		StaticSummary:            writeSummary(in),
	}
}

// StartWrite starts the WriteMemory of a staged write and waits for nothing.
func StartWrite(ctx context.Context, c client.Client, in activities.WriteRef) (client.WorkflowRun, error) {
	return c.ExecuteWorkflow(ctx, WriteOptions(in), WriteMemoryName, in)
}

// Writes has staged writes made by their workflows.
type Writes struct{ Client client.Client }

// Write starts a write, or finds it, and waits until it has ended or ctx is done.
func (w Writes) Write(ctx context.Context, ref activities.WriteRef) (memory.WriteReceipt, error) {
	var out memory.WriteReceipt
	run, err := StartWrite(ctx, w.Client, ref)
	if err != nil {
		return out, err
	}
	return out, run.Get(ctx, &out)
}
