//go:build record

package replay

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"reverie/test/deployment"
	"reverie/workflows"
)

// TestRecordWebhook records histories of deliveries: to an endpoint that accepts, one that fails in passing while the worker is
// killed, one that fails for long and gets a ping, one that is gone, and one that is deleted while it waits.
func TestRecordWebhook(t *testing.T) {
	if *release == "" {
		t.Fatal("name the release: -args -release v2")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	s := deployment.StartSystem(ctx, t, deployment.Options{Env: []string{
		"REVERIE_WEBHOOK_NETWORKS=127.0.0.1/32", "REVERIE_WEBHOOK_RETRIES=300ms,600ms", "REVERIE_WEBHOOK_PAUSE_AFTER=2s",
	}})
	call := func(method, path string, body, out any) {
		t.Helper()
		if err := s.API.Insist(ctx, method, "/api/v1/agents/"+deployment.Agent+path, body, out); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	type hook struct {
		ID, State string
		Delivered int
	}
	hooks := map[string]hook{}
	for name, answer := range map[string]func(n int32) int{
		"steady": func(int32) int { return 204 },
		"flaky":  func(n int32) int { return []int{503, 204}[n%2] },
		"long":   func(int32) int { return 500 },
		"gone":   func(int32) int { return 410 },
	} {
		var n atomic.Int32
		endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(answer(n.Add(1))) }))
		defer endpoint.Close()
		var made hook
		call(http.MethodPost, "/webhooks", map[string]any{"url": endpoint.URL, "kinds": []string{"document.written"}}, &made)
		hooks[name] = made
	}
	for i := range 6 {
		call(http.MethodPut, fmt.Sprintf("/workspace/files/case-%d.md", i), map[string]any{"content": "A synthetic document."}, nil)
		if i == 3 {
			s.Kill("worker")
			s.Run(t, "worker")
		}
	}
	for _, until := range []struct {
		name string
		done func(hook) bool
	}{
		{"steady", func(h hook) bool { return h.Delivered == 6 }},
		{"flaky", func(h hook) bool { return h.Delivered == 6 }},
		{"gone", func(h hook) bool { return h.State == "paused" }},
		{"long", func(h hook) bool { return h.State == "paused" }},
	} {
		for h := (hook{}); !until.done(h); time.Sleep(200 * time.Millisecond) {
			if ctx.Err() != nil {
				t.Fatalf("%s: %+v", until.name, h)
			}
			call(http.MethodGet, "/webhooks/"+hooks[until.name].ID, nil, &h)
		}
	}
	call(http.MethodPost, "/webhooks/"+hooks["long"].ID+"/ping", nil, nil)
	call(http.MethodPatch, "/webhooks/"+hooks["long"].ID, map[string]any{"state": "active"}, nil)
	call(http.MethodPost, "/webhooks/"+hooks["long"].ID+"/redeliver", map[string]any{}, nil)
	call(http.MethodDelete, "/webhooks/"+hooks["long"].ID, nil, nil)
	time.Sleep(14 * time.Second) // those that linger end, and are listed
	export(ctx, t, s.Temporal.Address, workflows.DeliverEventsName)
}
