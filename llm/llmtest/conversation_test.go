package llmtest_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/llm/llmtest"
	"reverie/memory"
)

// list and object shorten what follows.
type (
	list = []any
	obj  = map[string]any
)

func with(name string, value any) func(map[string]any) {
	return func(m map[string]any) { m[name] = value }
}

// Conversations that the real APIs decline are declined, and those that they take are taken.
func TestConversationsAreCheckedAsTheRealOnesDo(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{})
	hi := obj{"role": "user", "content": "Hi."}
	call := func(id string) obj {
		return obj{"id": id, "type": "function", "function": obj{"name": "get", "arguments": "{}"}}
	}
	calls := func(ids ...string) obj {
		var all list
		for _, id := range ids {
			all = append(all, call(id))
		}
		return obj{"role": "assistant", "content": nil, "tool_calls": all}
	}
	result := func(id string) obj { return obj{"role": "tool", "tool_call_id": id, "content": "x"} }
	function := func(name string, parameters any) obj {
		return obj{"type": "function", "function": obj{"name": name, "parameters": parameters}}
	}
	use := func(id string) obj {
		return obj{"type": "tool_use", "id": id, "name": "get", "input": obj{}}
	}
	answer := func(id string) obj { return obj{"type": "tool_result", "tool_use_id": id, "content": "x"} }
	text := func(s string) obj { return obj{"type": "text", "text": s} }
	says := func(role string, blocks ...any) obj { return obj{"role": role, "content": blocks} }
	tools := list{obj{"name": "get", "input_schema": obj{"type": "object"}}}
	marked := obj{"type": "text", "text": "x", "cache_control": obj{"type": "ephemeral"}}

	openai := func(messages ...any) map[string]any { return obj{"messages": messages} }
	anthropic := func(messages ...any) map[string]any { return obj{"messages": messages, "tools": tools} }
	for _, test := range []struct {
		protocol string
		fields   map[string]any
		says     string // "": it is taken
	}{
		{"openai", openai(hi, calls("a", "b"), result("b"), result("a"), hi), ""},
		{"openai", openai(hi, obj{"role": "assistant", "content": "Hello."}, hi, hi), ""},
		{"openai", openai(hi, calls("a"), hi), "must be followed by tool messages responding to each 'tool_call_id'"},
		{"openai", openai(hi, calls("a")), "did not have response messages: a"},
		{"openai", openai(hi, calls("a", "b"), result("a"), hi), "did not have response messages: b"},
		{"openai", openai(hi, result("a")), "must be a response to a preceeding message with 'tool_calls'"},
		{"openai", openai(hi, calls("a"), result("b")), "must be a response to a preceeding message"},
		{"openai", openai(hi, calls("a"), result("a"), result("a")), "must be a response to a preceeding message"},
		{"openai", openai(hi, obj{"role": "assistant", "content": nil}), "expected a string, got null"},
		{"openai", openai(hi, obj{"role": "user"}), "expected a string, got null"},
		{"openai", openai(hi, obj{"role": "robot", "content": "x"}), "Invalid value: 'robot'"},
		{"openai", openai(hi, calls(strings.Repeat("x", 41))), "maximum length 40"},
		{"openai", obj{"tools": list{function("get", obj{"type": "object"})}}, ""},
		{"openai", obj{"tools": list{function("get it", obj{"type": "object"})}}, "does not match pattern"},
		{"openai", obj{"tools": list{function("get", obj{"type": "string"})}}, "schema must be a JSON Schema of 'type"},
		{"openai", obj{"tools": list{obj{"function": obj{"name": "get"}}}}, "Supported values are: 'function'"},
		{"openai", obj{"tool_choice": "none"}, "only allowed when 'tools' are specified"},
		{"openai", obj{"stream_options": obj{"include_usage": true}}, "only allowed when 'stream' is enabled"},

		{"anthropic", anthropic(hi, says("assistant", text("Let me see."), use("a"), use("b")),
			says("user", answer("b"), answer("a"), text("So?"))), ""},
		{"anthropic", anthropic(hi, hi, says("assistant", text("Hello.")), hi), ""},
		{"anthropic", anthropic(says("assistant", text("Hello.")), hi), "must be non-empty"},
		{"anthropic", anthropic(hi, says("assistant", text("Hello."))), "does not support assistant message prefill"},
		{"anthropic", anthropic(hi, says("assistant", use("a")),
			hi), "`tool_use` ids were found without `tool_result` blocks immediately after: a"},
		{"anthropic", anthropic(hi, says("assistant", use("a"), use("b")),
			says("user", answer("a"))), "without `tool_result` blocks immediately after: b"},
		{"anthropic", anthropic(hi, says("assistant", use("a"))), "ids were found without"},
		{"anthropic", anthropic(hi, says("user", answer("a"))), "unexpected `tool_use_id` found in `tool_result` blocks: a"},
		{"anthropic", anthropic(hi, says("assistant", use("a")), says("user", text("So?"), answer("a"))), "must come first"},
		{"anthropic", anthropic(hi, says("assistant", use("a")), says("user", answer("a")), says("assistant", use("a")),
			says("user", answer("a"))), "ids must be unique"},
		{"anthropic", anthropic(hi, says("assistant", use("a:1")), says("user", answer("a:1"))), "should match pattern"},
		{"anthropic", anthropic(hi, says("user", text(" "))), "non-whitespace"},
		{"anthropic", anthropic(hi, says("user", text(""))), "must be non-empty"},
		{"anthropic", anthropic(hi, obj{"role": "user", "content": list{}}), "all messages must have non-empty content"},
		{"anthropic", anthropic(hi, says("system", text("x"))), "Unexpected role"},
		{"anthropic", obj{"messages": list{hi, says("assistant", use("a")), says("user", answer("a"))}}, "must define tools"},
		{"anthropic", obj{"tools": list{obj{"name": "get", "input_schema": obj{"type": "array"}}}}, "Input should be 'object'"},
		{"anthropic", obj{"tools": list{obj{"name": "get it", "input_schema": obj{"type": "object"}}}}, "should match pattern"},
		{"anthropic", obj{"tool_choice": obj{"type": "none"}}, "only be specified while providing tools"},
		{"anthropic", anthropic(says("user", marked, marked, marked, marked)), ""},
		{"anthropic", anthropic(says("user", marked, marked, marked, marked, marked)), "A maximum of 4 blocks"},
	} {
		status, _, body, err := ask(t, server, test.protocol, "Hi.", func(m map[string]any) {
			maps.Copy(m, test.fields)
		})
		want := 400
		if test.says == "" {
			want = 200
		}
		if err != nil || status != want || !strings.Contains(body, test.says) {
			t.Errorf("%s %v: %d %s %v", test.protocol, test.fields, status, body, err)
		}
	}
}

// The events are those of the providers' API references.
func TestStreamsHaveTheShapeOfTheProtocol(t *testing.T) {
	t.Parallel()
	turn := llmtest.Turn{Text: "Let me see.", Calls: []memory.ToolCall{llmtest.Call("get", 7)}, Cached: 1}
	server := llmtest.New(t, llmtest.Options{Respond: func(llmtest.Request) llmtest.Turn { return turn }})
	_, header, openai, err := ask(t, server, "openai", "hello", with("stream", true), with("stream_options", obj{"include_usage": true}))
	if err != nil || !strings.HasPrefix(header.Get("Content-Type"), "text/event-stream") {
		t.Fatal(err, header)
	}
	var got []string
	for line := range strings.SplitSeq(strings.TrimSpace(openai), "\n\n") {
		data := strings.TrimPrefix(line, "data: ")
		if data == "[DONE]" {
			got = append(got, data)
			continue
		}
		chunk := object(t, data)
		choices, _ := chunk["choices"].([]any)
		if len(choices) == 0 {
			usage, _ := chunk["usage"].(map[string]any)
			got = append(got, fmt.Sprint("usage ", usage["prompt_tokens"], " ", usage["completion_tokens"], " ", usage["prompt_tokens_details"]))
			continue
		}
		choice, _ := choices[0].(map[string]any)
		got = append(got, fmt.Sprint(choice["delta"], " ", choice["finish_reason"]))
	}
	want := []string{
		"map[content: refusal:<nil> role:assistant] <nil>", "map[content:Let ] <nil>", "map[content:me ] <nil>", "map[content:see.] <nil>",
		"map[tool_calls:[map[function:map[arguments: name:get] id:call_1_1 index:0 type:function]]] <nil>",
		"map[tool_calls:[map[function:map[arguments:7] index:0]]] <nil>", "map[] tool_calls", "usage 2 4 map[cached_tokens:1]", "[DONE]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, _, anthropic, err := ask(t, server, "anthropic", "hello", with("stream", true))
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for lines := range strings.SplitSeq(strings.TrimSpace(anthropic), "\n\n") {
		name, data, _ := strings.Cut(lines, "\ndata: ")
		event := object(t, data)
		if "event: "+fmt.Sprint(event["type"]) != name {
			t.Errorf("%s names %v", name, event["type"])
		}
		delete(event, "type")
		if message, ok := event["message"].(map[string]any); ok {
			event["message"] = message["usage"]
		}
		got = append(got, strings.TrimPrefix(name, "event: ")+fmt.Sprint(event))
	}
	want = []string{
		"message_startmap[message:map[cache_creation_input_tokens:0 cache_read_input_tokens:1 input_tokens:1 output_tokens:1]]", "pingmap[]",
		"content_block_startmap[content_block:map[text: type:text] index:0]",
		"content_block_deltamap[delta:map[text:Let  type:text_delta] index:0]",
		"content_block_deltamap[delta:map[text:me  type:text_delta] index:0]",
		"content_block_deltamap[delta:map[text:see. type:text_delta] index:0]", "content_block_stopmap[index:0]",
		"content_block_startmap[content_block:map[id:call_2_1 input:map[] name:get type:tool_use] index:1]",
		"content_block_deltamap[delta:map[partial_json:7 type:input_json_delta] index:1]", "content_block_stopmap[index:1]",
		"message_deltamap[delta:map[stop_reason:tool_use stop_sequence:<nil>] usage:map[output_tokens:4]]", "message_stopmap[]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A recorded request has the same fields for both protocols.
func TestRequestsShowMessagesAndTools(t *testing.T) {
	t.Parallel()
	var seen []llmtest.Request
	server := llmtest.New(t, llmtest.Options{Respond: func(r llmtest.Request) llmtest.Turn {
		seen = append(seen, r)
		return llmtest.Say("Done: " + strings.Join(r.Results(), ", "))
	}})
	_, _, body, err := ask(t, server, "openai", "", with("messages", list{
		obj{"role": "system", "content": "Be brief."},
		obj{"role": "user", "content": list{obj{"type": "text", "text": "Get it."}}},
		obj{"role": "assistant", "content": "Yes.", "tool_calls": list{
			obj{"id": "a", "type": "function", "function": obj{"name": "get", "arguments": "{\"n\":1}"}},
		}},
		obj{"role": "tool", "tool_call_id": "a", "content": "it"},
	}),
		with("tools", list{obj{"type": "function", "function": obj{"name": "get", "description": "Gets.", "parameters": obj{"type": "object"}}}}))
	if err != nil || !strings.Contains(body, "Done: it") {
		t.Fatal(body, err)
	}
	_, _, body, err = ask(t, server, "anthropic", "", with("system", "Be brief."), with("messages", list{
		obj{"role": "user", "content": "Get it."},
		obj{"role": "assistant", "content": list{
			obj{"type": "text", "text": "Yes."}, obj{"type": "tool_use", "id": "a", "name": "get", "input": obj{"n": 1}},
		}},
		obj{"role": "user", "content": list{obj{"type": "tool_result", "tool_use_id": "a", "content": list{obj{"type": "text", "text": "it"}}}}},
	}), with("tools", list{obj{"name": "get", "description": "Gets.", "input_schema": obj{"type": "object"}}}))
	if err != nil || !strings.Contains(body, "Done: it") {
		t.Fatal(body, err)
	}
	want := []llmtest.Message{
		{Role: "system", Content: "Be brief."},
		{Role: "user", Content: "Get it."},
		{Role: "assistant", Content: "Yes.", ToolCalls: []memory.ToolCall{{ID: "a", Name: "get", Arguments: `{"n":1}`}}},
		{Role: "tool", Content: "it", ToolCallID: "a"},
	}
	for _, r := range seen {
		if diff := cmp.Diff(want, r.Messages); diff != "" {
			t.Errorf("%s: %s", r.Path, diff)
		}
		if !r.Offers("get") || r.Offers("put") || r.Tools[0].Description != "Gets." || r.Last().Content != "it" ||
			r.InputTokens != seen[0].InputTokens {
			t.Errorf("%s: %+v", r.Path, r)
		}
	}
}

func TestPaceOfStreams(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Pace: 10 * time.Millisecond, Answer: func(string) string { return "one two three" }})
	began := time.Now()
	if _, _, body, err := ask(t, server, "openai", "hello", with("stream", true)); err != nil ||
		!strings.HasSuffix(body, "data: [DONE]\n\n") || time.Since(began) < 50*time.Millisecond {
		t.Errorf("%s after %s, %v", body, time.Since(began), err)
	}
	if stats := server.Stats(); stats.OutputTokens != llmtest.Tokens("one two three") || stats.InFlight != 0 {
		t.Errorf("%+v", stats)
	}
}
