package llm

import (
	"encoding/json"
	"net/http"

	"reverie/memory"
)

// message is an answer of the messages protocol.
type message struct {
	Model      string          `json:"model"`
	Content    []messageBlock  `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      messageUsage    `json:"usage"`
	Error      json.RawMessage `json:"error"`
}

// messageBlock is one block of an answer: a text, the call of a tool, or what nobody here needs.
type messageBlock struct {
	Type  string    `json:"type"`
	Text  string    `json:"text"`
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Input arguments `json:"input"`
}

// spoken is what the block says.
func (b messageBlock) spoken() string {
	if b.Type != "text" {
		return ""
	}
	return b.Text
}

// messageUsage are the counts of the messages protocol.
type messageUsage struct {
	Input         tokens `json:"input_tokens"`
	CacheCreation tokens `json:"cache_creation_input_tokens"`
	CacheRead     tokens `json:"cache_read_input_tokens"`
	Output        tokens `json:"output_tokens"`
}

// with is what u becomes when a later event says more: counts are of all so far, and those that it leaves out stay.
func (u messageUsage) with(later messageUsage) messageUsage {
	return messageUsage{
		Input: max(u.Input, later.Input), CacheCreation: max(u.CacheCreation, later.CacheCreation),
		CacheRead: max(u.CacheRead, later.CacheRead), Output: max(u.Output, later.Output),
	}
}

// answer is what m says.
func (m message) answer() answer {
	a := answer{
		model: modelName(m.Model), finish: m.StopReason, empty: len(m.Content) == 0,
		inputTokens:  int(m.Usage.Input + m.Usage.CacheCreation + m.Usage.CacheRead),
		cachedTokens: int(m.Usage.CacheRead), outputTokens: int(m.Usage.Output),
	}
	for _, block := range m.Content {
		a.text += block.spoken()
		if block.Type == "tool_use" {
			a.calls = append(a.calls, memory.ToolCall{ID: block.ID, Name: block.Name, Arguments: string(block.Input)})
		}
	}
	a.calls = finished(a.calls)
	return a
}

// readMessages reads an answer of the messages protocol. Of its blocks only the texts are handed on: langchaingo fails on
// kinds that it does not know.
func readMessages(header http.Header, body []byte) (answer, []byte, *Error) {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return answer{}, nil, notAnAnswer(header)
	}
	a := m.answer()
	if isSet(m.Error) {
		return a, nil, embedded(header, m.Error)
	}
	plain, failure := plainMessage(a)
	return a, plain, failure
}

// plainMessage is an answer of the messages protocol that langchaingo can read.
func plainMessage(a answer) ([]byte, *Error) {
	if failure := refusal(a); failure != nil {
		return nil, failure
	}
	plain, err := json.Marshal(map[string]any{
		"type": "message", "role": "assistant", "model": a.model, "stop_reason": a.finish,
		"content": []any{map[string]any{"type": "text", "text": a.text}},
		"usage":   map[string]any{"input_tokens": a.inputTokens, "output_tokens": a.outputTokens},
	})
	return plain, unwritable(err)
}
