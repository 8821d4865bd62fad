package e2e

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

// An extraction that is reset between its proposal and the write of it finds that the record is another run's, proposes again and writes
// once. One that is reset after it has ended writes nothing more and has the same outcome.
func TestAnExtractionIsReset(t *testing.T) {
	ctx := t.Context()
	s := deployment.StartSystem(ctx, t, deployment.Options{})
	c, err := client.Dial(client.Options{HostPort: s.Temporal.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	post(ctx, t, s, "warm", chat("42", 1, "I live in Bern and I work as a nurse.", "Please remember that my cat is called Tom."))
	until(t, "an extraction", func() bool {
		found := outcomes(ctx, t, s, "42", "warm")
		return len(found) == 1 && found[0].Outcome == "written"
	})
	// The transaction of the write waits.
	hold, err := pgx.Connect(ctx, s.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close(context.WithoutCancel(ctx))
	for _, sql := range []string{"begin", "lock table document_versions in share mode"} {
		if _, err := hold.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	post(ctx, t, s, "held", chat("42", 1, "Please remember that my door is green.", "Please remember that my boat lies in Ghent."))
	var run struct{ ID, Run string }
	until(t, "a write that waits", func() bool {
		rows, err := deployment.Query(ctx, s, pgx.RowToStructByPos[struct{ ID, Run string }], `
select workflow_id, run_id
from extractions
where conversation_id = 'held' and draft is not null and finished_at is null
    and exists (select from pg_stat_activity where wait_event_type = 'Lock')`)
		if err != nil || len(rows) != 1 {
			return false
		}
		run = rows[0]
		return true
	})
	s.Kill("worker") // its transaction is lost, with the write
	if _, err := hold.Exec(ctx, "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'"); err != nil {
		t.Fatal(err)
	}
	after := reset(ctx, t, c, run.ID, run.Run, 2) // the task that begins with the result of propose
	if _, err := hold.Exec(ctx, "rollback"); err != nil {
		t.Fatal(err)
	}
	s.Ensure(t)
	if err := c.GetWorkflow(ctx, run.ID, after).Get(ctx, nil); err != nil {
		t.Errorf("the run that was reset: %v", err)
	}
	until(t, "an outcome", func() bool {
		found := outcomes(ctx, t, s, "42", "held")
		return len(found) == 1 && found[0].Outcome == "written"
	})
	versions := func() string {
		rows, err := deployment.Query(ctx, s, pgx.RowTo[string],
			"select coalesce(string_agg(document_id::text || version || sha256::text, ' ' order by document_id, version), '') from document_versions")
		if err != nil {
			t.Fatal(err)
		}
		return rows[0]
	}
	before := versions()
	runs, err := deployment.Query(ctx, s, pgx.RowTo[string], "select run_id from extractions where conversation_id = 'held'")
	if err != nil || len(runs) != 1 || runs[0] == run.Run {
		t.Errorf("the record is of run %v, was of %s; %v", runs, run.Run, err)
	}
	for point := 1; point <= 2; point++ {
		again := reset(ctx, t, c, run.ID, after, point)
		var result struct{ Outcome, ReasonCode string }
		if err := c.GetWorkflow(ctx, run.ID, again).Get(ctx, &result); err != nil {
			t.Errorf("reset to point %d after the end: %v", point, err)
		}
		t.Logf("reset to point %d after the end: %+v", point, result)
	}
	if now := versions(); now != before {
		t.Errorf("a reset after the end wrote:\n%s\n%s", before, now)
	}
}

// reset resets a run to the end of its nth workflow task, or of its last one, and returns the new run.
func reset(ctx context.Context, t *testing.T, c client.Client, id, run string, n int) string {
	t.Helper()
	var event int64
	history := c.GetWorkflowHistory(ctx, id, run, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		e, err := history.Next()
		if err != nil {
			t.Fatal(err)
		}
		is := e.GetEventType()
		if is == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED || is == enums.EVENT_TYPE_WORKFLOW_TASK_STARTED && n == 1 {
			if event = e.GetEventId(); n == 1 {
				break
			}
			n--
		}
	}
	answer, err := c.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: client.DefaultNamespace, WorkflowExecution: &common.WorkflowExecution{WorkflowId: id, RunId: run},
		Reason: "a test", WorkflowTaskFinishEventId: event, RequestId: uuid.NewString(),
	})
	if err != nil {
		t.Fatalf("reset %s to %d: %v", id, event, err)
	}
	return answer.GetRunId()
}
