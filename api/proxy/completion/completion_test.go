package completion

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"reverie/memory"
)

func parse(t *testing.T, body string) *Request {
	t.Helper()
	r, err := Parse([]byte(body))
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return r
}

// What the proxy does not know passes through byte for byte, in its place.
func TestUnknownFieldsPassThrough(t *testing.T) {
	r := parse(t,
		`{ "x-new":{"a" : 1.50,"b":[ ]},"model":"ada","user":"42","messages":[ {"role":"user","content":"Hé","x":1e3} ],"top_p":0.10}`)
	if got, want := string(r.With(Addition{Model: "m"}, true)),
		`{"x-new":{"a" : 1.50,"b":[ ]},"model":"m","messages":[ {"role":"user","content":"Hé","x":1e3} ],"top_p":0.10}`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestAdditions(t *testing.T) {
	add := Addition{Model: "m", Instructions: `Know "this".`, Block: "Recalled: é <b>"}
	for name, c := range map[string]struct{ messages, want string }{
		"no instructions": {
			`[{"role":"user","content":"Hi"}]`,
			`[{"content":"Know \"this\".","role":"system"},{"role":"user","content":"Recalled: é <b>\n\nHi"}]`,
		},
		"the last of them": {
			`[{"role":"system","content":"A"},{"role":"developer","content":"B","name":"x"},{"role":"user","content":"Hi"}]`,
			`[{"role":"system","content":"A"},{"role":"developer","content":"B\n\nKnow \"this\".","name":"x"},{"role":"user","content":"Recalled: é <b>\n\nHi"}]`,
		},
		"later ones are no leading ones": {
			`[{"role":"user","content":"Hi"},{"role":"system","content":"A"}]`,
			`[{"content":"Know \"this\".","role":"system"},{"role":"user","content":"Recalled: é <b>\n\nHi"},{"role":"system","content":"A"}]`,
		},
		"parts": {
			`[{"role":"system","content":[{"type":"text","text":"A","cache_control":{"type":"ephemeral"}}]},{"role":"user","content":[ ]}]`,
			`[{"role":"system","content":[{"type":"text","text":"A","cache_control":{"type":"ephemeral"}},{"text":"\n\nKnow \"this\".","type":"text"}]},` +
				`{"role":"user","content":[{"text":"Recalled: é <b>\n\n","type":"text"} ]}]`,
		},
		"null": {
			`[{"role":"system","content":null},{"role":"user"}]`,
			`[{"role":"system","content":"Know \"this\"."},{"role":"user","content":"Recalled: é <b>"}]`,
		},
		"the user's last message": {
			`[{"role":"user","content":"A"},{"role":"assistant","content":"B"},{"role":"user","content":"C"},{"role":"assistant","tool_calls":[]},{"role":"tool","tool_call_id":"1","content":"D"}]`,
			`[{"content":"Know \"this\".","role":"system"},{"role":"user","content":"A"},{"role":"assistant","content":"B"},{"role":"user","content":"Recalled: é <b>\n\nC"},{"role":"assistant","tool_calls":[]},{"role":"tool","tool_call_id":"1","content":"D"}]`,
		},
	} {
		r := parse(t, `{"model":"ada","messages":`+c.messages+`}`)
		if got, want := string(r.With(add, false)), `{"model":"m","messages":`+c.want+`}`; got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestStreamsAreCounted(t *testing.T) {
	for body, want := range map[string]string{
		`"stream":true`: `"stream":true,"stream_options":{"include_usage":true}`,
		`"stream":true,"stream_options":{"include_usage":false,"x":1}`: `"stream":true,"stream_options":{"include_usage":true,"x":1}`,
		`"stream":true,"stream_options":{"include_usage" : true}`:      `"stream":true,"stream_options":{"include_usage" : true}`,
		`"stream":true,"stream_options":null`:                          `"stream":true,"stream_options":{"include_usage":true}`,
		`"stream":false`:                                               `"stream":false`,
	} {
		const rest = `{"model":"m","messages":[{"role":"user","content":"Hi"}],`
		r := parse(t, rest+body+"}")
		if got := string(r.With(Addition{Model: "m"}, true)); got != rest+want+"}" {
			t.Errorf("%s: %s", body, got)
		}
		if got := string(r.With(Addition{Model: "m"}, false)); got != rest+body+"}" {
			t.Errorf("%s: %s", body, got)
		}
	}
}

func TestRefusals(t *testing.T) {
	message := func(fields string) string {
		return `{"model":"ada","messages":[{"role":"user","content":"Hi"},{` + fields + `}]}`
	}
	for body, want := range map[string]string{
		``: "", `[]`: "", `{"model":"ada"} {}`: "", `{"model":"ada"`: "", "{\"model\":\"\xff\"}": "", `{"user":"1","user":"2"}`: "",
		`{"messages":[{"role":"user"}]}`: "model", `{"model":1}`: "model", `{"model":"ada","user":7}`: "user", `{"model":"ada","messages":{}}`: "messages",
		`{"model":"ada","messages":[]}`: "messages", `{"model":"ada","messages":[1]}`: "messages[0]", `{"model":"ada","stream":"yes"}`: "stream",
		message(`"role":"robot"`):                                    "messages[1].role",
		message(`"content":"x"`):                                     "messages[1].role",
		message(`"role":"user","content":7`):                         "messages[1].content",
		message(`"role":"user","content":["x"]`):                     "messages[1].content",
		message(`"role":"user","content":"a\u0000"`):                 "messages[1]",
		message(`"role":"user","role":"system","content":"x"`):       "messages[1]",
		message(`"role":"assistant","tool_calls":7`):                 "messages[1].tool_calls",
		message(`"role":"assistant","tool_calls":[{"id":"\u0000"}]`): "messages[1]",
	} {
		_, err := Parse([]byte(body))
		refused, is := errors.AsType[*Invalid](err)
		if !is || refused.Param != want || refused.Problem == "" {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

func ids(r *Request, scope string) []string {
	thread := r.Thread(scope)
	var ids []string
	for _, m := range thread.Messages {
		ids = append(ids, m.ID)
	}
	return ids
}

// The ids of messages depend on what was said, not on how a client writes it.
func TestIdentities(t *testing.T) {
	of := func(messages string) []string {
		return ids(parse(t, `{"model":"ada","messages":`+messages+`}`), "ada/42")
	}
	first := of(`[{"role":"system","content":"It is 9:00"},{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello","tool_calls":[` +
		`{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]},{"role":"tool","tool_call_id":"c1","content":"1"}]`)
	again := of(`[{"role":"developer","content":"It is 10:00"},{"role":"user","content":[{"type":"text","text":"Hi\n"}],"name":"Al"},` +
		`{"role":"assistant","content":"<think>Hm</think> Hello ","tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{\"a\":1}"}}]},` +
		`{"role":"tool","tool_call_id":"c1","content":"1"},{"role":"user","content":"And?"}]`)
	if len(first) != 3 || !slices.Equal(first, again[:3]) {
		t.Errorf("%q\n%q", first, again)
	}
	for name, other := range map[string][]string{
		"another word":    of(`[{"role":"user","content":"Hi!"}]`),
		"another speaker": of(`[{"role":"assistant","content":"Hi"}]`),
		"an image":        of(`[{"role":"user","content":[{"type":"text","text":"Hi"},{"type":"image_url","image_url":{"url":"u"}}]}]`),
		"another owner":   ids(parse(t, `{"model":"ada","messages":[{"role":"user","content":"Hi"}]}`), "ada/43"),
	} {
		if other[0] == first[0] {
			t.Errorf("%s is the same message", name)
		}
	}
	// Of the end of a conversation, all but the first two messages are recognised.
	long := `{"role":"user","content":"1"},{"role":"assistant","content":"2"},{"role":"user","content":"3"},{"role":"assistant","content":"4"}`
	whole, end := of(`[{"role":"user","content":"0"},{"role":"assistant","content":"00"},`+long+`]`), of(`[`+long+`]`)
	if !slices.Equal(whole[4:], end[2:]) || whole[2] == end[0] {
		t.Errorf("%q\n%q", whole, end)
	}
}

// Whatever a client sends, the store takes it.
func TestStorable(t *testing.T) {
	long := strings.Repeat("é", memory.MaxMessageBytes)
	var calls []string
	for range memory.MaxToolCalls + 5 {
		calls = append(calls, `{"id":"`+strings.Repeat("i", len(calls)*4)+`","function":{"name":"f","arguments":"`+strings.Repeat("a", 10_000)+`"}}`)
	}
	r := parse(t, `{"model":"ada","messages":[{"role":"user","name":"`+long+`","content":"`+long+`"},{"role":"tool","tool_call_id":"`+long+`"},`+
		`{"role":"assistant","function_call":{"name":"old","arguments":"{}"},"tool_calls":[`+strings.Join(calls, ",")+`]}]}`)
	for _, m := range r.Messages {
		size := 0
		for _, c := range m.ToolCalls {
			size += len(c.ID) + len(c.Name) + len(c.Arguments)
			if c.ID == "" || c.Name == "" || len(c.ID) > memory.MaxMessageID {
				t.Errorf("%.50q", c)
			}
		}
		if len(m.Content) > memory.MaxMessageBytes || len(m.Name) > maxName || len(m.ToolCallID) > memory.MaxMessageID ||
			len(m.ToolCalls) > memory.MaxToolCalls || size > memory.MaxToolCallBytes {
			t.Errorf("%d %d %d %d", len(m.Content), len(m.Name), len(m.ToolCalls), size)
		}
	}
	if !strings.HasSuffix(r.Messages[0].Content, "bytes in all]") {
		t.Error("nothing says that the message is cut")
	}
}

func TestAdded(t *testing.T) {
	for body, want := range map[string]string{
		`{"a":1}`: `{"a":1,"x":[2]}`, "{ }\n": `{"x":[2]}` + "\n", `[1]`: `[1]`, ``: ``, `}`: `}`, `{"a":{}} `: `{"a":{},"x":[2]} `,
	} {
		if got := string(Added([]byte(body), "x", []int{2})); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

// Whatever is sent, what is passed on is JSON with the same messages, or it is refused.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"model":"a/b","user":"x","stream":true,"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"t"}]}]}`))
	f.Add([]byte(`{"model":"a","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f"}}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Parse(body)
		if err != nil {
			return
		}
		add := Addition{Model: "m", Instructions: "i", Block: "b"}
		out := r.With(add, true)
		if !json.Valid(out) {
			t.Fatalf("%q becomes %q", body, out)
		}
		again, err := Parse(out)
		if err != nil || again.Model != "m" || again.User != "" || len(again.Messages) < len(r.Messages) || len(again.Messages) > len(r.Messages)+1 {
			t.Fatalf("%q becomes %q: %v", body, out, err)
		}
		r.Thread("s")
	})
}
