package llm

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"reverie/llm/wire"
	"reverie/memory"
)

// Chatter is a model that answers conversations, uses tools and streams its text.
type Chatter interface {
	Model
	// Chat sends one request. A server that supports less gets a simpler one: without tools (earlier calls and results are sent as text), or
	// without streaming (onText gets the text in one piece). Bedrock gets neither.
	//
	// onText, if not nil, receives the parts of the text in order as they arrive; its error ends the call and is returned. Chat
	// fails as Complete does. Text that was streamed before a failure is not part of the answer: callers that show it must be able
	// to withdraw it.
	Chat(ctx context.Context, r ChatRequest, onText func(part string) error) (ChatResponse, error)
}

// ChatRequest is a conversation to continue.
type ChatRequest struct {
	Model    string        // instead of the configured one; empty: the configured one
	Messages []ChatMessage // the last one is the user's or a tool's
	Tools    []ChatTool
	// NoCalls shows the tools and allows no call. Without the tools the prompt would differ from its beginning, and the provider's
	// cache of it would be lost.
	NoCalls bool
	// MaxTokens bounds the answer; 0 leaves it to the provider (4,096 where the protocol requires a number).
	MaxTokens   int
	Temperature float64 // as Request.Temperature
}

// ChatMessage is one message. A tool's message answers a call of the assistant's message before it, by its id or, without one,
// in the order of the calls; every call must be answered before the next message. System messages apply to the whole conversation
// and are sent first, wherever they are. Messages without text and calls are left out.
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

// ChatResponse is an answer: a text, tool calls, or both.
type ChatResponse struct {
	Text      string
	ToolCalls []memory.ToolCall // their ids are unique; the last one of a truncated answer may be incomplete
	Usage     memory.Usage
	Cached    int    // input tokens that the provider read from its cache
	Model     string // as Response.Model
	Finish    string // why the answer ended, in the provider's word
	Truncated bool   // the token limit cut the answer
}

// conversation is a ChatRequest in the order that the protocols require.
type conversation struct {
	system   string
	messages []ChatMessage // of users, assistants and tools
	tools    []ChatTool
}

// said returns the texts of the conversation.
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

// arrange orders a conversation without changing its content, rejects what no provider accepts, and adapts it to a server that
// accepts only the features in sent.
func arrange(r ChatRequest, unique func([]memory.ToolCall) []memory.ToolCall, sent wire.Feature) (conversation, *Error) {
	v := conversation{tools: r.Tools}
	var system []string
	var open []memory.ToolCall  // calls without an answer, with their original ids
	var named []memory.ToolCall // the same calls, with the ids that they are sent with
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
			open, m.ToolCalls = slices.Clone(m.ToolCalls), unique(m.ToolCalls)
			named = slices.Clone(m.ToolCalls)
		case memory.RoleOfTool:
			at := slices.IndexFunc(open, func(c memory.ToolCall) bool { return m.ToolCallID == "" || c.ID == m.ToolCallID })
			if at < 0 {
				return conversation{}, wrong("message %d answers no call of a tool", i)
			}
			m.ToolCallID, m.Name = named[at].ID, named[at].Name
			open, named = slices.Delete(open, at, at+1), slices.Delete(named, at, at+1)
		default:
			return conversation{}, wrong("message %d has no known role", i)
		}
		if !blank || m.Role == memory.RoleOfTool || len(m.ToolCalls) > 0 {
			v.messages = append(v.messages, m)
		}
	}
	v.system = strings.Join(system, "\n\n")
	switch {
	case len(open) > 0:
		return conversation{}, wrong("the last call of a tool has no answer")
	case len(v.messages) == 0 || v.messages[len(v.messages)-1].Role == memory.RoleOfAssistant:
		return conversation{}, wrong("the conversation does not end with something to answer")
	}
	if sent&wire.ToolUse == 0 {
		v.tools, v.messages = nil, toolsInWords(v.messages)
	}
	if sent&wire.UserRows == 0 {
		v.messages = merged(v.messages)
	}
	return v, nil
}

// toolsInWords writes tool calls and results as text.
func toolsInWords(messages []ChatMessage) []ChatMessage {
	out := make([]ChatMessage, 0, len(messages))
	for _, m := range messages {
		if m.Role == memory.RoleOfTool {
			m = ChatMessage{Role: memory.RoleOfUser, Content: "[result of the tool " + m.Name + "]\n" + m.Content}
		}
		for _, c := range m.ToolCalls {
			m.Content = strings.TrimSpace(m.Content + "\n[called the tool " + c.Name + ": " + c.Arguments + "]")
		}
		m.ToolCalls = nil
		out = append(out, m)
	}
	return out
}

// merged joins consecutive messages of one side, unless they have tool calls.
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

// prompt converts a conversation to langchaingo's form.
func prompt(v conversation) []llms.MessageContent {
	var out []llms.MessageContent
	if v.system != "" {
		out = append(out, llms.TextParts(llms.ChatMessageTypeSystem, v.system))
	}
	for _, m := range v.messages {
		said := llms.TextParts(llms.ChatMessageTypeHuman, m.Content)
		switch m.Role {
		case memory.RoleOfTool:
			said.Role = llms.ChatMessageTypeTool
			said.Parts = []llms.ContentPart{llms.ToolCallResponse{ToolCallID: m.ToolCallID, Name: m.Name, Content: m.Content}}
		case memory.RoleOfAssistant:
			said.Role = llms.ChatMessageTypeAI
			for _, c := range m.ToolCalls {
				said.Parts = append(said.Parts, wire.ToolCall(c))
			}
		}
		out = append(out, said)
	}
	return out
}

// functions converts tools to langchaingo's form.
func functions(tools []ChatTool) []llms.Tool {
	out := make([]llms.Tool, len(tools))
	for i, t := range tools {
		parameters := t.Parameters
		if len(parameters) == 0 {
			parameters = wire.NoParameters
		}
		out[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: parameters,
		}}
	}
	return out
}

var (
	// plainID is the form of call ids that every provider but Mistral accepts: OpenAI limits them to 40 characters, Anthropic has
	// the smallest alphabet.
	plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)
	// shortID is the form that Mistral accepts.
	shortID = regexp.MustCompile(`^[A-Za-z0-9]{9}$`)
)

// uniqueIDs returns a function that makes the call ids of one request valid and unique: ids of another provider may have another
// form, and some servers restart their numbering in each answer. A valid id stays, and an invalid one always maps to the same id,
// so that the prompt stays the same.
func uniqueIDs(provider string) func([]memory.ToolCall) []memory.ToolCall {
	form, used := plainID, map[string]bool{}
	if provider == "mistral" {
		form = shortID
	}
	return func(calls []memory.ToolCall) []memory.ToolCall {
		out := slices.Clone(calls)
		for i, c := range calls {
			for n := 0; !form.MatchString(out[i].ID) || used[out[i].ID]; n++ {
				out[i].ID = shortened(strconv.Itoa(n) + " " + c.ID)
			}
			used[out[i].ID] = true
		}
		return out
	}
}

// shortened hashes a text to nine letters and digits.
func shortened(s string) string {
	sum := sha256.Sum256([]byte(s))
	return ("00000000" + new(big.Int).SetBytes(sum[:]).Text(36))[8:][:9]
}
