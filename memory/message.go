package memory

import (
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
