package rest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"reverie/api/fault"
	"reverie/memory"
)

// WaitParam sets how long a request waits for an outcome.
type WaitParam struct {
	Wait string `query:"wait" maxLength:"20" default:"60s" doc:"How long to wait for the outcome, such as 90s or 2m; 0s: do not wait; at most 5m." example:"60s"`
}

// Duration returns how long to wait, by default a minute.
func (p WaitParam) Duration() (time.Duration, error) {
	if p.Wait == "" {
		return defaultWait, nil
	}
	d, err := time.ParseDuration(p.Wait)
	if err != nil || d < 0 || d > MaxWait {
		return 0, fault.InvalidAt("query.wait", "write a duration from 0s to %s, such as 60s", MaxWait)
	}
	return d, nil
}

// RequestKeyParam makes a repeated request one request.
type RequestKeyParam struct {
	IdempotencyKey string `header:"Idempotency-Key" pattern:"^[!-~]{1,200}$" patternDescription:"1 to 200 printable ASCII characters without spaces" doc:"Repeated requests with the same key are executed once and answered alike."`
}

// RequestLedgerKey returns the idempotency key of a request of a caller; empty when the client sends none. The client's key counts
// for the same caller and the same request only, of which parts are everything that matters.
func RequestLedgerKey(ctx context.Context, client string, parts ...string) string {
	if client == "" {
		return ""
	}
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return "http/" + CallerOf(ctx).ID.String() + "/" + client + "/" + hex.EncodeToString(h.Sum(nil)[:8])
}

// PersonBody names, in a body, the owner of the memory that a request is about, in one of three ways.
type PersonBody struct {
	Owner     string `json:"owner,omitempty" maxLength:"128" doc:"Owner key; or give channel and sender, or endUserId." example:"user:7"`
	Channel   string `json:"channel,omitempty" maxLength:"128"`
	Sender    string `json:"sender,omitempty" maxLength:"128"`
	EndUserID string `json:"endUserId,omitempty" maxLength:"128" example:"42"`
}

// Person returns the person that the body names.
func (b PersonBody) Person() Person {
	return Person{b.Owner, b.Channel, b.Sender, b.EndUserID, "body"}
}

// ConversationParam is the conversation that a request is about.
type ConversationParam struct {
	Conversation string `path:"conversation" maxLength:"255" doc:"The client's id of the conversation; percent-encode a slash." example:"c1"`
}

// SpeakerParam names who speaks where the owner is a group.
type SpeakerParam struct {
	Speaker string `query:"speaker" maxLength:"128" doc:"Who speaks, where the owner is a group: MEMORY.md is then written in the section of that person only." example:"feishu:ou_1"`
}

// SpeakerOf checks the id of the speaker.
func SpeakerOf(id, location string) (memory.Owner, error) {
	if id == "" {
		return memory.NoOwner, nil
	}
	person, err := memory.ParsePerson(id)
	if err != nil {
		return memory.NoOwner, fault.InvalidAt(location, "%s", err)
	}
	return person, nil
}

// WorkspacePath is the path of documents.
const WorkspacePath = "/api/v1/agents/{agent}/workspace"

// ToolCallView is a model's call of a tool, in requests and answers.
type ToolCallView struct {
	ID        string `json:"id" minLength:"1" maxLength:"128" doc:"Unique within the message; the tool's message names it." example:"call_1"`
	Name      string `json:"name" minLength:"1" maxLength:"200" doc:"Name of the tool." example:"memory_search"`
	Arguments string `json:"arguments" maxLength:"262144" doc:"As the model wrote them: JSON in a string, kept as it is." example:"{\"query\":\"tea\"}"`
}

// MessageInput is a message as clients send it.
type MessageInput struct {
	ID           string         `json:"id" minLength:"1" maxLength:"128" doc:"The client's id, unique within the conversation; a message is stored once." example:"m1"`
	Role         string         `json:"role" enum:"user,assistant,tool,system"`
	Name         string         `json:"name,omitempty" maxLength:"200" doc:"Name of the speaker or tool."`
	Speaker      string         `json:"speaker,omitempty" maxLength:"128" doc:"Id of the person who wrote a user message in a group. It is stored with the name: Ada <feishu:ou_1>." example:"feishu:ou_1"`
	Content      string         `json:"content" maxLength:"262144" doc:"UTF-8, at most 256 KiB."`
	FinishReason string         `json:"finishReason,omitempty" maxLength:"64" doc:"Why an assistant message ended, in the provider's words."`
	CreatedAt    *time.Time     `json:"createdAt,omitempty" doc:"When it was said; missing: now."`
	ToolCalls    []ToolCallView `json:"toolCalls,omitempty" maxItems:"64" nullable:"false" doc:"Tool calls of an assistant message, at most 256 KiB in total."`
	ToolCallID   string         `json:"toolCallId,omitempty" maxLength:"128" doc:"Id of the call that a tool message answers. A call and its answer stay together in context windows."`
}

// Resolve checks what a schema cannot: sizes in bytes.
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
	if _, err := SpeakerOf(m.Speaker, ""); err != nil {
		complain("speaker", "it is not a person: use letters, digits and ._:@+=/~- as in feishu:ou_1")
	}
	return errs
}

// Messages converts messages of a request; those without a time get the current one.
func (s *Server) Messages(in []MessageInput) []memory.Message {
	now := s.Now()
	out := make([]memory.Message, len(in))
	for i, m := range in {
		out[i] = memory.Message{
			ID:           m.ID,
			Role:         m.Role,
			Name:         memory.SpeakerName(m.Name, memory.Owner(m.Speaker)),
			Content:      m.Content,
			FinishReason: m.FinishReason,
			CreatedAt:    now,
			ToolCallID:   m.ToolCallID,
		}
		if m.CreatedAt != nil {
			out[i].CreatedAt = *m.CreatedAt
		}
		for _, call := range m.ToolCalls {
			out[i].ToolCalls = append(out[i].ToolCalls, memory.ToolCall(call))
		}
	}
	return out
}
