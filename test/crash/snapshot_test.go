package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/snapshot"
	"reverie/test/deployment"
)

// snapshotFiles is the maximum number of documents in an archive, in addition to its manifest.
const snapshotFiles = snapshot.MaxEntries - 1

// largestSnapshot returns an archive with the maximum number of documents, with varied names and contents.
func largestSnapshot(t *testing.T) []byte {
	t.Helper()
	contents := []string{"- a line\n", "", "# Titel\r\n\r\n- eins\r\n", "trailing  \n\t\n", "- 一行\n", "no end"}
	files := []snapshot.File{}
	for _, seed := range memory.Seeds() { // an agent has them, and an import removes nothing
		files = append(files, snapshot.File{
			Ref: memory.Ref{Scope: memory.ScopeTeam, Path: seed.Path}, Content: "# Mine\n",
			Prompt: &snapshot.Prompt{Enabled: true, SortOrder: seed.SortOrder}, // places stay the target's
		})
	}
	for n := len(files); n < snapshotFiles; n++ {
		files = append(files, snapshot.File{
			Ref: memory.Ref{Scope: memory.ScopeTeam, Path: fmt.Sprintf("memory/notes-%d-日记.md", n)}, Content: contents[n%len(contents)],
			Prompt: &snapshot.Prompt{},
		})
	}
	archive, err := snapshot.Write(snapshot.Origin{
		AgentID: "eve", AgentName: "Eve 夏娃",
		ExportedAt: time.Date(2026, 11, 1, 8, 0, 0, 123000, time.UTC),
	}, files)
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// snapshotCall sends an archive, or nothing, and returns the response.
func snapshotCall(ctx context.Context, t *testing.T, s *deployment.System, method, path string, archive []byte) (int, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, s.API.URL+path, bytes.NewReader(archive))
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
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body
}

// imported returns the traces of an import in the database: its documents, their versions, and whether it has ended.
type imported struct {
	Documents, Versions int
	Outcome             string
	Archives            int
}

func lookAtImport(ctx context.Context, t *testing.T, s *deployment.System) imported {
	t.Helper()
	found, err := deployment.Query(ctx, s, pgx.RowToStructByPos[imported], `
select count(distinct document_id), count(*), coalesce((select max(outcome) from snapshot_imports where agent_id = 'ada'), ''),
    (select count(*) from snapshot_archives)
from document_versions
where agent_id = 'ada' and author_kind = 'import'`)
	if err != nil {
		t.Fatal(err)
	}
	got := found[0]
	if got.Documents != 0 && got.Documents != snapshotFiles || got.Documents != got.Versions {
		t.Fatalf("%d of %d documents in %d versions", got.Documents, snapshotFiles, got.Versions)
	}
	if (got.Outcome == "written") != (got.Documents > 0) {
		t.Fatalf("outcome %s with %d documents", got.Outcome, got.Documents)
	}
	return got
}

// A worker that is killed while it writes 499 documents leaves all or none of them, and the next one finishes.
// Exporting gives the same bytes, from this agent and from another one that imports the export.
func TestAnImportOfASnapshotIsKilled(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := deployment.StartSystem(ctx, t, deployment.Options{})
	archive := largestSnapshot(t)
	const workspace = "/api/v1/agents/ada/workspace/memory/"

	holds := []string{
		"select from documents where agent_id = 'ada' and path = 'SOUL.md' for update", // the worker locks the documents
		"lock table journal in exclusive mode",                                         // the worker has written them
	}
	var status int
	var answer []byte
	for n, hold := range holds {
		release := heldBy(ctx, t, s, hold)
		if n == 0 {
			if status, answer = snapshotCall(ctx, t, s, http.MethodPost, workspace+"import?wait=0s", archive); status != http.StatusAccepted {
				t.Fatalf("status %d: %s", status, answer)
			}
		} else {
			s.Ensure(t)
		}
		waitBlocked(ctx, t, s)
		if got := lookAtImport(ctx, t, s); got.Documents != 0 || got.Archives != 1 {
			t.Fatalf("while the worker writes: %+v", got)
		}
		s.Kill("worker")
		release()
		lookAtImport(ctx, t, s)
	}
	s.Ensure(t)
	deadline := time.Now().Add(2 * time.Minute)
	got := lookAtImport(ctx, t, s)
	for got.Outcome != "written" && time.Now().Before(deadline) {
		time.Sleep(200 * time.Millisecond)
		got = lookAtImport(ctx, t, s)
	}
	if got.Documents != snapshotFiles || got.Archives != 0 {
		t.Fatalf("after the last kill: %+v", got)
	}

	_, exported := snapshotCall(ctx, t, s, http.MethodGet, workspace+"export", nil)
	if !bytes.Equal(archive, exported) {
		t.Errorf("%d bytes were imported, %d others are exported", len(archive), len(exported))
	}
	if err := s.API.Call(ctx, http.MethodPost, "/api/v1/agents", map[string]string{"id": "bob", "name": "Bob", "timeZone": "UTC"},
		nil); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if status, answer = snapshotCall(ctx, t, s, http.MethodPost, "/api/v1/agents/bob/workspace/memory/import",
		exported); status != http.StatusOK {
		t.Fatalf("status %d: %s", status, answer)
	}
	t.Logf("%d documents are imported in %s", snapshotFiles, time.Since(start))
	if _, again := snapshotCall(ctx, t, s, http.MethodGet, "/api/v1/agents/bob/workspace/memory/export", nil); !bytes.Equal(archive, again) {
		t.Errorf("%d bytes went from agent to agent, and became %d others", len(archive), len(again))
	}

	// The same archive again changes nothing.
	status, answer = snapshotCall(ctx, t, s, http.MethodPost, workspace+"import", archive)
	var done struct {
		Data struct{ Import struct{ Outcome string } }
	}
	if err := json.Unmarshal(answer, &done); err != nil || status != http.StatusOK || done.Data.Import.Outcome != "nothing" {
		t.Errorf("again: %d %s %v", status, done.Data.Import.Outcome, err)
	}
}

// heldBy takes a lock that a worker will wait for, until it is released.
func heldBy(ctx context.Context, t *testing.T, s *deployment.System, sql string) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(ctx, s.Database())
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"begin", sql} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		if _, err := conn.Exec(ctx, "rollback"); err != nil {
			t.Error(err)
		}
		_ = conn.Close(ctx)
	}
}

// waitBlocked waits until the import waits for a lock.
func waitBlocked(ctx context.Context, t *testing.T, s *deployment.System) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		waiting, err := deployment.Query(ctx, s, pgx.RowTo[int64],
			`select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
		if err != nil {
			t.Fatal(err)
		}
		if waiting[0] > 0 {
			return
		}
	}
	t.Fatal("the worker does not get to the documents")
}
