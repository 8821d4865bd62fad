package worker

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/imports"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/transfer"
	"reverie/workflows"
)

// TestImportsThatNobodyStarted: an import that was marked as running while Temporal was away is started by the sweep, once.
func TestImportsThatNobodyStarted(t *testing.T) {
	w := newWorld(t)
	w.agent("acme", "ada", "UTC", setting.AgentSettings{})
	ctx, id := t.Context(), memory.Identity{Workspace: "acme", Agent: "ada", Role: memory.RoleAdmin}
	made, err := w.store.CreateImport(ctx, id, transfer.NewImport{Source: "s", Format: "markdown", OnConflict: memory.ImportMerge})
	if err != nil {
		t.Fatal(err)
	}
	note := imports.Document{Path: "memory/left.md", Scope: memory.ScopeTeam, Content: "It was left.\n"}
	payload, err := json.Marshal(imports.Item{Key: "left", Document: &note})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.StageImport(ctx, id, made.ID, []transfer.ImportItem{{Key: "left", Target: note.Path, Payload: payload}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.StartImport(ctx, id, made.ID); err != nil {
		t.Fatal(err)
	}
	steps, err := activities.New(activities.Options{
		Store: w.store, Defaults: setting.DefaultExtractSettings(), Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Now().Add(time.Hour) }, // the request has had its time
	})
	if err != nil {
		t.Fatal(err)
	}
	nowhere, err := client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer nowhere.Close()
	away, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if _, err := (&sweeps{store: steps.Store, now: steps.Now, client: nowhere}).imports(away); err == nil {
		t.Error("a sweep without Temporal says nothing")
	}
	ours := New(w.client, steps, Options{ModelConcurrency: 1, SweepInterval: time.Hour, Log: slog.New(slog.DiscardHandler)})
	if err := ours.Start(); err != nil { // it sweeps at once
		t.Fatal(err)
	}
	defer ours.Stop()
	for deadline := time.Now().Add(time.Minute); made.State != transfer.ImportDone; time.Sleep(20 * time.Millisecond) {
		if made, err = w.store.ImportOf(ctx, id, made.ID); err != nil || time.Now().After(deadline) {
			t.Fatalf("%+v, %v", made, err)
		}
	}
	if made.Outcomes[memory.OutcomeWritten] != 1 || made.Items != 1 {
		t.Errorf("%+v", made)
	}
	d, err := w.store.Document(ctx, id, memory.Ref{Scope: memory.ScopeTeam, Path: note.Path})
	if err != nil || d.Content != note.Content || d.Version != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	name := workflows.ImportID("acme", "ada", made.ID)
	if err := w.client.GetWorkflow(ctx, name, "").Get(ctx, nil); err != nil {
		t.Error(err)
	}
	run := func() string {
		described, err := w.client.DescribeWorkflowExecution(ctx, name, "")
		if err != nil {
			t.Fatal(err)
		}
		return described.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	}
	first := run()
	if _, err := ours.sweeps.imports(ctx); err != nil {
		t.Error(err)
	}
	if again := run(); again != first {
		t.Errorf("what is done was started again, as %s", again)
	}
}
