package crash

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"reverie/test/deployment"
)

// resetEverything resets the last dream of two owners, and the last night, at every point that Temporal allows, and waits
// until each has ended again. It returns how often it did.
func (w *dreamers) resetEverything(ctx context.Context, t *testing.T, agent string) int {
	t.Helper()
	night, err := w.schedule(ctx, agent).Describe(ctx)
	if err != nil || len(night.Info.RecentActions) == 0 {
		t.Fatalf("the last night: %v", err)
	}
	last := night.Info.RecentActions[len(night.Info.RecentActions)-1].StartWorkflowResult
	runs := []*common.WorkflowExecution{{WorkflowId: last.WorkflowID, RunId: last.FirstExecutionRunID}}
	for _, whose := range []string{shared, owner(0)} {
		runs = append(runs, w.lastDream(ctx, t, agent, whose))
	}
	n := 0
	for _, run := range runs {
		for _, event := range w.resetPoints(ctx, t, run) {
			answer, err := w.temporal.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{
				Namespace: client.DefaultNamespace, WorkflowExecution: run,
				Reason: "a test", WorkflowTaskFinishEventId: event, RequestId: uuid.NewString(),
			})
			if err != nil {
				t.Fatalf("reset %s to %d: %v", run.WorkflowId, event, err)
			}
			if err := w.temporal.GetWorkflow(ctx, run.WorkflowId, answer.RunId).Get(ctx, nil); err != nil {
				t.Errorf("%s, reset to %d: %v", run.WorkflowId, event, err)
			}
			n++
		}
	}
	if n < 2*len(runs) {
		t.Errorf("only %d resets", n)
	}
	return n
}

// lastDream is the workflow that an owner dreamed last.
func (w *dreamers) lastDream(ctx context.Context, t *testing.T, agent, whose string) *common.WorkflowExecution {
	t.Helper()
	type run struct{ ID, Run string }
	rows, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[run],
		`select workflow_id, run_id from dreams where agent_id = $1 and owner_key = $2 order by dream_id desc limit 1`, agent, whose)
	if err != nil || len(rows) == 0 {
		t.Fatalf("the last dream of %s: %v", whose, err)
	}
	return &common.WorkflowExecution{WorkflowId: rows[0].ID, RunId: rows[0].Run}
}

// resetPoints are the ends of the workflow tasks of a run.
func (w *dreamers) resetPoints(ctx context.Context, t *testing.T, run *common.WorkflowExecution) (events []int64) {
	t.Helper()
	history := w.temporal.GetWorkflowHistory(ctx, run.WorkflowId, run.RunId, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		if err != nil {
			t.Fatal(err)
		}
		if event.EventType == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			events = append(events, event.EventId)
		}
	}
	return events
}
