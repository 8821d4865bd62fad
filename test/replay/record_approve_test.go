//go:build record

package replay

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/test/deployment"
	"reverie/workflows"
)

// TestRecordApprove records histories of changes that wait for a person: decided at once, line by line, after a reminder, never, and while
// the worker is killed.
func TestRecordApprove(t *testing.T) {
	if *release == "" {
		t.Fatal("name the release: -args -release v2")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s := deployment.StartSystem(ctx, t, deployment.Options{Env: []string{"REVERIE_APPROVALS=all"}})
	call := func(method, path string, body, out any) {
		t.Helper()
		if err := s.API.Insist(ctx, method, "/api/v1/agents/"+deployment.Agent+path, body, out); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	type change struct {
		ID    string
		Lines []struct{ Line int }
	}
	alter := func(sql, id string) {
		t.Helper()
		if _, err := deployment.Query(ctx, s, pgx.RowTo[string], sql, id); err != nil {
			t.Fatal(err)
		}
	}
	decide := func(x change, body map[string]any) { call(http.MethodPost, "/approvals/"+x.ID+"/decisions", body, nil) }
	for i, then := range []func(change){
		func(x change) { decide(x, map[string]any{"others": "approve"}) },
		func(x change) {
			decide(x, map[string]any{"decisions": []map[string]any{{"line": x.Lines[0].Line, "decision": "refuse"}}})
			time.Sleep(2 * time.Second)
			decide(x, map[string]any{"others": "approve"})
		},
		func(x change) {
			s.Kill("worker") // before its workflow has looked
			alter("update approvals set created_at = created_at - interval '1 day' + interval '4 s' where approval_id::text = $1 returning path", x.ID)
			time.Sleep(2 * time.Second)
			s.Run(t, "worker")
			time.Sleep(6 * time.Second)
			decide(x, map[string]any{"others": "refuse"})
		},
		func(x change) {
			alter("update approvals set expires_at = now() + interval '1 s', expiry = 'apply' where approval_id::text = $1 returning path", x.ID)
		},
		func(x change) {
			alter("update approvals set expires_at = now() + interval '1 s' where approval_id::text = $1 returning path", x.ID)
			s.Kill("worker")
			time.Sleep(3 * time.Second)
			s.Run(t, "worker")
		},
	} {
		call(http.MethodPost, "/tools/write_workspace_memory_file?owner=api:42", map[string]any{
			"filename": fmt.Sprintf("notes/%d.md", i), "content": "- A synthetic entry.\n- Another synthetic entry.\n",
		}, nil)
		var page struct{ Items []change }
		call(http.MethodGet, "/approvals?endUserId=42", nil, &page)
		if len(page.Items) == 0 {
			t.Fatal("nothing waits")
		}
		if i < 2 {
			time.Sleep(3 * time.Second) // its workflow waits
		}
		then(page.Items[0])
		for waits := true; waits; time.Sleep(200 * time.Millisecond) {
			if ctx.Err() != nil {
				t.Fatal("it still waits")
			}
			call(http.MethodGet, "/approvals?endUserId=42", nil, &page)
			waits = len(page.Items) > 0
		}
	}
	time.Sleep(3 * time.Second) // the last one is listed among those that have ended
	export(ctx, t, s.Temporal.Address, workflows.ApproveName)
}
