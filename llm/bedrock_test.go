package llm_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
)

const (
	claude = "eu.anthropic.claude-test-v1:0"
	nova   = "amazon.nova-test-v1:0"
)

func openBedrock(tb testing.TB, endpoint *llmtest.Bedrock, model, key string) llm.Model {
	tb.Helper()
	m, err := llm.Open(llm.Config{
		Provider: "bedrock", Model: model, APIKey: key, BaseURL: endpoint.Listen(tb), InputPrice: 3, OutputPrice: 15,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

var counted = map[string]string{"X-Amzn-Bedrock-Input-Token-Count": "12", "X-Amzn-Bedrock-Output-Token-Count": "4"}

func TestBedrockAnswers(t *testing.T) {
	llmtest.SetAWSCredentials(t)
	usage := memory.Usage{Calls: 1, InputTokens: 12, OutputTokens: 4, CostMicros: 12*3 + 4*15}
	tests := []struct {
		name, model, body string
		want              llm.Response
	}{
		{"Claude", claude, `{"type":"message","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn","usage":{"input_tokens":12,` +
			`"output_tokens":4}}`, llm.Response{Text: "Hello"}},
		{"Claude, cut", claude, `{"type":"message","content":[{"type":"text","text":"Hel"}],"stop_reason":"max_tokens",` +
			`"usage":{"input_tokens":12,"output_tokens":4}}`, llm.Response{Text: "Hel", Truncated: true}},
		{"Nova", nova, `{"output":{"message":{"role":"assistant","content":[{"text":"Hello"}]}},"stopReason":"end_turn"}`, llm.Response{
			Text: "Hello",
		}},
		{
			"Nova, cut", nova, `{"output":{"message":{"role":"assistant","content":[{"text":"Hel"}]}},"stopReason":"max_tokens"}`,
			llm.Response{Text: "Hel", Truncated: true},
		},
		{
			"Llama", "meta.llama-test-v1:0", `{"generation":"Hello","prompt_token_count":12,"generation_token_count":4,"stop_reason":"stop"}`,
			llm.Response{Text: "Hello"},
		},
		{"Titan, cut", "amazon.titan-text-v1", `{"inputTextTokenCount":12,"results":[{"tokenCount":4,"outputText":"Hel",` +
			`"completionReason":"LENGTH"}]}`, llm.Response{Text: "Hel", Truncated: true}},
	}
	for _, test := range tests {
		endpoint := &llmtest.Bedrock{Status: http.StatusOK, Header: counted, Body: test.body}
		got, err := openBedrock(t, endpoint, test.model, "").Complete(t.Context(),
			llm.Request{System: "Be brief.", User: "Hi.", Schema: json.RawMessage(schema)})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		test.want.Model, test.want.Usage = "bedrock/"+test.model, usage
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		sent := endpoint.Sent.Load().(string)
		if !strings.Contains(sent, "Be brief.") || !strings.Contains(sent, "It must follow this JSON schema") {
			t.Errorf("%s: sent %s", test.name, sent)
		}
		if !strings.HasPrefix(endpoint.Auth.Load().(string), "AWS4-HMAC-SHA256 ") {
			t.Errorf("%s: not signed: %q", test.name, endpoint.Auth.Load())
		}
	}
}

func TestBedrockFailuresAreTypedAndNotTriedAgain(t *testing.T) {
	llmtest.SetAWSCredentials(t)
	tests := []struct {
		name   string
		status int
		header map[string]string
		body   string
		kind   llm.Kind
		after  time.Duration
	}{
		{"throttled", 429, map[string]string{
			"X-Amzn-Errortype": "ThrottlingException", "Retry-After": "7",
		}, `{"message":"Too many requests, please wait before trying again."}`, llm.RateLimited, 7 * time.Second},
		{
			"too long", 400,
			map[string]string{"X-Amzn-Errortype": "ValidationException"},
			`{"message":"Input is too long for requested model."}`,
			llm.ContextTooLong, 0,
		},
		{"denied", 403, map[string]string{
			"X-Amzn-Errortype": "AccessDeniedException",
		}, `{"message":"You don't have access to the model with the specified model ID."}`, llm.Unauthorized, 0},
		{"not ready", 429, map[string]string{"X-Amzn-Errortype": "ModelNotReadyException"}, `{"message":"not ready"}`, llm.Overloaded, 0},
		{"broken", 500, map[string]string{"X-Amzn-Errortype": "InternalServerException"}, `{"message":"unexpected"}`, llm.Unavailable, 0},
		{"refused", 200, counted, `{"type":"message","content":[{"type":"text","text":"No"}],"stop_reason":"refusal"}`, llm.Refused, 0},
		{"garbage", 200, nil, `<html>`, llm.Unavailable, 0},
	}
	for _, test := range tests {
		endpoint := &llmtest.Bedrock{Status: test.status, Header: test.header, Body: test.body}
		_, err := openBedrock(t, endpoint, claude, "").Complete(t.Context(), llm.Request{User: "Hi."})
		if e := failureOf(t, err); e.Kind != test.kind || e.Status != test.status || e.RetryAfter != test.after {
			t.Errorf("%s: %v after %s", test.name, err, e.RetryAfter)
		}
		if endpoint.Count.Load() != 1 {
			t.Errorf("%s: %d requests, want 1", test.name, endpoint.Count.Load())
		}
	}
}

func TestBedrockTakesAnAPIKeyInsteadOfASignature(t *testing.T) {
	llmtest.SetAWSCredentials(t)
	endpoint := &llmtest.Bedrock{
		Status: http.StatusOK, Body: `{"type":"message","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn"}`,
	}
	if _, err := openBedrock(t, endpoint, claude, testKey).Complete(t.Context(), llm.Request{User: "Hi."}); err != nil {
		t.Fatal(err)
	}
	if got := endpoint.Auth.Load(); got != "Bearer "+testKey {
		t.Errorf("Authorization: %q", got)
	}
}

// Claude's default temperature is the least repeatable one, so 0 has to be sent; a model that declines one gets none.
func TestBedrockTemperature(t *testing.T) {
	llmtest.SetAWSCredentials(t)
	endpoint := &llmtest.Bedrock{
		Status: http.StatusOK, Body: `{"type":"message","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn"}`,
	}
	model := openBedrock(t, endpoint, claude, "")
	for _, test := range []struct{ asked, least, most float64 }{{0, 1e-9, 0.001}, {0.5, 0.5, 0.5}, {-1, 0, 0}} {
		if _, err := model.Complete(t.Context(), llm.Request{User: "Hi.", Temperature: test.asked}); err != nil {
			t.Fatal(err)
		}
		got, _ := fields(t, []byte(endpoint.Sent.Load().(string)))["temperature"].(float64)
		if got < test.least || got > test.most {
			t.Errorf("asked for %v, sent %v", test.asked, got)
		}
	}
	endpoint.Status, endpoint.Body = http.StatusBadRequest, `{"message":"temperature is deprecated for this model"}`
	for range 2 {
		_, _ = model.Complete(t.Context(), llm.Request{User: "Hi."})
	}
	if _, sent := fields(t, []byte(endpoint.Sent.Load().(string)))["temperature"]; sent {
		t.Error("a declined temperature was sent again")
	}
}

func TestBedrockWithoutCredentialsOrRegionSaysSo(t *testing.T) {
	llmtest.SetAWSCredentials(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	endpoint := &llmtest.Bedrock{Status: http.StatusOK}
	_, err := openBedrock(t, endpoint, claude, "").Complete(t.Context(), llm.Request{User: "Hi."})
	if e := failureOf(t, err); e.Kind != llm.Unauthorized || endpoint.Count.Load() != 0 {
		t.Errorf("%v after %d requests", err, endpoint.Count.Load())
	}
	t.Setenv("AWS_REGION", "")
	if _, err := llm.Open(llm.Config{Provider: "bedrock", Model: claude}); err == nil || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("%v", err)
	}
}

func TestBedrockDeadline(t *testing.T) {
	llmtest.SetAWSCredentials(t)
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	defer server.Close()
	defer close(stop)
	model, err := llm.Open(llm.Config{Provider: "bedrock", Model: claude, BaseURL: server.URL, Timeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	_, err = model.Complete(t.Context(), llm.Request{User: "Hi."})
	if e := new(llm.Error); !errors.As(err, &e) || e.Kind != llm.Timeout {
		t.Errorf("%v", err)
	}
}
