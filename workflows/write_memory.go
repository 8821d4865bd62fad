package workflows

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory/writereq"
)

// WriteMemory writes what a business process requested, once: the store made the request one write when it was
// staged, and the gate commits it and ends its record in one transaction. Started again, also after its end, it
// returns how the write ended. The text stays in Postgres; the history has only references.
func WriteMemory(ctx workflow.Context, in activities.WriteRef) (writereq.WriteReceipt, error) {
	receipt, err := localStep(ctx, "write through the gate", steps.CommitWrite, in)
	if err != nil {
		return writereq.WriteReceipt{}, err
	}
	if err := showOutcome(ctx, string(receipt.Outcome)); err != nil {
		return writereq.WriteReceipt{}, err
	}
	workflow.SetCurrentDetails(ctx, writeDetails(in, receipt))
	return receipt, nil
}

func writeDetails(in activities.WriteRef, r writereq.WriteReceipt) string {
	text := "Outcome: " + inWords(r.Outcome, r.ReasonCode)
	if r.Version > 0 {
		text += fmt.Sprintf("; version %d of document `%s`, %d bytes", r.Version, r.Document, r.Bytes)
	}
	return text + fmt.Sprintf("\n- record: `GET /api/v1/agents/%s/writes/%s`", in.Agent, in.RequestID)
}

// WriteOptions returns the start options of a WriteMemory. A running one is reused; one that has ended runs again and
// returns how the write ended.
func WriteOptions(in activities.WriteRef) client.StartWorkflowOptions {
	options := startOptions(WriteMemoryID(in), "A business process writes memory of agent "+in.Agent,
		agentAttributes(activities.AgentRef{Workspace: in.Workspace, Agent: in.Agent}), fair(awaitedPriority, in.Workspace))
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	return options
}

// StartWrite starts the WriteMemory of a staged write without waiting for it.
func StartWrite(ctx context.Context, c client.Client, in activities.WriteRef) (client.WorkflowRun, error) {
	return c.ExecuteWorkflow(ctx, WriteOptions(in), WriteMemoryName, in)
}

// Writes implements activities.Writer with WriteMemory workflows.
type Writes struct{ Client client.Client }

// Write starts or finds a write and waits until it has ended or ctx is done.
func (w Writes) Write(ctx context.Context, ref activities.WriteRef) (writereq.WriteReceipt, error) {
	var out writereq.WriteReceipt
	run, err := StartWrite(ctx, w.Client, ref)
	if err != nil {
		return out, err
	}
	return out, run.Get(ctx, &out)
}
