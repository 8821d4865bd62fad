package llm_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// Conversations that no provider accepts are refused before the call.
func TestConversationsThatAreNotAsked(t *testing.T) {
	t.Parallel()
	call := memory.ToolCall{ID: "1", Name: "memory_search", Arguments: `{}`}
	for _, test := range []struct {
		name     string
		messages []llm.ChatMessage
		says     string
	}{
		{"nothing", nil, "does not end with something to answer"},
		{"system only", []llm.ChatMessage{system("Be brief.")}, "does not end with something to answer"},
		{"blank", []llm.ChatMessage{user(" \n")}, "does not end with something to answer"},
		{"an answer at the end", []llm.ChatMessage{user("Hi."), assistant("Hello.")}, "does not end with something to answer"},
		{"a call at the end", []llm.ChatMessage{user("Hi."), assistant("", call)}, "the last call of a tool has no answer"},
		{"a call without an answer", []llm.ChatMessage{
			user("Hi."), assistant("", call), user("And?"),
		}, "message 2 comes before the answer to a tool's call"},
		{"a call with half of its answers", []llm.ChatMessage{
			user("Hi."), assistant("", call, memory.ToolCall{ID: "2", Name: "memory_get"}), tool("2", "x"), user("And?"),
		}, "message 3 comes before"},
		{"an answer without a call", []llm.ChatMessage{user("Hi."), tool("1", "x")}, "message 1 answers no call"},
		{"an answer to another call", []llm.ChatMessage{user("Hi."), assistant("", call), tool("2", "x")}, "message 2 answers no call"},
		{"two answers", []llm.ChatMessage{user("Hi."), assistant("", call), tool("1", "x"), tool("1", "x")}, "message 3 answers no call"},
		{"a role", []llm.ChatMessage{{Role: "function", Content: "x"}}, "message 0 has no known role"},
	} {
		for _, provider := range protocols {
			server := llmtest.New(t, llmtest.Options{})
			_, err := openChat(t, provider, server).Chat(t.Context(), llm.ChatRequest{Messages: test.messages}, nil)
			if e := failureOf(t, err); e.Kind != llm.BadRequest || !strings.Contains(e.Message, test.says) || server.Count() != 0 {
				t.Errorf("%s, %s: %v after %d requests", provider, test.name, err, server.Count())
			}
		}
	}
}

// The two protocols are sent the same conversation, each in its order.
func TestConversationsAreBroughtIntoOrder(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		server := llmtest.New(t, llmtest.Options{APIKey: testKey})
		_, err := openChat(t, provider, server).Chat(t.Context(),
			llm.ChatRequest{Tools: []llm.ChatTool{{Name: "list"}}, Messages: []llm.ChatMessage{
				system("One."), assistant("Hello, I am Rosa."), user("  "), user("What is there?"), assistant(""), system("Two."),
				assistant("", memory.ToolCall{ID: "x", Name: "list"}, memory.ToolCall{ID: "y", Name: "list", Arguments: "not JSON"},
					memory.ToolCall{ID: "", Name: "list", Arguments: "[1]"}),
				tool("y", "second"), tool("", "first"), tool("", ""), user("And now?"), assistant("Two things."), assistant("Or three."), user("One"),
				user("more."),
			}}, nil)
		if err != nil {
			t.Fatal(provider, err)
		}
		got := server.Requests()[0].Messages
		if provider == "anthropic" {
			if got[1].Role != "user" || got[1].Content != "…" {
				t.Errorf("it begins with %+v", got[1])
			}
			got = append(got[:1:1], got[2:]...)
		}
		var calls []memory.ToolCall
		for _, m := range got {
			calls = append(calls, m.ToolCalls...)
		}
		if len(calls) != 3 || calls[0].ID != "x" || calls[1].ID != "y" || len(calls[2].ID) != 9 {
			t.Fatalf("%s: calls %+v", provider, calls)
		}
		want := []llmtest.Message{
			{Role: "system", Content: "One.\n\nTwo."},
			{Role: "assistant", Content: "Hello, I am Rosa."},
			{Role: "user", Content: "What is there?"},
			{Role: "assistant", ToolCalls: []memory.ToolCall{{ID: "x", Name: "list", Arguments: "{}"}, {
				ID: "y", Name: "list", Arguments: `{"invalid_arguments":"not JSON"}`,
			}, {ID: calls[2].ID, Name: "list", Arguments: `{"invalid_arguments":"[1]"}`}}},
			{Role: "tool", Content: "second", ToolCallID: "y"},
			{Role: "tool", Content: "first", ToolCallID: "x"},
			{Role: "tool", ToolCallID: calls[2].ID},
			{Role: "user", Content: "And now?"},
			{Role: "assistant", Content: "Two things."},
			{Role: "assistant", Content: "Or three."},
			{Role: "user", Content: "One"},
			{Role: "user", Content: "more."},
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Error(provider, diff)
		}
	}
}

// A conversation that came from another provider, or in which ids start over, is taken everywhere, and the same each time.
func TestIdsOfCalls(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("call", 20)
	ids := []string{"call_1", "functions.list:0", "call_1", "", long, "toolu_01A-b", "", "ünïcode"}
	var messages []llm.ChatMessage
	for _, id := range ids {
		messages = append(messages, user("Next."), assistant("", memory.ToolCall{ID: id, Name: "list", Arguments: `{}`}), tool(id, "done"))
	}
	for provider, form := range map[string]string{
		"openai": `^[\w-]{1,40}$`, "anthropic": `^[a-zA-Z0-9_-]{1,40}$`, "mistral": `^[a-zA-Z0-9]{9}$`,
	} {
		server := llmtest.New(t, llmtest.Options{})
		model := openChat(t, provider, server)
		for range 2 {
			if _, err := model.Chat(t.Context(), llm.ChatRequest{Messages: messages, Tools: []llm.ChatTool{{Name: "list"}}}, nil); err != nil {
				t.Fatal(provider, err)
			}
		}
		seen := map[string]bool{}
		for i, m := range server.Requests()[0].Messages {
			for _, c := range m.ToolCalls {
				if seen[c.ID] || !regexp.MustCompile(form).MatchString(c.ID) {
					t.Errorf("%s: the id of message %d is %q", provider, i, c.ID)
				}
				seen[c.ID] = true
			}
		}
		if keeps := seen["call_1"] && seen["toolu_01A-b"]; keeps != (provider != "mistral") {
			t.Errorf("%s: ids that fit are kept: %t", provider, keeps)
		}
		if diff := cmp.Diff(server.Requests()[0].Messages, server.Requests()[1].Messages); diff != "" {
			t.Errorf("%s: the second time %s", provider, diff)
		}
	}
}

// Both protocols, which are as strict as the real ones, accept every conversation in order.
func TestConversationsInOrderAreTaken(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		server := llmtest.New(t, llmtest.Options{APIKey: testKey, Keep: 4})
		model := openChat(t, provider, server)
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " ", "Hi.", "\u200b", "\ufffe"}))
			var messages []llm.ChatMessage
			for range rapid.IntRange(0, 6).Draw(t, "messages") {
				switch rapid.IntRange(0, 3).Draw(t, "what") {
				case 0:
					messages = append(messages, user(text.Draw(t, "user")))
				case 1:
					messages = append(messages, system(text.Draw(t, "system")))
				case 2:
					messages = append(messages, assistant(text.Draw(t, "assistant")))
				case 3:
					var calls []memory.ToolCall
					for range rapid.IntRange(1, 3).Draw(t, "calls") {
						calls = append(calls, memory.ToolCall{ID: text.Draw(t, "id"), Name: "list", Arguments: text.Draw(t, "arguments")})
					}
					messages = append(messages, assistant(text.Draw(t, "calling"), calls...))
					for _, c := range calls {
						messages = append(messages, tool(c.ID, text.Draw(t, "result")))
					}
				}
			}
			messages = append(messages, user("So?"))
			request := llm.ChatRequest{Messages: messages, NoCalls: rapid.Bool().Draw(t, "no calls")}
			if rapid.Bool().Draw(t, "tools") {
				request.Tools = []llm.ChatTool{searching, {Name: "list"}}
			}
			if _, err := model.Chat(t.Context(), request, nil); err != nil {
				t.Fatalf("%s: %v", provider, err)
			}
		})
	}
}

func TestToolsThatAreShownButNotToBeCalled(t *testing.T) {
	t.Parallel()
	call := memory.ToolCall{ID: "1", Name: "memory_search", Arguments: `{}`}
	messages := []llm.ChatMessage{user("Where do I live?"), assistant("", call), tool("1", "Köln")}
	for _, provider := range protocols {
		server := llmtest.New(t, llmtest.Options{Respond: func(llmtest.Request) llmtest.Turn {
			return llmtest.Turn{Text: "In Köln.", Calls: []memory.ToolCall{llmtest.Call("memory_search", nil)}} // it calls all the same
		}})
		model := openChat(t, provider, server)
		for _, tools := range [][]llm.ChatTool{{searching}, nil} {
			got, err := model.Chat(t.Context(), llm.ChatRequest{Messages: messages, Tools: tools, NoCalls: true}, nil)
			if err != nil || got.Text != "In Köln." || got.ToolCalls != nil {
				t.Errorf("%s, %d tools: %+v, %v", provider, len(tools), got, err)
			}
		}
		first, second := server.Requests()[0], server.Requests()[1]
		if !first.NoCalls || len(first.Tools) != 1 || first.Offers("memory_search") {
			t.Errorf("%s: %+v", provider, first.Tools)
		}
		// Anthropic wants the tools that were called to be in the request.
		if wantTools := map[string]int{"openai": 0, "anthropic": 1}[provider]; len(second.Tools) != wantTools ||
			second.NoCalls != (wantTools == 1) {
			t.Errorf("%s without tools: %+v", provider, second.Tools)
		}
	}
}

// Anthropic caches up to the marks in a request: the system text with the tools before it, and the messages before the user's
// message, which is the same in the next turn.
func TestMarksForTheCache(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{})
	model := openChat(t, "anthropic", server)
	call := memory.ToolCall{ID: "1", Name: "memory_search", Arguments: `{}`}
	for _, test := range []struct {
		messages []llm.ChatMessage
		marked   []string
	}{
		{[]llm.ChatMessage{user("Hi.")}, nil},
		{[]llm.ChatMessage{system("Be brief."), user("Hi.")}, []string{"Be brief."}},
		{[]llm.ChatMessage{
			system("Be brief."), user("Hi."), assistant("Hello."), user("Recalled: …"), user("Where?"),
		}, []string{"Be brief.", "Hello."}},
		{
			[]llm.ChatMessage{system("Be brief."), user("Where?"), assistant("Let me see.", call), tool("1", "Köln")}, []string{"Be brief.", "Köln"},
		},
	} {
		if _, err := model.Chat(t.Context(), llm.ChatRequest{Messages: test.messages, Tools: []llm.ChatTool{searching}}, nil); err != nil {
			t.Fatal(err)
		}
		requests := server.Requests()
		if diff := cmp.Diff(test.marked, marked(fields(t, requests[len(requests)-1].Body)), cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
}

// marked returns the texts of the blocks of a body that are marked for the cache.
func marked(body map[string]any) []string {
	var texts []string
	look := func(blocks any) {
		list, _ := blocks.([]any)
		for _, b := range list {
			block, _ := b.(map[string]any)
			if block["cache_control"] == nil {
				continue
			}
			for _, field := range []string{"text", "content"} {
				if text, ok := block[field].(string); ok {
					texts = append(texts, text)
				}
			}
		}
	}
	look(body["system"])
	messages, _ := body["messages"].([]any)
	for _, m := range messages {
		message, _ := m.(map[string]any)
		look(message["content"])
	}
	return texts
}

// A tool's schema is sent unchanged, with the keywords that langchaingo has no field for.
func TestSchemasOfToolsAreSentWhole(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":["integer","null"],"minimum":1,"anyOf":[{"const":1}]}},` +
		`"additionalProperties":false,"$defs":{"x":{"type":"string"}}}`)
	for _, provider := range protocols {
		server := llmtest.New(t, llmtest.Options{})
		request := llm.ChatRequest{
			Messages: []llm.ChatMessage{user("Hi.")}, Tools: []llm.ChatTool{{Name: "get", Description: "Gets <b> & more.", Parameters: schema}},
		}
		if _, err := openChat(t, provider, server).Chat(t.Context(), request, nil); err != nil {
			t.Fatal(err)
		}
		got := server.Requests()[0].Tools
		var want, sent any
		if err := json.Unmarshal(schema, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got[0].Parameters, &sent); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, sent); diff != "" || got[0].Description != "Gets <b> & more." {
			t.Errorf("%s: %q %s", provider, got[0].Description, diff)
		}
	}
}
