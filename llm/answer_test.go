package llm

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// served opens a model at a server that answers everything with one body.
func served(tb testing.TB, provider string, status int, body string) Model {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	tb.Cleanup(server.Close)
	m, err := Open(Config{Provider: provider, Model: "m", APIKey: "key", BaseURL: server.URL})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// Answers in the formats that servers really send.
func TestAnswersInOddShapes(t *testing.T) {
	t.Parallel()
	type got struct {
		Text, Model string
		In, Out     int
		Truncated   bool
	}
	tests := []struct {
		name, provider, body string
		want                 got
	}{
		{
			"text in parts", "mistral",
			`{"model":"magistral","choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text",` +
				`"text":"Hello"},{"type":"text","text":"!"}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,` +
				`"total_tokens":7}}`,
			got{"Hello!", "mistral/magistral", 5, 2, false},
		},
		{
			"no text", "openai",
			`{"choices":[{"message":{"content":null},"finish_reason":"length"}],"usage":{"prompt_tokens":5,"completion_tokens":100}}`,
			got{"", "openai/m", 5, 100, true},
		},
		{
			"counts as floats and strings", "openai-compatible",
			`{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5.0,"completion_tokens":"2",` +
				`"total_tokens":null}}`,
			got{"Hi", "openai-compatible/m", 5, 2, false},
		},
		{
			"thoughts counted in the total only", "gemini",
			`{"model":"gemini-x","choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,` +
				`"completion_tokens":2,"total_tokens":50}}`,
			got{"Hi", "googleai/gemini-x", 10, 40, false},
		},
		{
			"no counts: estimated", "llamacpp",
			`{"choices":[{"message":{"content":"Hello there."},"finish_reason":"stop"}]}`,
			got{"Hello there.", "llamacpp/m", 4, 3, false},
		},
		{
			"negative counts: estimated", "llamacpp",
			`{"choices":[{"message":{"content":"Hello there."},"finish_reason":"stop"}],"usage":{"prompt_tokens":-1,"completion_tokens":-1}}`,
			got{"Hello there.", "llamacpp/m", 4, 3, false},
		},
		{
			"a name that is none", "openai",
			`{"model":"bad\nname","choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,` +
				`"completion_tokens":1}}`,
			got{"Hi", "openai/m", 1, 1, false},
		},
		{
			"thoughts before the text", "anthropic",
			`{"type":"message","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking",` +
				`"data":"x"},{"type":"text","text":"Hel"},{"type":"text","text":"lo"}],"stop_reason":"end_turn","usage":{"input_tokens":10,` +
				`"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":7}}`,
			got{"Hello", "anthropic/claude-x", 1110, 7, false},
		},
		{
			"a block of a kind to come", "anthropic",
			`{"type":"message","model":"claude-x","content":[{"type":"hologram","data":{}},{"type":"text","text":"Hi"}],` +
				`"stop_reason":"model_context_window_exceeded","usage":{"input_tokens":10,"output_tokens":1}}`,
			got{"Hi", "anthropic/claude-x", 10, 1, true},
		},
		{
			"thoughts only", "anthropic",
			`{"type":"message","model":"claude-x","content":[{"type":"thinking","thinking":"hm"}],"stop_reason":"max_tokens",` +
				`"usage":{"input_tokens":10,"output_tokens":99}}`,
			got{"", "anthropic/claude-x", 10, 99, true},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := served(t, test.provider, http.StatusOK, test.body).Complete(t.Context(), Request{User: "How are you?"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got{r.Text, r.Model, r.Usage.InputTokens, r.Usage.OutputTokens, r.Truncated}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Errors that come with status 200.
func TestErrorsInsideOfAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, provider, body string
		kind                 Kind
		status               int
	}{
		{"gateway", "openrouter", `{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-min."}}`, RateLimited, 429},
		{"gateway without a code", "openrouter", `{"error":{"message":"No instances available"}}`, Unavailable, 502},
		{
			"gateway, context", "openrouter", `{"error":{"code":400,"message":"This endpoint's maximum context length is 8192 tokens."}}`,
			ContextTooLong, 400,
		},
		{
			"in the choice", "openrouter",
			`{"choices":[{"error":{"code":502,"message":"Upstream error"},"message":{"content":""},"finish_reason":"error"}]}`, Unavailable, 502,
		},
		{"messages", "anthropic", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Overloaded, 502},
		{"not JSON", "openai", `Hello`, Unavailable, 200},
		{"another protocol", "openai", `{"type":"message","content":[{"type":"text","text":"Hi"}]}`, Unavailable, 200},
		{"a list", "anthropic", `[]`, Unavailable, 200},
		{"nothing", "anthropic", ``, Unavailable, 200},
		{
			"a refusal in its own field", "openai", `{"choices":[{"message":{"content":null,"refusal":"I won't say why"},"finish_reason":"stop"}]}`,
			Refused, 200,
		},
		{"safety", "gemini", `{"choices":[{"message":{"content":""},"finish_reason":"content_filter: PROHIBITED_CONTENT"}]}`, Refused, 200},
	}
	for _, test := range tests {
		_, err := served(t, test.provider, http.StatusOK, test.body).Complete(t.Context(), Request{User: "How are you?"})
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Kind != test.kind || e.Status != test.status || e.Message == "" || strings.Contains(e.Message, "won't") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestAnEndlessAnswerIsGivenUp(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunk := []byte(`{"choices":[` + strings.Repeat(" ", 1<<20))
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	m, err := Open(Config{Provider: "openai", Model: "m", APIKey: "key", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Complete(t.Context(), Request{User: "Hi."})
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Unavailable || !strings.Contains(e.Message, "larger than") {
		t.Errorf("%v", err)
	}
}
