package llmtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/llm/llmtest"
)

// ask sends a request of one of the protocols with a plain HTTP client, and returns status, headers and body.
func ask(tb testing.TB, server *llmtest.Server, protocol, user string, change ...func(map[string]any)) (int, http.Header, string, error) {
	tb.Helper()
	body := map[string]any{
		"model": "m", "max_tokens": 100,
		"messages": []any{map[string]any{"role": "user", "content": user}},
	}
	for _, f := range change {
		f(body)
	}
	b, err := json.Marshal(body)
	if err != nil {
		tb.Fatal(err)
	}
	path := map[string]string{"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}[protocol]
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, server.URL+path, bytes.NewReader(b))
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer right-key")
	req.Header.Set("X-Api-Key", "right-key")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	got, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, string(got), err
}

// object reads JSON and removes what changes from run to run.
func object(tb testing.TB, body string) map[string]any {
	tb.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		tb.Fatalf("%v in %q", err, body)
	}
	delete(m, "created")
	return m
}

// The shapes are those of the providers' API references.
func TestAnswersHaveTheShapeOfTheProtocol(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Answer: func(prompt string) string { return "You said " + prompt }})
	_, _, openai, err := ask(t, server, "openai", "hello")
	if err != nil {
		t.Fatal(err)
	}
	want := object(t, `{"id":"chatcmpl-1","object":"chat.completion","model":"m",
		"choices":[{"index":0,"message":{"role":"assistant","content":"You said hello","refusal":null},"logprobs":null,"finish_reason":"stop"}],
		"usage":{"prompt_tokens":2,"completion_tokens":4,"total_tokens":6,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`)
	if diff := cmp.Diff(want, object(t, openai)); diff != "" {
		t.Error(diff)
	}
	_, _, anthropic, err := ask(t, server, "anthropic", "hello")
	if err != nil {
		t.Fatal(err)
	}
	want = object(t, `{"id":"msg_2","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"You said hello"}],
		"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":2,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":4}}`)
	if diff := cmp.Diff(want, object(t, anthropic)); diff != "" {
		t.Error(diff)
	}
}

func TestErrorsHaveTheShapeOfTheProtocol(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Status(429, 1500*time.Millisecond))})
	status, header, body, err := ask(t, server, "openai", "hello")
	fault, _ := object(t, body)["error"].(map[string]any)
	if err != nil || status != 429 || header.Get("Retry-After") != "1.5" || header.Get("Retry-After-Ms") != "1500" ||
		fault["code"] != "rate_limit_exceeded" || !strings.HasSuffix(fmt.Sprint(fault["message"]), "Please try again in 1.5s.") {
		t.Errorf("%d %v %s %v", status, header, body, err)
	}
	status, header, body, err = ask(t, server, "anthropic", "hello")
	fault, _ = object(t, body)["error"].(map[string]any)
	if err != nil || status != 429 || header.Get("Retry-After") != "2" || fault["type"] != "rate_limit_error" ||
		object(t, body)["type"] != "error" {
		t.Errorf("%d %v %s %v", status, header, body, err)
	}
}

// Requests that the real APIs decline are declined.
func TestInvalidRequestsAreDeclined(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{APIKey: "right-key", Declines: []string{"temperature", "stream"}})
	set := func(name string, value any) func(map[string]any) { return func(m map[string]any) { m[name] = value } }
	format := func(kind string, strict bool, schema map[string]any) func(map[string]any) {
		return set("response_format",
			map[string]any{"type": kind, "json_schema": map[string]any{"name": "a", "strict": strict, "schema": schema}})
	}
	open := map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string"}}}
	tests := []struct {
		name, protocol string
		change         func(map[string]any)
		status         int
		says           string
	}{
		{"good", "openai", set("model", "m"), 200, ""},
		{"good", "anthropic", set("model", "m"), 200, ""},
		{"no model", "openai", set("model", ""), 400, "model"},
		{"no model", "anthropic", set("model", ""), 400, "model"},
		{"no message", "openai", set("messages", []any{}), 400, "messages"},
		{"no message", "anthropic", set("messages", []any{}), 400, "messages"},
		{"unknown field", "openai", set("output_config", map[string]any{}), 400, "Unrecognized request argument supplied: output_config"},
		{"unknown field", "anthropic", set("response_format", map[string]any{}), 400, "response_format: Extra inputs are not permitted"},
		{"two limits", "openai", set("max_completion_tokens", 5), 400, "at the same time"},
		{"no limit", "anthropic", set("max_tokens", 0), 400, "max_tokens"},
		{"temperature", "openai", set("temperature", 0.5), 400, "Only the default (1) value is supported"},
		{"temperature", "anthropic", set("temperature", 0.5), 400, "deprecated"},
		{"no word JSON", "openai", format("json_object", false, nil), 400, "must contain the word 'json'"},
		{"strict and open", "openai", format("json_schema", true, open), 400, "'required' is required to be supplied"},
		{"loose and open", "openai", format("json_schema", false, open), 200, ""},
		{
			"open", "anthropic", set("output_config", map[string]any{"format": map[string]any{"type": "json_schema", "schema": open}}), 400,
			"additionalProperties",
		},
		{"stream", "openai", set("stream", true), 400, "stream"},
	}
	for _, test := range tests {
		status, _, body, err := ask(t, server, test.protocol, "hello", test.change)
		if err != nil || status != test.status || !strings.Contains(body, test.says) {
			t.Errorf("%s %s: %d %s %v", test.protocol, test.name, status, body, err)
		}
	}
	wrong := llmtest.New(t, llmtest.Options{APIKey: "another-key"})
	for _, protocol := range []string{"openai", "anthropic"} {
		if status, _, body, err := ask(t, wrong, protocol, "hello"); err != nil || status != 401 {
			t.Errorf("%s: %d %s %v", protocol, status, body, err)
		}
	}
}

func TestALongRequestDoesNotFitTheContextWindow(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{ContextWindow: 10})
	for _, protocol := range []string{"openai", "anthropic"} {
		if status, _, body, err := ask(t, server, protocol, strings.Repeat("x", 40)); err != nil || status != 200 {
			t.Errorf("%s, 10 tokens: %d %s %v", protocol, status, body, err)
		}
		if status, _, body, err := ask(t, server, protocol, strings.Repeat("x", 41)); err != nil || status != 400 ||
			!strings.Contains(body, "context") && !strings.Contains(body, "too long") {
			t.Errorf("%s, 11 tokens: %d %s %v", protocol, status, body, err)
		}
	}
}

func TestHangUps(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{
		Answer: func(string) string { return strings.Repeat("word ", 1000) },
		Script: llmtest.Sequence(llmtest.HangUpBeforeAnswer(), llmtest.HangUpMidBody()),
	})
	if status, _, body, err := ask(t, server, "openai", "hello"); err == nil {
		t.Errorf("before the answer: %d %q", status, body)
	}
	status, _, body, err := ask(t, server, "openai", "hello")
	if !errors.Is(err, io.ErrUnexpectedEOF) || status != 200 || len(body) < 2000 || json.Valid([]byte(body)) {
		t.Errorf("mid-body: %d, %d bytes, %v", status, len(body), err)
	}
}

func TestManyRequestsAtOnce(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Key: llmtest.KeyPattern(`.+`), Script: llmtest.Always(llmtest.Slow(20 * time.Millisecond))})
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			protocol := []string{"openai", "anthropic"}[i%2]
			if status, _, body, err := ask(t, server, protocol, fmt.Sprint("key ", i%4)); err != nil || status != 200 {
				t.Errorf("%d %s %v", status, body, err)
			}
		})
	}
	wg.Wait()
	stats := server.Stats()
	if stats.Requests != 40 || stats.InFlight != 0 || stats.MaxInFlight < 2 || stats.Keys["key 3"] != 10 {
		t.Errorf("%+v", stats)
	}
	numbers := map[int]bool{}
	for _, r := range server.Requests() {
		numbers[r.Number] = true
	}
	if len(numbers) != 40 {
		t.Errorf("%d different numbers", len(numbers))
	}
}

func TestServeRunsUntilItsContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	running := make(chan *llmtest.Server, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- llmtest.Serve(ctx, "127.0.0.1:0", llmtest.Options{Script: llmtest.Sequence(llmtest.Honest(), llmtest.Slow(time.Hour))},
			func(s *llmtest.Server) { running <- s })
	}()
	server := <-running
	if status, _, _, err := ask(t, server, "openai", "hello"); err != nil || status != 200 {
		t.Errorf("%d %v", status, err)
	}
	response, err := http.Get(server.URL + "/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var stats llmtest.Stats
	if err := json.NewDecoder(response.Body).Decode(&stats); err != nil || stats.Requests != 1 || stats.Replies["honest"] != 1 {
		t.Errorf("%+v %v", stats, err)
	}
	slow := make(chan error, 1)
	go func() {
		_, _, _, err := ask(t, server, "openai", "hello")
		slow <- err
	}()
	for server.Stats().InFlight == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v", err)
	}
	if err := <-slow; err == nil {
		t.Error("an answer came from a closed server")
	}
	if err := llmtest.Serve(t.Context(), "256.0.0.1:0", llmtest.Options{}, nil); err == nil {
		t.Error("an address that is none was listened on")
	}
}
