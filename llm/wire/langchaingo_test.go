package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"
)

// These tests record why OpenAI's and Anthropic's protocols do not go through langchaingo's clients. One that fails after an
// upgrade removes a reason.

type protocol int

const (
	chatCompletions protocol = iota
	messages
)

// bare returns a langchaingo client without our doer, at a server that answers everything alike. It returns the body that was
// sent as well.
func bare(tb testing.TB, protocol protocol, status int, header http.Header, body string,
	options ...llms.CallOption,
) (*llms.ContentResponse, map[string]any, error) {
	tb.Helper()
	var sent map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(b, &sent)
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	var client llms.Model
	var err error
	if protocol == messages {
		client, err = anthropic.New(anthropic.WithToken("key"), anthropic.WithModel("m"), anthropic.WithBaseURL(server.URL),
			anthropic.WithHTTPClient(server.Client()))
	} else {
		client, err = openai.New(openai.WithToken("key"), openai.WithModel("m"), openai.WithBaseURL(server.URL),
			openai.WithHTTPClient(server.Client()))
	}
	if err != nil {
		tb.Fatal(err)
	}
	content, err := client.GenerateContent(tb.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Hi.")}, options...)
	return content, sent, err
}

func TestLangchaingoAnswersOneChoicePerBlockAndRepeatsTheUsage(t *testing.T) {
	t.Parallel()
	content, _, err := bare(t, messages, http.StatusOK, nil, `{"type":"message","content":[{"type":"thinking","thinking":"hm"},`+
		`{"type":"text","text":"Hel"},{"type":"text","text":"lo"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":7}}`)
	if err != nil {
		t.Fatal(err)
	}
	if len(content.Choices) != 3 || content.Choices[0].Content != "" {
		t.Fatalf("%d choices", len(content.Choices))
	}
	for i, choice := range content.Choices {
		if choice.GenerationInfo["InputTokens"] != 10 || choice.GenerationInfo["OutputTokens"] != 7 {
			t.Errorf("choice %d: %v", i, choice.GenerationInfo)
		}
	}
}

func TestLangchaingoFailsOnAnswersThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		protocol protocol
		body     string
	}{
		"an unknown block":  {messages, `{"type":"message","content":[{"type":"redacted_thinking","data":"x"},{"type":"text","text":"Hi"}]}`},
		"no block":          {messages, `{"type":"message","content":[],"stop_reason":"end_turn"}`},
		"text in parts":     {chatCompletions, `{"choices":[{"message":{"content":[{"type":"text","text":"Hi"}]}}]}`},
		"counts as a float": {chatCompletions, `{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":5.5}}`},
	} {
		if _, _, err := bare(t, test.protocol, http.StatusOK, nil, test.body); err == nil {
			t.Errorf("%s: read without an error", name)
		}
	}
}

func TestLangchaingoLosesRefusalsAndModelNames(t *testing.T) {
	t.Parallel()
	content, _, err := bare(t, chatCompletions, http.StatusOK, nil,
		`{"model":"the-real-one","choices":[{"message":{"content":null,"refusal":"no"},"finish_reason":"stop"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if printed := fmt.Sprintf("%+v", *content.Choices[0]); content.Choices[0].Content != "" || strings.Contains(printed, "the-real-one") {
		t.Errorf("%s", printed)
	}
}

func TestLangchaingoErrorsAreStringsWithoutTheDelay(t *testing.T) {
	t.Parallel()
	for _, p := range []protocol{chatCompletions, messages} {
		_, _, err := bare(t, p, http.StatusTooManyRequests, http.Header{"Retry-After": {"7"}}, `{"error":{"message":"slow down"}}`)
		if err == nil || llms.IsRateLimitError(err) || strings.Contains(err.Error(), "7") {
			t.Errorf("%v: %v", p, err)
		}
	}
}

func TestLangchaingoHidesDeadlines(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	defer server.Close()
	defer close(stop)
	client, err := openai.New(openai.WithToken("key"), openai.WithBaseURL(server.URL), openai.WithHTTPClient(server.Client()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = client.GenerateContent(ctx, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Hi.")})
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestLangchaingoAlwaysSendsATemperatureAndKnowsNoSchemaPerCall(t *testing.T) {
	t.Parallel()
	for p, body := range map[protocol]string{
		chatCompletions: `{"choices":[{"message":{"content":"Hi"}}]}`,
		messages:        `{"type":"message","content":[{"type":"text","text":"Hi"}]}`,
	} {
		_, sent, err := bare(t, p, http.StatusOK, nil, body, llms.WithJSONMode())
		if err != nil {
			t.Fatal(err)
		}
		if sent["temperature"] != 0.0 {
			t.Errorf("%v: temperature %v", p, sent["temperature"])
		}
		format, _ := sent["response_format"].(map[string]any)
		if p == chatCompletions && format["type"] != "json_object" || p == messages && format != nil {
			t.Errorf("%v: format %v", p, format)
		}
	}
}

// bareVectors embeds two texts with a langchaingo client without our doer.
func bareVectors(tb testing.TB, body string) ([][]float32, error) {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
	defer server.Close()
	client, err := openai.New(openai.WithToken("key"), openai.WithEmbeddingModel("m"), openai.WithBaseURL(server.URL),
		openai.WithHTTPClient(server.Client()))
	if err != nil {
		tb.Fatal(err)
	}
	return client.CreateEmbedding(tb.Context(), []string{"a", "b"})
}

func TestLangchaingoIgnoresTheNumbersOfVectors(t *testing.T) {
	t.Parallel()
	vectors, err := bareVectors(t, `{"data":[{"index":1,"embedding":[2]},{"index":0,"embedding":[1]}]}`)
	if err != nil || vectors[0][0] != 2 {
		t.Errorf("%v, %v", vectors, err)
	}
	vectors, err = bareVectors(t, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[2]}]}`)
	if err != nil || len(vectors) != 2 {
		t.Errorf("%v, %v", vectors, err)
	}
}

func TestLangchaingoTakesWhatIsNoNumberForZero(t *testing.T) {
	t.Parallel()
	vectors, err := bareVectors(t, `{"data":[{"index":0,"embedding":[null]},{"index":1,"embedding":null}]}`)
	if err != nil || vectors[0][0] != 0 || vectors[1] != nil {
		t.Errorf("%v, %v", vectors, err)
	}
}

func TestLangchaingosEmbedderChangesItsCallersTexts(t *testing.T) {
	t.Parallel()
	texts := []string{"one\ntwo"}
	e, err := embeddings.NewEmbedder(embeddings.EmbedderClientFunc(func(_ context.Context, texts []string) ([][]float32, error) {
		return make([][]float32, len(texts)), nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.EmbedDocuments(t.Context(), texts); err != nil || texts[0] != "one two" {
		t.Errorf("%q, %v", texts, err)
	}
}

// bareChat asks a server that answers everything alike with a langchaingo client without our doer, and returns the body that
// was sent as well.
func bareChat(tb testing.TB, protocol protocol, kind, body string, prompt []llms.MessageContent,
	options ...llms.CallOption,
) (*llms.ContentResponse, string, error) {
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
		client, err = anthropic.New(anthropic.WithToken("key"), anthropic.WithModel("m"), anthropic.WithBaseURL(server.URL),
			anthropic.WithHTTPClient(server.Client()))
	} else {
		client, err = openai.New(openai.WithToken("key"), openai.WithModel("m"), openai.WithBaseURL(server.URL),
			openai.WithHTTPClient(server.Client()))
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
	content, _, err := bareChat(t, chatCompletions, "text/event-stream",
		"data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\n", hello, listen)
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
	content, _, err := bareChat(t, messages, "application/json",
		`{"type":"message","content":[{"type":"tool_use","id":"a","name":"get","input":{"n":12345678901234567890}}]}`, hello)
	var arguments map[string]json.Number
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(content.Choices[0].ToolCalls[0].FunctionCall.Arguments), &arguments); err != nil ||
		arguments["n"] == "12345678901234567890" {
		t.Errorf("%v, %v", arguments, err)
	}
}
