package rest

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"reverie/memory"
)

// ToolCallView is what a model asked of a tool, both ways.
type ToolCallView struct {
	ID        string `json:"id" minLength:"1" maxLength:"128" doc:"Unique within the message; the tool's message names it." example:"call_1"`
	Name      string `json:"name" minLength:"1" maxLength:"200" doc:"Of the tool." example:"memory_search"`
	Arguments string `json:"arguments" maxLength:"262144" doc:"As the model wrote them: JSON in a string, kept as it is." example:"{\"query\":\"tea\"}"`
}

type MessageInput struct {
	ID           string         `json:"id" minLength:"1" maxLength:"128" doc:"The client's id, unique within the conversation; a message is stored once." example:"m1"`
	Role         string         `json:"role" enum:"user,assistant,tool,system"`
	Name         string         `json:"name,omitempty" maxLength:"200" doc:"Of the speaker or tool."`
	Speaker      string         `json:"speaker,omitempty" maxLength:"128" doc:"Of a user message in a group: the id of who said it. It is stored with the name: Ada <feishu:ou_1>." example:"feishu:ou_1"`
	Content      string         `json:"content" maxLength:"262144" doc:"UTF-8, at most 256 KiB."`
	FinishReason string         `json:"finishReason,omitempty" maxLength:"64" doc:"Of an assistant message, as the provider says it."`
	CreatedAt    *time.Time     `json:"createdAt,omitempty" doc:"When it was said; missing: now."`
	ToolCalls    []ToolCallView `json:"toolCalls,omitempty" maxItems:"64" nullable:"false" doc:"Of an assistant message: what it asks of tools, at most 256 KiB together."`
	ToolCallID   string         `json:"toolCallId,omitempty" maxLength:"128" doc:"Of a tool message: the id of the call that it answers. A call and its answer stay together in context windows."`
}

// Resolve checks what a schema cannot: sizes in bytes, and characters that PostgreSQL cannot hold.
func (m *MessageInput) Resolve(_ huma.Context, at *huma.PathBuffer) []error {
	var errs []error
	complain := func(field, format string, args ...any) {
		errs = append(errs, &huma.ErrorDetail{Location: at.With(field), Message: fmt.Sprintf(format, args...)})
	}
	if n := len(m.Content); n > memory.MaxMessageBytes && utf8.RuneCountInString(m.Content) <= memory.MaxMessageBytes {
		complain("content", "it has %d bytes, at most %d are allowed: split the message", n, memory.MaxMessageBytes)
	}
	if n := len(m.ID); n > memory.MaxMessageID && utf8.RuneCountInString(m.ID) <= memory.MaxMessageID {
		complain("id", "it has %d bytes, at most %d are allowed", n, memory.MaxMessageID)
	}
	for field, value := range map[string]string{"id": m.ID, "name": m.Name, "content": m.Content, "finishReason": m.FinishReason, "toolCallId": m.ToolCallID} {
		if strings.ContainsRune(value, 0) {
			complain(field, "it contains the character U+0000: remove it")
		}
	}
	if _, err := SpeakerOf(m.Speaker, ""); err != nil {
		complain("speaker", "it is no person: letters, digits and ._:@+=/~- as in feishu:ou_1")
	}
	for i, call := range m.ToolCalls {
		for field, value := range map[string]string{"id": call.ID, "name": call.Name, "arguments": call.Arguments} {
			if strings.ContainsRune(value, 0) {
				complain(fmt.Sprintf("toolCalls[%d].%s", i, field), "it contains the character U+0000: remove it")
			}
		}
	}
	return errs
}

func (s *Server) Messages(in []MessageInput) []memory.Message {
	now := s.Now()
	out := make([]memory.Message, len(in))
	for i, m := range in {
		out[i] = memory.Message{ID: m.ID, Role: m.Role, Name: memory.SpeakerName(m.Name, memory.Owner(m.Speaker)), Content: m.Content, FinishReason: m.FinishReason, CreatedAt: now, ToolCallID: m.ToolCallID}
		if m.CreatedAt != nil {
			out[i].CreatedAt = *m.CreatedAt
		}
		for _, call := range m.ToolCalls {
			out[i].ToolCalls = append(out[i].ToolCalls, memory.ToolCall(call))
		}
	}
	return out
}
