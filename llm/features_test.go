package llm_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/llm"
	"reverie/llm/llmtest"
)

// A server that declines parts of a request is asked without them from the next call on, each call being one request.
func TestWhatAServerDeclinesIsLeftOutFromThenOn(t *testing.T) {
	t.Parallel()
	type sent struct {
		Format      string
		Temperature bool
		Limit       string
	}
	tests := []struct {
		name, provider string
		declines       []string
		want           []sent // of each call; the last one succeeds
	}{
		{"nothing", "openai", nil, []sent{{"json_schema", true, "max_completion_tokens"}}},
		{"schema", "openai", []string{
			"json_schema",
		}, []sent{{"json_schema", true, "max_completion_tokens"}, {"json_object", true, "max_completion_tokens"}}},
		{
			"schema and JSON", "ollama",
			[]string{"json_schema", "json_object"},
			[]sent{{"json_schema", true, "max_tokens"}, {"json_object", true, "max_tokens"}, {"", true, "max_tokens"}},
		},
		{
			"temperature and the old limit", "openai-compatible",
			[]string{"temperature", "max_tokens"},
			[]sent{
				{"json_schema", true, "max_tokens"}, {"json_schema", true, "max_completion_tokens"}, {"json_schema", false, "max_completion_tokens"},
			},
		},
		{
			"both limits", "openai",
			[]string{"max_completion_tokens", "max_tokens"},
			[]sent{{"json_schema", true, "max_completion_tokens"}, {"json_schema", true, "max_tokens"}, {"json_schema", true, ""}},
		},
		{
			"everything at Anthropic", "anthropic",
			[]string{"output_config", "temperature"},
			[]sent{{"json_schema", true, "max_tokens"}, {"json_schema", false, "max_tokens"}, {"", false, "max_tokens"}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, llmtest.Options{Declines: test.declines})
			model := open(t, test.provider, server)
			request := llm.Request{System: "Be brief.", User: "Hi.", Schema: json.RawMessage(schema), MaxTokens: 10}
			for i := range test.want {
				_, err := model.Complete(t.Context(), request)
				if i == len(test.want)-1 {
					if err != nil {
						t.Fatalf("the last call: %v", err)
					}
					break
				}
				if failure := failureOf(t, err); failure.Kind != llm.Unavailable || failure.Status != 400 ||
					!strings.Contains(failure.Message, "left out from the next call on") {
					t.Errorf("call %d: %v", i+1, err)
				}
			}
			var got []sent
			for _, r := range server.Requests() {
				s := sent{Format: r.Format, Temperature: r.Temperature != nil}
				for _, limit := range []string{"max_tokens", "max_completion_tokens"} {
					if _, ok := fields(t, r.Body)[limit]; ok {
						s.Limit += limit
					}
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			last := server.Requests()[len(test.want)-1]
			if last.Format != "json_schema" && !strings.Contains(last.System, schema) {
				t.Errorf("the schema is not asked for in words: %q", last.System)
			}
		})
	}
}

func TestWhatOneModelDeclinesIsStillSentToAnother(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Declines: []string{"temperature"}})
	model := open(t, "openai", server)
	for range 2 {
		_, _ = model.Complete(t.Context(), llm.Request{User: "Hi."}) // declined, then without
	}
	_, _ = model.Complete(t.Context(), llm.Request{Model: "other", User: "Hi."})
	requests := server.Requests()
	if requests[1].Temperature != nil || requests[2].Temperature == nil {
		t.Errorf("temperatures %v, %v, %v", requests[0].Temperature, requests[1].Temperature, requests[2].Temperature)
	}
}

// Errors with which servers decline a feature, some with a misleading status.
func TestWordsThatDecline(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		provider string
		status   int
		body     string
	}{
		{"openai", 400, `{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",` +
			`"param":"response_format"}}`},
		{"openai", 400, `{"error":{"message":"Unknown parameter","param":"response_format.json_schema"}}`},
		{"dashscope", 400, `{"error":{"code":"InvalidParameter","message":"The parameter response_format.type specified in the request are not ` +
			`valid: invalid value: json_object"}}`},
		{"lmstudio", 400, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`},
		{"llamacpp", 500, `{"error":{"code":500,"message":"Failed to initialize samplers: failed to parse grammar","type":"server_error"}}`},
		{
			"mistral", 422,
			`{"detail":[{"type":"extra_forbidden","loc":["body","response_format","json_schema"],"msg":"Extra inputs are not permitted"}]}`,
		},
		{
			"openrouter", 200,
			`{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":\"structured output is not supported\"}"}}}`,
		},
		{"openai", 400, `{"error":{"message":"max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you ` +
			`provided 8192.","param":"max_tokens","code":"invalid_value"}}`},
		{"openai", 400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value ` +
			`is supported.","param":"temperature","code":"unsupported_value"}}`},
		{
			"anthropic", 400,
			"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"`temperature` is deprecated for this model.\"}}",
		},
		{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"output_config: Extra inputs are not permitted"}}`},
		{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"The compiled grammar is too large, which would ` +
			`cause performance issues."}}`},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		}))
		model, err := llm.Open(llm.Config{Provider: test.provider, Model: "m", APIKey: testKey, BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		_, err = model.Complete(t.Context(), llm.Request{User: "Hi.", Schema: json.RawMessage(schema), MaxTokens: 8192})
		if e := failureOf(t, err); e.Kind != llm.Unavailable || !strings.Contains(e.Message, "left out") {
			t.Errorf("%s %s: %v", test.provider, test.body, err)
		}
		server.Close()
	}
}

// A server that complains for ever is not asked for ever: once nothing is left to leave out, the request is wrong.
func TestComplaintsAboutWhatWasNotSentEnd(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"message":"unsupported: response_format, temperature, max_tokens"}}`))
	}))
	defer server.Close()
	for _, provider := range protocols {
		model, err := llm.Open(llm.Config{Provider: provider, Model: "m", APIKey: testKey, BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		for call := 1; ; call++ {
			_, err := model.Complete(t.Context(), llm.Request{User: "Hi.", Schema: json.RawMessage(schema), MaxTokens: 10})
			if failureOf(t, err).Kind == llm.BadRequest {
				break
			}
			if call > 6 {
				t.Fatalf("%s: still %v after %d calls", provider, err, call)
			}
		}
	}
}
