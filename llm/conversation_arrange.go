package llm

import (
	"fmt"
	"slices"
	"strings"

	"reverie/memory"
)

// conversation is a ChatRequest in the order that protocols demand.
type conversation struct {
	system   string
	messages []ChatMessage // of users, assistants and tools
	tools    []ChatTool
}

// said are the texts of the conversation.
func (v conversation) said() []string {
	said := []string{v.system}
	for _, m := range v.messages {
		said = append(said, m.Content)
		for _, c := range m.ToolCalls {
			said = append(said, c.Name, c.Arguments)
		}
	}
	for _, t := range v.tools {
		said = append(said, t.Description, string(t.Parameters))
	}
	return said
}

// arrange brings a conversation into order, as far as that changes nothing of what is said, and finds what no provider takes.
func arrange(r ChatRequest, ids *callIDs, sent feature) (conversation, *Error) {
	v := conversation{tools: r.Tools}
	var system []string
	var open []memory.ToolCall // calls without an answer: as they came, and
	var named []string         // the ids that they are sent with
	for i, m := range r.Messages {
		if m.Role != memory.RoleOfTool && len(open) > 0 && m.Role != memory.RoleOfSystem {
			return conversation{}, wrong("message %d comes before the answer to a tool's call", i)
		}
		blank := strings.TrimSpace(m.Content) == ""
		switch m.Role {
		case memory.RoleOfSystem:
			if !blank {
				system = append(system, m.Content)
			}
			continue
		case memory.RoleOfUser:
			m.ToolCalls = nil
		case memory.RoleOfAssistant:
			open = slices.Clone(m.ToolCalls)
			m.ToolCalls = ids.unique(m.ToolCalls)
			named = named[:0]
			for _, c := range m.ToolCalls {
				named = append(named, c.ID)
			}
		case memory.RoleOfTool:
			at := slices.IndexFunc(open, func(c memory.ToolCall) bool { return m.ToolCallID == "" || c.ID == m.ToolCallID })
			if at < 0 {
				return conversation{}, wrong("message %d answers no call of a tool", i)
			}
			m.ToolCallID, m.Name = named[at], open[at].Name
			open, named = slices.Delete(open, at, at+1), slices.Delete(named, at, at+1)
		default:
			return conversation{}, wrong("message %d has no role that is known", i)
		}
		if blank && m.Role != memory.RoleOfTool && len(m.ToolCalls) == 0 {
			continue
		}
		v.messages = append(v.messages, m)
	}
	v.system = strings.Join(system, "\n\n")
	switch {
	case len(open) > 0:
		return conversation{}, wrong("the last call of a tool has no answer")
	case len(v.messages) == 0 || v.messages[len(v.messages)-1].Role == memory.RoleOfAssistant:
		return conversation{}, wrong("the conversation does not end with something to answer")
	}
	return v.within(sent), nil
}

// within is the conversation for a server that takes no more than what is sent.
func (v conversation) within(sent feature) conversation {
	if sent&toolUse == 0 {
		v.tools = nil
		v.messages = toolsInWords(v.messages)
	}
	if sent&rowsOfUsers == 0 {
		v.messages = merged(v.messages)
	}
	return v
}

// toolsInWords tells in words what tools were asked and answered.
func toolsInWords(messages []ChatMessage) []ChatMessage {
	told := make([]ChatMessage, 0, len(messages))
	for _, m := range messages {
		if m.Role == memory.RoleOfTool {
			m = ChatMessage{Role: memory.RoleOfUser, Content: "[result of the tool " + m.Name + "]\n" + m.Content}
		}
		for _, c := range m.ToolCalls {
			m.Content = strings.TrimSpace(m.Content + "\n[called the tool " + c.Name + ": " + c.Arguments + "]")
		}
		m.ToolCalls = nil
		told = append(told, m)
	}
	return told
}

// merged puts messages without tools that one side says in a row into one.
func merged(messages []ChatMessage) []ChatMessage {
	var out []ChatMessage
	for _, m := range messages {
		last := len(out) - 1
		if last >= 0 && m.Role == out[last].Role && m.Role != memory.RoleOfTool && len(m.ToolCalls)+len(out[last].ToolCalls) == 0 {
			out[last].Content += "\n\n" + m.Content
			continue
		}
		out = append(out, m)
	}
	return out
}

func wrong(format string, args ...any) *Error {
	return &Error{Kind: BadRequest, Message: fmt.Sprintf(format, args...)}
}
