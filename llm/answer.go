package llm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode"
)

// answer is what a provider's answer says, whatever its protocol.
type answer struct {
	text         string
	model        string // as the provider names it
	finish       string // why it ended, in the provider's word
	inputTokens  int    // all of the prompt, with what came from a cache or went into one
	outputTokens int    // with a reasoning model's thoughts

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

// completion is an answer of the chat-completions protocol.
type completion struct {
	Model   string `json:"model"`
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content content `json:"content"`
			Refusal string  `json:"refusal"`
		} `json:"message"`
		Error json.RawMessage `json:"error"` // OpenRouter, when the provider behind it failed
	} `json:"choices"`
	Usage struct {
		Prompt     tokens `json:"prompt_tokens"`
		Completion tokens `json:"completion_tokens"`
		Total      tokens `json:"total_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// readCompletion reads an answer of the chat-completions protocol.
func readCompletion(header http.Header, body []byte) (answer, []byte, *Error) {
	var c completion
	if err := json.Unmarshal(body, &c); err != nil {
		return answer{}, nil, notAnAnswer(header)
	}
	a := answer{
		model: modelName(c.Model), inputTokens: int(c.Usage.Prompt),
		// Gemini counts thoughts in the total only
		outputTokens: int(max(c.Usage.Completion, c.Usage.Total-c.Usage.Prompt)),
	}
	switch {
	case isSet(c.Error):
		return a, nil, embedded(header, c.Error)
	case len(c.Choices) == 0:
		return a, nil, &Error{Kind: Unavailable, Status: http.StatusOK, Message: "the answer has no choices"}
	case isSet(c.Choices[0].Error):
		return a, nil, embedded(header, c.Choices[0].Error)
	}
	choice := c.Choices[0]
	a.text, a.finish = string(choice.Message.Content), choice.FinishReason
	if failure := refusal(a, choice.Message.Refusal != ""); failure != nil {
		return a, nil, failure
	}
	plain, err := json.Marshal(map[string]any{
		"object": "chat.completion", "model": a.model,
		"choices": []any{map[string]any{
			"index": 0, "finish_reason": a.finish, "message": map[string]any{"role": "assistant", "content": a.text},
		}},
		"usage": map[string]any{"prompt_tokens": a.inputTokens, "completion_tokens": a.outputTokens, "total_tokens": a.inputTokens + a.outputTokens},
	})
	return a, plain, unwritable(err)
}

// message is an answer of the messages protocol.
type message struct {
	Type    string `json:"type"`
	Model   string `json:"model"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	StopReason string `json:"stop_reason"`
	Usage      struct {
		Input         tokens `json:"input_tokens"`
		CacheCreation tokens `json:"cache_creation_input_tokens"`
		CacheRead     tokens `json:"cache_read_input_tokens"`
		Output        tokens `json:"output_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// readMessages reads an answer of the messages protocol. Of its blocks only the texts are handed on: langchaingo fails on
// kinds that it does not know.
func readMessages(header http.Header, body []byte) (answer, []byte, *Error) {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return answer{}, nil, notAnAnswer(header)
	}
	a := answer{
		model: modelName(m.Model), finish: m.StopReason,
		inputTokens: int(m.Usage.Input + m.Usage.CacheCreation + m.Usage.CacheRead), outputTokens: int(m.Usage.Output),
	}
	for _, block := range m.Content {
		if block.Type == "text" {
			a.text += block.Text
		}
	}
	if isSet(m.Error) {
		return a, nil, embedded(header, m.Error)
	}
	if failure := refusal(a, false); failure != nil {
		return a, nil, failure
	}
	if len(m.Content) == 0 {
		return a, nil, &Error{Kind: Unavailable, Status: http.StatusOK, Message: "the answer has no content"}
	}
	plain, err := json.Marshal(map[string]any{
		"type": "message", "role": "assistant", "model": a.model, "stop_reason": a.finish,
		"content": []any{map[string]any{"type": "text", "text": a.text}},
		"usage":   map[string]any{"input_tokens": a.inputTokens, "output_tokens": a.outputTokens},
	})
	return a, plain, unwritable(err)
}

// refusal is the error of an answer that declines, nil for others. Its words are not passed on: they talk about the prompt.
func refusal(a answer, said bool) *Error {
	switch {
	case said:
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
