package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/enums/v1"
	temporal "go.temporal.io/sdk/client"

	"github.com/reverie-memory/reverie/client"
	"github.com/reverie-memory/reverie/client/durable"
	"reverie/devenv/devtest"
	"reverie/test/deployment"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// way is a route by which a team writes: its namespace, and the Nexus endpoint if it uses one.
type way struct{ name, namespace, endpoint string }

// ways lists both routes: a team with its own namespace uses Nexus, a team in our namespace calls our activity.
var ways = []way{{"through Nexus", "support", "memory"}, {"by an activity", "default", ""}}

// team is a business team with its worker and helpdesk, next to a deployment of Reverie.
type team struct {
	*deployment.System
	way
	desk    *helpdesk
	program string
	env     []string
	worker  *deployment.Process
	client  temporal.Client
}

func newTeam(ctx context.Context, t *testing.T, w way) *team {
	t.Helper()
	x := &team{
		System: deployment.StartSystem(ctx, t, deployment.Options{}), way: w, desk: newHelpdesk(t),
		program: filepath.Join(t.TempDir(), "support-case"),
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", x.program, "reverie/examples/support-case").CombinedOutput(); err != nil {
		t.Fatalf("build the example: %v\n%s", err, out)
	}
	if w.endpoint != "" {
		if err := x.Temporal.EnsureNamespace(ctx, w.namespace); err != nil {
			t.Fatal(err)
		}
		if err := x.Temporal.EnsureNexusEndpoint(ctx, w.endpoint, durable.TaskQueue); err != nil {
			t.Fatal(err)
		}
	}
	var key struct{ ID, Secret string }
	if err := x.API.Call(ctx, http.MethodPost, "/api/v1/keys", map[string]string{"name": "support", "role": "member"}, &key); err != nil {
		t.Fatal(err)
	}
	x.env = []string{
		"TEMPORAL_ADDRESS=" + x.Temporal.Address, "TEMPORAL_NAMESPACE=" + w.namespace, "HELPDESK_URL=" + x.desk.URL,
		"MEMORY_KEY_ID=" + key.ID, "MEMORY_KEY=" + key.Secret, "MEMORY_AGENT=" + deployment.Agent, "MEMORY_ENDPOINT=" + w.endpoint,
	}
	var err error
	x.client, err = temporal.Dial(temporal.Options{
		HostPort: x.Temporal.Address, Namespace: w.namespace, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.client.Close)
	x.startWorker(t)
	t.Cleanup(func() { x.worker.Kill() })
	return x
}

func (x *team) startWorker(t *testing.T) {
	t.Helper()
	var err error
	if x.worker, err = deployment.Start(x.program, x.env, filepath.Join(x.Logs(), "support-case.log"), "worker"); err != nil {
		t.Fatal(err)
	}
}

// caseOf returns a case with its own customer.
func caseOf(id string) Case { return Case{ID: id, Customer: "user:" + id, Solution: "{{a new fuse}}"} }

func closing(c Case) string { return "/cases/" + c.ID + "/close" }
func telling(c Case) string { return "/cases/" + c.ID + "/tell" }

// begin starts the workflow of a case.
func (x *team) begin(ctx context.Context, t *testing.T, c Case) temporal.WorkflowRun {
	t.Helper()
	options := temporal.StartWorkflowOptions{ID: "close-case-" + c.ID, TaskQueue: taskQueue}
	run, err := x.client.ExecuteWorkflow(ctx, options, "CloseSupportCase", c)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

const remembered = `## Case %s: The oven stays cold

- closed on 2026-11-21 by Kim
- what helped: {{a new fuse}}
`

// check waits for a case and verifies that it was closed once and its outcome written once.
func (x *team) check(ctx context.Context, t *testing.T, c Case, run temporal.WorkflowRun) {
	t.Helper()
	var out Result
	if err := run.Get(ctx, &out); err != nil {
		t.Fatal(err)
	}
	if out.Memory.Outcome != client.Written || out.Memory.Version != 1 {
		t.Errorf("receipt: %+v", out.Memory)
	}
	var file struct {
		Content string
		Version int
	}
	if err := x.API.Call(ctx, http.MethodGet, "/api/v1/agents/ada/workspace/files/memory/cases.md?owner="+c.Customer, nil, &file); err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(fmt.Sprintf(remembered, c.ID))
	if strings.TrimSpace(file.Content) != want || file.Version != 1 {
		t.Errorf("document version %d:\n%s\nwant version 1:\n%s", file.Version, file.Content, want)
	}
	if writes := x.writes(ctx, t, c); len(writes) != 1 || writes[0] != "written" {
		t.Errorf("writes: %v, want one with outcome written", writes)
	}
	x.desk.mu.Lock()
	defer x.desk.mu.Unlock()
	if _, closed := x.desk.closed[c.ID]; !closed || x.desk.told[c.ID] != 1 {
		t.Errorf("closed %v, told %v", x.desk.closed, x.desk.told)
	}
}

// writes returns the outcomes of the writes of a case.
func (x *team) writes(ctx context.Context, t *testing.T, c Case) []string {
	t.Helper()
	found, err := deployment.Query(ctx, x.System, pgx.RowTo[string], "select outcome from memory_writes where owner_key = $1", c.Customer)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// checkHistories verifies that no history in our namespace contains written text, except the team's own if it shares the namespace.
func (x *team) checkHistories(ctx context.Context, t *testing.T) {
	t.Helper()
	for _, found := range x.HistoriesMention(ctx, t, "fuse", "oven") {
		if x.endpoint != "" || !strings.HasPrefix(found, "close-case-") {
			t.Errorf("the history of %s contains written text", found)
		}
	}
}

// hasScheduled reports whether a workflow has scheduled our step.
func (x *team) hasScheduled(ctx context.Context, t *testing.T, run temporal.WorkflowRun) bool {
	t.Helper()
	events := x.client.GetWorkflowHistory(ctx, run.GetID(), run.GetRunID(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		if event.GetNexusOperationScheduledEventAttributes() != nil ||
			event.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName() == durable.ActivityName {
			return true
		}
	}
	return false
}

// wait polls until the condition holds.
func wait(ctx context.Context, t *testing.T, what string, done func() bool) {
	t.Helper()
	for !done() {
		select {
		case <-ctx.Done():
			t.Fatalf("timed out waiting for %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
