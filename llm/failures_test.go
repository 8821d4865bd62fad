package llm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// Every fault, over both protocols: its kind, its delay, and that one call is one request.
func TestFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		reply  llmtest.Reply
		kind   llm.Kind
		status int // 0: none
		after  time.Duration
	}{
		{"429", llmtest.Status(429), llm.RateLimited, 429, 0},
		{"429 with delay", llmtest.Status(429, 7*time.Second), llm.RateLimited, 429, 7 * time.Second},
		{"quota", llmtest.Quota(), llm.Quota, -1, 0},
		{"context", llmtest.ContextTooLong(), llm.ContextTooLong, 400, 0},
		{"413", llmtest.Status(413), llm.ContextTooLong, 413, 0},
		{"key", llmtest.Unauthorized(), llm.Unauthorized, 401, 0},
		{"403", llmtest.Status(403), llm.Unauthorized, 403, 0},
		{"402", llmtest.Status(402), llm.Quota, 402, 0},
		{"400", llmtest.Status(400), llm.BadRequest, 400, 0},
		{"404", llmtest.Status(404), llm.BadRequest, 404, 0},
		{"408", llmtest.Status(408), llm.Timeout, 408, 0},
		{"409", llmtest.Status(409), llm.Unavailable, 409, 0},
		{"500", llmtest.Status(500), llm.Unavailable, 500, 0},
		{"502", llmtest.Status(502), llm.Unavailable, 502, 0},
		{"503", llmtest.Status(503, 3*time.Second), llm.Overloaded, 503, 3 * time.Second},
		{"504", llmtest.Status(504), llm.Timeout, 504, 0},
		{"529", llmtest.Status(529), llm.Overloaded, 529, 0},
		{"redirect", llmtest.Status(307), llm.BadRequest, 307, 0},
		{"hang-up", llmtest.HangUpBeforeAnswer(), llm.Unavailable, 0, 0},
		{"hang-up mid-body", llmtest.HangUpMidBody(), llm.Unavailable, 0, 0},
		{"garbage", llmtest.GarbageBody(), llm.Unavailable, 200, 0},
		{"empty", llmtest.EmptyChoices(), llm.Unavailable, 200, 0},
		{"refusal", llmtest.Refusal(), llm.Refused, 200, 0},
		{"content filter", llmtest.ContentFilter(), llm.Refused, 200, 0},
	}
	for _, provider := range protocols {
		for _, test := range tests {
			t.Run(provider+" "+test.name, func(t *testing.T) {
				t.Parallel()
				server := llmtest.New(t,
					llmtest.Options{Script: llmtest.Always(test.reply), Answer: func(string) string { return strings.Repeat("word ", 200) }})
				_, err := open(t, provider, server).Complete(t.Context(), llm.Request{System: "Be brief.", User: "Remember that I live in Köln."})
				got := failureOf(t, err)
				if got.Kind != test.kind || test.status >= 0 && got.Status != test.status || got.RetryAfter != test.after {
					t.Errorf("got %s, HTTP %d, retry after %s (%v)", got.Kind, got.Status, got.RetryAfter, err)
				}
				if server.Count() != 1 {
					t.Errorf("%d requests, want 1", server.Count())
				}
				if brokeOff := strings.Contains(got.Message,
					"connection was closed before the answer was complete"); brokeOff != (test.reply.HangUp != llmtest.Never) {
					t.Errorf("message %q", got.Message)
				}
				if n := len([]rune(got.Message)); n == 0 || n > llm.MaxMessage {
					t.Errorf("message of %d characters: %q", n, got.Message)
				}
			})
		}
	}
}

// A proposal that is cut or of another shape is an answer: the parser has to deal with it.
func TestAnswersThatAreNotWhole(t *testing.T) {
	t.Parallel()
	const honest = `{"should_update":true,"reason":"they moved"}`
	for _, provider := range protocols {
		for _, test := range []struct {
			reply     llmtest.Reply
			text      string
			truncated bool
		}{
			{llmtest.TruncatedJSON(), honest[:len(honest)/2], false},
			{llmtest.WrongJSON(), `{"should_update":"maybe","daily_entry":["a","list"],"memory_update":{"facts":42}}`, false},
			{llmtest.FinishLength(), honest[:len(honest)/2], true},
			{llmtest.Answer(""), "", false},
			{llmtest.Answer("<think>They moved {maybe}.</think>\n\n" + honest), honest, false},
			{llmtest.Answer("<think>They moved, and so"), "", false},
		} {
			server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(test.reply), Answer: func(string) string { return honest }})
			got, err := open(t, provider, server).Complete(t.Context(), llm.Request{User: "Hi."})
			if err != nil || got.Text != test.text || got.Truncated != test.truncated {
				t.Errorf("%s %s: %+v, %v", provider, test.reply.Name, got, err)
			}
		}
	}
}

// A refusal is paid for, so its usage is reported next to the error.
func TestUsageOfARefusal(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Refusal())})
		got, err := open(t, provider, server).Complete(t.Context(), llm.Request{User: "Hi there."})
		want := memory.Usage{Calls: 1, InputTokens: llmtest.Tokens("Hi there."), OutputTokens: llmtest.Tokens("I can't help with that.")}
		if failureOf(t, err).Kind != llm.Refused || got.Usage != want {
			t.Errorf("%s: %+v, want %+v", provider, got.Usage, want)
		}
	}
}

// Followed, a redirect would take key and memory to another host.
func TestRedirectsAreReportedAndNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := llmtest.New(t, llmtest.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.Path+"?token=abc", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	for _, provider := range protocols {
		model, err := llm.Open(llm.Config{Provider: provider, Model: "m", APIKey: testKey, BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		_, err = model.Complete(t.Context(), llm.Request{User: "Hi."})
		want := "redirected to " + strings.TrimPrefix(elsewhere.URL, "http://") + "; check the base URL"
		if e := failureOf(t, err); e.Kind != llm.BadRequest || e.Status != 307 || e.Message != want || elsewhere.Count() != 0 {
			t.Errorf("%s: %v, %d requests elsewhere", provider, err, elsewhere.Count())
		}
	}
}

func TestAnUnreachableProvider(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for _, provider := range protocols {
		model, err := llm.Open(llm.Config{Provider: provider, Model: "m", APIKey: testKey, BaseURL: "http://" + addr})
		if err != nil {
			t.Fatal(err)
		}
		_, err = model.Complete(t.Context(), llm.Request{User: "Hi."})
		if failure := failureOf(t, err); failure.Kind != llm.Unavailable || failure.Status != 0 {
			t.Errorf("%s: %v", provider, err)
		}
	}
}

// Errors and logs hold neither the key nor text of the request, in whatever format a provider repeats them.
func TestNoKeysAndNoMemoriesInErrors(t *testing.T) {
	t.Parallel()
	const secretWish = "My daughter Mila starts school at the Montessori in Lindenthal"
	bodies := map[string]string{
		"openai": `{"error":{"message":"Incorrect API key provided: KEY. Request: {\"messages\":[{\"content\":\"` + secretWish +
			`\"}]}","type":"invalid_request_error"}}`,
		"fastapi": `{"detail":[{"loc":["body","messages",0],"msg":"Input should be valid: ` + secretWish + `","input":"` +
			secretWish + ` KEY"}]}`,
		"ollama":    `{"error":"cannot parse ` + secretWish + ` with Bearer KEY"}`,
		"plain":     `upstream said: ` + secretWish + ` (Authorization: Bearer KEY)`,
		"cut JSON":  `{"error":{"message":"` + secretWish + ` KEY`,
		"page":      `<html>` + secretWish + ` KEY</html>`,
		"long":      `{"error":{"message":"` + strings.Repeat("é ", 400) + `"}}`,
		"multiline": `{"error":{"message":"one\ntwo\u0000\u001b[31mthree"}}`,
	}
	for _, provider := range protocols {
		for name, body := range bodies {
			t.Run(provider+" "+name, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.WriteHeader(http.StatusBadRequest)
					fmt.Fprint(w, strings.ReplaceAll(body, "KEY", testKey))
				}))
				defer server.Close()
				model, err := llm.Open(llm.Config{Provider: provider, Model: "m", APIKey: testKey, BaseURL: server.URL})
				if err != nil {
					t.Fatal(err)
				}
				_, err = model.Complete(t.Context(), llm.Request{System: "Known: " + secretWish, User: "Conversation: " + secretWish + "."})
				failure := failureOf(t, err)
				var log bytes.Buffer
				slog.New(slog.NewJSONHandler(&log, nil)).Error("model", "error", err, "failure", failure, "model", model)
				printed := fmt.Sprintf("%v %+v %#v %s", err, failure, *failure, log.String())
				for _, leak := range []string{testKey, secretWish, "Montessori", "\x1b", "\\n"} {
					if strings.Contains(printed, leak) {
						t.Errorf("%q stands in %s", leak, printed)
					}
				}
				if n := len([]rune(failure.Message)); n > llm.MaxMessage || strings.ContainsAny(failure.Message, "\n\x00") {
					t.Errorf("message of %d characters: %q", n, failure.Message)
				}
			})
		}
	}
}

func TestNeitherModelNorConfigurationPrintTheKey(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		c := llm.Config{Provider: provider, Model: "m", APIKey: testKey}
		model, err := llm.Open(c)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(map[string]any{"model": model, "config": c, "in": struct{ C llm.Config }{c}})
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("open", "model", model, "config", c)
		slog.New(slog.NewTextHandler(&log, nil)).Info("open", "model", model, "config", c)
		for _, v := range []any{model, c, &c, struct{ C llm.Config }{c}, []any{model, c}} {
			fmt.Fprintf(&log, "%v %+v %#v %s", v, v, v, v)
		}
		if printed := log.String() + string(b); strings.Contains(printed, testKey) {
			t.Errorf("the key stands in %s", printed)
		}
	}
}
