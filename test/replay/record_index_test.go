//go:build record

package replay

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/llm/embed"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/test/deployment"
	"reverie/workflows"
)

// TestRecordIndex records histories of index maintenance: models that fail, and changes of the model with each
// outcome.
func TestRecordIndex(t *testing.T) {
	if *release == "" {
		t.Fatal("name the release: -args -release v2")
	}
	ctx := context.Background()
	r := indexRecording{refused: &atomic.Bool{}}
	model := llmtest.New(t, llmtest.Options{Script: func(request llmtest.Request) llmtest.Reply {
		switch {
		case r.refused.Load():
			return llmtest.Unauthorized()
		case request.Number == 2 || request.Number == 5:
			return llmtest.Status(429, time.Second)
		}
		return llmtest.Honest()
	}})
	settings := func(prefix, name string, dimensions int) []string {
		return []string{
			prefix + "PROVIDER=openai", prefix + "MODEL=" + name, prefix + "API_KEY=key", prefix + "BASE_URL=" + model.URL + "/v1",
			fmt.Sprint(prefix, "DIMENSIONS=", dimensions),
		}
	}
	r.System = deployment.StartSystem(ctx, t, deployment.Options{
		Env: append(settings("REVERIE_EMBEDDING_", "small", 64), "REVERIE_EMBEDDING_BATCH=16", "REVERIE_MEMORY_ENABLED=false"),
	})
	cases := map[string]func(*workflows.ReindexInput){
		deployment.Agent: func(in *workflows.ReindexInput) { in.Tolerance = 1 },
		"back":           func(in *workflows.ReindexInput) { in.Tolerance, in.Retention = 1, time.Hour },
		"abandon":        func(in *workflows.ReindexInput) { in.Tolerance = -1 },
		"cancel":         func(in *workflows.ReindexInput) { in.Tolerance = -1 },
	}
	for agent := range cases {
		r.write(ctx, t, agent, "first", agent != deployment.Agent)
	}
	r.wait(ctx, t)
	r.refused.Store(true)
	r.write(ctx, t, deployment.Agent, "second", false)
	time.Sleep(3 * time.Second)
	r.refused.Store(false)
	r.Kill("worker") // the next one asks for another attempt
	r.Run(t, "worker")
	r.wait(ctx, t)
	time.Sleep(12 * time.Second) // the Indexes wait for more and end

	c, err := client.Dial(client.Options{HostPort: r.Temporal.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r.Kill("worker")
	next, err := embed.Open(embed.Config{
		Provider: "openai", Model: "large", APIKey: "key", BaseURL: model.URL + "/v1",
		Dimensions: 128,
	})
	if err != nil {
		t.Fatal(err)
	}
	large := next.Identity()
	for agent, change := range cases {
		in := workflows.DefaultReindex(activities.AgentRef{Workspace: "default", Agent: agent}, large)
		in.Retention, in.Grace = 2*time.Second, time.Second
		change(&in)
		r.start(ctx, t, c, in)
	}
	r.start(ctx, t, c, workflows.DefaultReindex(activities.AgentRef{Workspace: "default", Agent: deployment.Agent},
		memory.EmbeddingIdentity{}))
	r.SetEnv(settings("REVERIE_EMBEDDING_NEXT_", "large", 128)...)
	r.Run(t, "worker")
	id := func(agent string) string {
		return workflows.ReindexID(activities.AgentRef{Workspace: "default", Agent: agent}, large)
	}
	r.reach(ctx, t, c, id("back"), workflows.PhaseRetaining)
	r.reach(ctx, t, c, id("abandon"), workflows.PhaseDeciding)
	r.reach(ctx, t, c, id("cancel"), workflows.PhaseDeciding)
	if err := workflows.SwitchBack(ctx, c, id("back")); err != nil {
		t.Fatal(err)
	}
	if err := workflows.DecideReindex(ctx, c, id("abandon"), workflows.DecisionAbandon); err != nil {
		t.Fatal(err)
	}
	if err := c.CancelWorkflow(ctx, id("cancel"), ""); err != nil {
		t.Fatal(err)
	}
	want := map[string]workflows.ReindexOutcome{
		id(deployment.Agent): workflows.ReindexSwitched, id("back"): workflows.ReindexSwitchedBack,
		id("abandon"): workflows.ReindexAbandoned, id("cancel"): workflows.ReindexAbandoned,
		workflows.LexicalReindexID(activities.AgentRef{Workspace: "default", Agent: deployment.Agent}): workflows.ReindexRebuilt,
	}
	for id, outcome := range want {
		var out workflows.ReindexProgress
		if err := c.GetWorkflow(ctx, id, "").Get(ctx, &out); err != nil || out.Outcome != outcome {
			t.Errorf("%s ended as %q, want %q (%v)", id, out.Outcome, outcome, err)
		}
	}
	time.Sleep(12 * time.Second)
	export(ctx, t, r.Temporal.Address, workflows.IndexName, workflows.ReindexName)
}

// indexRecording is a deployment whose model refuses every key while a switch is set.
type indexRecording struct {
	*deployment.System
	refused *atomic.Bool
}

// write posts a conversation to an agent, which is created if new.
func (r indexRecording) write(ctx context.Context, t *testing.T, agent, conversation string, isNew bool) {
	t.Helper()
	if isNew {
		if err := r.API.Call(ctx, http.MethodPost, "/api/v1/agents", map[string]string{"id": agent, "name": agent, "timeZone": "UTC"},
			nil); err != nil {
			t.Fatal(err)
		}
	}
	b := deployment.Batch{EndUserID: "someone", TriggerSource: "api", TurnComplete: true}
	for m := range 60 {
		b.Messages = append(b.Messages, deployment.Message{
			ID: fmt.Sprint(m), Role: []string{"user", "assistant"}[m%2],
			Content: fmt.Sprintf("Synthetic message %d of %s to %s.", m, conversation, agent),
		})
	}
	if err := r.API.Call(ctx, http.MethodPost, "/api/v1/agents/"+agent+"/conversations/"+conversation+"/messages", b, nil); err != nil {
		t.Fatal(err)
	}
}

// wait waits until nothing lacks a vector.
func (r indexRecording) wait(ctx context.Context, t *testing.T) {
	t.Helper()
	for range 600 {
		n, err := deployment.Query(ctx, r.System, pgx.RowTo[int], `select count(*) from index_sources where embed_due`)
		if err != nil {
			t.Fatal(err)
		}
		if n[0] == 0 {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatalf("something still lacks vectors; logs are in %s", r.Logs())
}

func (r indexRecording) start(ctx context.Context, t *testing.T, c client.Client, in workflows.ReindexInput) {
	t.Helper()
	if _, err := workflows.StartReindex(ctx, c, in); err != nil {
		t.Fatal(err)
	}
}

// reach waits until a Reindex is in a phase.
func (r indexRecording) reach(ctx context.Context, t *testing.T, c client.Client, id string, phase workflows.ReindexPhase) {
	t.Helper()
	for range 600 {
		if p, err := workflows.ReindexProgressOf(ctx, c, id); err == nil && p.Phase == phase {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatalf("%s does not become %s; logs are in %s", id, phase, r.Logs())
}
