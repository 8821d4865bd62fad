package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type calledTool struct{ ID, Name, Arguments string }

// Tool calls of a model are stored and returned unchanged.
func TestToolCallsGoInAndOut(t *testing.T) {
	h := start(t)
	h.agent("ada")
	calls := []calledTool{{"call_1", "memory_search", `{"query":"Büsi"}`}, {"call_2", "memory_list", "no JSON: {"}}
	body := map[string]any{"endUserId": "42", "messages": []map[string]any{
		{"id": "m1", "role": "user", "content": "What is my cat called?"},
		{"id": "m2", "role": "assistant", "content": "", "finishReason": "tool_calls", "toolCalls": []map[string]any{
			{"id": calls[0].ID, "name": calls[0].Name, "arguments": calls[0].Arguments},
			{"id": calls[1].ID, "name": calls[1].Name, "arguments": calls[1].Arguments},
		}},
		{"id": "m3", "role": "tool", "name": "memory_search", "content": `["Büsi"]`, "toolCallId": "call_1"},
		{"id": "m4", "role": "tool", "content": "[]", "toolCallId": "call_2"},
	}}
	h.want(h.post("c1", body), 202)
	again := as[added](h, h.want(h.post("c1", body), 202))
	if again.Duplicates != 4 || again.Stored != 0 {
		t.Errorf("again: %+v", again)
	}
	answer := h.want(h.get("/api/v1/agents/ada/conversations/c1/messages?endUserId=42"), 200)
	got := as[struct {
		Items []struct {
			ToolCalls  []calledTool
			ToolCallID string
		}
	}](h, answer)
	if len(got.Items) != 4 || cmp.Diff(calls, got.Items[1].ToolCalls) != "" || got.Items[2].ToolCallID != "call_1" ||
		got.Items[3].ToolCallID != "call_2" {
		t.Errorf("%+v", got)
	}
	if n := strings.Count(string(answer.body), "toolCalls"); n != 1 {
		t.Errorf("%d of 4 messages tell of calls: %s", n, answer.body)
	}
	h.wantError(h.post("c1", map[string]any{"endUserId": "42", "messages": []map[string]any{
		{"id": "m3", "role": "tool", "name": "memory_search", "content": `["Büsi"]`, "toolCallId": "call_2"},
	}}), http.StatusConflict, "message_id_reused")
}

func TestLimitsOfToolCalls(t *testing.T) {
	h := start(t)
	h.agent("ada")
	calling := func(calls ...map[string]any) map[string]any {
		return map[string]any{"role": "assistant", "content": "", "toolCalls": calls}
	}
	call := func(id, name, arguments string) map[string]any {
		return map[string]any{"id": id, "name": name, "arguments": arguments}
	}
	many := func(n int) map[string]any {
		var calls []map[string]any
		for i := range n {
			calls = append(calls, call(fmt.Sprint("c", i), "list", "{}"))
		}
		return calling(calls...)
	}
	answer := func(role, call string) map[string]any {
		return map[string]any{"role": role, "content": "x", "toolCallId": call}
	}
	const kib256 = 256 << 10
	for i, c := range []struct {
		name    string
		message map[string]any
		fault   string // location; empty: accepted
	}{
		{"64 calls", many(64), ""},
		{"65 calls", many(65), "body.messages[0].toolCalls"},
		{"no id", calling(call("", "list", "{}")), "body.messages[0].toolCalls[0].id"},
		{"an id twice", calling(call("a", "list", "{}"), call("a", "list", "{}")), "messages[0].toolCalls[1].id"},
		{"id of 128 bytes", calling(call(strings.Repeat("i", 128), "list", "{}")), ""},
		{"id of 129 bytes", calling(call(strings.Repeat("i", 129), "list", "{}")), "body.messages[0].toolCalls[0].id"},
		{"id of 130 bytes in 65 characters", calling(call(strings.Repeat("é", 65), "list", "{}")), "messages[0].toolCalls[0].id"},
		{"no name", calling(call("a", "", "{}")), "body.messages[0].toolCalls[0].name"},
		{"empty arguments", calling(call("a", "list", "")), ""},
		{"256 KiB together", calling(call("a", "list", strings.Repeat("x", kib256-5))), ""},
		{"a byte more", calling(call("a", "list", strings.Repeat("x", kib256-4))), "messages[0].toolCalls"},
		{"long arguments", calling(call("a", "list", strings.Repeat("x", kib256+1))), "body.messages[0].toolCalls[0].arguments"},
		{"a NUL", calling(call("a", "list", "a\x00")), "body.messages[0].toolCalls[0].arguments"},
		{"an answer with a NUL", answer("tool", "a\x00"), "body.messages[0].toolCallId"},
		{"an answer to an id of 129 bytes", answer("tool", strings.Repeat("i", 129)), "body.messages[0].toolCallId"},
		{"an answer of a user", answer("user", "a"), "messages[0].toolCallId"},
		{
			"calls of a tool",
			map[string]any{"role": "tool", "content": "", "toolCalls": []map[string]any{call("a", "list", "")}},
			"messages[0].toolCalls",
		},
		{"a call without arguments", calling(map[string]any{"id": "a", "name": "list"}), "body.messages[0].toolCalls[0]"},
	} {
		c.message["id"] = "m"
		a := h.post(fmt.Sprint("c", i), map[string]any{"endUserId": "42", "messages": []map[string]any{c.message}})
		if c.fault == "" {
			if a.status != 202 {
				t.Errorf("%s: %s", c.name, a.body)
			}
			continue
		}
		if a.status != 422 || a.Error != "invalid_request" || !strings.Contains(string(a.Data), `"location":"`+c.fault) {
			t.Errorf("%s: status %d, %s", c.name, a.status, a.body)
		}
	}
}
