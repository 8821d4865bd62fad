//go:build record

package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"reverie/memory"
	"reverie/snapshot"
	"reverie/test/deployment"
	"reverie/workflows"
)

// TestRecordSnapshot records histories of imports of snapshots: one that writes, one without changes, one of an owner
// bound to a preview, one that is refused, one that is cancelled, and one that waits for a worker.
func TestRecordSnapshot(t *testing.T) {
	if *release == "" {
		t.Fatal("name the release: -args -release v5")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s := deployment.StartSystem(ctx, t, deployment.Options{})
	c, err := client.Dial(client.Options{HostPort: s.Temporal.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	send := func(path, content string, want int) []byte {
		t.Helper()
		archive, err := snapshot.Write(snapshot.Origin{AgentID: "eve", AgentName: "Eve"}, []snapshot.File{
			{Ref: memory.Ref{Scope: memory.ScopeTeam, Path: "KNOWLEDGE.md"}, Content: content},
			{Ref: memory.Ref{Scope: memory.ScopePersonal, Path: "memory/2026-11-01.md"}, Content: content},
		})
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost,
			s.API.URL+"/api/v1/agents/"+deployment.Agent+"/workspace/memory/import"+path, bytes.NewReader(archive))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+s.API.Key)
		request.Header.Set("Content-Type", "application/zip")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != want {
			t.Fatalf("%s: %d, want %d: %s (%v)", path, answer.StatusCode, want, body, err)
		}
		return body
	}
	send("?scope=team", "# A synthetic document\n", 200)
	send("?scope=team", "# A synthetic document\n", 200) // nothing is new
	preview := func(query, content string) string {
		t.Helper()
		var seen struct{ Data struct{ Token string } }
		if err := json.Unmarshal(send("/preview?"+query, content, 200), &seen); err != nil || seen.Data.Token == "" {
			t.Fatalf("no token: %v", err)
		}
		return seen.Data.Token
	}
	send("?endUserId=case-owner&token="+preview("endUserId=case-owner", "# Another synthetic document\n"),
		"# Another synthetic document\n", 200)

	// Requested while there is no worker: one is bound to a document that then changes, one is cancelled.
	token := preview("scope=team", "# A late synthetic document\n")
	s.Kill("worker")
	bound := workflowOf(t, send("?scope=team&wait=0s&token="+token, "# A late synthetic document\n", 202))
	cancelled := workflowOf(t, send("?scope=team&wait=0s", "# A cancelled synthetic document\n", 202))
	late := workflowOf(t, send("?endUserId=case-late&wait=0s", "# A synthetic document\n", 202))
	if err := c.CancelWorkflow(ctx, cancelled, ""); err != nil {
		t.Fatal(err)
	}
	edit, err := http.NewRequestWithContext(ctx, http.MethodPut, s.API.URL+"/api/v1/agents/"+deployment.Agent+"/workspace/files/KNOWLEDGE.md",
		strings.NewReader(`{"content":"# Edited by a synthetic person\n"}`))
	if err != nil {
		t.Fatal(err)
	}
	edit.Header = http.Header{"Authorization": {"Bearer " + s.API.Key}, "Content-Type": {"application/json"}, "If-Match": {"*"}}
	edited, err := http.DefaultClient.Do(edit)
	if err != nil || edited.StatusCode != http.StatusOK {
		t.Fatalf("%+v (%v)", edited, err)
	}
	edited.Body.Close()
	s.Run(t, "worker")
	for _, id := range []string{bound, cancelled, late} {
		err := c.GetWorkflow(ctx, id, "").Get(ctx, nil)
		if id == cancelled != temporal.IsCanceledError(err) || id != cancelled && err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	const all = 6
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) { // until they are listed among those that have ended
		listed, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Query: `WorkflowType = "` + workflows.ImportSnapshotName + `" and ExecutionStatus != "Running"`,
		})
		if err != nil {
			t.Fatal(err)
		}
		if listed.GetCount() == all {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d have ended, want %d", listed.GetCount(), all)
		}
	}
	export(ctx, t, s.Temporal.Address, workflows.ImportSnapshotName)
}

func workflowOf(t *testing.T, answer []byte) string {
	t.Helper()
	var started struct {
		Data struct{ Import struct{ WorkflowID string } }
	}
	if err := json.Unmarshal(answer, &started); err != nil || started.Data.Import.WorkflowID == "" {
		t.Fatalf("no workflow in %s (%v)", answer, err)
	}
	return started.Data.Import.WorkflowID
}
