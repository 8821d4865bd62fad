package llm

import (
	"maps"
	"slices"
	"strings"

	"reverie/memory"
)

// wireTurn is one turn of the messages protocol, in which user and assistant alternate and tools answer as the user.
type wireTurn struct {
	Role    string           `json:"role"`
	Content []map[string]any `json:"content"`
}

// opening is what stands in front of a conversation that the assistant began; the protocol wants the user first.
const opening = "…"

// messagesBody sets the fields of a body of the messages protocol that hold the conversation: langchaingo keeps only the first
// part of an assistant's message, runs system texts together, and fails on arguments that are no object.
func messagesBody(body map[string]any, v conversation, noCalls bool, sent feature) {
	turns := []wireTurn{}
	var mark map[string]any // the last block that will be the same next time
	for _, m := range v.messages {
		role, blocks := wireBlocks(m)
		if len(turns) == 0 && role != memory.RoleOfUser {
			turns = append(turns, wireTurn{Role: memory.RoleOfUser, Content: []map[string]any{textBlock(opening)}})
		}
		if last := len(turns) - 1; last >= 0 && turns[last].Role == role {
			turns[last].Content = append(turns[last].Content, blocks...)
		} else {
			turns = append(turns, wireTurn{Role: role, Content: blocks})
		}
		if m.Role != memory.RoleOfUser {
			mark = blocks[len(blocks)-1]
		}
	}
	body["messages"] = turns
	var system map[string]any
	if v.system != "" {
		system = textBlock(v.system)
		body["system"] = []map[string]any{system}
	}
	if sent&cacheMarks != 0 {
		for _, block := range []map[string]any{system, mark} {
			if block != nil {
				block["cache_control"] = map[string]any{"type": "ephemeral"}
			}
		}
	}
	if tools := wireTools(v); len(tools) > 0 {
		body["tools"] = tools
		if noCalls || len(v.tools) == 0 {
			body["tool_choice"] = map[string]any{"type": "none"}
		}
	}
}

func textBlock(text string) map[string]any { return map[string]any{"type": "text", "text": text} }

// wireBlocks are a message's blocks, and who says them.
func wireBlocks(m ChatMessage) (role string, blocks []map[string]any) {
	if m.Role == memory.RoleOfTool {
		return memory.RoleOfUser, []map[string]any{{"type": "tool_result", "tool_use_id": m.ToolCallID, "content": m.Content}}
	}
	if strings.TrimSpace(m.Content) != "" {
		blocks = append(blocks, textBlock(m.Content))
	}
	for _, c := range m.ToolCalls {
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object(c.Arguments)})
	}
	return m.Role, blocks
}

// wireTools are the tools of a body. Where none are offered any longer, those that were called have to be in it.
func wireTools(v conversation) []map[string]any {
	var out []map[string]any
	for _, t := range v.offeredOrCalled() {
		tool := map[string]any{"name": t.Name, "input_schema": t.schema()}
		if t.Description != "" {
			tool["description"] = t.Description
		}
		out = append(out, tool)
	}
	return out
}

func (v conversation) offeredOrCalled() []ChatTool {
	if len(v.tools) > 0 {
		return v.tools
	}
	called := map[string]bool{}
	for _, m := range v.messages {
		for _, c := range m.ToolCalls {
			called[c.Name] = true
		}
	}
	var tools []ChatTool
	for _, name := range slices.Sorted(maps.Keys(called)) {
		tools = append(tools, ChatTool{Name: name})
	}
	return tools
}
