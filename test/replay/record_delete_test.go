//go:build record

package replay

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"reverie/test/deployment"
	"reverie/workflows"
)

// TestRecordDelete records histories of deletions: of each kind of target, a cancelled one, and one whose worker is killed.
func TestRecordDelete(t *testing.T) {
	if *release == "" {
		t.Fatal("name the release: -args -release v2")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s := deployment.StartSystem(ctx, t, deployment.Options{Env: []string{"REVERIE_DELETION_GRACE=2s"}})
	call := func(method, path string, body, out any) {
		t.Helper()
		if err := s.API.Insist(ctx, method, "/api/v1/agents/"+deployment.Agent+path, body, out); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	for owner := range 3 {
		for _, conversation := range []string{"first", "second"} {
			call(http.MethodPost, "/conversations/"+conversation+"/messages", deployment.Batch{
				EndUserID: fmt.Sprint(owner), TriggerSource: "api", TurnComplete: true,
				Messages: []deployment.Message{{ID: "1", Role: "user", Content: "A synthetic message."}},
			}, nil)
		}
	}
	for _, c := range []struct {
		target         map[string]any
		cancel, killed bool
	}{
		{target: map[string]any{"target": "conversation", "endUserId": "0", "conversation": "first"}},
		{target: map[string]any{"target": "conversation", "endUserId": "0", "conversation": "second", "keepLearned": true, "now": true}},
		{target: map[string]any{"target": "owner", "endUserId": "1"}, cancel: true},
		{target: map[string]any{"target": "owner", "endUserId": "1"}, killed: true},
		{target: map[string]any{"target": "agent"}},
	} {
		var d struct{ ID, State string }
		call(http.MethodPost, "/deletions", c.target, &d)
		path := "/deletions/" + d.ID
		if c.cancel {
			call(http.MethodDelete, path, nil, &d)
			if d.State != "cancelled" {
				t.Errorf("%+v", d)
			}
			continue
		}
		if c.killed {
			s.Kill("worker")
			time.Sleep(3 * time.Second)
			s.Run(t, "worker")
		}
		for d.State != "done" {
			time.Sleep(200 * time.Millisecond)
			if ctx.Err() != nil {
				t.Fatalf("%v: %+v", c.target, d)
			}
			call(http.MethodGet, path, nil, &d)
		}
	}
	time.Sleep(2 * time.Second) // the last one is listed among those that have ended
	export(ctx, t, s.Temporal.Address, workflows.DeleteName)
}
