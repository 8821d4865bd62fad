package api_test

import (
	"fmt"
	"testing"
	"time"
)

// Where memory is off, and in conversations that a schedule began, windows are summarised as everywhere, and nothing is noted: each
// flush is acknowledged and reports why it wrote nothing.
func TestWindowsWithoutMemory(t *testing.T) {
	h := startWithWindow(t, 4000)
	h.agent("ada")
	var messages []map[string]any
	for i := range 80 {
		messages = append(messages, map[string]any{
			"id": fmt.Sprint("m", i), "role": []string{"user", "assistant"}[i%2],
			"content": fmt.Sprintf(
				"Please remember that shelf %d of the workshop is painted in colour %d, and that it has to stay as it is until the autumn comes.",
				i,
				i*7,
			),
		})
	}
	for _, c := range []struct {
		conversation, trigger, reason string
		settings                      map[string]any
	}{
		{"scheduled", "cron", "source", map[string]any{}},
		{"off", "api", "memory_off", map[string]any{"memoryEnabled": false}},
	} {
		h.want(h.post(c.conversation, map[string]any{"endUserId": "42", "triggerSource": c.trigger, "messages": messages}), 202)
		h.want(h.do(request{method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: map[string]any{"settings": c.settings}}), 200)
		got := h.assemble(map[string]any{"endUserId": "42", "conversation": c.conversation, "message": "Which colour has shelf 3?"})
		if got.Summary == nil || got.Unsent != 0 || got.Ledger.Used > 4000 {
			t.Errorf("%s: %+v", c.conversation, got.madeContext)
		}
		flushes := as[struct {
			Items []struct {
				Acknowledged        bool
				Outcome, ReasonCode string
				To                  int64
			}
		}](h, h.want(h.get("/api/v1/agents/ada/conversations/"+c.conversation+"/flushes?endUserId=42"), 200)).Items
		if len(flushes) == 0 {
			t.Fatalf("%s: no flush", c.conversation)
		}
		for _, f := range flushes {
			if !f.Acknowledged || f.Outcome != "nothing" || f.ReasonCode != c.reason {
				t.Errorf("%s: %+v", c.conversation, f)
			}
		}
		if got.Summary != nil && flushes[0].To < got.Summary.To {
			t.Errorf("%s: flushed up to %d, summarised up to %d", c.conversation, flushes[0].To, got.Summary.To)
		}
	}
	h.wantError(h.get(workspaceFiles+"files/memory/"+time.Now().UTC().Format(time.DateOnly)+".md?owner=api:42"), 404, "not_found")
}
