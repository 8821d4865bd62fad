package workflows

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// ImportInput identifies an import.
type ImportInput struct {
	activities.AgentRef
	Import uuid.UUID `json:"import"`
	Format string    `json:"format"`
	// Pages counts the pages that earlier executions of a continued import have processed.
	Pages int `json:"pages,omitempty"`
}

// ImportResult counts the outcomes of all items of an import.
type ImportResult struct {
	Items     int                    `json:"items"`
	Outcomes  map[memory.Outcome]int `json:"outcomes,omitempty"`
	Cancelled bool                   `json:"cancelled,omitempty"`
}

// Import moves uploaded data of another system into memory, one page of items after the other: documents first, then
// conversations in time order, each extracted before the owner's next one. Postgres holds the list of waiting items.
// Cancelling keeps what is done.
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

// end records that nothing is running, even after a cancellation.
func (m *moving) end(ctx workflow.Context, cancelled bool) (ImportResult, error) {
	was := ctx.Err()
	ctx, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	out, err := localStep(ctx, "end the import", steps.EndImport,
		activities.EndImportInput{AgentRef: m.AgentRef, Import: m.Import, Cancelled: cancelled})
	if err != nil {
		return ImportResult{}, err
	}
	if err := showOutcome(ctx, importOutcome(out)); err != nil {
		return ImportResult{}, err
	}
	m.describe(ctx, out.ImportProgress)
	if was != nil {
		return ImportResult{}, temporal.NewCanceledError()
	}
	return ImportResult{Items: out.Items, Outcomes: out.Outcomes, Cancelled: out.Cancelled}, nil
}

// importOutcome returns the outcome that a whole import is listed under: the one of its items that most needs
// attention.
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

// describe shows operators the progress in Markdown.
func (m *moving) describe(ctx workflow.Context, p activities.ImportProgress) {
	var b strings.Builder
	settled := 0
	for _, outcome := range workflow.DeterministicKeys(p.Outcomes) {
		settled += p.Outcomes[outcome]
	}
	fmt.Fprintf(&b, "**%d** of **%d** items are imported (%s).\n", settled, p.Items, m.Format)
	for _, outcome := range workflow.DeterministicKeys(p.Outcomes) {
		fmt.Fprintf(&b, "\n- %s: %d", outcome, p.Outcomes[outcome])
	}
	fmt.Fprintf(&b, "\n- items: `GET /api/v1/agents/%s/imports/%s/items`", m.Agent, m.Import)
	workflow.SetCurrentDetails(ctx, b.String())
}

// StartImport runs an import. A running one is left alone; one that has ended continues with the waiting items.
func StartImport(ctx context.Context, c client.Client, in ImportInput) error {
	options := startOptions(ImportID(in.Workspace, in.Agent, in.Import), "Import into agent "+in.Agent+" ("+in.Format+")",
		agentAttributes(in.AgentRef), fair(importPriority, in.Workspace))
	options.StaticDetails = "Progress: `GET /api/v1/agents/" + in.Agent + "/imports/" + in.Import.String() + "`"
	_, err := start(ctx, c, options, ImportName, in)
	return err
}

// CancelImport cancels a running import; it returns false if none runs.
func CancelImport(ctx context.Context, c client.Client, id string) (running bool, err error) {
	err = c.CancelWorkflow(ctx, id, "")
	if isNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// Inboxes implements activities.Extractor with the owners' Inboxes.
type Inboxes struct{ Client client.Client }

// Extract has the owner's Inbox extract a conversation's pending messages now and waits for it until ctx ends.
// Calling it again with the same request while it runs waits for the same extraction.
func (i Inboxes) Extract(ctx context.Context, o activities.ExtractOrder) (activities.Extracted, error) {
	out, err := ExtractNow(ctx, i.Client, o.OwnerRef, o.Timing, ExtractNowInput{
		RequestID: o.Request, Conversation: o.Conversation, Import: true,
	})
	return activities.Extracted{
		Outcome: out.Outcome, ReasonCode: out.ReasonCode,
		Again: out.ReasonCode == ReasonModelUnavailable || out.ReasonCode == ReasonKeepsChanging,
	}, err
}
