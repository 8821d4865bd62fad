package crash

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"reverie/test/deployment"
)

// What waits for a person survives the restart of everything, also in the middle of a decision, and is applied once. Meanwhile other
// conversations of the same owner are extracted.
func TestApprovalsAreKilled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*(*patience))
	defer cancel()
	a := &approvers{deployment.StartSystem(ctx, t, deployment.Options{Env: []string{"REVERIE_APPROVALS=all", "REVERIE_MIN_MESSAGES=2"}})}
	a.say(ctx, t, "first", "crate-alpha")
	first := a.waiting(ctx, t, 1)
	workflow := first[0].WorkflowID
	a.awaitWorkflow(ctx, t, workflow, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING)

	a.say(ctx, t, "second", "crate-beta") // the owner's Inbox goes on
	a.waiting(ctx, t, 2)

	a.Kill("api")
	a.Kill("worker")
	for _, server := range []interface{ Restart(context.Context) error }{a.Postgres, a.Temporal} {
		if err := server.Restart(ctx); err != nil {
			t.Fatal(err)
		}
	}
	a.Ensure(t)
	if err := a.API.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	all := a.waiting(ctx, t, 2)
	a.awaitWorkflow(ctx, t, workflow, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING)

	// Everything restarts again while people decide. A request without an answer is repeated.
	for i, x := range all {
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			if i == 0 {
				_ = a.Postgres.Restart(ctx) // the next call fails if it is not there again
				return
			}
			a.Kill("api")
			a.Ensure(t)
		}()
		a.call(ctx, t, http.MethodPost, "/approvals/"+x.ID+"/decisions", map[string]any{"others": "approve"}, nil)
		<-killed
		a.Ensure(t)
	}
	for range 2 { // again, nothing happens
		for _, x := range all {
			a.call(ctx, t, http.MethodPost, "/approvals/"+x.ID+"/decisions", map[string]any{"others": "approve"}, nil)
		}
	}
	contents, err := deployment.Query(ctx, a.System, pgx.RowTo[string], `
select v.content
from documents d
join document_versions v using (workspace_id, agent_id, document_id, version)
where d.owner_key = 'api:1'`)
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"crate-alpha", "crate-beta"} {
		for _, content := range contents {
			for line := range strings.Lines(content) {
				if strings.Contains(line, label) && strings.Count(content, strings.TrimSpace(line)) != 1 {
					t.Errorf("not written once: %s", line)
				}
			}
		}
		if !strings.Contains(strings.Join(contents, "\n"), label) {
			t.Errorf("%s is in no document", label)
		}
	}
	versions, err := deployment.Query(ctx, a.System, pgx.RowTo[int], `
select count(*)::int
from journal
where kind = 'memory.approval.decided'`)
	if err != nil {
		t.Fatal(err)
	}
	if versions[0] != len(all) {
		t.Errorf("%d decisions about %d changes", versions[0], len(all))
	}
	a.awaitWorkflow(ctx, t, workflow, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
}

// approvers is a deployment whose agent requires approval.
type approvers struct{ *deployment.System }

type waitingChange struct {
	ID, Path, WorkflowID string
	Waiting              int
	Conversation         string
}

func (a *approvers) call(ctx context.Context, t *testing.T, method, path string, body, out any) {
	t.Helper()
	if err := a.API.Insist(ctx, method, "/api/v1/agents/"+deployment.Agent+path, body, out); err != nil {
		t.Fatalf("%s %s: %v; logs are in %s", method, path, err, a.Logs())
	}
}

// say has the owner say something to remember in a conversation.
func (a *approvers) say(ctx context.Context, t *testing.T, conversation, label string) {
	t.Helper()
	said := deployment.Batch{EndUserID: "1", TriggerSource: "api", TurnComplete: true}
	for m := range 4 {
		role, content := "user", fmt.Sprintf("Please remember that the label of box %d of %s is %s.", m, conversation, label)
		if m%2 == 1 {
			role, content = "assistant", "Noted."
		}
		said.Messages = append(said.Messages, deployment.Message{ID: fmt.Sprint(m), Role: role, Content: content})
	}
	a.call(ctx, t, http.MethodPost, "/conversations/"+conversation+"/messages", said, nil)
}

// waiting waits until changes from so many conversations wait, and returns all that do.
func (a *approvers) waiting(ctx context.Context, t *testing.T, conversations int) (list []waitingChange) {
	t.Helper()
	await(t, "changes to wait", func() bool {
		var page struct{ Items []waitingChange }
		a.call(ctx, t, http.MethodGet, "/approvals?endUserId=1", nil, &page)
		from := map[string]bool{}
		for _, x := range page.Items {
			from[x.Conversation] = true
		}
		list = page.Items
		return len(from) == conversations
	})
	return list
}

// awaitWorkflow waits until the workflow of a change has a status.
func (a *approvers) awaitWorkflow(ctx context.Context, t *testing.T, id string, want enumspb.WorkflowExecutionStatus) {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: a.Temporal.Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	await(t, "workflow "+id+" to be "+want.String(), func() bool {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		described, err := c.DescribeWorkflowExecution(ctx, id, "")
		return err == nil && described.GetWorkflowExecutionInfo().GetStatus() == want
	})
}
