package deployment

import (
	"context"
	"strings"
	"testing"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/proto"
)

// HistoriesMention reads the histories of all workflows and returns the ids of those that hold one of the words in clear.
func (s *System) HistoriesMention(ctx context.Context, t *testing.T, words ...string) []string {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: s.Temporal.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.GetExecutions()) == 0 {
		t.Fatal("there are no workflows to look at")
	}
	var found []string
	for _, w := range list.GetExecutions() {
		events := c.GetWorkflowHistory(ctx, w.GetExecution().GetWorkflowId(), w.GetExecution().GetRunId(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			if err != nil {
				t.Fatal(err)
			}
			raw, err := proto.Marshal(event) // JSON would hide the payloads behind base64
			if err != nil {
				t.Fatal(err)
			}
			if mentions(string(raw), words) {
				found = append(found, w.GetExecution().GetWorkflowId())
				break
			}
		}
	}
	return found
}

func mentions(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
