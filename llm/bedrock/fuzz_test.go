package bedrock

import (
	"encoding/json"
	"net/http"
	"testing"
)

// Any response of Bedrock is read without a panic: JSON as an answer, or anything as a failure.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		`{"type":"message","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}`,
		`{"stopReason":"max_tokens","results":[{"completionReason":"LENGTH"}],"content":[{"type":"text","text":"Hi"}]}`,
		`{"error":{"code":429,"message":"slow down"}}`, `[{"error":{}}]`, `null`, `{`, ``,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, failure := readAnswer(http.Header{}, body)
		switch {
		case failure == nil && !json.Valid(body):
			t.Errorf("%q was read as an answer", body)
		case failure != nil && failure.Kind == "":
			t.Error("a failure without a kind")
		case a.InputTokens < 0 || a.OutputTokens < 0:
			t.Errorf("counts %d and %d", a.InputTokens, a.OutputTokens)
		}
	})
}
