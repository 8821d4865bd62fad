package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"reverie/llm/llmtest"
)

// reads marks what an official SDK read as well.
const reads = "reads it"

// TestWhyNotTheSDKs compares this package with the official SDKs, openai-go v3.96.0 and anthropic-sdk-go v1.84.0, on what servers
// really send. The rows run against this package; the column sdk holds what the SDKs did with the same bytes (retries off, the
// accumulators of the SDKs for streams), measured on 2026-11-22. Both can send tools, schemas and any other field.
//
// Of 29 rows the SDKs read 12. On most of the others they report no error, so that a wrong or an empty text would be taken for the
// answer. Reading the raw JSON below them would be this package's code on top of a dependency.
func TestWhyNotTheSDKs(t *testing.T) {
	t.Parallel()
	const (
		page   = "text/html"
		object = "application/json"
		events = "text/event-stream"
	)
	type result struct {
		Text, Calls string
		In, Cached  int
		Kind        Kind
		After       time.Duration
	}
	body := func(status int, kind, body string) llmtest.Reply {
		return llmtest.Reply{Raw: []byte(body), RawStatus: status, ContentType: kind}
	}
	one := func(s string) llmtest.Reply { return body(http.StatusOK, object, s) }
	stream := func(data ...string) llmtest.Reply {
		return body(http.StatusOK, events, "data: "+strings.Join(data, "\n\ndata: ")+"\n\n")
	}
	hel, lo, stop := delta(`{"content":"Hel"}`), delta(`{"content":"lo"}`), fmt.Sprintf(finish, "stop")
	a, b := `"id":"a","function":{"name":"search","arguments":"{\"q\":1}"}`, `"id":"b","function":{"name":"get","arguments":"{\"n\":2}"}`
	twoCalls := `search {"q":1}, get {"n":2}`
	start := `{"type":"message_start","message":{"model":"m","usage":{"input_tokens":7,"output_tokens":1}}}`
	block := `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	said := `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`
	end := `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`
	over := `{"type":"message_stop"}`
	for _, test := range []struct {
		name, protocol, sdk string
		reply               llmtest.Reply
		want                result
	}{
		{"an answer", "openai", reads, llmtest.Answer("Hello"), result{Text: "Hello", In: 1}},
		{"a stream", "openai", reads, stream(hel, lo, stop, endOfStream), result{Text: "Hello"}},
		{
			"counts as floats and strings", "openai", reads,
			one(`{"choices":[{"message":{"content":"Hello"}}],"usage":{"prompt_tokens":5.0,"completion_tokens":"2"}}`),
			result{Text: "Hello", In: 5},
		},
		{"a refusal", "openai", reads, llmtest.Refusal(), result{In: 1, Kind: Refused}},
		{
			"arguments as an object, with a large number", "openai", reads,
			one(`{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"get","arguments":{"n":12345678901234567890}}}]}}]}`),
			result{Calls: `get {"n":12345678901234567890}`},
		},
		{
			"thoughts in a field", "openai", reads,
			stream(delta(`{"reasoning_content":"Hm."}`), hel, lo, stop, endOfStream),
			result{Text: "Hello"},
		},
		{
			"usage in the last chunk", "openai", reads,
			stream(hel, lo, stop, `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, endOfStream),
			result{Text: "Hello", In: 9},
		},
		{"429 with a delay", "openai", reads, llmtest.Status(429, 7*time.Second), result{Kind: RateLimited, After: 7 * time.Second}},
		{
			"text in parts", "openai", "returns the JSON of the parts as the text",
			one(`{"choices":[{"message":{"content":[{"type":"text","text":"Hello"}]}}]}`),
			result{Text: "Hello"},
		},
		{
			"text in parts, streamed", "openai", "returns the JSON of the parts as the text",
			stream(delta(`{"content":[{"type":"text","text":"Hello"}]}`), stop, endOfStream),
			result{Text: "Hello"},
		},
		{
			"cached tokens of DeepSeek", "openai", "loses them",
			one(`{"choices":[{"message":{"content":"Hello"}}],"usage":{"prompt_tokens":5,"prompt_cache_hit_tokens":4}}`),
			result{Text: "Hello", In: 5, Cached: 4},
		},
		{
			"an error with status 200", "openai", "no error, no choices",
			one(`{"error":{"code":429,"message":"Rate limit exceeded"}}`),
			result{Kind: RateLimited},
		},
		{
			"an error in the choice", "openai", "no error, no text",
			one(`{"choices":[{"error":{"code":502,"message":"Upstream error"},"message":{"content":""},"finish_reason":"error"}]}`),
			result{Kind: Unavailable},
		},
		{"another protocol", "openai", "no error, no choices", one(`{"type":"message","content":[]}`), result{Kind: Unavailable}},
		{"a page", "openai", "an untyped error", body(http.StatusOK, page, "<html>"), result{Kind: Unavailable}},
		{
			"an error as a text", "openai", "a JSON error without the status",
			body(429, object, `{"error":"slow down"}`),
			result{Kind: RateLimited},
		},
		{
			"an error as a list", "openai", "no message",
			body(400, object, `[{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens"}}]`),
			result{Kind: ContextTooLong},
		},
		{
			"calls without index", "openai", "joins both into one",
			stream(callPart(`{`+a+`}`), callPart(`{`+b+`}`), stop, endOfStream),
			result{Calls: twoCalls},
		},
		{
			"every index 0", "openai", "joins both into one",
			stream(callPart(`{"index":0,`+a+`}`), callPart(`{"index":0,`+b+`}`), stop, endOfStream),
			result{Calls: twoCalls},
		},
		{
			"no empty lines between events", "openai", "no error, no text",
			body(http.StatusOK, events, "data: "+hel+"\ndata: "+lo+"\ndata: "+stop+"\ndata: [DONE]\n"),
			result{Text: "Hello"},
		},
		{"a stream that is cut", "openai", "no error", stream(hel), result{Kind: Unavailable}},
		{
			"a stream answered in one piece", "openai", "no error, no text",
			one(`{"choices":[{"message":{"content":"Hello"}}]}`),
			result{Text: "Hello"},
		},

		{"an answer", "anthropic", reads, llmtest.Answer("Hello"), result{Text: "Hello", In: 1}},
		{"a stream", "anthropic", "nothing without names of events", stream(start, block, said, end, over), result{Text: "Hello", In: 7}},
		{
			"an unknown block", "anthropic", reads,
			one(`{"content":[{"type":"hologram"},{"type":"text","text":"Hello"}]}`),
			result{Text: "Hello"},
		},
		{
			"a call", "anthropic", reads,
			one(`{"content":[{"type":"tool_use","id":"a","name":"get","input":{"n":12345678901234567890}}]}`),
			result{Calls: `get {"n":12345678901234567890}`},
		},
		{"overloaded", "anthropic", reads, llmtest.Status(529), result{Kind: Overloaded}},
		{
			"an error with status 200", "anthropic", "no error, no text",
			one(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
			result{Kind: Overloaded},
		},
		{"a stream that is cut", "anthropic", "no error", stream(start, block, said), result{In: 7, Kind: Unavailable}},
	} {
		t.Run(test.protocol+" "+test.name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(test.reply)})
			client := llms.Model(NewCompletions(server.URL+"/v1", "key"))
			if test.protocol == "anthropic" {
				client = NewMessages(server.URL+"/v1", "key")
			}
			streaming := strings.Contains(test.name, "stream") || test.reply.ContentType == events
			call := &Call{Key: "key", Said: []string{"Hi."}}
			var options []llms.CallOption
			if streaming {
				call.Sent = Streamed
			}
			options = append(options, llms.WithModel("m"), llms.WithMaxTokens(100))
			var got result
			err := call.Run(t.Context(), 10*time.Second, func(ctx context.Context) error {
				content, err := client.GenerateContent(ctx, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Hi.")}, options...)
				if err != nil {
					return err
				}
				got.Text = content.Choices[0].Content
				var calls []string
				for _, c := range content.Choices[0].ToolCalls {
					calls = append(calls, c.FunctionCall.Name+" "+c.FunctionCall.Arguments)
				}
				got.Calls = strings.Join(calls, ", ")
				return nil
			})
			got.In, got.Cached = call.Answer.InputTokens, call.Answer.CachedTokens
			if failure, ok := errors.AsType[*Error](err); ok {
				got.Kind, got.After = failure.Kind, failure.RetryAfter
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("the SDK %s; here: %v %s", test.sdk, err, diff)
			}
		})
	}
}
