//go:build record

package replay

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/llm/llmtest"
	"reverie/test/deployment"
	"reverie/workflows"
)

// TestRecordDream records histories of dreams with each outcome, and of nights.
func TestRecordDream(t *testing.T) {
	if *release == "" {
		t.Fatal("name the release: -args -release v3")
	}
	ctx := context.Background()
	r := &dreamRecording{}
	key := llmtest.KeyPattern(`The pet of (case-[a-z0-9-]+)`)
	r.System = deployment.StartSystem(ctx, t, deployment.Options{
		Env: []string{"REVERIE_DREAM_JITTER=0s"},
		Model: &llmtest.Options{
			Key:    key,
			Answer: func(prompt string) string { return answer(before(key(prompt)), key(prompt)) },
			Script: func(q llmtest.Request) llmtest.Reply {
				if q.Key == "case-stale" && q.Attempt == 1 { // somebody writes meanwhile
					r.put(ctx, t, q.Key, "MEMORY.md", before(q.Key))
					return llmtest.Answer(answer("# Memory\n", q.Key))
				}
				script := map[string]llmtest.Script{
					"case-busy":        llmtest.Sequence(llmtest.Status(429, time.Second), llmtest.Status(500)),
					"case-repaired":    llmtest.Sequence(llmtest.WrongJSON()),
					"case-quarantined": llmtest.Sequence(llmtest.WrongJSON(), llmtest.WrongJSON()),
					"case-failed":      llmtest.Sequence(llmtest.Unauthorized()),
					"case-too-long":    llmtest.Sequence(llmtest.ContextTooLong()),
					"case-cancelled":   llmtest.Sequence(llmtest.Status(429, time.Minute)),
					"case-night-2":     llmtest.Sequence(llmtest.Unauthorized()),
				}[q.Key]
				if script == nil {
					return llmtest.Honest()
				}
				return script(q)
			},
		},
	})
	c, err := client.Dial(client.Options{HostPort: r.Temporal.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	for _, name := range []string{
		"busy", "repaired", "quarantined", "failed", "too-long", "stale", "nothing", "old", "rem", "promote",
		"dry", "written",
	} {
		name := "case-" + name
		r.notes(ctx, t, name, map[string]int{"case-nothing": 1}[name], map[string]int{"case-old": 100}[name])
		query := map[string]string{"case-rem": "&mode=rem", "case-promote": "&mode=promote", "case-dry": "&dryRun=true"}[name]
		r.dream(ctx, t, name, query, time.Minute)
	}
	last := r.dream(ctx, t, "case-written", "", time.Minute) // nothing is new
	if err := r.API.Call(ctx, http.MethodPost, "/api/v1/memory/"+deployment.Agent+"/dream/reports/"+last.Dream.String()+"/replay", nil,
		nil); err != nil {
		t.Fatal(err)
	}
	r.reset(ctx, t, c, last.WorkflowID)

	r.notes(ctx, t, "case-cancelled", 0, 0)
	r.cancel(ctx, t, c, r.dream(ctx, t, "case-cancelled", "", 0).WorkflowID)
	r.Kill("worker")
	r.SetEnv("REVERIE_BUDGET_TOKENS=1")
	r.Run(t, "worker")
	r.notes(ctx, t, "case-budget", 0, 0)
	r.cancel(ctx, t, c, r.dream(ctx, t, "case-budget", "", 0).WorkflowID)

	r.Kill("worker")
	r.SetEnv("REVERIE_BUDGET_TOKENS=0")
	r.Run(t, "worker")
	for i := range 3 {
		r.notes(ctx, t, fmt.Sprint("case-night-", i+1), 0, 0)
	}
	r.night(ctx, t, c)
	time.Sleep(2 * time.Second)
	r.night(ctx, t, c) // who failed dreams again
	export(ctx, t, r.Temporal.Address, workflows.DreamName, workflows.NightName)
}

// dreamRecording is a deployment whose owners dream.
type dreamRecording struct{ *deployment.System }

func before(name string) string { return "# Memory\n\n- The garden of " + name + " has an oak.\n" }

func statement(name string) string { return "The pet of " + name + " is a tortoise called Momo." }

// answer returns a model's answer that adds the statement of an owner to MEMORY.md.
func answer(text, name string) string {
	return fmt.Sprintf(`{"should_update":true,"reason":"synthetic","memory_content":%q,"retired":[]}`, text+"\n- "+statement(name)+"\n")
}

// dreamt is the API's response to a request for a dream.
type dreamt struct {
	Status     string    `json:"status"`
	Dream      uuid.UUID `json:"dream"`
	WorkflowID string    `json:"workflowId"`
}

// dream requests a dream and waits for its end, up to a limit.
func (r *dreamRecording) dream(ctx context.Context, t *testing.T, name, query string, wait time.Duration) dreamt {
	t.Helper()
	var out dreamt
	path := fmt.Sprintf("/api/v1/memory/%s/emergence?endUserId=%s&wait=%s%s", deployment.Agent, name, wait, query)
	if err := r.API.Call(ctx, http.MethodPost, path, nil, &out); err != nil {
		t.Fatalf("%s: %v; logs are in %s", name, err, r.Logs())
	}
	for out.WorkflowID == "" { // it has just been asked for
		time.Sleep(200 * time.Millisecond)
		if err := r.API.Call(ctx, http.MethodGet, "/api/v1/memory/"+deployment.Agent+"/dream/reports/"+out.Dream.String(), nil,
			&out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// notes writes an owner's notes on some days (0: three), the last of them the given number of days before yesterday.
func (r *dreamRecording) notes(ctx context.Context, t *testing.T, name string, days, ago int) {
	t.Helper()
	if days == 0 {
		days = 3
	}
	if name != "case-stale" {
		r.put(ctx, t, name, "MEMORY.md", before(name))
	}
	for i := range days {
		day := time.Now().UTC().AddDate(0, 0, -1-i-ago).Format(time.DateOnly)
		r.put(ctx, t, name, "memory/"+day+".md", "# "+day+"\n\n- "+statement(name)+"\n")
	}
}

func (r *dreamRecording) put(ctx context.Context, t *testing.T, name, path, content string) {
	t.Helper()
	path = fmt.Sprintf("/api/v1/agents/%s/workspace/files/%s?endUserId=%s", deployment.Agent, path, name)
	if err := r.API.Call(ctx, http.MethodPut, path, map[string]any{"content": content}, nil); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

// cancel cancels a waiting workflow, and waits for its end.
func (r *dreamRecording) cancel(ctx context.Context, t *testing.T, c client.Client, id string) {
	t.Helper()
	time.Sleep(3 * time.Second)
	if err := c.CancelWorkflow(ctx, id, ""); err != nil {
		t.Fatal(err)
	}
	if err := c.GetWorkflow(ctx, id, "").Get(ctx, nil); err == nil {
		t.Errorf("%s was not cancelled", id)
	}
}

// reset resets a dream that has ended to its first workflow task.
func (r *dreamRecording) reset(ctx context.Context, t *testing.T, c client.Client, id string) {
	t.Helper()
	run := c.GetWorkflow(ctx, id, "")
	events := c.GetWorkflowHistory(ctx, id, run.GetRunID(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		if event.GetEventType() != enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			continue
		}
		if _, err := c.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{
			Namespace: client.DefaultNamespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: run.GetRunID()},
			Reason: "recorded", WorkflowTaskFinishEventId: event.GetEventId(), RequestId: uuid.NewString(),
		}); err != nil {
			t.Fatal(err)
		}
		break
	}
	if err := c.GetWorkflow(ctx, id, "").Get(ctx, nil); err != nil {
		t.Error(err)
	}
}

// night triggers the agent's schedule and waits for the night.
func (r *dreamRecording) night(ctx context.Context, t *testing.T, c client.Client) {
	t.Helper()
	ref := activities.AgentRef{Workspace: "default", Agent: deployment.Agent}
	handle := c.ScheduleClient().GetHandle(ctx, workflows.DreamScheduleID(ref))
	known := 0
	if d, err := handle.Describe(ctx); err == nil {
		known = len(d.Info.RecentActions)
	}
	if err := handle.Trigger(ctx, client.ScheduleTriggerOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		d, err := handle.Describe(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(d.Info.RecentActions); n > known {
			action := d.Info.RecentActions[n-1].StartWorkflowResult
			var out workflows.DreamNightResult
			if err := c.GetWorkflow(ctx, action.WorkflowID, action.FirstExecutionRunID).Get(ctx, &out); err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", out)
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatal("the schedule did not begin a night")
}
