package llm

import (
	"context"
	"encoding/json"

	"reverie/memory"
)

// Chatter is a model that answers conversations, with tools, and tells its words as they come.
type Chatter interface {
	Model
	// Chat asks once. Where a server can do less it is asked for less: without tools (what they were asked and answered is told
	// in words), or without streaming (onText gets the text in one piece). Bedrock is asked without either.
	//
	// onText, if not nil, gets the parts of the answer's text in order while they come in; its error ends the
	// call and is returned. It fails as Complete does. What was streamed before a failure is lost to the answer: whoever shows it
	// must be able to take it back.
	Chat(ctx context.Context, r ChatRequest, onText func(part string) error) (ChatResponse, error)
}

// ChatRequest is a conversation to go on with.
type ChatRequest struct {
	Model    string        // instead of the configured one; empty: the configured one
	Messages []ChatMessage // ends with the user's or with tools'
	Tools    []ChatTool
	// NoCalls shows the tools without letting the model call one. Without the tools the prompt would be another one from its
	// beginning, and a provider's cache of it lost.
	NoCalls bool
	// MaxTokens bounds the answer; 0 leaves it to the provider (4,096 where the protocol requires a number).
	MaxTokens   int
	Temperature float64 // as Request.Temperature
}

// ChatMessage is one message. A tool's message answers a call of the assistant's message before it, by its id or, without one,
// in the order of the calls; every call is answered before anybody else speaks. System messages are for all of the conversation
// and are sent in front of it, wherever they stand. Messages without any text or call are left out.
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
	ToolCalls []memory.ToolCall // with ids that are unique in it; of a truncated answer the last one may be cut
	Usage     memory.Usage
	Cached    int    // input tokens that the provider had cached
	Model     string // as Response.Model
	Finish    string // in the provider's word
	Truncated bool   // the token limit cut it
}
