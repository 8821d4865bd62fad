package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// longAnswer is long enough that the middle of its stream is in the middle of its text.
var longAnswer = strings.Repeat("word ", 200)

// Conversations fail as questions do, streamed or not.
func TestFailuresOfConversations(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		reply  llmtest.Reply
		kind   llm.Kind
		status int // -1: as the provider has it
		after  time.Duration
	}{
		{"429", llmtest.Status(429, 7*time.Second), llm.RateLimited, 429, 7 * time.Second},
		{"quota", llmtest.Quota(), llm.Quota, -1, 0},
		{"context", llmtest.ContextTooLong(), llm.ContextTooLong, 400, 0},
		{"key", llmtest.Unauthorized(), llm.Unauthorized, 401, 0},
		{"400", llmtest.Status(400), llm.BadRequest, 400, 0},
		{"500", llmtest.Status(500), llm.Unavailable, 500, 0},
		{"529", llmtest.Status(529), llm.Overloaded, 529, 0},
		{"hang-up", llmtest.HangUpBeforeAnswer(), llm.Unavailable, 0, 0},
		{"hang-up mid-body", llmtest.HangUpMidBody(), llm.Unavailable, 0, 0},
		{"garbage", llmtest.GarbageBody(), llm.Unavailable, 200, 0},
		{"refusal", llmtest.Refusal(), llm.Refused, 200, 0},
		{"content filter", llmtest.ContentFilter(), llm.Refused, 200, 0},
	}
	for _, provider := range protocols {
		for _, test := range tests {
			for _, streaming := range []bool{false, true} {
				t.Run(provider+" "+test.name, func(t *testing.T) {
					t.Parallel()
					server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(test.reply), Answer: func(string) string { return longAnswer }})
					var h listener
					onText := h.listen
					if !streaming {
						onText = nil
					}
					got, err := openChat(t, provider, server).Chat(t.Context(),
						llm.ChatRequest{Messages: []llm.ChatMessage{user("Remember that I live in Köln.")}}, onText)
					e := failureOf(t, err)
					if e.Kind != test.kind || test.status >= 0 && e.Status != test.status || e.RetryAfter != test.after || server.Count() != 1 ||
						got.Text != "" || got.ToolCalls != nil {
						t.Errorf("streaming %t: %+v, %v after %d requests", streaming, got, err, server.Count())
					}
				})
			}
		}
	}
}

// A broken stream is a retryable failure, however much of it arrived, and never a whole answer.
func TestStreamsThatBreak(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		reply llmtest.Reply
		kind  llm.Kind
	}{
		{"hang-up", llmtest.HangUpMidBody(), llm.Unavailable},
		{"an end too early", llmtest.EndMidStream(), llm.Unavailable},
		{"garbage", llmtest.GarbageMidStream(), llm.Unavailable},
		{"overloaded", llmtest.ErrorMidStream(529), llm.Overloaded},
		{"rate limit", llmtest.ErrorMidStream(429), llm.RateLimited},
		{"server error", llmtest.ErrorMidStream(500), llm.Unavailable},
	}
	for _, provider := range protocols {
		for _, test := range tests {
			for _, turn := range []llmtest.Turn{llmtest.Say(longAnswer), {
				Text: "Let me see.", Calls: []memory.ToolCall{llmtest.Call("memory_search", map[string]any{"query": longAnswer})},
			}} {
				t.Run(provider+" "+test.name, func(t *testing.T) {
					t.Parallel()
					server := llmtest.New(t, llmtest.Options{
						Respond: func(llmtest.Request) llmtest.Turn { return turn },
						Script:  llmtest.Sequence(test.reply),
					})
					model := openChat(t, provider, server, func(c *llm.Config) { c.InputPrice, c.OutputPrice = 1, 10 })
					request := llm.ChatRequest{Messages: []llm.ChatMessage{user("Where do I live?")}, Tools: []llm.ChatTool{searching}}
					var h listener
					got, err := model.Chat(t.Context(), request, h.listen)
					e := failureOf(t, err)
					kind := test.kind
					if provider == "openai" && kind == llm.Overloaded { // the event has no status
						kind = llm.Unavailable
					}
					if e.Kind != kind || !e.Kind.Retryable() || got.Text != "" || got.ToolCalls != nil {
						t.Errorf("%+v, %v", got, err)
					}
					if h.text() == "" || !strings.HasPrefix(turn.Text, h.text()) {
						t.Errorf("got %q", h.text())
					}
					if got.Usage.Calls != 1 || got.Usage.InputTokens == 0 || got.Usage.OutputTokens == 0 || got.Usage.CostMicros == 0 {
						t.Errorf("what was used is %+v", got.Usage)
					}
					h.parts = nil
					if got, err = model.Chat(t.Context(), request, h.listen); err != nil || got.Text != turn.Text || h.text() != turn.Text ||
						len(got.ToolCalls) != len(turn.Calls) {
						t.Errorf("the next time: %+v, %v", got, err)
					}
				})
			}
		}
	}
}

func TestDeadlinesAndCancellationInTheMiddleOfAStream(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		server := llmtest.New(t,
			llmtest.Options{Answer: func(string) string { return longAnswer }, Script: llmtest.Always(llmtest.StallMidStream(time.Minute))})
		request := llm.ChatRequest{Messages: []llm.ChatMessage{user("Hi.")}}
		t.Run(provider+" timeout", func(t *testing.T) {
			t.Parallel()
			var h listener
			got, err := openChat(t, provider, server, func(c *llm.Config) { c.Timeout = 2 * time.Second }).Chat(t.Context(), request, h.listen)
			if e := failureOf(t, err); e.Kind != llm.Timeout || !errors.Is(err, context.DeadlineExceeded) || h.text() == "" || got.Text != "" {
				t.Errorf("%+v, %v, got %d parts", got, err, len(h.parts))
			}
		})
		t.Run(provider+" cancelled", func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			began := time.Now()
			got, err := openChat(t, provider, server).Chat(ctx, request, func(string) error { cancel(); return nil })
			if !errors.Is(err, context.Canceled) || errors.As(err, new(*llm.Error)) || got.Text != "" || time.Since(began) > 30*time.Second {
				t.Errorf("%+v, %v", got, err)
			}
			if got.Usage.InputTokens == 0 {
				t.Errorf("what was used is %+v", got.Usage)
			}
		})
		t.Run(provider+" nobody listens", func(t *testing.T) {
			t.Parallel()
			gone := errors.New("the client has gone")
			parts := 0
			got, err := openChat(t, provider, server).Chat(t.Context(), request, func(string) error { parts++; return gone })
			if !errors.Is(err, gone) || parts != 1 || got.Text != "" {
				t.Errorf("%+v, %v after %d parts", got, err, parts)
			}
		})
	}
}

// Streamed text arrives while it is generated.
func TestTextIsStreamedAsItArrives(t *testing.T) {
	t.Parallel()
	for _, provider := range protocols {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t,
				llmtest.Options{Answer: func(string) string { return longAnswer }, Script: llmtest.Always(llmtest.StallMidStream(4 * time.Second))})
			var first time.Time
			got, err := openChat(t, provider, server).Chat(t.Context(), llm.ChatRequest{Messages: []llm.ChatMessage{user("Hi.")}},
				func(string) error {
					if first.IsZero() {
						first = time.Now()
					}
					return nil
				})
			if behind := time.Since(first); first.IsZero() || err != nil || got.Text != longAnswer || behind < 2*time.Second {
				t.Errorf("first words %s before the end, %v", behind, err)
			}
		})
	}
}

func TestConversationsKeepKeysAndMemoriesOutOfErrors(t *testing.T) {
	t.Parallel()
	const secret = "My daughter Mila starts school at the Montessori in Lindenthal"
	for _, provider := range protocols {
		server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Invalid("cannot read " + secret + " with " + testKey))})
		for _, messages := range [][]llm.ChatMessage{
			{system(secret), user("Hi.")},
			{user(secret)},
			{user("Hi."), assistant(secret), user("Go on.")},
			{
				user("Hi."), assistant("", memory.ToolCall{ID: "1", Name: "memory_search", Arguments: `{"query":"` + secret + `"}`}),
				tool("1", "nothing"),
			},
			{user("Hi."), assistant("", memory.ToolCall{ID: "1", Name: "memory_search", Arguments: `{}`}), tool("1", secret)},
		} {
			_, err := openChat(t, provider, server).Chat(t.Context(), llm.ChatRequest{Messages: messages, Tools: []llm.ChatTool{searching}}, nil)
			if e := failureOf(t, err); e.Kind != llm.BadRequest || strings.Contains(err.Error(), "Montessori") ||
				strings.Contains(err.Error(), testKey) {
				t.Errorf("%s: %v", provider, err)
			}
		}
	}
}
