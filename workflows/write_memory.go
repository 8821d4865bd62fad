package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// WriteMemory writes what a business process asked for, once: the store made the request one write when it was staged, and the gate
// takes it and ends its record in one transaction. Started again, also after its end, it tells how the write ended. What is written
// stays in Postgres: the history carries references only.
func WriteMemory(ctx workflow.Context, in activities.WriteRef) (memory.WriteReceipt, error) {
	receipt, err := localStep(ctx, "write through the gate", steps.CommitWrite, in)
	if err != nil {
		return memory.WriteReceipt{}, err
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, OutcomeAttribute.ValueSet(string(receipt.Outcome))); err != nil {
		return memory.WriteReceipt{}, err
	}
	workflow.SetCurrentDetails(ctx, writeDetails(in, receipt))
	return receipt, nil
}

func writeDetails(in activities.WriteRef, r memory.WriteReceipt) string {
	text := fmt.Sprintf("Outcome: **%s**", r.Outcome)
	if r.ReasonCode != "" {
		text += fmt.Sprintf(" (%s)", r.ReasonCode)
	}
	if r.Version > 0 {
		text += fmt.Sprintf("; version %d of document `%s`, %d bytes", r.Version, r.Document, r.Bytes)
	}
	return text + fmt.Sprintf("\n- its record: `GET /api/v1/agents/%s/writes/%s`", in.Agent, in.RequestID)
}

func writeSummary(in activities.WriteRef) string {
	return "A business process writes memory of agent " + in.Agent
}
