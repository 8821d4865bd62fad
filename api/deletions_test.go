package api_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"reverie/devenv/devtest"
	"reverie/memory"
)

type deleted struct {
	ID, State, Owner, Conversation, WorkflowID string
	Rows                                       map[string]int64
	Histories, Tables, Revoked                 int
	NotReached                                 []string
}

const deletionsOf = "/api/v1/agents/doomed/deletions"

func (h *harness) delete(key string, body map[string]any, want int) deleted {
	h.t.Helper()
	answer := h.want(h.do(request{method: "POST", path: deletionsOf, key: key, body: body}), want)
	if want >= 400 {
		return deleted{}
	}
	return as[deleted](h, answer)
}

// receipt waits for the end of a deletion.
func (h *harness) receipt(key, id string) (d deleted) {
	h.t.Helper()
	h.until("the deletion is done", func() bool {
		d = as[deleted](h, h.want(h.do(request{method: "GET", path: deletionsOf + "/" + id, key: key}), 200))
		return d.State == "done"
	})
	if d.Tables < 15 || len(d.NotReached) < 5 || len(d.Rows) == 0 {
		h.t.Errorf("%+v", d)
	}
	return d
}

// A conversation, its owner and their agent are deleted one after the other, with the histories of their workflows and the schedule.
func TestDeletions(t *testing.T) {
	engine := &scripted{raw: proposal(t, "Lives in Bern.")}
	h := startWithTemporal(t, engine, true)
	h.want(h.do(request{method: "POST", path: "/api/v1/agents", key: h.admin, body: map[string]any{"id": "doomed"}}), 201)
	c, err := client.Dial(client.Options{HostPort: devtest.Temporal(t).Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	histories := func(query string) int {
		t.Helper()
		listed, err := c.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Query: query + " AND WorkflowType != 'Delete'"})
		if err != nil {
			t.Fatal(err)
		}
		return int(listed.GetCount())
	}
	say := func(conversation, user string, want int) answered {
		t.Helper()
		return h.want(h.do(request{
			method: "POST", path: "/api/v1/agents/doomed/conversations/" + conversation + "/messages", key: h.admin,
			body: batch(user, true, "I moved to Bern last week.", "Noted."),
		}), want)
	}
	for _, conversation := range []string{"c1", "c2"} {
		say(conversation, "42", 202)
		h.want(h.do(request{method: "POST", path: "/api/v1/memory/doomed/summarize/" + conversation, key: h.admin}), 200)
	}
	pinned, member := h.key("own", memory.RoleMember, "api:42"), h.key("member", memory.RoleMember, "")
	of := map[string]any{"target": "conversation", "conversation": "c1", "endUserId": "42"}

	h.delete(member, of, 403)
	h.delete(h.key("other", memory.RoleMember, "api:43"), map[string]any{"target": "conversation", "conversation": "c1"}, 404)
	h.delete(pinned, map[string]any{"target": "agent"}, 403)
	h.delete(pinned, map[string]any{"target": "owner", "now": true}, 403)
	h.delete(h.admin, map[string]any{"target": "owner", "endUserId": "42", "conversation": "c1"}, 422)
	h.delete(h.admin, map[string]any{"target": "owner"}, 422)
	of["dryRun"] = true
	if shown := h.delete(pinned, of, 200); shown.ID != "" || shown.Rows["messages"] != 2 || shown.Rows["extractions"] != 1 {
		t.Errorf("%+v", shown)
	}

	// It is cancelled.
	delete(of, "dryRun")
	waits := h.delete(pinned, of, 202)
	if again := h.delete(h.admin, of, 202); waits.State != "waiting" || again.ID != waits.ID {
		t.Errorf("%+v, again %+v", waits, again)
	}
	one := deletionsOf + "/" + waits.ID
	h.want(h.do(request{method: "DELETE", path: one, key: member}), 422)
	h.want(h.do(request{method: "DELETE", path: one, key: h.key("other2", memory.RoleMember, "api:43")}), 404)
	for range 2 {
		if got := as[deleted](h, h.want(h.do(request{method: "DELETE", path: one, key: pinned}), 200)); got.State != "cancelled" {
			t.Errorf("%+v", got)
		}
	}
	if err := c.GetWorkflow(t.Context(), waits.WorkflowID, "").Get(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("the workflow: %v", err)
	}

	// The conversation.
	of["now"] = true
	done := h.receipt(pinned, h.delete(h.admin, of, 202).ID)
	if done.Histories != 1 || done.Conversation != "" || done.Rows["messages"] != 2 {
		t.Errorf("%+v", done)
	}
	h.want(h.do(request{method: "GET", path: "/api/v1/agents/doomed/conversations/c1/messages?endUserId=42", key: h.admin}), 404)
	h.want(h.do(request{method: "GET", path: "/api/v1/agents/doomed/conversations/c2/messages?endUserId=42", key: h.admin}), 200)
	h.want(h.do(request{method: "DELETE", path: deletionsOf + "/" + done.ID, key: h.admin}), 409)

	// The owner.
	found := as[struct{ OwnerID string }](h, h.want(h.do(request{method: "GET", path: "/api/v1/agents/doomed/owner?endUserId=42", key: h.admin}), 200))
	byOwner := fmt.Sprintf("OwnerKey = '%s'", found.OwnerID)
	h.until("the owner's workflows are listed", func() bool { return histories(byOwner) > 0 })
	done = h.receipt(pinned, h.delete(h.admin, map[string]any{"target": "owner", "endUserId": "42", "now": true}, 202).ID)
	if done.Histories < 2 || done.Owner != "" || done.Rows["owners"] != 1 || histories(byOwner) > 0 {
		t.Errorf("%d left: %+v", histories(byOwner), done)
	}
	if listed := h.want(h.do(request{method: "GET", path: deletionsOf, key: h.admin}), 200); strings.Contains(string(listed.body), "api:42") {
		t.Errorf("%s", listed.body)
	}

	// The agent.
	say("c3", "42", 202)
	h.until("the agent has a schedule", func() bool {
		_, err := c.ScheduleClient().GetHandle(t.Context(), "dream/acme.doomed").Describe(t.Context())
		return err == nil
	})
	agent := h.delete(h.admin, map[string]any{"target": "agent", "now": true}, 202)
	done = h.receipt(h.admin, agent.ID)
	if done.Rows["agents"] != 1 || histories("AgentID = 'acme.doomed'") > 0 {
		t.Errorf("%+v", done)
	}
	if _, err := c.ScheduleClient().GetHandle(t.Context(), "dream/acme.doomed").Describe(t.Context()); err == nil {
		t.Error("the schedule is left")
	}
	say("c4", "42", 404)
	h.want(h.do(request{method: "GET", path: deletionsOf + "/" + agent.ID, key: pinned}), 404)
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if left := histories("AgentID = 'acme.doomed'"); left > 0 {
			t.Fatalf("%d workflows came back", left)
		}
	}
}
