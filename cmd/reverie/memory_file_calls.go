package main

import (
	"fmt"
	"strings"

	"reverie/memory"
)

// badCalls says why the API would refuse what a message asks of tools, or the call that it answers; empty when it would not.
func badCalls(m fileMessage) string {
	switch n := len(m.ToolCalls); {
	case m.ToolCallID != "" && m.Role != memory.RoleOfTool:
		return `only a message with the role "tool" has a "toolCallId"`
	case len(m.ToolCallID) > memory.MaxMessageID:
		return fmt.Sprintf("the toolCallId has %d bytes, at most %d are taken", len(m.ToolCallID), memory.MaxMessageID)
	case n > 0 && m.Role != memory.RoleOfAssistant:
		return `only a message with the role "assistant" has "toolCalls"`
	case n > memory.MaxToolCalls:
		return fmt.Sprintf("there are %d toolCalls, at most %d are taken", n, memory.MaxToolCalls)
	}
	size := 0
	seen := map[string]bool{}
	for _, call := range m.ToolCalls {
		switch {
		case call.ID == "" || call.Name == "":
			return "a tool call has no id or no name"
		case len(call.ID) > memory.MaxMessageID:
			return fmt.Sprintf("the id of a tool call has %d bytes, at most %d are taken", len(call.ID), memory.MaxMessageID)
		case seen[call.ID]:
			return fmt.Sprintf("two tool calls have the id %q", call.ID)
		case strings.ContainsRune(call.ID+call.Name+call.Arguments, 0):
			return "a tool call has a NUL character (\\u0000): remove it"
		}
		seen[call.ID] = true
		size += len(call.ID) + len(call.Name) + len(call.Arguments)
	}
	if size > memory.MaxToolCallBytes {
		return fmt.Sprintf("the tool calls have %d bytes, at most %d are taken", size, memory.MaxToolCallBytes)
	}
	return ""
}
