package llm_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// A server that declines a part of a conversation is asked without it from the next call on.
func TestWhatAServerDeclinesOfConversationsIsLeftOut(t *testing.T) {
	t.Parallel()
	call := memory.ToolCall{ID: "1", Name: "memory_search", Arguments: `{"query":"home"}`}
	request := llm.ChatRequest{
		Tools: []llm.ChatTool{searching},
		Messages: []llm.ChatMessage{
			system("Be brief."), user("Hi."), user("Where do I live?"), assistant("Let me see.", call), tool("1", "Köln"), user("So?"),
		},
	}
	in := func(r llmtest.Request, s string) bool { return strings.Contains(string(r.Body), s) }
	for _, test := range []struct {
		provider string
		declines []string
		calls    int
		holds    func(r llmtest.Request, h listener) bool // of the last request and its streamed answer
	}{
		{"openai", nil, 1, func(r llmtest.Request, h listener) bool {
			return r.Stream && in(r, `"include_usage":true`) && r.Offers("memory_search") && len(h.parts) > 3
		}},
		{"openai", []string{"stream_options"}, 2, func(r llmtest.Request, h listener) bool {
			return r.Stream && !in(r, "stream_options") && len(h.parts) > 3
		}},
		{"openai", []string{"stream"}, 2, func(r llmtest.Request, h listener) bool { return !r.Stream && !in(r, "stream") && len(h.parts) == 1 }},
		{"ollama", []string{"tools"}, 2, func(r llmtest.Request, h listener) bool {
			return r.Stream && len(r.Tools) == 0 && !in(r, "tool_calls") && !in(r, `"role":"tool"`) && len(h.parts) > 3 &&
				strings.Contains(r.User, "[result of the tool memory_search]\nKöln") && in(r, `[called the tool memory_search: {\"query\":\"home\"}]`)
		}},
		{"vllm", []string{"rows"}, 2, func(r llmtest.Request, _ listener) bool {
			return strings.Contains(r.User, "Hi.\n\nWhere do I live?") && r.Offers("memory_search")
		}},
		{"openai-compatible", []string{"tools", "rows", "stream_options", "temperature"}, 5, func(r llmtest.Request, h listener) bool {
			return r.Stream && len(r.Tools) == 0 && r.Temperature == nil && len(h.parts) > 3
		}},
		{"anthropic", nil, 1, func(r llmtest.Request, h listener) bool {
			return r.Stream && in(r, "cache_control") && len(h.parts) > 3
		}},
		{"anthropic", []string{"cache_control"}, 2, func(r llmtest.Request, h listener) bool {
			return r.Stream && !in(r, "cache_control") && len(h.parts) > 3
		}},
		{"anthropic", []string{"stream"}, 2, func(r llmtest.Request, h listener) bool { return !r.Stream && len(h.parts) == 1 }},
		{"anthropic", []string{"tools"}, 2, func(r llmtest.Request, _ listener) bool {
			return len(r.Tools) == 0 && !in(r, "tool_result") && strings.Contains(r.User, "[result of the tool memory_search]\nKöln")
		}},
	} {
		t.Run(test.provider+" "+strings.Join(test.declines, " "), func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t,
				llmtest.Options{Declines: test.declines, Answer: func(string) string { return "In Köln, if I remember that right." }})
			model := openChat(t, test.provider, server)
			for i := range test.calls {
				var h listener
				got, err := model.Chat(t.Context(), request, h.listen)
				if i < test.calls-1 {
					if e := failureOf(t, err); e.Kind != llm.Unavailable || !strings.Contains(e.Message, "left out from the next call on") {
						t.Fatalf("call %d: %v", i+1, err)
					}
					continue
				}
				if err != nil || got.Text != h.text() || got.Text == "" {
					t.Fatalf("call %d: %+v, %v", i+1, got, err)
				}
				if last := server.Requests()[i]; !test.holds(last, h) {
					t.Errorf("sent %s, got %q", last.Body, h.parts)
				}
				if got.Usage.InputTokens == 0 || got.Usage.OutputTokens == 0 {
					t.Errorf("usage %+v", got.Usage)
				}
			}
		})
	}
}

// The words in which servers decline parts of conversations.
func TestWordsThatDeclineConversations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		provider string
		status   int
		body     string
		about    string // "": nothing is declined
	}{
		{"openai", 400, `{"error":{"message":"Your organization must be verified to stream this model. Please go to: ` +
			`https://platform.openai.com/settings","param":"stream","code":"unsupported_value"}}`, "streaming"},
		{"ollama", 400, `{"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools"}}`, "tools"},
		{"openrouter", 404, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: ` +
			`https://openrouter.ai/docs","code":404}}`, "tools"},
		{"vllm", 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",` +
			`"code":400}`, "tools"},
		{
			"mistral", 422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`,
			"stream_options",
		},
		{"azure", 400, `{"error":{"message":"Unknown parameter: 'stream_options'."}}`, "stream_options"},
		{"llamacpp", 500, `{"error":{"code":500,"message":"Conversation roles must alternate user/assistant/user/assistant/...",` +
			`"type":"server_error"}}`, "in a row"},
		{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"system.0.cache_control: Extra inputs are not ` +
			`permitted"}}`, "cache_control"},
		{"openai", 400, `{"error":{"message":"Invalid schema for function 'memory_search': In context=(), 'required' is required."}}`, ""},
		{"openai", 500, `{"error":{"message":"Unexpected error while streaming the answer."}}`, ""},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		}))
		model, err := llm.Open(llm.Config{Provider: test.provider, Model: "m", APIKey: testKey, BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		_, err = model.Chat(t.Context(), llm.ChatRequest{
			Messages: []llm.ChatMessage{system("S."), user("Hi."), user("Ho.")}, Tools: []llm.ChatTool{searching},
		}, func(string) error { return nil })
		e := failureOf(t, err)
		if left := strings.Contains(e.Message, "left out from the next call on"); left != (test.about != "") ||
			!strings.Contains(e.Message, test.about) {
			t.Errorf("%s: %v", test.provider, err)
		}
		server.Close()
	}
}

// A server that streams what was asked for in one piece, or answers in one piece what was asked for as a stream, is understood.
func TestServersThatAnswerInAnotherWayThanAsked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ provider, kind, body string }{
		{"openai", "application/json", `{"choices":[{"message":{"content":"Hello Ada"},"finish_reason":"stop"}]}`},
		{"openai", "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"Hello Ada\"},\"finish_reason\":\"stop\"}]}\n\n"},
		{
			"anthropic", "application/json",
			`{"type":"message","content":[{"type":"text","text":"Hello "},{"type":"text","text":"Ada"}],"stop_reason":"end_turn"}`,
		},
		{"openai", "application/json", `{"choices":[{"message":{"content":"<think>Who?</think>\n\nHello Ada"},"finish_reason":"stop"}]}`},
		{"openai", "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"<think>Who?</think>\\n\\n" +
			"Hello\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\" Ada\\n\"},\"finish_reason\":\"stop\"}]}\n\n"},
	} {
		server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Reply{Raw: []byte(test.body), ContentType: test.kind})})
		model := openChat(t, test.provider, server)
		for _, streaming := range []bool{false, true} {
			var h listener
			onText := h.listen
			if !streaming {
				onText = nil
			}
			got, err := model.Chat(t.Context(), llm.ChatRequest{Messages: []llm.ChatMessage{user("Hi.")}}, onText)
			if err != nil || got.Text != "Hello Ada" || streaming && h.text() != got.Text || got.Usage.InputTokens == 0 {
				t.Errorf("%s, %s, streaming %t: %+v, got %q, %v", test.provider, test.body, streaming, got, h.parts, err)
			}
		}
	}
}

// An answer without text and calls is valid: models end like this after a tool has done the work.
func TestAnswersThatSayNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ provider, kind, body string }{
		{"openai", "application/json", `{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}`},
		{"anthropic", "application/json", `{"type":"message","content":[],"stop_reason":"end_turn"}`},
		{"anthropic", "text/event-stream", "data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: " +
			"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n"},
	} {
		server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Reply{Raw: []byte(test.body), ContentType: test.kind})})
		got, err := openChat(t, test.provider, server).Chat(t.Context(), llm.ChatRequest{Messages: []llm.ChatMessage{user("Hi.")}},
			func(string) error { return nil })
		if err != nil || got.Text != "" || got.ToolCalls != nil {
			t.Errorf("%s: %+v, %v", test.body, got, err)
		}
	}
}

func TestACallWithoutANameIsWorthAnotherTry(t *testing.T) {
	t.Parallel()
	body := `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Reply{Raw: []byte(body), ContentType: "application/json"})})
	_, err := openChat(t, "openai", server).Chat(t.Context(),
		llm.ChatRequest{Messages: []llm.ChatMessage{user("Hi.")}, Tools: []llm.ChatTool{searching}}, nil)
	if e := failureOf(t, err); e.Kind != llm.Unavailable {
		t.Errorf("%v", err)
	}
}

func TestAConversationThatIsCut(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		server := llmtest.New(t,
			llmtest.Options{Script: llmtest.Always(llmtest.FinishLength()), Answer: func(string) string { return "In Köln, if I" }})
		var h listener
		got, err := openChat(t, provider, server).Chat(t.Context(),
			llm.ChatRequest{Messages: []llm.ChatMessage{user("Hi.")}, MaxTokens: 3}, h.listen)
		if err != nil || !got.Truncated || got.Text != h.text() ||
			got.Finish != map[string]string{"openai": "length", "anthropic": "max_tokens"}[provider] {
			t.Errorf("%s: %+v, %v", provider, got, err)
		}
	}
}
