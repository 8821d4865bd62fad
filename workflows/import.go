package workflows

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// ImportInput is what is moved in.
type ImportInput struct {
	activities.AgentRef
	Import uuid.UUID `json:"import"`
	Format string    `json:"format"`
	// Pages are what an import that goes on in another execution has behind it.
	Pages int `json:"pages,omitempty"`
}

// ImportResult counts how the items of an import ended, since it was made.
type ImportResult struct {
	Items     int                    `json:"items"`
	Outcomes  map[memory.Outcome]int `json:"outcomes,omitempty"`
	Cancelled bool                   `json:"cancelled,omitempty"`
}

// Import moves in what was uploaded of another system, one page of items after the other: documents first, then conversations in
// time order, each extracted before the owner's next one. What waits is asked of Postgres. Cancelled, it leaves what is done.
func Import(ctx workflow.Context, in ImportInput) (ImportResult, error) {
	m := moving{ImportInput: in}
	page := activities.ImportPageInput{AgentRef: in.AgentRef, Import: in.Import, Parallel: importParallel}
	for {
		out, err := step(ctx, importStep, fmt.Sprintf("page %d of items", m.Pages+1), steps.ImportPage, page)
		switch {
		case ctx.Err() != nil:
			return m.end(ctx, true)
		case err != nil:
			return ImportResult{}, err
		}
		m.Pages++
		m.describe(ctx, out.ImportProgress)
		switch {
		case out.Cancelled || !out.More:
			return m.end(ctx, out.Cancelled)
		case workflow.GetInfo(ctx).GetContinueAsNewSuggested():
			return ImportResult{}, workflow.NewContinueAsNewError(ctx, Import, m.ImportInput)
		}
	}
}

type moving struct{ ImportInput }

// end records that nothing is under way any more. A cancellation does not keep it from that.
func (m *moving) end(ctx workflow.Context, cancelled bool) (ImportResult, error) {
	was := ctx.Err()
	ctx, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	out, err := localStep(ctx, "the end", steps.EndImport, activities.EndImportInput{AgentRef: m.AgentRef, Import: m.Import, Cancelled: cancelled})
	if err != nil {
		return ImportResult{}, err
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, OutcomeAttribute.ValueSet(importOutcome(out))); err != nil {
		return ImportResult{}, err
	}
	m.describe(ctx, out.ImportProgress)
	if was != nil {
		return ImportResult{}, temporal.NewCanceledError()
	}
	return ImportResult{Items: out.Items, Outcomes: out.Outcomes, Cancelled: out.Cancelled}, nil
}

// importOutcome is what a whole import is found by: the outcome of its items that asks most for somebody's attention.
func importOutcome(out activities.EndImportResult) string {
	switch {
	case out.Cancelled:
		return string(memory.OutcomeSkipped)
	case out.Outcomes[memory.OutcomeFailed] > 0:
		return string(memory.OutcomeFailed)
	case out.Outcomes[memory.OutcomeQuarantined] > 0:
		return string(memory.OutcomeQuarantined)
	case out.Outcomes[memory.OutcomeWritten]+out.Outcomes[memory.OutcomeMerged] > 0:
		return string(memory.OutcomeWritten)
	}
	return string(memory.OutcomeNothing)
}

// describe tells an operator how far the import is, in Markdown.
func (m *moving) describe(ctx workflow.Context, p activities.ImportProgress) {
	var b strings.Builder
	settled := 0
	for _, outcome := range workflow.DeterministicKeys(p.Outcomes) {
		settled += p.Outcomes[outcome]
	}
	fmt.Fprintf(&b, "**%d** of **%d** items are moved in (%s).\n", settled, p.Items, m.Format)
	for _, outcome := range workflow.DeterministicKeys(p.Outcomes) {
		fmt.Fprintf(&b, "\n- %s: %d", outcome, p.Outcomes[outcome])
	}
	fmt.Fprintf(&b, "\n- items: `GET /api/v1/agents/%s/imports/%s/items`", m.Agent, m.Import)
	workflow.SetCurrentDetails(ctx, b.String())
}

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
