package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
)

const (
	testKey = "test-key-0123456789abcdef"
	// schema is one that every mode of every provider takes.
	schema = `{"type":"object","properties":{"reason":{"type":"string"}},"required":["reason"],"additionalProperties":false}`
)

// protocols are the providers that tests of both wire protocols run against.
var protocols = []string{"openai", "anthropic"}

// open opens a model at a scripted server.
func open(tb testing.TB, provider string, server *llmtest.Server, change ...func(*llm.Config)) llm.Model {
	tb.Helper()
	c := llm.Config{Provider: provider, Model: "test-model", APIKey: testKey, BaseURL: server.URL, Timeout: 10 * time.Second}
	for _, f := range change {
		f(&c)
	}
	m, err := llm.Open(c)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestAnAnswerComesBackWithItsCosts(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, llmtest.Options{
				APIKey: testKey,
				Answer: func(prompt string) string { return "You said: " + prompt },
			})
			model := open(t, provider, server, func(c *llm.Config) { c.InputPrice, c.OutputPrice = 2.5, 10 })
			if want := provider + "/test-model"; model.Name() != want {
				t.Errorf("Name() = %q, want %q", model.Name(), want)
			}
			got, err := model.Complete(t.Context(), llm.Request{System: "Be brief.", User: "I live in Köln.", MaxTokens: 100, Temperature: 0.3})
			if err != nil {
				t.Fatal(err)
			}
			in, out := llmtest.Tokens("Be brief.I live in Köln."), llmtest.Tokens("You said: I live in Köln.")
			want := llm.Response{
				Text: "You said: I live in Köln.", Model: provider + "/test-model",
				Usage: memory.Usage{Calls: 1, InputTokens: in, OutputTokens: out, CostMicros: int64(float64(in)*2.5+0.5) + int64(out)*10},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			request := server.Requests()[0]
			if request.System != "Be brief." || request.User != "I live in Köln." || request.MaxTokens != 100 || *request.Temperature != 0.3 {
				t.Errorf("the server got %+v", request)
			}
			if server.Count() != 1 {
				t.Errorf("%d requests, want 1", server.Count())
			}
		})
	}
}

// Fields of the body that langchaingo does not support, by provider.
func TestTheAnswerIsBoundToTheSchemaAsFarAsTheProviderCan(t *testing.T) {
	t.Parallel()
	optional := `{"type":"object","properties":{"reason":{"type":"string"}},"additionalProperties":false}`
	tests := []struct {
		provider, schema string
		format           string
		strict           bool
		inWords          bool
		limit            string
	}{
		{"openai", schema, "json_schema", true, false, "max_completion_tokens"},
		{"openai", optional, "json_schema", false, false, "max_completion_tokens"},
		{"azure", schema, "json_schema", true, false, "max_completion_tokens"},
		{"ollama", schema, "json_schema", true, true, "max_tokens"},
		{"gemini", schema, "json_schema", true, true, "max_tokens"},
		{"mistral", schema, "json_schema", true, true, "max_tokens"},
		{"openai-compatible", schema, "json_schema", true, true, "max_tokens"},
		{"deepseek", schema, "json_object", false, true, "max_tokens"},
		{"anthropic", schema, "json_schema", false, false, "max_tokens"},
		{"openai", "", "", false, false, "max_completion_tokens"},
		{"anthropic", "", "", false, false, "max_tokens"},
	}
	for _, test := range tests {
		t.Run(test.provider+" "+test.format, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, llmtest.Options{})
			model := open(t, test.provider, server, func(c *llm.Config) { c.BaseURL = server.URL + "/v1" })
			request := llm.Request{System: "System.", User: "User.", MaxTokens: 64}
			if test.schema != "" {
				request.Schema = json.RawMessage(test.schema)
			}
			if _, err := model.Complete(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			got := server.Requests()[0]
			if got.Format != test.format {
				t.Errorf("format %q, want %q", got.Format, test.format)
			}
			if inWords := strings.Contains(got.System, schema); inWords != test.inWords {
				t.Errorf("schema in words: %t, want %t (system text %q)", inWords, test.inWords, got.System)
			}
			body := fields(t, got.Body)
			if strict := strings.Contains(string(got.Body), `"strict":true`); strict != test.strict {
				t.Errorf("strict %t, want %t", strict, test.strict)
			}
			for _, limit := range []string{"max_tokens", "max_completion_tokens"} {
				if _, sent := body[limit]; sent != (limit == test.limit) {
					t.Errorf("%s sent: %t", limit, sent)
				}
			}
		})
	}
}

func fields(tb testing.TB, body []byte) map[string]any {
	tb.Helper()
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestTemperatureIsLeftOutWhenAskedAndFitsTheProtocol(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		for _, test := range []struct{ asked, openai, anthropic float64 }{{-1, -1, -1}, {0, 0, 0}, {0.7, 0.7, 0.7}, {1.5, 1.5, 1}} {
			server := llmtest.New(t, llmtest.Options{})
			if _, err := open(t, provider, server).Complete(t.Context(), llm.Request{User: "Hi.", Temperature: test.asked}); err != nil {
				t.Fatal(err)
			}
			want := map[string]float64{"openai": test.openai, "anthropic": test.anthropic}[provider]
			got := -1.0
			if sent := server.Requests()[0].Temperature; sent != nil {
				got = *sent
			}
			if got != want {
				t.Errorf("%s: asked for %v, sent %v, want %v (-1: not sent)", provider, test.asked, got, want)
			}
		}
	}
}

func TestARequestMayNameAnotherModel(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		server := llmtest.New(t, llmtest.Options{})
		got, err := open(t, provider, server).Complete(t.Context(), llm.Request{Model: "larger", User: "Hi."})
		if err != nil {
			t.Fatal(err)
		}
		if asked := server.Requests()[0].Model; asked != "larger" || got.Model != provider+"/larger" {
			t.Errorf("%s: asked %q, answered by %q", provider, asked, got.Model)
		}
	}
}

func TestWithoutAKeyNoneIsSent(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{})
	model := open(t, "ollama", server, func(c *llm.Config) { c.APIKey = "" })
	if _, err := model.Complete(t.Context(), llm.Request{User: "Hi."}); err != nil {
		t.Fatal(err)
	}
	if got := server.Requests()[0].Header.Get("Authorization"); got != "" {
		t.Errorf("Authorization: %q", got)
	}
}

func TestTheEnvironmentOfOtherProgramsIsNotUsed(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-another-program")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("OPENAI_ORGANIZATION", "another-organization")
	t.Setenv("OPENAI_MODEL", "another-model")
	server := llmtest.New(t, llmtest.Options{APIKey: testKey})
	if _, err := open(t, "openai", server).Complete(t.Context(), llm.Request{User: "Hi."}); err != nil {
		t.Fatal(err)
	}
	request := server.Requests()[0]
	if request.Model != "test-model" || request.Header.Get("OpenAI-Organization") != "" {
		t.Errorf("model %q, organization %q", request.Model, request.Header.Get("OpenAI-Organization"))
	}
}

func TestAnEmptyQuestionIsNotAsked(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{})
	_, err := open(t, "openai", server).Complete(t.Context(), llm.Request{System: "Be brief.", User: " \n"})
	if failure := failureOf(t, err); failure.Kind != llm.BadRequest || server.Count() != 0 {
		t.Errorf("%v after %d requests", err, server.Count())
	}
}

func failureOf(tb testing.TB, err error) *llm.Error {
	tb.Helper()
	failure := new(llm.Error)
	if !errors.As(err, &failure) {
		tb.Fatalf("error is %T (%v), want *llm.Error", err, err)
	}
	return failure
}

func TestDeadlinesAndCancellation(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Slow(time.Minute))})
		t.Run(provider+" timeout of the configuration", func(t *testing.T) {
			t.Parallel()
			model := open(t, provider, server, func(c *llm.Config) { c.Timeout = 50 * time.Millisecond })
			_, err := model.Complete(t.Context(), llm.Request{User: "Hi."})
			if failure := failureOf(t, err); failure.Kind != llm.Timeout || !failure.Kind.Retryable() || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
		t.Run(provider+" deadline of the caller", func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err := open(t, provider, server).Complete(ctx, llm.Request{User: "Hi."})
			if failure := failureOf(t, err); failure.Kind != llm.Timeout || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
		t.Run(provider+" cancelled by the caller", func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			_, err := open(t, provider, server).Complete(ctx, llm.Request{User: "Hi."})
			if !errors.Is(err, context.Canceled) || errors.As(err, new(*llm.Error)) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestManyCallsAtOnceKeepApart(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		server := llmtest.New(t, llmtest.Options{
			Answer: func(prompt string) string { return "re: " + prompt },
			Key:    llmtest.KeyPattern(`.+`),
			Script: llmtest.Sequence(llmtest.Status(429, time.Second)),
		})
		model := open(t, provider, server)
		var wg sync.WaitGroup
		for name := range strings.FieldsSeq(strings.Repeat("Ada Ben Cem Dan Eva Fay Gus Hal ", 4)) {
			wg.Go(func() {
				prompt := name + " " + time.Now().String()
				failure := new(llm.Error)
				if _, err := model.Complete(t.Context(), llm.Request{User: prompt}); !errors.As(err, &failure) || failure.Kind != llm.RateLimited {
					t.Errorf("first call: %v", err)
				}
				got, err := model.Complete(t.Context(), llm.Request{User: prompt})
				if err != nil || got.Text != "re: "+prompt || got.Usage.Calls != 1 {
					t.Errorf("second call: %+v, %v", got, err)
				}
			})
		}
		wg.Wait()
	}
}
