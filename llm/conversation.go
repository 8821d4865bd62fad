package llm

import (
	"context"
	"encoding/json"

	"reverie/memory"
)

// Chatter is a model that answers conversations, with tools, and tells its words as they come.
type Chatter interface {
	Model
	// Chat asks once. onText, if not nil, gets the parts of the answer's text in order while they come in; its error ends the
	// call and is returned. It fails as Complete does. What was streamed before a failure is lost to the answer: whoever shows it
	// must be able to take it back.
	Chat(ctx context.Context, r ChatRequest, onText func(part string) error) (ChatResponse, error)
}

// ChatRequest is a conversation to go on with.
type ChatRequest struct {
	Model    string // instead of the configured one; empty: the configured one
	Messages []ChatMessage
	Tools    []ChatTool
	// MaxTokens bounds the answer; 0 leaves it to the provider (4,096 where the protocol requires a number).
	MaxTokens   int
	Temperature float64 // as Request.Temperature
}

// ChatMessage is one message. System messages come first; a tool's message answers a call of the assistant's message before it.
type ChatMessage struct {
	Role       string // memory.RoleOf…
	Content    string
	ToolCalls  []memory.ToolCall
	ToolCallID string
	Name       string // of a tool
}

// ChatTool is a tool that the model may call.
type ChatTool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON schema of an object
}

// ChatResponse is what the model said: a text, calls of tools, or both.
type ChatResponse struct {
	Text      string
	ToolCalls []memory.ToolCall
	Usage     memory.Usage
	Cached    int    // input tokens that the provider had cached
	Model     string // as Response.Model
	Finish    string // in the provider's word
	Truncated bool   // the token limit cut it
}
