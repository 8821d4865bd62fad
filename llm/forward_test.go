package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"reverie/llm"
	"reverie/llm/wire"
)

// forwarder opens a model whose provider is at a server of the test.
func forwarder(t *testing.T, provider string, handle http.HandlerFunc) llm.Forwarder {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	model, err := llm.Open(llm.Config{Provider: provider, Model: "small", APIKey: "key-of-ours-1", BaseURL: server.URL, InputPrice: 2, OutputPrice: 10})
	if err != nil {
		t.Fatal(err)
	}
	f, can := llm.CanForward(model)
	if !can {
		t.Fatalf("%s does not forward", provider)
	}
	return f
}

func body(t *testing.T, answer *http.Response) string {
	t.Helper()
	defer func() { _ = answer.Body.Close() }()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

// Requests reach the provider as they are, with its key; those of Anthropic its compatible endpoint.
func TestForward(t *testing.T) {
	for provider, path := range map[string]string{
		"openai": "/v1/chat/completions", "anthropic": "/v1/chat/completions", "googleai": "/v1beta/openai/chat/completions",
	} {
		f := forwarder(t, provider, func(w http.ResponseWriter, r *http.Request) {
			got, err := io.ReadAll(r.Body)
			if err != nil || r.URL.Path != path || r.Header.Get("Authorization") != "Bearer key-of-ours-1" || string(got) != `{"a": 1}` {
				t.Errorf("%s: %s %v %q %v", provider, r.URL.Path, r.Header, got, err)
			}
			w.Header().Set("X-Ratelimit-Remaining", "7")
			_, _ = w.Write([]byte("as it is"))
		})
		answer, err := f.Forward(t.Context(), llm.ForwardRequest{Model: "small", Body: []byte(`{"a": 1}`)})
		if err != nil {
			t.Fatal(err)
		}
		if said := body(t, answer); said != "as it is" || answer.Header.Get("X-Ratelimit-Remaining") != "7" || f.ModelName() != "small" {
			t.Errorf("%s: %q %v", provider, said, answer.Header)
		}
		if model, used := f.Spent("large", 1000, 100); model != provider+"/large" || used.CostMicros != 3000 || used.Calls != 1 {
			t.Errorf("%s %+v", model, used)
		}
	}
	t.Setenv("AWS_REGION", "eu-central-1")
	model, err := llm.Open(llm.Config{Provider: "bedrock", Model: "anthropic.claude-3-haiku-20240307-v1:0", APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	if _, can := llm.CanForward(model); can {
		t.Error("Bedrock does not speak the protocol")
	}
}

// Errors pass through without keys, and stay what they are.
func TestForwardedErrors(t *testing.T) {
	said, status := "", 0
	f := forwarder(t, "openai", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "https://elsewhere.example.com/key-of-ours-1")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(said))
	})
	ask := func(ctx context.Context) (*http.Response, error) {
		return f.Forward(ctx, llm.ForwardRequest{Model: "small", Body: []byte("{}")})
	}
	for sent, want := range map[string]string{
		`{"error":{"message":"key-of-ours-1 is too poor","code":"x"}}`: `{"error":{"message":"[secret] is too poor","code":"x"}}`,
		`{"error":{"message":"You sent sk-abcd****1234"}}`:             `{"error":{"message":"You sent [secret]"}}`,
		`{"error":{"message":"no","api_key":"abcdefgh"}}`:              `{"error":{"message":"no","api_key":"[secret]"}}`,
		`{"error":{"message":"no","hint":"token=abcdef\"x"}}`:          `{"error":{"message":"no"}}`, // JSON remains JSON
		`<html>Bad gateway</html>`:                                     `<html>Bad gateway</html>`,
		`{"error":{"message":"fine","n": 1.50}}`:                       `{"error":{"message":"fine","n": 1.50}}`,
	} {
		said, status = sent, 418
		answer, err := ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := body(t, answer); got != want || answer.StatusCode != 418 {
			t.Errorf("%s: %d %s", sent, answer.StatusCode, got)
		}
	}
	said, status = strings.Repeat("x", 1<<20), 500
	if answer, err := ask(t.Context()); err != nil || len(body(t, answer)) != 64<<10 {
		t.Errorf("%v", err)
	}
	status = 302
	_, err := ask(t.Context())
	if failed, is := errors.AsType[*llm.Error](err); !is || !strings.Contains(failed.Message, "elsewhere.example.com") || strings.Contains(failed.Message, "ours") {
		t.Errorf("%v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ask(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A server that declines stream_options is asked without, from then on at once.
func TestForwardWithoutUsage(t *testing.T) {
	asked := 0
	f := forwarder(t, "openai-compatible", func(w http.ResponseWriter, r *http.Request) {
		asked++
		var fields map[string]json.RawMessage
		if json.NewDecoder(r.Body).Decode(&fields) != nil || fields["stream_options"] != nil {
			w.WriteHeader(400)
			_, _ = w.Write([]byte(`{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`))
		}
	})
	for i, want := range []int{2, 3} {
		answer, err := f.Forward(t.Context(), llm.ForwardRequest{Model: "m", Body: []byte(`{"stream_options":{}}`), Plain: []byte(`{}`)})
		if err != nil || answer.StatusCode != 200 || asked != want {
			t.Errorf("%d: %v, asked %d times", i, err, asked)
		}
		body(t, answer)
	}
	answer, err := f.Forward(t.Context(), llm.ForwardRequest{Model: "m", Body: []byte(`{"stream_options":{}}`)}) // the client's own wish
	if err != nil || answer.StatusCode != 400 || !strings.Contains(body(t, answer), "stream_options") {
		t.Errorf("%v", err)
	}
}

func TestTranscript(t *testing.T) {
	event := func(choices, more string) string { return `{"model":"m","choices":[` + choices + `]` + more + `}` }
	for name, c := range map[string]struct {
		events []string
		counts string // which events only count
		text   string
		whole  bool
	}{
		"whole": {[]string{
			event(`{"delta":{"role":"assistant","content":"<think>Hm</think>"}}`, ``), event(`{"index":1,"delta":{"content":"other"}}`, ``),
			event(`{"delta":{"content":"Yes. "}}`, `,"usage":null`), event(`{"delta":{},"finish_reason":"stop"}`, ``),
			event(``, `,"usage":{"prompt_tokens":3,"completion_tokens":2}`), "[DONE]",
		}, "000010", "Yes.", true},
		"filters first":  {[]string{event(``, `,"prompt_filter_results":[]`), event(`{"delta":{"content":"A"},"finish_reason":"stop"}`, ``)}, "00", "A", true},
		"cut":            {[]string{event(`{"delta":{"content":"A"}}`, ``)}, "0", "A", false},
		"an error":       {[]string{event(`{"delta":{"content":"A"}}`, ``), `{"error":{"message":"no"}}`, "[DONE]"}, "000", "A", false},
		"something else": {[]string{event(`{"delta":{"content":"A"}}`, ``), `{"choices":[{`, "[DONE]"}, "000", "A", false},
		"nothing":        {[]string{"[DONE]"}, "0", "", false},
	} {
		var said wire.Transcript
		counts := ""
		for _, e := range c.events {
			counts += map[bool]string{true: "1", false: "0"}[said.Take([]byte(e))]
		}
		if answer, whole := said.Answer(); counts != c.counts || whole != c.whole || answer.Text != c.text {
			t.Errorf("%s: counts %s, whole %v, %q", name, counts, whole, answer.Text)
		}
	}
}
