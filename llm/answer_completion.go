package llm

import (
	"encoding/json"
	"net/http"

	"reverie/memory"
)

// completion is an answer of the chat-completions protocol.
type completion struct {
	Model   string `json:"model"`
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content   content     `json:"content"`
			Refusal   string      `json:"refusal"`
			ToolCalls []callDelta `json:"tool_calls"`
		} `json:"message"`
		Error json.RawMessage `json:"error"` // OpenRouter, when the provider behind it failed
	} `json:"choices"`
	Usage completionUsage `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// completionUsage are the counts of the chat-completions protocol.
type completionUsage struct {
	Prompt     tokens `json:"prompt_tokens"`
	Completion tokens `json:"completion_tokens"`
	Total      tokens `json:"total_tokens"`
	Details    struct {
		Cached tokens `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit tokens `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cached   tokens `json:"cached_tokens"`           // Moonshot
}

// answer is an answer with these counts and nothing else.
func (u completionUsage) answer() answer {
	return answer{
		inputTokens: int(u.Prompt), cachedTokens: int(max(u.Details.Cached, u.CacheHit, u.Cached)),
		// Gemini counts thoughts in the total only
		outputTokens: int(max(u.Completion, u.Total-u.Prompt)),
	}
}

// readCompletion reads an answer of the chat-completions protocol.
func readCompletion(header http.Header, body []byte) (answer, []byte, *Error) {
	var c completion
	if err := json.Unmarshal(body, &c); err != nil {
		return answer{}, nil, notAnAnswer(header)
	}
	a := c.Usage.answer()
	a.model = modelName(c.Model)
	switch {
	case isSet(c.Error):
		return a, nil, embedded(header, c.Error)
	case len(c.Choices) == 0:
		return a, nil, &Error{Kind: Unavailable, Status: http.StatusOK, Message: "the answer has no choices"}
	case isSet(c.Choices[0].Error):
		return a, nil, embedded(header, c.Choices[0].Error)
	}
	choice := c.Choices[0]
	a.text, a.finish, a.refused = string(choice.Message.Content), choice.FinishReason, choice.Message.Refusal != ""
	for _, call := range choice.Message.ToolCalls {
		a.calls = append(a.calls, memory.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: string(call.Function.Arguments)})
	}
	a.calls = finished(a.calls)
	plain, failure := plainCompletion(a)
	return a, plain, failure
}

// plainCompletion is an answer of the chat-completions protocol that langchaingo can read. The calls of tools are not in it:
// langchaingo changes numbers and the order of fields in some, so that they are read here.
func plainCompletion(a answer) ([]byte, *Error) {
	if failure := refusal(a); failure != nil {
		return nil, failure
	}
	plain, err := json.Marshal(map[string]any{
		"object": "chat.completion", "model": a.model,
		"choices": []any{map[string]any{
			"index": 0, "finish_reason": a.finish, "message": map[string]any{"role": "assistant", "content": a.text},
		}},
		"usage": map[string]any{"prompt_tokens": a.inputTokens, "completion_tokens": a.outputTokens, "total_tokens": a.inputTokens + a.outputTokens},
	})
	return plain, unwritable(err)
}
