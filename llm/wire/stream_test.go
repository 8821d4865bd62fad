package wire

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/memory"
)

// streamOf returns a response with these events; those of it that are not JSON are sent as they are.
func streamOf(events ...string) *http.Response {
	var b strings.Builder
	for _, e := range events {
		if strings.HasPrefix(e, "{") || e == endOfStream {
			e = "data: " + e + "\n\n"
		}
		b.WriteString(e)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(b.String())),
	}
}

// readAll reads a stream and returns its answer with the text that the listener received.
func readAll(s assembler, response *http.Response) (a Answer, text string, failure *Error) {
	var b strings.Builder
	call := &Call{Listener: func(part string) error { b.WriteString(part); return nil }}
	a, failure = readStream(response, s, call)
	return a, b.String(), failure
}

const (
	chunk  = `{"choices":[{"index":0,"delta":%s,"finish_reason":null}]}`
	finish = `{"choices":[{"index":0,"delta":{},"finish_reason":"%s"}]}`
)

func delta(format string, args ...any) string {
	return fmt.Sprintf(chunk, fmt.Sprintf(format, args...))
}

func callPart(part string) string { return delta(`{"tool_calls":[%s]}`, part) }

// Variants of streams that servers of the chat-completions protocol send.
func TestStreamsOfOddServers(t *testing.T) {
	t.Parallel()
	done := fmt.Sprintf(finish, "tool_calls")
	search, get := memory.ToolCall{ID: "a", Name: "search", Arguments: `{"q":"x y"}`},
		memory.ToolCall{ID: "b", Name: "get", Arguments: `{"n":2}`}
	for _, test := range []struct {
		name   string
		events []string
		want   []memory.ToolCall // an id "*" is any
	}{
		{"by the protocol", []string{
			callPart(`{"index":0,"id":"a","type":"function","function":{"name":"search","arguments":""}}`),
			callPart(`{"index":0,"function":{"arguments":"{\"q\":"}}`), callPart(`{"index":0,"function":{"arguments":"\"x y\"}"}}`),
			callPart(`{"index":1,"id":"b","type":"function","function":{"name":"get","arguments":""}}`),
			callPart(`{"index":1,"function":{"arguments":"{\"n\":2}"}}`), done, endOfStream,
		}, []memory.ToolCall{search, get}},
		{"interleaved", []string{
			callPart(`{"index":0,"id":"a","function":{"name":"search","arguments":"{\"q\":"}},{"index":1,"id":"b","function":{"name":"get",` +
				`"arguments":"{\"n\""}}`),
			callPart(`{"index":1,"function":{"arguments":":2}"}}`), callPart(`{"index":0,"function":{"arguments":"\"x y\"}"}}`), done, endOfStream,
		}, []memory.ToolCall{search, get}},
		{"no index, arguments in one piece", []string{
			callPart(`{"id":"a","function":{"name":"search","arguments":"{\"q\":\"x y\"}"}}`),
			callPart(`{"id":"b","function":{"name":"get","arguments":"{\"n\":2}"}}`), done, endOfStream,
		}, []memory.ToolCall{search, get}},
		{"every index 0", []string{
			callPart(`{"index":0,"id":"a","function":{"name":"search","arguments":"{\"q\":\"x y\"}"}}`),
			callPart(`{"index":0,"id":"b","function":{"name":"get","arguments":"{\"n\":2}"}}`), done, endOfStream,
		}, []memory.ToolCall{search, get}},
		{"no index, arguments in pieces", []string{
			callPart(`{"id":"a","function":{"name":"search"}}`), callPart(`{"function":{"arguments":"{\"q\":"}}`),
			callPart(`{"function":{"arguments":"\"x y\"}"}}`),
			callPart(`{"id":"b","function":{"name":"get"}}`), callPart(`{"function":{"arguments":"{\"n\":2}"}}`), done, endOfStream,
		}, []memory.ToolCall{search, get}},
		{"no id, the same tool twice", []string{
			callPart(`{"index":0,"function":{"name":"get","arguments":"{\"n\":1}"}},{"index":1,"function":{"name":"get","arguments":"{\"n\":2}"}}`),
			done, endOfStream,
		}, []memory.ToolCall{{ID: "*", Name: "get", Arguments: `{"n":1}`}, {ID: "*", Name: "get", Arguments: `{"n":2}`}}},
		{"neither id nor index, the same tool twice", []string{
			callPart(`{"function":{"name":"get","arguments":"{\"n\":1}"}}`), callPart(`{"function":{"name":"get","arguments":"{\"n\":2}"}}`), done,
			endOfStream,
		}, []memory.ToolCall{{ID: "*", Name: "get", Arguments: `{"n":1}`}, {ID: "*", Name: "get", Arguments: `{"n":2}`}}},
		{"name and id in every part", []string{
			callPart(`{"index":0,"id":"a","function":{"name":"search","arguments":"{\"q\":"}}`),
			callPart(`{"index":0,"id":"a","function":{"name":"search","arguments":"\"x y\"}"}}`), done, endOfStream,
		}, []memory.ToolCall{search}},
		{"another id in every part", []string{
			callPart(`{"index":0,"id":"a","function":{"name":"search","arguments":"{\"q\":"}}`),
			callPart(`{"index":0,"id":"zz","function":{"name":null,"arguments":"\"x y\"}"}}`), done, endOfStream,
		}, []memory.ToolCall{search}},
		{"one id for both", []string{
			callPart(`{"index":0,"id":"a","function":{"name":"search","arguments":"{\"q\":\"x y\"}"}}`),
			callPart(`{"index":1,"id":"a","function":{"name":"get","arguments":"{\"n\":2}"}}`), done, endOfStream,
		}, []memory.ToolCall{search, {ID: "*", Name: "get", Arguments: `{"n":2}`}}},
		{"arguments as an object, null and nothing", []string{
			callPart(`{"index":0,"id":"a","function":{"name":"search","arguments":{"q":"x y"}}},{"index":1,"id":"b","function":{"name":"list",` +
				`"arguments":null}},{"index":2,"id":"c","function":{"name":"list"}}`), done, endOfStream,
		}, []memory.ToolCall{search, {ID: "b", Name: "list", Arguments: `{}`}, {ID: "c", Name: "list", Arguments: `{}`}}},
		{"the end called stop, and no end of the stream", []string{
			callPart(`{"index":0,"id":"a","function":{"name":"search","arguments":"{\"q\":\"x y\"}"}}`), fmt.Sprintf(finish, "stop"),
		}, []memory.ToolCall{search}},
	} {
		a, text, failure := readAll(newCompletionStream(),
			streamOf(append([]string{delta(`{"role":"assistant","content":null}`)}, test.events...)...))
		if failure != nil || text != "" {
			t.Errorf("%s: %v, listener got %q", test.name, failure, text)
			continue
		}
		for i := range a.Calls {
			if i < len(test.want) && test.want[i].ID == "*" && strings.HasPrefix(a.Calls[i].ID, "call_") {
				test.want[i].ID = a.Calls[i].ID
			}
		}
		if diff := cmp.Diff(test.want, a.Calls); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// Texts, ends and counts of streams, of both protocols.
func TestTextsOfStreams(t *testing.T) {
	t.Parallel()
	stop := fmt.Sprintf(finish, "stop")
	hello := []string{delta(`{"content":"Hel"}`), delta(`{"content":"lo"}`)}
	begin := `{"type":"message_start","message":{"model":"m","usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}}`
	block := `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	said := `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`
	end := `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`
	over := `{"type":"message_stop"}`
	for _, test := range []struct {
		name   string
		stream func() assembler
		events []string
		want   Answer
		kind   Kind // of the failure; "": none
	}{
		{
			"with counts", newCompletionStream, append(hello, stop, `{"model":"m","choices":[],`+
				`"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":4}}}`, endOfStream),
			Answer{Text: "Hello", Finish: "stop", Model: "m", InputTokens: 9, OutputTokens: 2, CachedTokens: 4},
			"",
		},
		{
			"counts in the last chunk", newCompletionStream, append(hello, `{"choices":[{"delta":{},`+
				`"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_cache_hit_tokens":8}}`, endOfStream),
			Answer{Text: "Hello", Finish: "length", InputTokens: 9, OutputTokens: 2, CachedTokens: 8},
			"",
		},
		{"comments, names and CRLF", newCompletionStream, []string{
			"\ufeff: OPENROUTER PROCESSING\r\n\r\n", "event: x\r\nid: 7\r\ndata:" + hello[0] + "\r\n\r\n", "data: " + hello[1] + "\r\n\r\n", stop,
			endOfStream,
		}, Answer{Text: "Hello", Finish: "stop"}, ""},
		{"no empty lines between events", newCompletionStream, []string{
			"data: " + hello[0] + "\ndata: " + hello[1] + "\ndata: " + stop + "\ndata: [DONE]\n",
		}, Answer{Text: "Hello", Finish: "stop"}, ""},
		{"an event in several lines", newCompletionStream, []string{
			"data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"Hello\"}}]}\n\n", stop,
		}, Answer{Text: "Hello", Finish: "stop"}, ""},
		{"parts of content", newCompletionStream, []string{
			delta(`{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"Hello"}]}`), stop, endOfStream,
		}, Answer{Text: "Hello", Finish: "stop"}, ""},
		{"thoughts in a field of their own", newCompletionStream, []string{
			delta(`{"reasoning_content":"Hm."}`), hello[0], hello[1], stop, endOfStream,
		}, Answer{Text: "Hello", Finish: "stop"}, ""},
		{"an end without a reason", newCompletionStream, append(hello, endOfStream), Answer{Text: "Hello"}, ""},
		{"nothing to say", newCompletionStream, []string{delta(`{"content":""}`), stop, endOfStream}, Answer{Finish: "stop"}, ""},
		{"behind the end", newCompletionStream, append(hello, stop, endOfStream, delta(`{"content":" again"}`)), Answer{
			Text: "Hello", Finish: "stop",
		}, ""},
		{"no end", newCompletionStream, hello, Answer{Text: "Hello", OutputTokens: 1}, Unavailable},
		{"nothing at all", newCompletionStream, nil, Answer{}, Unavailable},
		{"nothing but the end", newCompletionStream, []string{endOfStream}, Answer{}, Unavailable},
		{
			"a refusal", newCompletionStream,
			[]string{delta(`{"refusal":"I can't."}`), stop, endOfStream},
			Answer{Finish: "stop", Refused: true},
			Refused,
		},
		{"a filter", newCompletionStream, append(hello, fmt.Sprintf(finish, "content_filter"),
			endOfStream), Answer{Text: "Hello", Finish: "content_filter", OutputTokens: 1}, Refused},
		{"an error of the provider behind", newCompletionStream, append(hello,
			`{"choices":[{"delta":{},"error":{"code":429,"message":"slow down"}}]}`), Answer{Text: "Hello", OutputTokens: 1}, RateLimited},
		{
			"an error", newCompletionStream, append(hello, `{"error":{"code":503,"message":"overloaded"}}`),
			Answer{Text: "Hello", OutputTokens: 1},
			Overloaded,
		},
		{"no JSON", newCompletionStream, append(hello, "data: <html>\n\n"), Answer{Text: "Hello", OutputTokens: 1}, Unavailable},

		{
			"messages", newMessageStream,
			[]string{begin, `{"type":"ping"}`, block, said, `{"type":"content_block_stop","index":0}`, end, over},
			Answer{Text: "Hello", Finish: "end_turn", Model: "m", InputTokens: 10, CachedTokens: 3, OutputTokens: 2},
			"",
		},
		{"a thought and something newer", newMessageStream, []string{
			begin, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}`, `{"type":"brand_new"}`,
			strings.ReplaceAll(block, `"index":0`, `"index":1`), strings.ReplaceAll(said, `"index":0`, `"index":1`), end, over,
		}, Answer{Text: "Hello", Finish: "end_turn", Model: "m", InputTokens: 10, CachedTokens: 3, OutputTokens: 2}, ""},
		{"no index", newMessageStream, []string{
			begin, strings.ReplaceAll(block, `"index":0,`, ""), strings.ReplaceAll(said, `"index":0,`, ""), end, over,
		}, Answer{Text: "Hello", Finish: "end_turn", Model: "m", InputTokens: 10, CachedTokens: 3, OutputTokens: 2}, ""},
		{"counts at the end only", newMessageStream, []string{
			`{"type":"message_start","message":{"model":"m"}}`, block, said,
			`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"input_tokens":9,"output_tokens":2}}`, over,
		}, Answer{Text: "Hello", Finish: "max_tokens", Model: "m", InputTokens: 9, OutputTokens: 2}, ""},
		{"no block", newMessageStream, []string{
			begin, end, over,
		}, Answer{Finish: "end_turn", Model: "m", InputTokens: 10, CachedTokens: 3, OutputTokens: 2, Empty: true}, ""},
		{"no stop", newMessageStream, []string{
			begin, block, said, end,
		}, Answer{Text: "Hello", Finish: "end_turn", Model: "m", InputTokens: 10, CachedTokens: 3, OutputTokens: 2}, ""},
		{"broken", newMessageStream, []string{
			begin, block, said,
		}, Answer{Text: "Hello", Model: "m", InputTokens: 10, CachedTokens: 3, OutputTokens: 1}, Unavailable},
		{
			"a refusal of messages", newMessageStream,
			[]string{begin, block, said, strings.ReplaceAll(end, "end_turn", "refusal"), over},
			Answer{Text: "Hello", Finish: "refusal", Model: "m", InputTokens: 10, CachedTokens: 3, OutputTokens: 2},
			Refused,
		},
		{"overloaded", newMessageStream, []string{
			begin, block, said, `event: error` + "\n" + `data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}` + "\n\n",
		}, Answer{Text: "Hello", Model: "m", InputTokens: 10, CachedTokens: 3, OutputTokens: 1}, Overloaded},
	} {
		a, text, failure := readAll(test.stream(), streamOf(test.events...))
		if kind := Kind(""); failure != nil && failure.Kind != test.kind || failure == nil && test.kind != kind {
			t.Errorf("%s: %v", test.name, failure)
		}
		if diff := cmp.Diff(test.want, a); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		if text != a.Text {
			t.Errorf("%s: listener got %q of %q", test.name, text, a.Text)
		}
	}
}

func TestCallsOfMessageStreams(t *testing.T) {
	t.Parallel()
	begin := func(index int, input string) string {
		return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"t%d","name":"get","input":%s}}`,
			index, index, input)
	}
	a, text, failure := readAll(newMessageStream(), streamOf(
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Let me"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" look."}}`,
		begin(1, `{}`), `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"n\": 12345678901234567"}}`,
		begin(2, `{"all":true}`),
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"890}"}}`,
		begin(3, `{}`), `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `{"type":"message_stop"}`,
	))
	want := []memory.ToolCall{
		{ID: "t1", Name: "get", Arguments: `{"n": 12345678901234567890}`},
		{ID: "t2", Name: "get", Arguments: `{"all":true}`},
		{ID: "t3", Name: "get", Arguments: `{}`},
	}
	if diff := cmp.Diff(want, a.Calls); failure != nil || diff != "" || text != "Let me look." {
		t.Errorf("%v, listener got %q: %s", failure, text, diff)
	}
}

// A broken connection is not taken for an end, wherever it breaks.
func TestAStreamIsWholeOrBroken(t *testing.T) {
	t.Parallel()
	events := streamOf(delta(`{"content":"Hello "}`), delta(`{"content":"Ada"}`), fmt.Sprintf(finish, "stop"), endOfStream)
	all, err := io.ReadAll(events.Body)
	if err != nil {
		t.Fatal(err)
	}
	end := strings.Index(string(all), `"finish_reason":"stop"`) + len(`"finish_reason":"stop"}]}`)
	for n := range all {
		events.Body = io.NopCloser(io.MultiReader(strings.NewReader(string(all[:n])), iotest.ErrReader(io.ErrUnexpectedEOF)))
		if a, _, failure := readAll(newCompletionStream(), events); failure == nil && n < end || failure != nil && failure.Kind != Unavailable {
			t.Errorf("broken after %d bytes: %+v, %v", n, a, failure)
		}
	}
}

// The listener receives the text without its thoughts, however it is split into parts.
func TestThoughtsAreCutOutOfParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.OneOf(
			rapid.SampledFrom([]string{"<think>", "</think>", "<thi", "nk>", "</th", "ink>", " ", "\n", "\u2003", "Hm.", "<", ">", "", "So"}),
			rapid.String(),
		)).Draw(t, "parts")
		if rapid.Bool().Draw(t, "thinks") {
			parts = append([]string{" <think>"}, parts...)
		}
		var filter thoughtFilter
		passed := ""
		for _, part := range parts {
			passed += filter.pass(part)
		}
		passed += filter.rest()
		if want := WithoutThoughts(strings.Join(parts, "")); passed != want {
			t.Fatalf("listener got %q of %q, want %q", passed, parts, want)
		}
	})
}

// The listener can end the call.
func TestAListenerEndsAStream(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	c := &Call{Listener: func(string) error { return gone }}
	_, failure := readStream(streamOf(delta(`{"content":"a"}`), delta(`{"content":"b"}`), endOfStream), newCompletionStream(), c)
	if failure == nil || !errors.Is(c.Stopped, gone) {
		t.Errorf("%v, %v", failure, c.Stopped)
	}
}

// Any stream of a server is read without a panic: as an answer, or as a failure with a kind.
func FuzzStreams(f *testing.F) {
	for _, events := range [][]string{
		{delta(`{"content":"Hi"}`), fmt.Sprintf(finish, "stop"), endOfStream},
		{callPart(`{"index":0,"id":"a","function":{"name":"get","arguments":"{}"}}`), endOfStream},
		{
			`{"type":"message_start","message":{}}`, `{"type":"content_block_start","content_block":{"type":"text"}}`,
			`{"type":"content_block_delta","delta":{"type":"text_delta","text":"x"}}`, `{"type":"message_stop"}`,
		},
		{"data: {\ndata: }\n\n:x\n"},
		{`{"error":{"code":429}}`},
	} {
		body, err := io.ReadAll(streamOf(events...).Body)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, stream := range []func() assembler{newCompletionStream, newMessageStream} {
			response := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(body)))}
			a, text, failure := readAll(stream(), response)
			switch {
			case failure != nil && failure.Kind == "":
				t.Error("a failure without a kind")
			case failure == nil && text != WithoutThoughts(a.Text):
				t.Errorf("listener got %q of %q", text, a.Text)
			}
			for _, c := range a.Calls {
				if c.ID == "" || c.Arguments == "" {
					t.Errorf("call %+v", c)
				}
			}
		}
	})
}
