//go:build record

package replay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/test/deployment"
	"reverie/workflows"
)

// TestRecordWindow records histories of flushes and compactions with each outcome.
func TestRecordWindow(t *testing.T) {
	if *release == "" {
		t.Fatal("name the release: -args -release v4")
	}
	ctx := context.Background()
	r := &windowRecording{}
	isSummary := func(prompt string) bool { return strings.Contains(prompt, "Answer with the new summary.") }
	key := llmtest.KeyPattern(`case-[a-z-]+`)
	r.System = deployment.StartSystem(ctx, t, deployment.Options{
		Model: &llmtest.Options{
			Key: func(prompt string) string {
				if isSummary(prompt) {
					return key(prompt) + "/summary"
				}
				return key(prompt)
			},
			Answer: func(prompt string) string {
				switch {
				case isSummary(prompt):
					return "## Goal\n- A synthetic summary."
				case key(prompt) == "case-nothing":
					return proposals.NoReply
				}
				return `{"should_update":true,"reason":"synthetic","daily_entry":"## 10:00 Synthetic\n\n- A synthetic entry."}`
			},
			Script: func(q llmtest.Request) llmtest.Reply {
				script := map[string]llmtest.Script{
					"case-busy":                 llmtest.Sequence(llmtest.Status(429, time.Second), llmtest.Status(500)),
					"case-fallback":             llmtest.Always(llmtest.Status(503)),
					"case-wait":                 llmtest.Sequence(llmtest.Status(503), llmtest.Status(503), llmtest.Status(503)),
					"case-invalid":              llmtest.Sequence(llmtest.WrongJSON(), llmtest.WrongJSON()),
					"case-unauthorized":         llmtest.Sequence(llmtest.Unauthorized()),
					"case-too-long":             llmtest.Sequence(llmtest.ContextTooLong()),
					"case-slow":                 llmtest.Always(llmtest.Slow(2 * time.Second)),
					"case-cancelled":            llmtest.Always(llmtest.Status(429, time.Minute)),
					"case-fallback/summary":     llmtest.Always(llmtest.Status(503)),
					"case-too-long/summary":     llmtest.Sequence(llmtest.ContextTooLong()),
					"case-unauthorized/summary": llmtest.Sequence(llmtest.Unauthorized()),
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
		"written", "nothing", "busy", "fallback", "wait", "invalid", "unauthorized", "too-long", "long",
		"rules", "flush", "extracted",
	} {
		in := r.conversation(ctx, t, "case-"+name, map[string]int{"long": 70}[name])
		switch name {
		case "fallback":
			in.Settings.Flush.Deadline, in.Settings.SummaryDeadline = 2*time.Second, 2*time.Second
		case "wait":
			in.Settings.Flush.Policy, in.Settings.Flush.Deadline = setting.FlushWait, time.Second
		case "rules":
			in.Settings.Paid, in.Settings.Flush.Paid, in.Trigger = false, false, memory.CompactByOverflow
		case "flush":
			in.FlushOnly = true
		}
		r.compact(ctx, t, c, in)
		if name == "written" { // it is found again
			r.compact(ctx, t, c, in)
		}
	}

	in := r.conversation(ctx, t, "case-slow", 6) // two at once, of which one waits for the flush of the other
	first, err := workflows.StartCompact(ctx, c, in)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	in.To = 4
	r.compact(ctx, t, c, in)
	if err := first.Get(ctx, nil); err != nil {
		t.Error(err)
	}

	in = r.conversation(ctx, t, "case-cancelled", 0)
	in.Settings.Flush.Policy = setting.FlushWait
	run, err := workflows.StartCompact(ctx, c, in)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	for _, id := range []string{run.GetID(), workflows.FlushID(in.Conversation, 1, in.To)} {
		if err := c.CancelWorkflow(ctx, id, ""); err != nil {
			t.Fatal(err)
		}
		if err := c.GetWorkflow(ctx, id, "").Get(ctx, nil); err == nil {
			t.Errorf("%s was not cancelled", id)
		}
	}

	r.Kill("worker")
	r.SetEnv("REVERIE_BUDGET_TOKENS=1")
	r.Run(t, "worker")
	r.compact(ctx, t, c, r.conversation(ctx, t, "case-budget", 0))
	in = r.conversation(ctx, t, "case-budget-wait", 0)
	in.Settings.Flush.Policy = setting.FlushWait
	if run, err = workflows.StartCompact(ctx, c, in); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second)
	if err := errors.Join(c.CancelWorkflow(ctx, run.GetID(), ""),
		c.CancelWorkflow(ctx, workflows.FlushID(in.Conversation, 1, in.To), "")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second)
	export(ctx, t, r.Temporal.Address, workflows.FlushName, workflows.CompactName)
}

// windowRecording is a deployment whose conversations are compacted.
type windowRecording struct{ *deployment.System }

// conversation stores a conversation with a number of messages (0: four), and returns the input for compacting it.
func (r *windowRecording) conversation(ctx context.Context, t *testing.T, name string, messages int) workflows.CompactInput {
	t.Helper()
	if messages == 0 {
		messages = 4
	}
	b := deployment.Batch{EndUserID: name, TriggerSource: "api", TurnComplete: name == "case-extracted"}
	for m := range messages {
		role := []string{"user", "assistant"}[m%2]
		b.Messages = append(b.Messages, deployment.Message{ID: fmt.Sprint(m), Role: role, Content: "A synthetic message of " + name + "."})
	}
	if err := r.API.Call(ctx, http.MethodPost, "/api/v1/agents/"+deployment.Agent+"/conversations/"+name+"/messages", b, nil); err != nil {
		t.Fatal(err)
	}
	if b.TurnComplete { // an extraction takes the messages first
		if err := r.API.Call(ctx, http.MethodPost, "/api/v1/memory/"+deployment.Agent+"/summarize/"+name, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	type row struct{ Conversation, Owner uuid.UUID }
	found, err := deployment.Query(ctx, r.System, pgx.RowToStructByPos[row], `
select c.conversation_uid, o.owner_id
from conversations c
join owners o using (workspace_id, agent_id, owner_key)
where c.conversation_id = $1`, name)
	if err != nil || len(found) != 1 {
		t.Fatalf("%d conversations are called %s: %v", len(found), name, err)
	}
	s := setting.DefaultWindowSettings()
	s.Paid, s.Model, s.ModelHeartbeat = true, "scripted", 2*time.Second
	e := setting.DefaultExtractSettings()
	e.Model, e.ModelHeartbeat = "scripted", 2*time.Second
	return workflows.CompactInput{
		OwnerRef: memory.OwnerRef{Workspace: "default", Agent: deployment.Agent, Owner: found[0].Owner}, Conversation: found[0].Conversation,
		To: int64(messages), Trigger: memory.CompactByTurn, Settings: s.Compact(e),
	}
}

func (r *windowRecording) compact(ctx context.Context, t *testing.T, c client.Client, in workflows.CompactInput) {
	t.Helper()
	var out workflows.CompactResult
	run, err := workflows.StartCompact(ctx, c, in)
	if err == nil {
		err = run.Get(ctx, &out)
	}
	if err != nil {
		t.Errorf("%v; logs are in %s", err, r.Logs())
	}
	t.Logf("%+v", out)
}
