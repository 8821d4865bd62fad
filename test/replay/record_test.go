//go:build record

package replay

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"reverie/llm/llmtest"
	"reverie/test/deployment"
	"reverie/workflows"
)

// machine matches data about the recording machine.
var machine = regexp.MustCompile(`"(identity|name)": "[^"]*[@:][^"]*"`)

var release = flag.String("release", "", "release whose histories are recorded, such as v2")

// TestRecord records the histories of a release, with a model that fails in some conversations.
func TestRecord(t *testing.T) {
	if *release == "" {
		t.Fatal("name the release: -args -release v2")
	}
	ctx := context.Background()
	key := llmtest.KeyPattern(`case-[a-z-]+`)
	s := deployment.StartSystem(ctx, t, deployment.Options{Model: &llmtest.Options{
		Key: key,
		Answer: func(string) string {
			return `{"should_update":true,"reason":"synthetic","daily_entry":"## 10:00 Synthetic\n\n- A synthetic entry."}`
		},
		Script: func(r llmtest.Request) llmtest.Reply {
			script := map[string]llmtest.Script{
				"case-busy":        llmtest.Sequence(llmtest.Status(429, time.Second), llmtest.Status(500)),
				"case-quarantined": llmtest.Sequence(llmtest.WrongJSON(), llmtest.WrongJSON()),
				"case-failed":      llmtest.Sequence(llmtest.Unauthorized()),
				"case-too-long":    llmtest.Sequence(llmtest.ContextTooLong()),
			}[r.Key]
			if script == nil {
				return llmtest.Honest()
			}
			return script(r)
		},
	}})
	for _, name := range []string{"case-plain", "case-busy", "case-quarantined", "case-failed", "case-too-long", "case-long", "case-skipped"} {
		count := map[string]int{"case-long": 70, "case-skipped": 2}[name]
		if count == 0 {
			count = 4
		}
		b := deployment.Batch{EndUserID: name, TriggerSource: "api", TurnComplete: true}
		for m := range count {
			role := []string{"user", "assistant"}[m%2]
			b.Messages = append(b.Messages, deployment.Message{ID: fmt.Sprint(m), Role: role, Content: "A synthetic message of " + name + "."})
		}
		if err := s.API.Call(ctx, http.MethodPost, "/api/v1/agents/"+deployment.Agent+"/conversations/"+name+"/messages", b, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.API.Call(ctx, http.MethodPost, "/api/v1/memory/"+deployment.Agent+"/summarize/"+name, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(3 * time.Second) // the Inboxes cool down and end
	export(ctx, t, s.Temporal.Address, workflows.InboxName, workflows.ExtractName)
}

// export writes the history of every closed workflow of these types.
func export(ctx context.Context, t *testing.T, address string, types ...string) {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: `ExecutionStatus != "Running"`})
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	for n, w := range list.GetExecutions() {
		if !slices.Contains(types, w.GetType().GetName()) {
			continue
		}
		events := c.GetWorkflowHistory(ctx, w.GetExecution().GetWorkflowId(), w.GetExecution().GetRunId(), false,
			enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		var h history.History
		for events.HasNext() {
			event, err := events.Next()
			if err != nil {
				t.Fatal(err)
			}
			h.Events = append(h.Events, event)
		}
		raw, err := temporalproto.CustomJSONMarshalOptions{Indent: " "}.Marshal(&h)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join("testdata", w.GetType().GetName())
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		raw = machine.ReplaceAll(raw, []byte(`"$1": "recorded"`))
		name := filepath.Join(folder, fmt.Sprintf("%s-%02d.json", *release, n))
		if _, err := os.Stat(name); err == nil {
			t.Fatalf("%s is there already: name a new release", name)
		}
		if err := os.WriteFile(name, raw, 0o644); err != nil {
			t.Fatal(err)
		}
		written++
	}
	t.Logf("%d histories recorded", written)
}
