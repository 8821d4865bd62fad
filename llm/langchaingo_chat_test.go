package llm

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"
)

// These tests hold what conversations work around in langchaingo, like those beside them.

// bareChat asks a server that answers everything alike with a langchaingo client without our doer, and returns the body that
// was sent as well.
func bareChat(tb testing.TB, protocol protocol, kind, body string, prompt []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, string, error) {
	tb.Helper()
	var sent string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		sent = string(b)
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	var client llms.Model
	var err error
	if protocol == messages {
		client, err = anthropic.New(anthropic.WithToken("key"), anthropic.WithModel("m"), anthropic.WithBaseURL(server.URL), anthropic.WithHTTPClient(server.Client()))
	} else {
		client, err = openai.New(openai.WithToken("key"), openai.WithModel("m"), openai.WithBaseURL(server.URL), openai.WithHTTPClient(server.Client()))
	}
	if err != nil {
		tb.Fatal(err)
	}
	content, err := client.GenerateContent(tb.Context(), prompt, options...)
	return content, sent, err
}

var hello = []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Hi.")}

func TestLangchaingoTakesABrokenStreamForAnAnswer(t *testing.T) {
	t.Parallel()
	listen := llms.WithStreamingFunc(func(_ context.Context, _ []byte) error { return nil })
	content, _, err := bareChat(t, chatCompletions, "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\n", hello, listen)
	if err != nil || content.Choices[0].Content != "Hel" {
		t.Errorf("%+v, %v", content, err)
	}
}

func TestLangchaingoMixesUpCallsInStreams(t *testing.T) {
	t.Parallel()
	listen := llms.WithStreamingFunc(func(_ context.Context, _ []byte) error { return nil })
	part := func(s string) string { return "data: {\"choices\":[{\"delta\":{\"tool_calls\":[" + s + "]}}]}\n\n" }
	content, _, err := bareChat(t, chatCompletions, "text/event-stream",
		part(`{"index":0,"id":"a","type":"function","function":{"name":"get","arguments":""}}`)+
			part(`{"index":1,"id":"b","type":"function","function":{"name":"get","arguments":""}}`)+
			part(`{"index":0,"function":{"arguments":"{}"}}`)+"data: [DONE]\n\n", hello, listen)
	if err != nil || content.Choices[0].ToolCalls[0].FunctionCall.Arguments != "" {
		t.Errorf("%+v, %v", content, err)
	}
}

func TestLangchaingoKeepsOnlyTheFirstPartOfWhatTheAssistantSaid(t *testing.T) {
	t.Parallel()
	call := llms.ToolCall{ID: "a", Type: "function", FunctionCall: &llms.FunctionCall{Name: "get", Arguments: "{}"}}
	prompt := append(hello, llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.TextPart("Yes."), call}})
	_, sent, err := bareChat(t, messages, "application/json", `{"type":"message","content":[{"type":"text","text":"x"}]}`, prompt)
	if err != nil || strings.Contains(sent, "tool_use") {
		t.Errorf("%s, %v", sent, err)
	}
}

func TestLangchaingoChangesNumbersInArguments(t *testing.T) {
	t.Parallel()
	content, _, err := bareChat(t, messages, "application/json", `{"type":"message","content":[{"type":"tool_use","id":"a","name":"get","input":{"n":12345678901234567890}}]}`, hello)
	var arguments map[string]json.Number
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(content.Choices[0].ToolCalls[0].FunctionCall.Arguments), &arguments); err != nil || arguments["n"] == "12345678901234567890" {
		t.Errorf("%v, %v", arguments, err)
	}
}
