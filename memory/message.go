package memory

import (
	"fmt"
	"strings"
	"time"
)

// Roles of messages.
const (
	RoleOfUser      = "user"
	RoleOfAssistant = "assistant"
	RoleOfTool      = "tool"
	RoleOfSystem    = "system"
)

// Limits of one batch of messages.
const (
	MaxBatchMessages = 1000
	MaxMessageBytes  = 256 << 10
	MaxMessageID     = 128 // bytes of a client's message id
	MaxConversation  = 255 // bytes of a client's conversation id
	MaxToolCalls     = 64  // of one message
	MaxToolCallBytes = 256 << 10
	maxFinishReason  = 64 // bytes
)

// Message is one message of a conversation.
type Message struct {
	Seq          int64     // position in the conversation, from 1 without gaps; 0 until stored
	ID           string    // the client's id, unique within the conversation
	Role         string    // user, assistant, tool or system
	Name         string    // of the speaker or tool; may be empty
	Content      string    // UTF-8
	FinishReason string    // of an assistant message, as reported by the provider; empty if unknown
	CreatedAt    time.Time // when it was said

	ToolCalls  []ToolCall // of an assistant message
	ToolCallID string     // of a tool message: the call that it answers; empty if unknown
}

// BuiltinPrefix begins the names of messages that Reverie writes itself, without a model.
const BuiltinPrefix = "builtin/"

// Builtin reports whether Reverie wrote the message itself, without a model.
func (m Message) Builtin() bool {
	return m.Role == RoleOfAssistant && strings.HasPrefix(m.Name, BuiltinPrefix)
}

// ToolCall is a model's request to run a tool. A call and the message that answers it are a pair: a context window has both
// or neither.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON, as the model wrote it
}

// Size returns the bytes of the call's texts.
func (c ToolCall) Size() int { return len(c.ID) + len(c.Name) + len(c.Arguments) }

// limited is a text with its maximum length in bytes.
type limited struct {
	field, value string
	limit        int
}

// ValidConversation checks a client's id of a conversation.
func ValidConversation(id string) error {
	if id == "" {
		return &InvalidError{Field: "conversation", Problem: "name the conversation"}
	}
	return ValidText("conversation", id, MaxConversation)
}

// ValidBatch returns an *InvalidError if a batch of messages for a conversation cannot be stored.
func ValidBatch(conversation string, trigger Trigger, messages []Message) error {
	switch n := len(messages); {
	case conversation == "":
		return &InvalidError{Field: "conversation", Problem: "name the conversation"}
	case !trigger.Valid():
		return &InvalidError{Field: "triggerSource", Problem: "use web, channel, api or cron"}
	case n == 0:
		return &InvalidError{Field: "messages", Problem: "give at least one message"}
	case n > MaxBatchMessages:
		return &InvalidError{
			Field: "messages", Problem: fmt.Sprintf("%d given, at most %d allowed: send several batches", n, MaxBatchMessages),
		}
	}
	texts := []limited{{"conversation", conversation, MaxConversation}}
	for i, m := range messages {
		at := fmt.Sprintf("messages[%d].", i)
		if err := m.valid(at); err != nil {
			return err
		}
		texts = m.appendTexts(texts, at)
	}
	for _, text := range texts {
		if err := ValidText(text.field, text.value, text.limit); err != nil {
			return err
		}
	}
	return nil
}

// valid checks a message, except for the lengths of its texts.
func (m Message) valid(at string) error {
	switch m.Role {
	case RoleOfUser, RoleOfAssistant, RoleOfTool, RoleOfSystem:
	default:
		return &InvalidError{Field: at + "role", Problem: "use user, assistant, tool or system"}
	}
	switch {
	case m.ID == "":
		return &InvalidError{Field: at + "id", Problem: "give every message an id that is stable across retries"}
	case m.ToolCallID != "" && m.Role != RoleOfTool:
		return &InvalidError{Field: at + "toolCallId", Problem: "only a tool message may answer a call"}
	}
	return m.validCalls(at + "toolCalls")
}

// validCalls checks the number, ids, names and size of the tool calls. Their arguments may be any text.
func (m Message) validCalls(field string) error {
	switch n := len(m.ToolCalls); {
	case n == 0:
		return nil
	case m.Role != RoleOfAssistant:
		return &InvalidError{Field: field, Problem: "only an assistant message may call tools"}
	case n > MaxToolCalls:
		return &InvalidError{Field: field, Problem: fmt.Sprintf("%d given, at most %d allowed", n, MaxToolCalls)}
	}
	size := 0
	seen := make(map[string]bool, len(m.ToolCalls))
	for i, call := range m.ToolCalls {
		at := fmt.Sprintf("%s[%d].", field, i)
		switch {
		case call.ID == "":
			return &InvalidError{Field: at + "id", Problem: "give every call an id for its answer to name"}
		case seen[call.ID]:
			return &InvalidError{Field: at + "id", Problem: "duplicate id: give every call its own id"}
		case call.Name == "":
			return &InvalidError{Field: at + "name", Problem: "name the tool"}
		case len(call.Arguments) > MaxToolCallBytes:
			return &InvalidError{
				Field: at + "arguments", Problem: fmt.Sprintf("%d bytes, at most %d allowed", len(call.Arguments), MaxToolCallBytes),
			}
		}
		seen[call.ID] = true
		size += call.Size()
	}
	if size > MaxToolCallBytes {
		return &InvalidError{Field: field, Problem: fmt.Sprintf("%d bytes, at most %d allowed", size, MaxToolCallBytes)}
	}
	return nil
}

// appendTexts appends all texts of a message.
func (m Message) appendTexts(texts []limited, at string) []limited {
	texts = append(
		texts, limited{at + "id", m.ID, MaxMessageID}, limited{at + "name", m.Name, MaxName},
		limited{at + "finishReason", m.FinishReason, maxFinishReason}, limited{at + "content", m.Content, MaxMessageBytes},
		limited{at + "toolCallId", m.ToolCallID, MaxMessageID},
	)
	for i, call := range m.ToolCalls {
		field := fmt.Sprintf("%stoolCalls[%d].", at, i)
		texts = append(
			texts, limited{field + "id", call.ID, MaxMessageID}, limited{field + "name", call.Name, MaxName},
			limited{field + "arguments", call.Arguments, MaxToolCallBytes},
		)
	}
	return texts
}

// Trigger is the source of a conversation.
type Trigger string

// Sources of conversations. TriggerCron and TriggerDream are never extracted, so that memory does not feed on itself.
const (
	TriggerWeb     Trigger = "web"
	TriggerChannel Trigger = "channel"
	TriggerAPI     Trigger = "api"
	TriggerCron    Trigger = "cron"
	TriggerDream   Trigger = "dream"
	// TriggerImport is a conversation imported from another system. It keeps its own dates.
	TriggerImport Trigger = "import"
)

// Valid reports whether t is a known source.
func (t Trigger) Valid() bool {
	switch t {
	case TriggerWeb, TriggerChannel, TriggerAPI, TriggerCron, TriggerDream, TriggerImport:
		return true
	}
	return false
}

// MessageOverhead is the cost of a message in addition to its texts, in tokens: its role and separators. OpenAI's chat
// format needs 3 or 4, depending on the model.
const MessageOverhead = 4

// MessageTokens returns the cost of a message in tokens, as counted by count.
func MessageTokens(content string, calls []ToolCall, count func(string) int) int {
	n := count(content) + MessageOverhead
	for _, c := range calls {
		n += count(c.Name) + count(c.Arguments)
	}
	return n
}
