package wire

import (
	"encoding/json"
	"net/http"
	"testing"
	"unicode/utf8"
)

// Any response of a server is read without a panic: JSON as an answer, or anything as a failure.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		`{"model":"m","choices":[{"message":{"content":"Hi","refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,` +
			`"completion_tokens":2,"total_tokens":3}}`,
		`{"choices":[{"message":{"content":[{"type":"text","text":"Hi"}]}}]}`,
		`{"type":"message","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}`,
		`{"stopReason":"max_tokens","results":[{"completionReason":"LENGTH"}],"content":[{"type":"text","text":"Hi"}]}`,
		`{"error":{"code":429,"message":"slow down"}}`, `[{"error":{}}]`, `null`, `{`, ``,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for name, read := range map[string]Reader{"completion": readCompletion, "messages": readMessage} {
			a, failure := read(http.Header{}, body)
			switch {
			case failure == nil && !json.Valid(body):
				t.Errorf("%s: %q was read as an answer", name, body)
			case failure != nil && failure.Kind == "":
				t.Errorf("%s: a failure without a kind", name)
			case a.InputTokens < 0 || a.OutputTokens < 0:
				t.Errorf("%s: counts %d and %d", name, a.InputTokens, a.OutputTokens)
			}
		}
	})
}

// Any error gets a kind, a delay within bounds, and a short line without the key.
func FuzzErrors(f *testing.F) {
	for _, test := range worded {
		f.Add(test.status, []byte(test.body))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		const key = "k9-fuzz-key-Q"
		e := readComplaint(http.Header{}, append(body, key...)).failure(status, http.Header{})
		message := tidy(e.Message, key, []string{"a conversation that is long enough"})
		switch {
		case e.Kind == "" || e.RetryAfter < 0 || e.RetryAfter > maxRetryAfter:
			t.Errorf("kind %q after %s", e.Kind, e.RetryAfter)
		case !utf8.ValidString(message) || utf8.RuneCountInString(message) > MaxMessage:
			t.Errorf("message %q", message)
		}
		for i := range message {
			if len(message)-i >= len(key) && message[i:i+len(key)] == key {
				t.Errorf("the key stands in %q", message)
			}
		}
	})
}
