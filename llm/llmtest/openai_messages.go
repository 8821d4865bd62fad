package llmtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"reverie/memory"
)

// openAIMessage is one message of the chat-completions protocol; its content is a text, a list of parts, or null.
type openAIMessage struct {
	Role      string `json:"role"`
	Content   any    `json:"content"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

// openAITool is a tool of the chat-completions protocol.
type openAITool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// message is m as scripts and tests see it.
func (m openAIMessage) message() Message {
	out := Message{Role: m.Role, Content: textOf(m.Content), ToolCallID: m.ToolCallID}
	if out.Role == "developer" {
		out.Role = memory.RoleOfSystem
	}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, memory.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return out
}

// textOf is what a content says, be it a text or a list of blocks.
func textOf(content any) string {
	switch content := content.(type) {
	case string:
		return content
	case []any:
		var texts []string
		for _, block := range content {
			if b, ok := block.(map[string]any); ok {
				if text, ok := b["text"].(string); ok {
					texts = append(texts, text)
				}
			}
		}
		return strings.Join(texts, "")
	}
	return ""
}

var (
	openAIName   = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	maxCallIDLen = 40
)

// checkTools declines tools as OpenAI does.
func (in openAIRequest) checkTools(o Options) *problem {
	if in.ToolChoice != nil && len(in.Tools) == 0 {
		return bad("tool_choice", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
	}
	if len(in.Tools) > 0 && o.declined("tools") {
		return bad("tools", in.Model+" does not support tools")
	}
	for i, t := range in.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		var schema struct {
			Type string `json:"type"`
		}
		switch {
		case t.Type != "function":
			return bad(at+".type", fmt.Sprintf("Invalid value: '%s'. Supported values are: 'function' and 'custom'.", t.Type))
		case !openAIName.MatchString(t.Function.Name):
			return bad(at+".function.name", fmt.Sprintf("Invalid '%s.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at))
		case len(t.Function.Parameters) > 0 && (json.Unmarshal(t.Function.Parameters, &schema) != nil || schema.Type != "object"):
			return bad(at+".function.parameters", fmt.Sprintf("Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"%s\"'.", t.Function.Name, schema.Type))
		}
	}
	return nil
}

// checkMessages declines conversations as OpenAI does: every call is answered by the messages behind it.
func (in openAIRequest) checkMessages(o Options, r *Request) *problem {
	open := map[string]bool{}
	for i, m := range in.Messages {
		at := fmt.Sprintf("messages.[%d]", i)
		if m.Role != memory.RoleOfTool {
			if p := unanswered(at, open); p != nil {
				return p
			}
		}
		switch m.Role {
		case "system", "developer", "user":
			if m.Content == nil {
				return bad(at+".content", "Invalid value for 'content': expected a string, got null.")
			}
		case "assistant":
			if m.Content == nil && len(m.ToolCalls) == 0 {
				return bad(at+".content", "Invalid value for 'content': expected a string, got null.")
			}
			if p := m.checkCalls(at, open); p != nil {
				return p
			}
		case "tool":
			if !open[m.ToolCallID] {
				return bad(at+".role", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			}
			delete(open, m.ToolCallID)
		default:
			return bad(at+".role", fmt.Sprintf("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m.Role))
		}
	}
	if o.declined("rows") && r.rows() {
		return bad("", "Conversation roles must alternate user/assistant/user/assistant/...")
	}
	return unanswered("messages", open)
}

// checkCalls declines an assistant's calls as OpenAI does, and opens them.
func (m openAIMessage) checkCalls(at string, open map[string]bool) *problem {
	for i, c := range m.ToolCalls {
		at := fmt.Sprintf("%s.tool_calls[%d]", at, i)
		switch {
		case c.Type != "function":
			return bad(at+".type", fmt.Sprintf("Missing required parameter: '%s.type'.", at))
		case c.ID == "" || len(c.ID) > maxCallIDLen:
			return bad(at+".id", fmt.Sprintf("Invalid '%s.id': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", at, maxCallIDLen, len(c.ID)))
		case open[c.ID]:
			return bad(at+".id", fmt.Sprintf("Duplicate value for 'tool_call_id' of '%s'", c.ID))
		case !openAIName.MatchString(c.Function.Name):
			return bad(at+".function.name", fmt.Sprintf("Invalid '%s.function.name': string does not match pattern.", at))
		}
		open[c.ID] = true
	}
	return nil
}

// unanswered is the error for calls that nothing answers; nil: there are none.
func unanswered(at string, open map[string]bool) *problem {
	for id := range open {
		return bad(at+".role", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: "+id)
	}
	return nil
}
