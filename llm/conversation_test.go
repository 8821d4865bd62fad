package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// openChat opens a model for conversations at a scripted server.
func openChat(tb testing.TB, provider string, server *llmtest.Server, change ...func(*llm.Config)) llm.Chatter {
	tb.Helper()
	model, ok := open(tb, provider, server, change...).(llm.Chatter)
	if !ok {
		tb.Fatal("the model does not take conversations")
	}
	return model
}

// listener collects a streamed text.
type listener struct{ parts []string }

func (h *listener) listen(part string) error {
	h.parts = append(h.parts, part)
	return nil
}

func (h *listener) text() string { return strings.Join(h.parts, "") }

func system(text string) llm.ChatMessage {
	return llm.ChatMessage{Role: memory.RoleOfSystem, Content: text}
}

func user(text string) llm.ChatMessage {
	return llm.ChatMessage{Role: memory.RoleOfUser, Content: text}
}

func assistant(text string, calls ...memory.ToolCall) llm.ChatMessage {
	return llm.ChatMessage{Role: memory.RoleOfAssistant, Content: text, ToolCalls: calls}
}

func tool(id, result string) llm.ChatMessage {
	return llm.ChatMessage{Role: memory.RoleOfTool, Content: result, ToolCallID: id, Name: "ignored"}
}

// searching is the tool that these tests offer.
var searching = llm.ChatTool{
	Name: "memory_search", Description: "Searches what is remembered.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
}

// A model calls tools, is given their results, and answers; with and without streaming.
func TestAConversationWithTools(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		for _, streaming := range []bool{false, true} {
			server := llmtest.New(t, llmtest.Options{APIKey: testKey, Respond: func(r llmtest.Request) llmtest.Turn {
				if results := r.Results(); len(results) > 0 {
					return llmtest.Say("You live in " + strings.Join(results, " and ") + ".")
				}
				turn := llmtest.Use(llmtest.Call("memory_search", map[string]any{"query": "home"}),
					llmtest.Call("memory_search", map[string]any{"query": "flat — 2nd"}))
				turn.Text, turn.Cached = "Let me look. ", 5
				return turn
			}})
			model := openChat(t, provider, server)
			var h listener
			onText := h.listen
			if !streaming {
				onText = nil
			}
			request := llm.ChatRequest{
				Messages: []llm.ChatMessage{system("Be brief."), system("About Ada."), user("What do you know?"), user("Where do I live?")},
				Tools:    []llm.ChatTool{searching}, MaxTokens: 50,
			}
			first, err := model.Chat(t.Context(), request, onText)
			if err != nil {
				t.Fatal(provider, streaming, err)
			}
			sent := server.Requests()[0]
			want := llm.ChatResponse{
				Text: "Let me look. ", Model: provider + "/test-model", Cached: 5,
				Finish: map[string]string{"openai": "tool_calls", "anthropic": "tool_use"}[provider],
				ToolCalls: []memory.ToolCall{{
					ID: "call_1_1", Name: "memory_search", Arguments: `{"query":"home"}`,
				}, {ID: "call_1_2", Name: "memory_search", Arguments: `{"query":"flat — 2nd"}`}},
				Usage: memory.Usage{
					Calls: 1, InputTokens: sent.InputTokens,
					OutputTokens: llmtest.Tokens(`Let me look. memory_search{"query":"home"}memory_search{"query":"flat — 2nd"}`),
				},
			}
			if diff := cmp.Diff(want, first); diff != "" {
				t.Errorf("%s, streaming %t: %s", provider, streaming, diff)
			}
			if streaming != sent.Stream || streaming && (h.text() != first.Text || len(h.parts) < 3) {
				t.Errorf("%s, streaming %t: sent %t, got %q", provider, streaming, sent.Stream, h.parts)
			}
			request.Messages = append(request.Messages, assistant(first.Text, first.ToolCalls...), tool("call_1_1", "Köln"),
				tool("call_1_2", "Lindenthal"))
			h.parts = nil
			second, err := model.Chat(t.Context(), request, onText)
			if err != nil || second.Text != "You live in Köln and Lindenthal." || second.ToolCalls != nil || streaming && h.text() != second.Text {
				t.Fatalf("%s, streaming %t: %+v, %q, %v", provider, streaming, second, h.parts, err)
			}
			wantSent := []llmtest.Message{
				{Role: "system", Content: "Be brief.\n\nAbout Ada."},
				{Role: "user", Content: "What do you know?"},
				{Role: "user", Content: "Where do I live?"},
				{Role: "assistant", Content: "Let me look. ", ToolCalls: first.ToolCalls},
				{Role: "tool", Content: "Köln", ToolCallID: "call_1_1"},
				{Role: "tool", Content: "Lindenthal", ToolCallID: "call_1_2"},
			}
			last := server.Requests()[1]
			if diff := cmp.Diff(wantSent, last.Messages, cmpopts.EquateEmpty()); diff != "" {
				t.Error(provider, diff)
			}
			if len(last.Tools) != 1 || last.Tools[0].Name != searching.Name || !last.Offers("memory_search") || last.MaxTokens != 50 {
				t.Errorf("%s: %+v", provider, last)
			}
		}
	}
}
