package api_test

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/worker"
)

// until waits for a condition.
func (h *harness) until(what string, holds func() bool) {
	h.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	h.t.Fatal("in vain waited until " + what)
}

// A cancelled import keeps the items already done and reports the rest as left out. Started again, it imports all of it,
// with one call of the engine for each conversation.
func TestAnImportIsCancelled(t *testing.T) {
	engine := &scripted{raw: proposal(t, "Lives in Bern.")}
	h := startWithTemporal(t, engine, true)
	h.agent("ada")
	begin := time.Date(2024, 3, 1, 8, 0, 0, 0, time.UTC)
	items := []map[string]any{
		note("a-note", "memory/2023-01-01.md", "PERSONAL", "# 2023-01-01\n\n- Rain.\n"),
		talkOn("first", begin, 4), talkOn("second", begin.AddDate(0, 0, 1), 4), talkOn("third", begin.AddDate(0, 0, 2), 4),
	}
	made := as[imported](
		h,
		h.want(
			h.do(
				request{
					method: "POST",
					path:   importsOf,
					key:    h.admin,
					body:   map[string]any{"owner": "user:7", "source": "s", "format": "chatgpt"},
				},
			),
			200,
		),
	)
	path := importsOf + "/" + made.ID
	start := func() {
		h.t.Helper()
		h.want(h.do(request{method: "POST", path: path + "/items", key: h.admin, body: map[string]any{"items": items}}), 200)
		h.want(h.do(request{method: "POST", path: path + "/start", key: h.admin}), 202)
	}
	release := engine.hold()
	start()
	h.until("the first conversation is extracted", func() bool { return engine.asked() == 1 })
	h.want(h.do(request{method: "POST", path: path + "/cancel", key: h.admin}), 202)
	var now imported
	h.until("nothing waits", func() bool {
		now = as[imported](h, h.want(h.do(request{method: "GET", path: path, key: h.admin}), 200))
		return now.Waiting == 0
	})
	if now.State != "cancelled" || now.Outcomes["written"] != 1 || now.Outcomes["skipped"] != 3 {
		t.Errorf("%+v", now)
	}
	for _, item := range h.importedItems(h.admin, made.ID, "") {
		if want := map[bool]string{true: "written ", false: "skipped cancelled"}[item.Key == "a-note"]; item.Outcome+" "+item.ReasonCode != want {
			t.Errorf("%+v, want %s", item, want)
		}
	}
	h.importCloses(t, now.WorkflowID)
	release()
	start()
	again := h.ended(h.admin, made.ID)
	if again.State != "done" || again.Items != 4 || again.Outcomes["written"]+again.Outcomes["nothing"] != 4 || engine.asked() != 3 {
		t.Errorf("%+v, the engine was asked %d times", again, engine.asked())
	}
	if lines := h.left("ada"); len(lines) == 0 {
		t.Error("nothing is left")
	}
	// A finished import cannot be cancelled.
	done := as[imported](h, h.want(h.do(request{method: "POST", path: path + "/cancel", key: h.admin}), 202))
	if done.State != "done" || done.Settled != 4 {
		t.Errorf("%+v", done)
	}
}

// importCloses waits until the workflow of an import has ended.
func (h *harness) importCloses(t *testing.T, id string) {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: devtest.Temporal(t).Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.GetWorkflow(t.Context(), id, "").Get(t.Context(), nil) // it ends as cancelled
}

// An import waits while the budget is spent, and continues when it is raised: one call for each conversation.
func TestAnImportWaitsForTheBudget(t *testing.T) {
	engine := &scripted{raw: proposal(t, "Lives in Bern.")}
	h := startWithTemporal(t, engine, false)
	h.agent("ada")
	// A day that is over: what is waited for has come, so that the budget is looked at every second.
	day := time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	then, err := store.Open(t.Context(), h.database, store.Options{MaxConns: 1, Now: func() time.Time { return day }})
	if err != nil {
		t.Fatal(err)
	}
	defer then.Close()
	id := memory.Identity{Workspace: workspace, Agent: "ada", Role: memory.RoleMember, AnyOwner: true}
	if err := then.AddUsage(t.Context(), id, "test", memory.Usage{Calls: 1, InputTokens: 100}); err != nil {
		t.Fatal(err)
	}
	c, err := client.Dial(client.Options{HostPort: devtest.Temporal(t).Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	work := func(tokens int64) (stop func()) {
		settings := setting.DefaultExtractSettings()
		settings.MinMessages, settings.MinUserChars = 2, 1
		steps, err := activities.New(activities.Options{
			Store: h.store, Proposer: engine, Paid: true, Budget: memory.Budget{Tokens: tokens}, Defaults: settings,
			Timing: setting.Timing{
				Quiet:    time.Hour,
				Cooldown: time.Hour,
			}, Now: func() time.Time { return day }, Log: slog.New(slog.DiscardHandler),
			DreamDefaults: setting.DefaultDreamSettings(),
		})
		if err != nil {
			t.Fatal(err)
		}
		w := worker.New(c, steps, worker.Options{ModelConcurrency: 2, SweepInterval: time.Hour, Log: slog.New(slog.DiscardHandler)})
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		return sync.OnceFunc(w.Stop)
	}
	stop := work(100)
	defer func() { stop() }()
	begin := time.Date(2024, 3, 1, 8, 0, 0, 0, time.UTC)
	made := as[imported](
		h,
		h.want(h.do(request{method: "POST", path: importsOf, key: h.admin, body: map[string]any{"source": "s", "format": "chatgpt"}}), 200),
	)
	path := importsOf + "/" + made.ID
	talk := func(key, owner string, day int) map[string]any {
		item := talkOn(key, begin.AddDate(0, 0, day), 4)
		item["conversation"].(map[string]any)["owner"] = owner
		return item
	}
	items := []map[string]any{
		note(
			"note",
			"memory/2023-01-01.md",
			"TEAM",
			"# 2023-01-01\n\n- Rain.\n",
		), talk("a", "user:1", 0), talk("b", "user:1", 1), talk("c", "user:2", 0), talk("d", "user:2", 1),
	}
	h.want(h.do(request{method: "POST", path: path + "/items", key: h.admin, body: map[string]any{"items": items}}), 200)
	h.want(h.do(request{method: "POST", path: path + "/start", key: h.admin}), 202)
	waiting := func() (n int) {
		for _, line := range h.left("ada") {
			if line == "extraction chatgpt:a 1 4 waiting" || line == "extraction chatgpt:c 1 4 waiting" {
				n++
			}
		}
		return n
	}
	h.until("both owners wait", func() bool { return waiting() == 2 })
	now := as[imported](h, h.want(h.do(request{method: "GET", path: path, key: h.admin}), 200))
	if now.State != "running" || now.Settled != 1 || now.Waiting != 4 || engine.asked() != 0 {
		t.Errorf("%+v, the engine was asked %d times", now, engine.asked())
	}
	stop()
	stop = work(1000)
	done := h.ended(h.admin, made.ID)
	if done.State != "done" || done.Outcomes["written"]+done.Outcomes["nothing"] != 5 || engine.asked() != 4 {
		t.Errorf("%+v, the engine was asked %d times", done, engine.asked())
	}
	extractions := map[string]int{}
	for _, line := range h.left("ada") {
		if len(line) > 10 && line[:10] == "extraction" {
			extractions[line[:len("extraction chatgpt:a 1 4")]]++
		}
	}
	if len(extractions) != 4 {
		t.Errorf("%v", extractions)
	}
	for line, n := range extractions {
		if n != 1 {
			t.Errorf("%d × %s", n, line)
		}
	}
}
