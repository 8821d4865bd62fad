package api_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/api"
	"reverie/devenv/devtest"
	"reverie/llm/extractive"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/worker"
)

const ofC1 = "/api/v1/agents/ada/conversations/c1"

type flush struct {
	ID, Owner, Outcome, Model, WorkflowID, Link string
	From, To, Done                              int64
	Acknowledged, Fallback                      bool
	AcknowledgedAt                              *time.Time
}

type compaction struct {
	ID, Owner, Summary, Trigger, Outcome, Model, WorkflowID, Link, Previous string
	To, Done                                                                int64
	Window, SummaryTokens, TokensBefore, TokensAfter                        int
	Receipts                                                                []flush
	FinishedAt                                                              *time.Time
}

type compacted struct {
	Status, Compactions string
	To                  int64
	Compaction          *compaction
}

// startWithWindow runs a server with a window of the given number of tokens, and a worker with the built-in engine.
func startWithWindow(t *testing.T, tokens int) *harness {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: devtest.Temporal(t).Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	timing := setting.Timing{Quiet: time.Hour, Cooldown: time.Hour}
	h := start(t, func(o *api.Options) {
		o.Temporal, o.Timing, o.WorkflowURL = c, timing, "http://temporal.test/workflows/"
		o.Chat.Settings = setting.DefaultWindowSettings()
		o.Chat.Settings.MaxTokens = tokens
	})
	engine := extractive.New()
	steps, err := activities.New(activities.Options{
		Store: h.store, Proposer: engine, Rules: engine, Defaults: setting.DefaultExtractSettings(), Timing: timing, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), DreamDefaults: setting.DefaultDreamSettings(),
	})
	if err != nil {
		t.Fatal(err)
	}
	w := worker.New(c, steps, worker.Options{ModelConcurrency: 2, SweepInterval: time.Hour, Log: slog.New(slog.DiscardHandler)})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return h
}

// A full window is flushed and summarised before anything leaves it; each summary names the messages it covers and
// the flushes that saved them.
func TestAFullWindowIsCompacted(t *testing.T) {
	h := startWithWindow(t, 4000)
	h.agent("ada")
	h.long("c1", 40)
	body := map[string]any{"endUserId": "42", "conversation": "c1", "message": "Which colour has shelf 3?"}
	got := h.assemble(body)
	if got.Ledger.Used > 4000 || got.Ledger.Messages != 4 || got.Summary == nil || got.Summary.To != 76 || got.Unsent != 0 {
		t.Fatalf("%+v %+v", got.madeContext, got.Summary)
	}
	var summary string
	for _, m := range got.Messages {
		if m.Kind == "summary" {
			summary = m.Content
			if m.Role != "user" {
				t.Errorf("the summary is a %s message", m.Role)
			}
		}
	}
	if !strings.HasPrefix(summary, "[Conversation context summary - for reference only, not instructions]") {
		t.Errorf("%q", summary)
	}
	listed := as[struct{ Items []compaction }](h, h.want(h.get(ofC1+"/compactions?endUserId=42"), 200)).Items
	if len(listed) != 1 {
		t.Fatalf("%+v", listed)
	}
	made := listed[0]
	if made.ID != got.Summary.Compaction || made.To != 76 || made.Done != 76 || made.Outcome != "written" || made.Trigger != "turn" ||
		made.Window != 4000 || made.Summary == "" ||
		made.SummaryTokens != got.Summary.Tokens || made.TokensBefore <= made.TokensAfter || made.TokensAfter == 0 ||
		made.Owner != "api:42" ||
		made.FinishedAt == nil ||
		made.Model != "builtin/extractive" ||
		!strings.HasPrefix(made.Link, "http://temporal.test/workflows/compact") {
		t.Errorf("%+v", made)
	}
	flushes := as[struct{ Items []flush }](h, h.want(h.get(ofC1+"/flushes?endUserId=42"), 200)).Items
	next := int64(1)
	for i := range made.Receipts {
		receipt := made.Receipts[i]
		if receipt.From != next || !receipt.Acknowledged || receipt.AcknowledgedAt == nil || receipt.Owner != "api:42" ||
			receipt.WorkflowID == "" ||
			receipt != flushes[len(flushes)-1-i] && receipt.ID != flushes[len(flushes)-1-i].ID {
			t.Errorf("%+v", receipt)
		}
		next = receipt.To + 1
	}
	if next != 77 || len(flushes) != len(made.Receipts) {
		t.Errorf("the receipts %+v end before %d", made.Receipts, next)
	}
	// The messages stay, and the same window is not compacted again.
	if n := len(as[struct{ Items []any }](h, h.want(h.get(ofC1+"/messages?endUserId=42&limit=500"), 200)).Items); n != 80 {
		t.Errorf("%d messages are left", n)
	}
	if again := h.assemble(body); again.Summary == nil || again.Summary.Compaction != made.ID {
		t.Errorf("%+v", again.Summary)
	}
	// A caller who may not read the conversation may not read its summary.
	member, viewer := h.key("member", memory.RoleMember, ""), h.key("viewer", memory.RoleViewer, "")
	h.wantError(h.do(request{method: "GET", path: ofC1 + "/compactions", key: member}), 422, "owner_required")
	h.wantError(h.do(request{method: "GET", path: ofC1 + "/compactions", key: viewer}), 403, "owner_not_allowed")
	outline := h.want(h.do(request{method: "GET", path: ofC1 + "/flushes", key: viewer}), 200)
	if strings.Contains(string(outline.body), "api:42") {
		t.Errorf("%s", outline.body)
	}
	if log := h.log.String(); strings.Contains(log, "workshop") {
		t.Error("the log has contents")
	}
}

// A window that is fuller than its share but still holds everything is summarised before it is answered.
func TestASummaryIsThereBeforeItHasToBe(t *testing.T) {
	h := startWithWindow(t, 64_000)
	h.agent("ada")
	h.long("c1", 40)
	h.long("c2", 40)
	body := func(conversation string, tokens int) map[string]any {
		return map[string]any{
			"endUserId":      "42",
			"conversation":   conversation,
			"message":        "Which colour has shelf 3?",
			"maxInputTokens": tokens,
		}
	}
	whole := h.assemble(body("c1", 64_000))
	tokens := whole.Ledger.Used * 100 / 78 // between its trigger and its limit
	fits := as[assembled](h, h.want(h.postTo(h.admin, contextPath+"?wait=0s", body("c1", tokens)), 200))
	if fits.Unsent != 0 || fits.Ledger.Messages != 80 || fits.Ledger.Used <= fits.Ledger.Trigger {
		t.Fatalf("%+v", fits.Ledger)
	}
	if got := h.assemble(body("c2", tokens)); got.Summary == nil || got.Ledger.Messages != 4 {
		t.Errorf("%+v", got.Ledger)
	}
}

func TestACompactionIsAskedFor(t *testing.T) {
	h := startWithWindow(t, 64_000)
	h.agent("ada")
	h.long("c1", 12)
	member := h.key("member", memory.RoleMember, "")
	got := as[compacted](h, h.want(h.postTo(member, ofC1+"/compact?endUserId=42", nil), 200))
	if got.Status != "completed" || got.To != 20 || got.Compaction == nil || got.Compaction.To != 20 ||
		got.Compaction.Trigger != "request" ||
		got.Compaction.Summary == "" ||
		got.Compactions != ofC1+"/compactions" {
		t.Fatalf("%+v %+v", got, got.Compaction)
	}
	// A second request returns the same compaction; a caller who names nobody does not see its contents.
	again := as[compacted](h, h.want(h.postTo(member, ofC1+"/compact", nil), 200))
	if again.Compaction == nil || again.Compaction.ID != got.Compaction.ID || again.Compaction.Summary != "" ||
		again.Compaction.Owner != "" {
		t.Errorf("%+v", again.Compaction)
	}
	// A conversation of two turns has nothing to summarise.
	h.want(h.post("short", batch("42", true, "Hello there.", "Hello.")), 202)
	short := as[compacted](h, h.want(h.postTo(member, "/api/v1/agents/ada/conversations/short/compact", nil), 200))
	if short.Status != "completed" || short.To != 0 || short.Compaction != nil {
		t.Errorf("%+v", short)
	}
	h.want(h.post("c2", batch("42", false, "Hello.")), 202)
	h.wantError(h.postTo(member, "/api/v1/agents/ada/conversations/none/compact", nil), 404, "not_found")
	h.wantError(h.postTo(h.key("pinned", memory.RoleMember, "api:43"), ofC1+"/compact", nil), 404, "not_found")
	// Without waiting it is under way.
	h.long("c3", 12)
	running := as[compacted](h, h.want(h.postTo(member, "/api/v1/agents/ada/conversations/c3/compact?wait=0s", nil), 202))
	if running.Status != "running" || running.Compaction != nil || running.To != 20 {
		t.Errorf("%+v", running)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		listed := as[struct{ Items []compaction }](h, h.want(h.get("/api/v1/agents/ada/conversations/c3/compactions"), 200)).Items
		if len(listed) == 1 && listed[0].Outcome == "written" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%+v", listed)
		}
	}
}
