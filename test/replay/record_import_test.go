//go:build record

package replay

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/llm/llmtest"
	"reverie/test/deployment"
	"reverie/workflows"
)

// TestRecordImport records histories of imports with each outcome.
func TestRecordImport(t *testing.T) {
	if *release == "" {
		t.Fatal("name the release: -args -release v5")
	}
	ctx := context.Background()
	key := llmtest.KeyPattern(`case-[a-z-]+`)
	r := &importRecording{System: deployment.StartSystem(ctx, t, deployment.Options{Model: &llmtest.Options{
		Key: key,
		Answer: func(string) string {
			return `{"should_update":true,"reason":"synthetic","daily_entry":"## 10:00 Synthetic\n\n- A synthetic entry."}`
		},
		Script: func(q llmtest.Request) llmtest.Reply {
			script := map[string]llmtest.Script{
				"case-busy":      llmtest.Sequence(llmtest.Status(429, time.Second), llmtest.Status(500)),
				"case-failed":    llmtest.Sequence(llmtest.Unauthorized()),
				"case-cancelled": llmtest.Always(llmtest.Status(429, time.Minute)),
				"case-killed":    llmtest.Always(llmtest.Slow(2 * time.Second)),
			}[q.Key]
			if script == nil {
				return llmtest.Honest()
			}
			return script(q)
		},
	}})}
	c, err := client.Dial(client.Options{HostPort: r.Temporal.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	for name, messages := range map[string]int{"case-plain": 4, "case-busy": 4, "case-failed": 4, "case-few": 1} {
		r.ended(ctx, t, r.move(ctx, t, name, r.talk(name, messages)))
	}
	var many []map[string]any
	for n := range 450 { // three pages
		many = append(many, r.note(n))
	}
	pages := r.move(ctx, t, "case-pages", many...)
	r.ended(ctx, t, pages)
	var more []map[string]any
	for n := range 3 { // it goes on with what is new
		more = append(more, r.note(1000+n))
	}
	r.upload(ctx, t, pages, more...)
	r.ended(ctx, t, pages)

	cancelled := r.move(ctx, t, "case-cancelled", r.note(1), r.talk("case-cancelled", 4))
	time.Sleep(3 * time.Second)
	r.call(ctx, t, "/imports/"+cancelled+"/cancel", nil, nil)
	r.ended(ctx, t, cancelled)

	killed := r.move(ctx, t, "case-killed", r.talk("case-killed", 4))
	time.Sleep(time.Second)
	r.Kill("worker") // the step starts over
	r.Run(t, "worker")
	r.ended(ctx, t, killed)
	export(ctx, t, r.Temporal.Address, workflows.ImportName)
}

// importRecording is a deployment to import into.
type importRecording struct{ *deployment.System }

func (r *importRecording) call(ctx context.Context, t *testing.T, path string, body, out any) {
	t.Helper()
	if err := r.API.Call(ctx, http.MethodPost, "/api/v1/agents/"+deployment.Agent+path, body, out); err != nil {
		t.Errorf("%s: %v; logs are in %s", path, err, r.Logs())
	}
}

// talk returns an item with a conversation.
func (*importRecording) talk(name string, messages int) map[string]any {
	var said []map[string]any
	for m := range messages {
		said = append(said, map[string]any{
			"id": fmt.Sprint(m), "role": []string{"user", "assistant"}[m%2], "content": "A synthetic message of " + name + ".",
			"createdAt": time.Date(2024, 2, 1, 10, m, 0, 0, time.UTC),
		})
	}
	return map[string]any{"key": "talk", "conversation": map[string]any{"id": "zep:" + name, "messages": said}}
}

// note returns an item with a document.
func (*importRecording) note(n int) map[string]any {
	return map[string]any{"key": fmt.Sprint("note-", n), "document": map[string]any{
		"path": fmt.Sprintf("memory/case-%d.md", n), "scope": "PERSONAL", "content": fmt.Sprintf("- A synthetic entry %d.\n", n),
	}}
}

// move creates an import of an owner with some items and starts it.
func (r *importRecording) move(ctx context.Context, t *testing.T, owner string, items ...map[string]any) string {
	t.Helper()
	var made struct{ ID string }
	r.call(ctx, t, "/imports", map[string]any{"owner": "user:" + owner, "source": owner, "format": "zep"}, &made)
	r.upload(ctx, t, made.ID, items...)
	return made.ID
}

func (r *importRecording) upload(ctx context.Context, t *testing.T, id string, items ...map[string]any) {
	t.Helper()
	r.call(ctx, t, "/imports/"+id+"/items", map[string]any{"items": items}, nil)
	r.call(ctx, t, "/imports/"+id+"/start", nil, nil)
}

// ended waits for the end of an import.
func (r *importRecording) ended(ctx context.Context, t *testing.T, id string) {
	t.Helper()
	var now struct {
		State    string
		Outcomes map[string]int
	}
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if err := r.API.Insist(ctx, http.MethodGet, "/api/v1/agents/"+deployment.Agent+"/imports/"+id, nil, &now); err != nil {
			t.Fatal(err)
		}
		if now.State == "done" || now.State == "cancelled" {
			t.Logf("%+v", now)
			return
		}
	}
	t.Fatalf("an import has not ended: %+v; logs are in %s", now, r.Logs())
}
