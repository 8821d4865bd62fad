package memory

import (
	"strings"
	"time"
)

// Message roles.
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

// Message is one turn's piece of a conversation.
type Message struct {
	Seq          int64     // position in the conversation, from 1 without gaps; 0 until stored
	ID           string    // the client's id, unique within the conversation
	Role         string    // user, assistant, tool or system
	Name         string    // of the speaker or tool; may be empty
	Content      string    // UTF-8
	FinishReason string    // of an assistant message, as the provider said it; empty when unknown
	CreatedAt    time.Time // when it was said

	ToolCalls  []ToolCall // of an assistant message: what it asks for
	ToolCallID string     // of a tool message: the call that it answers; empty when the client does not say
}

// BuiltinPrefix begins the names of what Reverie itself says in place of a model.
const BuiltinPrefix = "builtin/"

// Builtin reports whether Reverie said it in place of a model.
func (m Message) Builtin() bool {
	return m.Role == RoleOfAssistant && strings.HasPrefix(m.Name, BuiltinPrefix)
}

// ToolCall is one request of a model to run a tool. A call and the message that answers it are a pair: a context window has
// both or neither.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON, as the model wrote it
}

// Trigger says where a conversation comes from.
type Trigger string

// Trigger sources. Conversations that the system itself caused are never extracted, so that memory does not feed on itself.
const (
	TriggerWeb     Trigger = "web"
	TriggerChannel Trigger = "channel"
	TriggerAPI     Trigger = "api"
	TriggerCron    Trigger = "cron"
	TriggerDream   Trigger = "dream"
	// TriggerImport is a conversation that was had elsewhere and moved in, with its own dates: it becomes memory as of those.
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
