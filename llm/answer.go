package llm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"reverie/memory"
)

// answer is what a provider's answer says, whatever its protocol.
type answer struct {
	text         string
	model        string // as the provider names it
	finish       string // why it ended, in the provider's word
	inputTokens  int    // all of the prompt, with what came from a cache or went into one
	cachedTokens int    // of those, what came from a cache
	outputTokens int    // with a reasoning model's thoughts

	calls   []memory.ToolCall
	refused bool // the protocol has a place for a refusal, and there is one
	empty   bool // there is no block at all, not even an empty one

	vectors [][]float32 // of an embedding, in the order of the texts, as they came
}

// isCut reports whether a finish reason means that the answer was cut at the token limit.
func isCut(finish string) bool {
	switch strings.ToLower(finish) {
	case "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded":
		return true
	}
	return false
}

// isRefusal reports whether a finish reason means that the model or a filter declined. Gemini adds why: "content_filter:
// PROHIBITED_CONTENT".
func isRefusal(finish string) bool {
	word, _, _ := strings.Cut(strings.ToLower(finish), ":")
	switch word {
	case "content_filter", "content_filtered", "refusal", "safety", "prohibited_content", "recitation", "guardrail_intervened", "sensitive":
		return true
	}
	return false
}

// tokens is a count as servers write it: an integer, a float, a string, null or nothing.
type tokens int

// UnmarshalJSON reads a count; what is no count is 0, so that an odd one does not cost the answer.
func (t *tokens) UnmarshalJSON(b []byte) error {
	var n float64
	if err := json.Unmarshal([]byte(strings.Trim(string(b), `"`)), &n); err == nil && n > 0 && n < 1e12 {
		*t = tokens(n)
	}
	return nil
}

// content is a message's text as servers write it: a string, null, or a list of parts of which the texts count.
type content string

// UnmarshalJSON reads the text.
func (c *content) UnmarshalJSON(b []byte) error {
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if len(b) == 0 || b[0] != '[' {
		return json.Unmarshal(b, (*string)(c))
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		if part.Type == "text" {
			*c += content(part.Text)
		}
	}
	return nil
}

// refusal is the error of an answer that declines, nil for others. Its words are not passed on: they talk about the prompt.
func refusal(a answer) *Error {
	switch {
	case a.refused:
		return &Error{Kind: Refused, Status: http.StatusOK, Message: "the model refused to answer"}
	case isRefusal(a.finish):
		return &Error{Kind: Refused, Status: http.StatusOK, Message: "the answer was withheld: " + a.finish}
	}
	return nil
}

// notAnAnswer is the error of a body that is not the protocol's, such as a proxy's page. It may hold anything, so nothing
// of it is repeated.
func notAnAnswer(header http.Header) *Error {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	return &Error{Kind: Unavailable, Status: http.StatusOK, Message: fmt.Sprintf("the answer is not the protocol's JSON (content type %q)", kind)}
}

// embedded is the error that some gateways answer with under status 200.
func embedded(header http.Header, raw json.RawMessage) *Error {
	c := readComplaint(header, raw)
	status := c.status
	if status < http.StatusBadRequest {
		status = http.StatusBadGateway
	}
	return c.failure(status, header)
}

func unwritable(err error) *Error {
	if err == nil {
		return nil
	}
	return &Error{Kind: Unavailable, Message: err.Error()}
}

func isSet(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// modelName is the provider's name of a model, or nothing if that cannot be a name.
func modelName(s string) string {
	if len(s) > 200 || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ""
	}
	return s
}
