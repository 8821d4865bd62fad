package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/enums/v1"
	temporal "go.temporal.io/sdk/client"

	"reverie/client"
	"reverie/devenv/devtest"
	"reverie/test/deployment"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// helpdesk is the team's own system: it outlives every worker.
type helpdesk struct {
	*httptest.Server
	mu     sync.Mutex
	closed map[string]Closed // by case
	calls  map[string]int    // by path: how often it was called
	told   map[string]int    // by case: messages that were sent
	hold   chan struct{}     // not nil: a call is answered when it is closed
}

func newHelpdesk(t *testing.T) *helpdesk {
	t.Helper()
	h := &helpdesk{closed: map[string]Closed{}, calls: map[string]int{}, told: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /cases/{id}/close", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		h.mu.Lock()
		h.calls[r.URL.Path]++
		if _, known := h.closed[id]; !known {
			h.closed[id] = Closed{Title: "The oven stays cold", Agent: "Kim", At: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Helped: true}
		}
		closed, hold := h.closed[id], h.hold
		h.mu.Unlock()
		if hold != nil {
			select {
			case <-hold:
			case <-r.Context().Done():
			}
		}
		_ = json.NewEncoder(w).Encode(closed)
	})
	mux.HandleFunc("POST /cases/{id}/tell", func(_ http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.calls[r.URL.Path]++
		h.told[r.PathValue("id")] = 1
	})
	h.Server = httptest.NewServer(mux)
	t.Cleanup(h.Close)
	return h
}

// holdOn has calls wait until goOn.
func (h *helpdesk) holdOn() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hold = make(chan struct{})
}

func (h *helpdesk) goOn() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.hold)
	h.hold = nil
}

func (h *helpdesk) count(path string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls[path]
}

// team is a business team beside a deployment of ours.
type team struct {
	*deployment.System
	one     Case // that it closes
	desk    *helpdesk
	program string
	env     []string
	worker  *deployment.Process
	client  temporal.Client
}

const endpoint = "memory"

// newTeams brings up one deployment and a team for each way to write: one has a namespace of its own and comes through Nexus, the
// other shares our namespace and calls our activity.
func newTeams(ctx context.Context, t *testing.T) (*deployment.System, map[string]*team) {
	t.Helper()
	s := deployment.StartSystem(ctx, t, deployment.Options{})
	program := filepath.Join(t.TempDir(), "support-case")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "reverie/examples/support-case").CombinedOutput(); err != nil {
		t.Fatalf("build the example: %v\n%s", err, out)
	}
	if err := s.Temporal.EnsureNamespace(ctx, "support"); err != nil {
		t.Fatal(err)
	}
	if err := s.Temporal.EnsureNexusEndpoint(ctx, endpoint, client.TaskQueue); err != nil {
		t.Fatal(err)
	}
	return s, map[string]*team{
		"through Nexus":  newTeam(ctx, t, s, program, "support", endpoint, Case{ID: "41", Customer: "user:7", Solution: "{{a new fuse}}"}),
		"by an activity": newTeam(ctx, t, s, program, "default", "", Case{ID: "42", Customer: "user:8", Solution: "{{a new fuse}}"}),
	}
}

func newTeam(ctx context.Context, t *testing.T, s *deployment.System, program, namespace, through string, one Case) *team {
	t.Helper()
	x := &team{System: s, one: one, desk: newHelpdesk(t), program: program}
	var key struct{ ID, Secret string }
	if err := s.API.Call(ctx, http.MethodPost, "/api/v1/keys", map[string]string{"name": namespace, "role": "member"}, &key); err != nil {
		t.Fatal(err)
	}
	x.env = []string{
		"TEMPORAL_ADDRESS=" + s.Temporal.Address, "TEMPORAL_NAMESPACE=" + namespace, "HELPDESK_URL=" + x.desk.URL,
		"MEMORY_KEY_ID=" + key.ID, "MEMORY_KEY=" + key.Secret, "MEMORY_AGENT=" + deployment.Agent, "MEMORY_ENDPOINT=" + through,
	}
	var err error
	x.client, err = temporal.Dial(temporal.Options{HostPort: s.Temporal.Address, Namespace: namespace, Logger: slog.New(slog.DiscardHandler)})
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
	if x.worker, err = deployment.Start(x.program, x.env, filepath.Join(x.Logs(), "support-case-"+x.one.ID+".log"), "worker"); err != nil {
		t.Fatal(err)
	}
}

// closing is what the helpdesk is asked to close the case.
func (x *team) closing() string { return "/cases/" + x.one.ID + "/close" }

// begin starts the workflow of the case.
func (x *team) begin(ctx context.Context, t *testing.T) temporal.WorkflowRun {
	t.Helper()
	run, err := x.client.ExecuteWorkflow(ctx, temporal.StartWorkflowOptions{ID: "close-case-" + x.one.ID, TaskQueue: taskQueue}, "CloseSupportCase", x.one)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

const remembered = `## Case %s: The oven stays cold

- closed on 2026-11-21 by Kim
- what helped: {{a new fuse}}
`

// check looks at what the case has come to.
func (x *team) check(ctx context.Context, t *testing.T, run temporal.WorkflowRun) {
	t.Helper()
	var out Result
	if err := run.Get(ctx, &out); err != nil {
		t.Fatal(err)
	}
	if out.Memory.Outcome != client.Written || out.Memory.Version != 1 {
		t.Errorf("the receipt is %+v", out.Memory)
	}
	var file struct {
		Content string
		Version int
	}
	if err := x.API.Call(ctx, http.MethodGet, "/api/v1/agents/ada/workspace/files/memory/cases.md?owner="+x.one.Customer, nil, &file); err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(fmt.Sprintf(remembered, x.one.ID))
	if strings.TrimSpace(file.Content) != want || file.Version != 1 {
		t.Errorf("version %d of the document is\n%s\nwant version 1:\n%s", file.Version, file.Content, want)
	}
	writes, err := deployment.Query(ctx, x.System, pgx.RowTo[string], "select outcome from memory_writes where owner_key = $1", x.one.Customer)
	if err != nil || len(writes) != 1 || writes[0] != "written" {
		t.Errorf("writes are %v, want one that is written; %v", writes, err)
	}
	x.desk.mu.Lock()
	defer x.desk.mu.Unlock()
	if len(x.desk.closed) != 1 || x.desk.told[x.one.ID] != 1 {
		t.Errorf("closed %v, told %v", x.desk.closed, x.desk.told)
	}
}

// checkHistories holds our namespace to say nothing of what was written, but for the history of the team that lives in it.
func checkHistories(ctx context.Context, t *testing.T, s *deployment.System) {
	t.Helper()
	if found := s.HistoriesMention(ctx, t, "fuse", "oven"); len(found) != 1 || found[0] != "close-case-42" {
		t.Errorf("histories of our namespace with what was written: %v, want the caller's own", found)
	}
}

func TestCaseIsClosedAndRemembered(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s, teams := newTeams(ctx, t)
	for name, x := range teams {
		t.Run(name, func(t *testing.T) { x.check(ctx, t, x.begin(ctx, t)) })
	}
	checkHistories(ctx, t, s)
}

// TestCaseSurvivesKills kills the teams' workers in their own step, behind which ours comes, then while they wait for ours, and then
// our worker in the middle of the transaction that writes: each case is closed once and its outcome stands once.
func TestCaseSurvivesKills(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s, teams := newTeams(ctx, t)
	s.Kill("worker") // ours: nobody takes the step behind theirs
	runs := map[string]temporal.WorkflowRun{}
	for name, x := range teams {
		x.desk.holdOn()
		runs[name] = x.begin(ctx, t)
	}
	for _, x := range teams {
		wait(ctx, t, "the case to be closed", func() bool { return x.desk.count(x.closing()) > 0 })
		x.worker.Kill() // the case is closed, and nobody has heard of it
		x.desk.goOn()
		x.startWorker(t)
	}
	for name, x := range teams {
		wait(ctx, t, "their step to be repeated", func() bool { return x.desk.count(x.closing()) > 1 })
		wait(ctx, t, "ours to be asked for", func() bool { return x.hasAsked(ctx, t, runs[name]) })
		x.worker.Kill()
	}
	release := holdWrites(ctx, t, s)
	s.Run(t, "worker")
	wait(ctx, t, "one to be written", func() bool { // the other one comes at its own time, before or behind the kill
		waiting, err := deployment.Query(ctx, s, pgx.RowTo[int], "select count(*)::int from pg_locks where relation = 'write_ledger'::regclass and not granted")
		return err == nil && waiting[0] > 0
	})
	s.Kill("worker") // PostgreSQL has its statements, and it does not hear whether they came to pass
	release()
	s.Run(t, "worker")
	for name, x := range teams {
		x.startWorker(t)
		t.Run(name, func(t *testing.T) { x.check(ctx, t, runs[name]) })
	}
	checkHistories(ctx, t, s)
}

// holdWrites has every transaction that writes memory wait in its middle, until the returned function is called.
func holdWrites(ctx context.Context, t *testing.T, s *deployment.System) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(ctx, s.Database())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(ctx)) })
	if _, err := conn.Exec(ctx, "begin; lock table write_ledger in share row exclusive mode"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := conn.Exec(ctx, "rollback"); err != nil {
			t.Error(err)
		}
	}
}

// hasAsked reports whether the workflow is at our step.
func (x *team) hasAsked(ctx context.Context, t *testing.T, run temporal.WorkflowRun) bool {
	t.Helper()
	events := x.client.GetWorkflowHistory(ctx, run.GetID(), run.GetRunID(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		if event.GetNexusOperationScheduledEventAttributes() != nil ||
			event.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName() == client.ActivityName {
			return true
		}
	}
	return false
}

// wait looks until something is so.
func wait(ctx context.Context, t *testing.T, what string, isSo func() bool) {
	t.Helper()
	for !isSo() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
