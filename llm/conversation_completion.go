package llm

import (
	"encoding/json"

	"github.com/tmc/langchaingo/llms"

	"reverie/memory"
)

// prompt is a conversation for langchaingo.
func prompt(v conversation) []llms.MessageContent {
	var out []llms.MessageContent
	if v.system != "" {
		out = append(out, llms.TextParts(llms.ChatMessageTypeSystem, v.system))
	}
	for _, m := range v.messages {
		out = append(out, promptMessage(m))
	}
	return out
}

func promptMessage(m ChatMessage) llms.MessageContent {
	switch m.Role {
	case memory.RoleOfTool:
		return llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
			llms.ToolCallResponse{ToolCallID: m.ToolCallID, Name: m.Name, Content: m.Content},
		}}
	case memory.RoleOfAssistant:
		said := llms.TextParts(llms.ChatMessageTypeAI, m.Content)
		for _, c := range m.ToolCalls {
			said.Parts = append(said.Parts, llms.ToolCall{
				ID: c.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: c.Name, Arguments: string(object(c.Arguments))},
			})
		}
		return said
	}
	return llms.TextParts(llms.ChatMessageTypeHuman, m.Content)
}

// functions are tools for langchaingo.
func functions(tools []ChatTool) []llms.Tool {
	out := make([]llms.Tool, len(tools))
	for i, t := range tools {
		out[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.schema()}}
	}
	return out
}

// schema is that of the tool's parameters; protocols demand one from tools without any.
func (t ChatTool) schema() json.RawMessage {
	if len(t.Parameters) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Parameters
}
