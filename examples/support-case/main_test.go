package main

import (
	"context"
	"encoding/json"
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

func (h *helpdesk) count(path string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls[path]
}

// team is the business team beside a deployment of ours.
type team struct {
	*deployment.System
	desk    *helpdesk
	program string
	env     []string
	worker  *deployment.Process
	client  temporal.Client
}

// newTeam brings both up. Without an endpoint the team shares our namespace.
func newTeam(ctx context.Context, t *testing.T, endpoint string) *team {
	t.Helper()
	s := deployment.StartSystem(ctx, t, deployment.Options{})
	x := &team{System: s, desk: newHelpdesk(t), program: filepath.Join(t.TempDir(), "support-case")}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", x.program, "reverie/examples/support-case").CombinedOutput(); err != nil {
		t.Fatalf("build the example: %v\n%s", err, out)
	}
	var key struct{ ID, Secret string }
	if err := s.API.Call(ctx, http.MethodPost, "/api/v1/keys", map[string]string{"name": "support", "role": "member"}, &key); err != nil {
		t.Fatal(err)
	}
	namespace := "default"
	if endpoint != "" {
		namespace = "support"
		if err := s.Temporal.EnsureNamespace(ctx, namespace); err != nil {
			t.Fatal(err)
		}
		if err := s.Temporal.EnsureNexusEndpoint(ctx, endpoint, client.TaskQueue); err != nil {
			t.Fatal(err)
		}
	}
	x.env = []string{
		"TEMPORAL_ADDRESS=" + s.Temporal.Address, "TEMPORAL_NAMESPACE=" + namespace, "HELPDESK_URL=" + x.desk.URL,
		"MEMORY_KEY_ID=" + key.ID, "MEMORY_KEY=" + key.Secret, "MEMORY_AGENT=" + deployment.Agent, "MEMORY_ENDPOINT=" + endpoint,
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
	if x.worker, err = deployment.Start(x.program, x.env, filepath.Join(x.Logs(), "support-case.log"), "worker"); err != nil {
		t.Fatal(err)
	}
}

// begin starts the workflow of a case.
func (x *team) begin(ctx context.Context, t *testing.T) temporal.WorkflowRun {
	t.Helper()
	run, err := x.client.ExecuteWorkflow(ctx, temporal.StartWorkflowOptions{ID: "close-case-41", TaskQueue: taskQueue}, "CloseSupportCase",
		Case{ID: "41", Customer: "user:7", Solution: "{{a new fuse}}"})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

const remembered = `## Case 41: The oven stays cold

- closed on 2026-11-21 by Kim
- what helped: {{a new fuse}}
`

// check looks at what the case has come to.
func (x *team) check(ctx context.Context, t *testing.T, out Result) {
	t.Helper()
	if out.Memory.Outcome != client.Written || out.Memory.Version != 1 {
		t.Errorf("the receipt is %+v", out.Memory)
	}
	var file struct {
		Content string
		Version int
	}
	if err := x.API.Call(ctx, http.MethodGet, "/api/v1/agents/ada/workspace/files/memory/cases.md?owner=user:7", nil, &file); err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(file.Content) != strings.TrimSpace(remembered) || file.Version != 1 {
		t.Errorf("version %d of the document is\n%s\nwant version 1:\n%s", file.Version, file.Content, remembered)
	}
	writes, err := deployment.Query(ctx, x.System, pgx.RowTo[string], "select outcome from memory_writes")
	if err != nil || len(writes) != 1 || writes[0] != "written" {
		t.Errorf("writes are %v, want one that is written; %v", writes, err)
	}
	x.desk.mu.Lock()
	defer x.desk.mu.Unlock()
	if len(x.desk.closed) != 1 || x.desk.told["41"] != 1 {
		t.Errorf("closed %v, told %v", x.desk.closed, x.desk.told)
	}
	if words := x.HistoriesMention(ctx, t, "fuse", "oven"); namespaceOf(x.env) != "default" && len(words) > 0 {
		t.Errorf("our histories have what was written: %v", words)
	}
}

func namespaceOf(env []string) string {
	for _, e := range env {
		if name, found := strings.CutPrefix(e, "TEMPORAL_NAMESPACE="); found {
			return name
		}
	}
	return ""
}

func TestCaseIsClosedAndRemembered(t *testing.T) {
	for name, endpoint := range map[string]string{"through Nexus": "memory", "by an activity": ""} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			x := newTeam(ctx, t, endpoint)
			var out Result
			if err := x.begin(ctx, t).Get(ctx, &out); err != nil {
				t.Fatal(err)
			}
			x.check(ctx, t, out)
		})
	}
}

// TestCaseSurvivesKills kills the team's worker in its own step, behind which ours comes, then while it waits for ours, and then our
// worker while it writes: the case is closed once and its outcome stands once.
func TestCaseSurvivesKills(t *testing.T) {
	for name, endpoint := range map[string]string{"through Nexus": "memory", "by an activity": ""} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			x := newTeam(ctx, t, endpoint)
			x.Kill("worker") // ours: nobody takes the step behind theirs
			x.desk.mu.Lock()
			x.desk.hold = make(chan struct{})
			hold := x.desk.hold
			x.desk.mu.Unlock()
			run := x.begin(ctx, t)
			closing := "/cases/41/close"
			wait(ctx, t, "the case to be closed", func() bool { return x.desk.count(closing) > 0 })
			x.worker.Kill() // the case is closed, and nobody has heard of it
			x.desk.mu.Lock()
			x.desk.hold = nil
			x.desk.mu.Unlock()
			close(hold)
			x.startWorker(t)
			wait(ctx, t, "their step to be repeated", func() bool { return x.desk.count(closing) > 1 })
			wait(ctx, t, "ours to be asked for", func() bool { return x.hasAsked(ctx, t, run) })
			x.worker.Kill()
			x.Run(t, "worker")
			wait(ctx, t, "the write to be staged", func() bool {
				rows, err := deployment.Query(ctx, x.System, pgx.RowTo[int], "select count(*)::int from memory_writes")
				return err == nil && rows[0] > 0
			})
			x.Kill("worker") // it may have written, and has not said so to everybody
			x.startWorker(t)
			x.Run(t, "worker")
			var out Result
			if err := run.Get(ctx, &out); err != nil {
				t.Fatal(err)
			}
			x.check(ctx, t, out)
			if calls := x.desk.count(closing); calls < 2 {
				t.Errorf("the helpdesk was asked %d times: nothing was killed in time", calls)
			}
		})
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
