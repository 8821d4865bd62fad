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

// TestRecordRevoke records histories of revocations: of what was dreamed, of nothing that was learned, and one whose worker is killed.
func TestRecordRevoke(t *testing.T) {
	if *release == "" {
		t.Fatal("name the release: -args -release v2")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s := deployment.StartSystem(ctx, t, deployment.Options{})
	call := func(method, path string, body, out any) {
		t.Helper()
		if err := s.API.Insist(ctx, method, "/api/v1/agents"+path, body, out); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	call(http.MethodPost, "", map[string]any{"id": "moss", "settings": map[string]any{"writeTargets": []string{"memory/**"}}}, nil)
	for owner := range 2 {
		call(http.MethodPost, "/moss/conversations/"+fmt.Sprint("talk-", owner)+"/messages", deployment.Batch{
			EndUserID: fmt.Sprint(owner), TriggerSource: "api", TurnComplete: true,
			Messages: []deployment.Message{{ID: "1", Role: "user", Content: "A synthetic message."}},
		}, nil)
		for day := 1; day <= 3; day++ {
			path := "memory/" + time.Now().UTC().AddDate(0, 0, -day).Format(time.DateOnly) + ".md"
			call(http.MethodPost, "/moss/writes?wait=60s", map[string]any{
				"requestId": fmt.Sprintf("crm%d-%d", owner, day), "owner": fmt.Sprint("api:", owner), "target": path, "strategy": "append",
				"content": "- The customer collects stamps from Peru.\n- The customer plays the cello at home.\n",
			}, nil)
		}
		call(http.MethodPost, "/moss/dreams?wait=60s&endUserId="+fmt.Sprint(owner), nil, nil)
	}
	for _, c := range []struct {
		kind, source string
		killed       bool
	}{
		{"conversation", "talk-0", false}, {"connector", "crm0-*", false}, {"connector", "crm1-1", false}, {"connector", "crm1-*", true},
	} {
		if c.killed {
			s.Kill("worker")
		}
		var r struct{ ID, State string }
		call(http.MethodPost, "/moss/revocations", map[string]any{"kind": c.kind, "source": c.source, "dryRun": false}, &r)
		if c.killed {
			time.Sleep(3 * time.Second)
			s.Run(t, "worker")
		}
		for r.State != "done" {
			time.Sleep(200 * time.Millisecond)
			call(http.MethodGet, "/moss/revocations/"+r.ID, nil, &r)
		}
	}
	time.Sleep(10 * time.Second) // what rested on them is dreamed again, and the last one is listed among those that have ended
	export(ctx, t, s.Temporal.Address, workflows.RevokeName)
}
