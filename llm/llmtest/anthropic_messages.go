package llmtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"reverie/memory"
)

// anthropicMessage is one message of the messages protocol; its content is a text or a list of blocks.
type anthropicMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// anthropicBlock is a block of a message.
type anthropicBlock struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      any             `json:"content"`
	CacheControl json.RawMessage `json:"cache_control"`
}

// anthropicTool is a tool of the messages protocol.
type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// blocks are the message's blocks; a text is one.
func (m anthropicMessage) blocks() []anthropicBlock {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return []anthropicBlock{{Type: "text", Text: text}}
	}
	var blocks []anthropicBlock
	_ = json.Unmarshal(m.Content, &blocks) // none, which is declined
	return blocks
}

// messages are the parts of m that scripts and tests see as messages of their own: each text of the user, each tool's answer,
// and what the assistant says with its calls.
func (m anthropicMessage) messages() []Message {
	var out []Message
	for _, b := range m.blocks() {
		last := len(out) - 1
		switch {
		case b.Type == "tool_result":
			out = append(out, Message{Role: memory.RoleOfTool, Content: b.result(), ToolCallID: b.ToolUseID})
		case b.Type == "tool_use" && last >= 0:
			out[last].ToolCalls = append(out[last].ToolCalls, b.call())
		case b.Type == "tool_use":
			out = append(out, Message{Role: m.Role, ToolCalls: []memory.ToolCall{b.call()}})
		default:
			out = append(out, Message{Role: m.Role, Content: b.Text})
		}
	}
	return out
}

func (b anthropicBlock) call() memory.ToolCall {
	return memory.ToolCall{ID: b.ID, Name: b.Name, Arguments: string(b.Input)}
}

func (b anthropicBlock) result() string { return textOf(b.Content) }

var (
	anthropicName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	anthropicID   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

// maxCacheMarks is how many blocks of a request may be marked for the cache.
const maxCacheMarks = 4

// checkTools declines tools as Anthropic does.
func (in anthropicRequest) checkTools(o Options) *problem {
	if len(in.Tools) > 0 && o.declined("tools") {
		return bad("tools", "tools: tool use is not supported for this model")
	}
	if in.ToolChoice.Type != "" && len(in.Tools) == 0 {
		return bad("tool_choice", "tool_choice: tool_choice may only be specified while providing tools")
	}
	for i, t := range in.Tools {
		at := fmt.Sprintf("tools.%d.custom", i)
		var schema struct {
			Type string `json:"type"`
		}
		switch {
		case !anthropicName.MatchString(t.Name):
			return bad("tools", at+".name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
		case json.Unmarshal(t.InputSchema, &schema) != nil || schema.Type != "object":
			return bad("tools", at+".input_schema.type: Input should be 'object'")
		}
	}
	return nil
}

// checkMessages declines conversations as Anthropic does: the calls of one message are answered by the next one, its answers
// first, each id is used once, and no block is empty. Messages of one side in a row count as one.
func (in anthropicRequest) checkMessages(o Options, r *Request) *problem {
	ids, marks, calls := map[string]bool{}, cacheMarks(in.System), 0
	var open []string
	for i, m := range in.Messages {
		blocks := m.blocks()
		at := fmt.Sprintf("messages.%d", i)
		if m.Role != memory.RoleOfUser && m.Role != memory.RoleOfAssistant {
			return bad("messages", fmt.Sprintf("messages: Unexpected role %q. Allowed roles are \"user\" or \"assistant\".", m.Role))
		}
		if len(blocks) == 0 {
			return bad("messages", at+": all messages must have non-empty content except for the optional final assistant message")
		}
		p, left := checkResults(at, blocks, open)
		if p != nil {
			return p
		}
		if len(left) > 0 {
			return bad("messages", fmt.Sprintf("%s: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", at, strings.Join(left, ", ")))
		}
		open = nil
		for n, b := range blocks {
			if p := b.check(fmt.Sprintf("%s.content.%d", at, n), m.Role, ids); p != nil {
				return p
			}
			if b.Type == "tool_use" {
				open = append(open, b.ID)
				calls++
			}
			if len(b.CacheControl) > 0 {
				marks++
			}
		}
	}
	switch {
	case len(open) > 0:
		return bad("messages", "messages: `tool_use` ids were found without `tool_result` blocks immediately after: "+strings.Join(open, ", "))
	case in.Messages[len(in.Messages)-1].Role == memory.RoleOfAssistant:
		return bad("messages", "This model does not support assistant message prefill. The conversation must end with a user message.")
	case calls > 0 && len(in.Tools) == 0:
		return bad("tools", "Requests which have `tool_use` or `tool_result` blocks in messages must define tools.")
	case marks > 0 && o.declined("cache_control"):
		return bad("messages", "messages.0.content.0.cache_control: Extra inputs are not permitted")
	case marks > maxCacheMarks:
		return bad("messages", fmt.Sprintf("A maximum of %d blocks with cache_control may be provided. Found %d.", maxCacheMarks, marks))
	case o.declined("rows") && r.rows():
		return bad("messages", "messages: roles must alternate between \"user\" and \"assistant\"")
	}
	return nil
}

// checkResults checks the answers of tools in a message against the calls before it, and returns the calls that it leaves open.
func checkResults(at string, blocks []anthropicBlock, open []string) (*problem, []string) {
	left := slices.Clone(open)
	for n, b := range blocks {
		if b.Type != "tool_result" {
			continue
		}
		answered := slices.Index(left, b.ToolUseID)
		if answered < 0 {
			return bad("messages", fmt.Sprintf("%s.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", at, n, b.ToolUseID)), nil
		}
		if n > 0 && blocks[n-1].Type != "tool_result" {
			return bad("messages", at+": `tool_result` blocks must come first in the content of a message"), nil
		}
		left = slices.Delete(left, answered, answered+1)
	}
	return nil, left
}

// check declines a block as Anthropic does.
func (b anthropicBlock) check(at, role string, ids map[string]bool) *problem {
	switch {
	case b.Type == "text" && b.Text == "":
		return bad("messages", "messages: text content blocks must be non-empty")
	case b.Type == "text" && strings.TrimSpace(b.Text) == "":
		return bad("messages", "messages: text content blocks must contain non-whitespace text")
	case b.Type == "text", b.Type == "tool_result" && role == memory.RoleOfUser:
		return nil
	case b.Type != "tool_use" || role != memory.RoleOfAssistant:
		return bad("messages", fmt.Sprintf("%s: Input tag '%s' found using 'type' does not match any of the expected tags", at, b.Type))
	case !anthropicID.MatchString(b.ID):
		return bad("messages", at+".tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
	case ids[b.ID]:
		return bad("messages", at+": `tool_use` ids must be unique")
	case len(b.Input) == 0 || b.Input[0] != '{':
		return bad("messages", at+".tool_use.input: Input should be a valid dictionary")
	}
	ids[b.ID] = true
	return nil
}

// cacheMarks is how many blocks of a system text are marked.
func cacheMarks(system any) int {
	blocks, _ := system.([]any)
	n := 0
	for _, block := range blocks {
		if b, ok := block.(map[string]any); ok && b["cache_control"] != nil {
			n++
		}
	}
	return n
}
