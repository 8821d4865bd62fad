package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/api"
	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/worker"
	"reverie/workflows"
)

// scripted implements an engine that returns the answers that a test sets.
type scripted struct {
	mu    sync.Mutex
	raw   string
	calls int
	held  chan struct{} // not nil: an answer waits until it is closed
}

func (s *scripted) say(raw string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw = raw
}

func (s *scripted) Propose(ctx context.Context, _ proposals.ExtractionInput) (proposals.Answer, error) {
	s.mu.Lock()
	s.calls++
	raw, held := s.raw, s.held
	s.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
			return proposals.Answer{}, ctx.Err()
		}
	}
	return proposals.Answer{Raw: raw, Model: "test/scripted", PromptVersion: "test@1"}, nil
}

// proposal returns the answer of a scripted engine that has learned something.
func proposal(t *testing.T, line string) string {
	t.Helper()
	raw, err := json.Marshal(proposals.Proposal{
		ShouldUpdate: true, Reason: "REASONMARKER", DailyEntry: "## 10:00 Talk\n\n- " + line, MemoryUpdate: "# Memory\n\n- " + line + "\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// startWithTemporal runs a server with a real Temporal, and with working a worker.
func startWithTemporal(t *testing.T, engine *scripted, working bool) *harness {
	t.Helper()
	server := devtest.Temporal(t)
	c, err := client.Dial(client.Options{HostPort: server.Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	timing := setting.Timing{Quiet: time.Hour, Cooldown: time.Hour} // only what asks for it extracts
	h := start(t, func(o *api.Options) {
		o.Temporal, o.Timing, o.WorkflowURL, o.DeletionGrace = c, timing, "http://temporal.test/workflows/", time.Hour
	})
	if working {
		settings := setting.DefaultExtractSettings()
		settings.MinMessages, settings.MinUserChars = 2, 1
		steps, err := activities.New(activities.Options{
			Store: h.store, Proposer: engine, Defaults: settings, Timing: timing, Now: time.Now, Log: slog.New(slog.DiscardHandler),
			DreamDefaults: setting.DefaultDreamSettings(),
		})
		if err != nil {
			t.Fatal(err)
		}
		w := worker.New(c, steps, worker.Options{ModelConcurrency: 2, SweepInterval: time.Hour, Log: slog.New(slog.DiscardHandler)})
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Stop)
	}
	return h
}

type run struct {
	Status, Outcome, ReasonCode, Reason, WorkflowID, Link, Outcomes string
	Extractions                                                     []struct {
		extraction
		Documents     int
		Model         string
		PromptVersion string
	}
}

func (h *harness) summarize(key, conversation, query string, header map[string]string) answered {
	h.t.Helper()
	return h.do(request{method: "POST", path: "/api/v1/memory/ada/summarize/" + conversation + query, key: key, header: header})
}

// The main job over HTTP: messages in, memory out, with every line's origin.
func TestAConversationBecomesMemory(t *testing.T) {
	engine := &scripted{raw: proposal(t, "Lives in Bern.")}
	h := startWithTemporal(t, engine, true)
	h.agent("ada")
	posted := as[added](h, h.want(h.post("c1", batch("42", true, "I moved to Bern last week.", "Noted.")), 202))
	if posted.Extraction.Status != "scheduled" || !strings.HasPrefix(posted.Extraction.WorkflowID, "inbox/acme.ada/") {
		t.Errorf("%+v", posted)
	}
	if waiting, err := h.store.Unsignalled(t.Context(), store.Lease{Before: time.Now().Add(time.Minute)}); err != nil || len(waiting) != 0 {
		t.Errorf("the turn is not noted as signalled: %+v %v", waiting, err)
	}
	done := as[run](h, h.want(h.summarize(h.admin, "c1", "", nil), 200))
	if done.Status != "completed" || done.Outcome != "written" || len(done.Extractions) != 1 || done.Reason != "REASONMARKER" {
		t.Fatalf("%+v", done)
	}
	if x := done.Extractions[0]; x.From != 1 || x.To != 2 || x.Documents != 2 || x.Owner != "api:42" || x.Model != "test/scripted" {
		t.Errorf("%+v", x)
	}
	if done.Link != "http://temporal.test/workflows/"+strings.ReplaceAll(done.WorkflowID, "/", "%2F") {
		t.Errorf("link %s of %s", done.Link, done.WorkflowID)
	}
	got := as[file](h, h.want(h.get(workspaceFiles+"files/MEMORY.md?endUserId=42"), 200))
	if got.Scope != "PERSONAL" || !strings.Contains(got.Content, "- Lives in Bern.") || got.UpdatedBy.Kind != "workflow" {
		t.Errorf("%+v", got)
	}
	blamed := h.want(h.get(workspaceFiles+"blame/MEMORY.md?endUserId=42"), 200)
	if !strings.Contains(string(blamed.body), `"line":"- Lives in Bern."`) ||
		!strings.Contains(string(blamed.body), `"conversation":"c1"`) {
		t.Errorf("%s", blamed.body)
	}
	again := as[run](h, h.want(h.summarize(h.admin, "c1", "", nil), 200))
	if again.Outcome != "nothing" || again.ReasonCode != "no_new_messages" || again.Extractions == nil || len(again.Extractions) != 0 {
		t.Errorf("again: %+v", again)
	}
	workflow := h.get("/api/v1/status")
	if !strings.Contains(string(workflow.body), `"name":"workers","state":"ok"`) ||
		!strings.Contains(string(workflow.body), `"name":"temporal","state":"ok"`) {
		t.Errorf("%s", workflow.body)
	}
}

// A member may summarise any owner's conversation; for a pinned key other owners' conversations do not exist.
func TestSummarizeForTheRealOwner(t *testing.T) {
	engine := &scripted{raw: proposal(t, "Lives in Bern.")}
	h := startWithTemporal(t, engine, true)
	h.agent("ada")
	h.want(h.post("c1", batch("42", false, "I moved to Bern last week.", "Noted.")), 202)
	h.want(
		h.post("sys", map[string]any{"owner": "system", "messages": []map[string]any{{"id": "m", "role": "user", "content": "tick"}}}),
		202,
	)
	member, stranger := h.key("member", memory.RoleMember, ""), h.key("stranger", memory.RoleMember, "api:43")

	h.wantError(h.summarize(stranger, "c1", "", nil), 404, "not_found")
	h.wantError(h.summarize(member, "c1", "?endUserId=43", nil), 404, "not_found")
	h.wantError(h.summarize(member, "none", "", nil), 404, "not_found")
	h.wantError(h.summarize(member, "sys", "", nil), 403, "owner_not_allowed")
	h.wantError(h.summarize(member, "c1", "?wait=10m", nil), 422, "invalid_request")
	h.wantError(h.summarize(member, "c1", "?wait=-1s", nil), 422, "invalid_request")
	h.wantError(h.summarize(member, "c1", "?wait=soon", nil), 422, "invalid_request")

	// A caller who names nobody starts it for api:42, and does not see its contents.
	answer := h.want(h.summarize(member, "c1", "", nil), 200)
	if done := as[run](h, answer); done.Outcome != "written" || done.Reason != "" || strings.Contains(string(answer.body), "REASONMARKER") {
		t.Errorf("%s", answer.body)
	}
	h.want(h.get(workspaceFiles+"files/MEMORY.md?endUserId=42&scope=PERSONAL"), 200)
	h.wantError(h.get(workspaceFiles+"files/MEMORY.md?endUserId=43&scope=PERSONAL"), 404, "not_found")
}

// If the outcome is not there in time, the answer names its future location, and the extraction continues.
func TestAnOutcomeThatTakesLonger(t *testing.T) {
	engine := &scripted{raw: proposal(t, "Lives in Bern."), held: make(chan struct{})}
	h := startWithTemporal(t, engine, true)
	h.agent("ada")
	h.want(h.post("c1", batch("42", false, "I moved to Bern last week.", "Noted.")), 202)
	key := map[string]string{"Idempotency-Key": "once"}
	for _, wait := range []string{"0s", "300ms"} {
		running := as[run](h, h.want(h.summarize(h.admin, "c1", "?wait="+wait, key), 202))
		if running.Status != "running" || running.WorkflowID == "" || running.Outcomes != "/api/v1/agents/ada/extractions?conversation=c1" {
			t.Errorf("%s: %+v", wait, running)
		}
	}
	close(engine.held)
	if done := as[run](h, h.want(h.summarize(h.admin, "c1", "", key), 200)); done.Outcome != "written" {
		t.Errorf("%+v", done)
	}
	listed := as[extractions](h, h.get("/api/v1/agents/ada/extractions?conversation=c1"))
	if len(listed.Items) != 1 || listed.Items[0].Outcome != "written" {
		t.Errorf("%+v", listed)
	}
}

// A server that stops ends requests that wait for a workflow.
func TestAStopAnswersWhoWaits(t *testing.T) {
	engine := &scripted{held: make(chan struct{})}
	defer close(engine.held)
	h := startWithTemporal(t, engine, true)
	h.agent("ada")
	h.want(h.post("c1", batch("42", false, "I moved to Bern last week.", "Noted.")), 202)
	got := make(chan answered, 1)
	go func() { got <- h.summarize(h.admin, "c1", "?wait=2m", nil) }()
	deadline := time.Now().Add(time.Minute)
	for engineCalls := 0; engineCalls == 0; {
		if time.Now().After(deadline) {
			t.Fatal("the extraction did not begin")
		}
		time.Sleep(20 * time.Millisecond)
		engine.mu.Lock()
		engineCalls = engine.calls
		engine.mu.Unlock()
	}
	begun := time.Now()
	if err := h.done(); err != nil {
		t.Error(err)
	}
	if a := <-got; a.status != 202 || time.Since(begun) > 10*time.Second {
		t.Errorf("status %d after %s: %s", a.status, time.Since(begun), a.body)
	}
}

// A refused proposal is kept with what was wrong, and repeating it can succeed.
func TestAQuarantinedExtractionIsRetried(t *testing.T) {
	engine := &scripted{raw: "no JSON at all: RAWMARKER"}
	h := startWithTemporal(t, engine, true)
	h.agent("ada")
	h.want(h.post("c1", batch("42", true, "I moved to Bern last week.", "Noted.")), 202)
	refused := as[run](h, h.want(h.summarize(h.admin, "c1", "", nil), 200))
	if refused.Outcome != "quarantined" || len(refused.Extractions) != 1 || !strings.Contains(refused.Extractions[0].Raw, "RAWMARKER") {
		t.Fatalf("%+v", refused)
	}
	path := "/api/v1/agents/ada/extractions/" + refused.Extractions[0].ID
	retry := func(key string) answered { return h.do(request{method: "POST", path: path + "/retry", key: key}) }
	h.wantError(retry(h.key("stranger", memory.RoleMember, "api:43")), 404, "not_found")
	engine.say(proposal(t, "Lives in Bern."))
	if done := as[run](h, h.want(retry(h.key("member", memory.RoleMember, "")), 200)); done.Outcome != "written" ||
		len(done.Extractions) != 1 {
		t.Fatalf("%+v", done)
	}
	done := as[extractions](h, h.get("/api/v1/agents/ada/extractions?outcome=written"))
	if len(done.Items) != 1 {
		t.Fatalf("%+v", done)
	}
	path = "/api/v1/agents/ada/extractions/" + done.Items[0].ID
	h.wantError(retry(h.admin), 409, "not_quarantined")
}

// Work that a workflow has accepted is not lost when no worker runs, and the status reports the missing worker.
func TestWithoutWorkers(t *testing.T) {
	h := startWithTemporal(t, nil, false)
	h.agent("ada")
	posted := as[added](h, h.want(h.post("c1", batch("42", true, "I moved to Bern last week.", "Noted.")), 202))
	if posted.Extraction.Status != "scheduled" {
		t.Errorf("%+v", posted)
	}
	running := as[run](h, h.want(h.summarize(h.admin, "c1", "?wait=200ms", nil), 202))
	if running.WorkflowID != posted.Extraction.WorkflowID {
		t.Errorf("%s is not %s", running.WorkflowID, posted.Extraction.WorkflowID)
	}
	ref := memory.OwnerRef{Workspace: workspace, Agent: "ada", Owner: h.ownerID("api:42")}
	if running.WorkflowID != workflows.InboxID(ref) {
		t.Errorf("%s is not the owner's Inbox %s", running.WorkflowID, workflows.InboxID(ref))
	}
}

// ownerID returns the opaque id of an owner of ada who has a conversation.
func (h *harness) ownerID(owner memory.Owner) (id [16]byte) {
	h.t.Helper()
	listed, err := h.store.Conversations(
		h.t.Context(),
		memory.Identity{Workspace: workspace, Agent: "ada", Owner: owner, Role: memory.RoleViewer},
		store.Page{},
	)
	if err != nil || len(listed.Items) == 0 {
		h.t.Fatal(fmt.Sprint("no conversation of ", owner), err)
	}
	return listed.Items[0].OwnerID
}
