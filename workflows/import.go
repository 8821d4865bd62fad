package workflows

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
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
