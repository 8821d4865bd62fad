package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"reverie/llm"
	"reverie/llm/llmtest"
)

func TestEachCallIsASpanWithoutContents(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		spans := tracetest.NewSpanRecorder()
		tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
		server := llmtest.New(t, llmtest.Options{
			Answer: func(string) string { return "a private answer" },
			Script: llmtest.Sequence(llmtest.Honest(), llmtest.Status(429)),
		})
		model := open(t, provider, server, func(c *llm.Config) { c.Tracers = tracers })
		for range 2 {
			_, _ = model.Complete(t.Context(), llm.Request{System: "a private profile", User: "a private question", MaxTokens: 7})
		}
		ended := spans.Ended()
		if len(ended) != 2 {
			t.Fatalf("%d spans", len(ended))
		}
		want := []map[string]any{
			{
				"gen_ai.operation.name": "chat", "gen_ai.provider.name": provider, "gen_ai.request.model": "test-model",
				"gen_ai.request.max_tokens": int64(7), "gen_ai.response.model": provider + "/test-model", "reverie.truncated": false,
				"gen_ai.usage.input_tokens":  int64(llmtest.Tokens("a private profilea private question")),
				"gen_ai.usage.output_tokens": int64(llmtest.Tokens("a private answer")),
			},
			{"error.type": "rate_limited", "http.response.status_code": int64(429), "gen_ai.usage.input_tokens": int64(0)},
		}
		for i, span := range ended {
			got := map[string]any{}
			for _, a := range span.Attributes() {
				got[string(a.Key)] = value(a.Value)
			}
			for key, v := range want[i] {
				if got[key] != v {
					t.Errorf("%s span %d: %s is %v, want %v", provider, i, key, got[key], v)
				}
			}
			if span.Name() != "chat test-model" || (span.Status().Code == codes.Error) != (i == 1) {
				t.Errorf("%s span %d: %q, %v", provider, i, span.Name(), span.Status())
			}
			if printed := fmt.Sprint(got, span.Name(), span.Status(), span.Events()); strings.Contains(printed, "private") ||
				strings.Contains(printed, testKey) {
				t.Errorf("contents in %s", printed)
			}
		}
		for _, r := range server.Requests() {
			if r.Header.Get("Traceparent") != "" {
				t.Error("the trace was sent to the provider")
			}
		}
	}
}

func value(v attribute.Value) any { return v.AsInterface() }
