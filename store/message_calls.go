package store

import (
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// wholeMessage are all columns of a message m, in the order of scanWhole.
const wholeMessage = `m.seq, m.message_id, m.role, m.name, m.content, m.finish_reason, m.said_at,
    nullif(m.tool_calls, '[]'), m.tool_call_id`

// messageBytes is how much of a message m a model reads.
const messageBytes = `(octet_length(m.content) + case when m.tool_calls = '[]' then 0 else octet_length(m.tool_calls::text) end)`

// scanWhole scans a message with what it asks of tools.
func scanWhole(row pgx.CollectableRow) (m memory.Message, err error) {
	err = row.Scan(&m.Seq, &m.ID, &m.Role, &m.Name, &m.Content, &m.FinishReason, &m.CreatedAt, &m.ToolCalls, &m.ToolCallID)
	return m, err
}

// validCalls checks what a message asks of tools, and which call it answers. Arguments are whatever the model wrote.
func validCalls(at string, m memory.Message) error {
	if m.ToolCallID != "" && m.Role != memory.RoleOfTool {
		return &InvalidError{Field: at + "toolCallId", Problem: "only a tool message answers a call"}
	}
	if err := validText(at+"toolCallId", m.ToolCallID, memory.MaxMessageID); err != nil {
		return err
	}
	calls := at + "toolCalls"
	switch n := len(m.ToolCalls); {
	case n == 0:
		return nil
	case m.Role != memory.RoleOfAssistant:
		return &InvalidError{Field: calls, Problem: "only an assistant message asks for tools"}
	case n > memory.MaxToolCalls:
		return &InvalidError{Field: calls, Problem: fmt.Sprintf("there are %d, at most %d are allowed", n, memory.MaxToolCalls)}
	}
	size := 0
	seen := make(map[string]bool, len(m.ToolCalls))
	for i, call := range m.ToolCalls {
		field := fmt.Sprintf("%s[%d].", calls, i)
		switch {
		case call.ID == "":
			return &InvalidError{Field: field + "id", Problem: "give every call an id, which its answer names"}
		case seen[call.ID]:
			return &InvalidError{Field: field + "id", Problem: "another call of the message has it: give every call an id of its own"}
		case call.Name == "":
			return &InvalidError{Field: field + "name", Problem: "name the tool"}
		}
		seen[call.ID] = true
		for _, text := range []struct {
			field, value string
			limit        int
		}{
			{"id", call.ID, memory.MaxMessageID},
			{"name", call.Name, maxName},
			{"arguments", call.Arguments, memory.MaxToolCallBytes},
		} {
			if err := validText(field+text.field, text.value, text.limit); err != nil {
				return err
			}
		}
		size += callBytes(call)
	}
	if size > memory.MaxToolCallBytes {
		return &InvalidError{Field: calls, Problem: fmt.Sprintf("they have %d bytes, at most %d are allowed", size, memory.MaxToolCallBytes)}
	}
	return nil
}

// callBytes is the size of a call.
func callBytes(call memory.ToolCall) int { return len(call.ID) + len(call.Name) + len(call.Arguments) }

// sizeOf is how many bytes a message brings into a statement.
func sizeOf(m memory.Message) int {
	size := len(m.Content)
	for _, call := range m.ToolCalls {
		size += callBytes(call)
	}
	return size
}

// callsColumn is the tool calls of a message as a column holds them.
func callsColumn(calls []memory.ToolCall) (string, error) {
	if len(calls) == 0 {
		return "[]", nil
	}
	text, err := json.Marshal(calls)
	if err != nil {
		return "", fmt.Errorf("tool calls: %w", err)
	}
	return string(text), nil
}
