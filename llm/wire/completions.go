package wire

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"reverie/memory"
)

// NewCompletions returns a client of OpenAI's chat-completions protocol at a base URL. An empty key is not sent.
func NewCompletions(base, key string) *Chat {
	c := NewClient(base, Bearer(key), readCompletion)
	c.stream = newCompletionStream
	return &Chat{client: c, path: "/chat/completions", body: completionBody}
}

// completionRequest is the body of a request.
type completionRequest struct {
	Model               string              `json:"model"`
	Messages            []completionMessage `json:"messages"`
	Temperature         *float64            `json:"temperature,omitempty"`
	MaxTokens           int                 `json:"max_tokens,omitempty"`
	MaxCompletionTokens int                 `json:"max_completion_tokens,omitempty"`
	ResponseFormat      map[string]any      `json:"response_format,omitempty"`
	Tools               []llms.Tool         `json:"tools,omitempty"`
	ToolChoice          any                 `json:"tool_choice,omitempty"`
	Stream              bool                `json:"stream,omitempty"`
	StreamOptions       map[string]any      `json:"stream_options,omitempty"`
}

// completionMessage is one message of a request. The content is always sent: some servers fail on a message without one.
type completionMessage struct {
	Role       string           `json:"role"`
	Content    string           `json:"content"`
	ToolCalls  []completionCall `json:"tool_calls,omitempty"`
	ToolCallID string           `json:"tool_call_id,omitempty"`
}

type completionCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func completionBody(call *Call, messages []llms.MessageContent, o llms.CallOptions) any {
	r := completionRequest{Model: o.Model, Tools: o.Tools, ResponseFormat: call.responseFormat()}
	for _, m := range messages {
		r.Messages = append(r.Messages, newCompletionMessage(m))
	}
	if call.Sent&Temperature != 0 {
		r.Temperature = &o.Temperature
	}
	switch {
	case call.Sent&ModernLimit != 0:
		r.MaxCompletionTokens = o.MaxTokens
	case call.Sent&LegacyLimit != 0:
		r.MaxTokens = o.MaxTokens
	}
	if len(o.Tools) > 0 {
		r.ToolChoice = o.ToolChoice
	}
	r.Stream = call.Sent&Streamed != 0
	if call.Sent&StreamUsage != 0 {
		r.StreamOptions = map[string]any{"include_usage": true}
	}
	return r
}

// answerName names the schema; the protocol requires a name.
const answerName = "answer"

// responseFormat binds the answer to the schema, or to JSON, as far as Sent allows.
func (c *Call) responseFormat() map[string]any {
	switch {
	case c.Schema != nil && c.Sent&SchemaBound != 0:
		return map[string]any{
			"type":        "json_schema",
			"json_schema": map[string]any{"name": answerName, "strict": isStrict(c.Schema), "schema": c.Schema},
		}
	case c.Schema != nil && c.Sent&JSONBound != 0:
		return map[string]any{"type": "json_object"}
	}
	return nil
}

func newCompletionMessage(m llms.MessageContent) completionMessage {
	out := completionMessage{Role: memory.RoleOfUser, Content: textOf(m)}
	switch m.Role {
	case llms.ChatMessageTypeSystem:
		out.Role = memory.RoleOfSystem
	case llms.ChatMessageTypeAI:
		out.Role = memory.RoleOfAssistant
	case llms.ChatMessageTypeTool:
		out.Role = memory.RoleOfTool
	default: // the user's
	}
	for _, part := range m.Parts {
		switch part := part.(type) {
		case llms.ToolCall:
			call := completionCall{ID: part.ID, Type: "function"}
			call.Function.Name, call.Function.Arguments = part.FunctionCall.Name, string(object(part.FunctionCall.Arguments))
			out.ToolCalls = append(out.ToolCalls, call)
		case llms.ToolCallResponse:
			out.ToolCallID, out.Content = part.ToolCallID, part.Content
		default: // text
		}
	}
	return out
}

// isStrict reports whether a schema has the shape that OpenAI's strict mode demands: every object closed, and all of its
// properties required. A schema of another shape is sent as guidance; as strict it would be declined.
func isStrict(schema json.RawMessage) bool {
	var root any
	return json.Unmarshal(schema, &root) == nil && strictAll(root)
}

func strictAll(node any) bool {
	children, _ := node.([]any)
	if object, ok := node.(map[string]any); ok {
		required, _ := object["required"].([]any)
		properties, hasProperties := object["properties"].(map[string]any)
		if hasProperties && object["additionalProperties"] != false {
			return false
		}
		for name := range properties {
			if !slices.Contains(required, any(name)) {
				return false
			}
		}
		children = slices.Collect(maps.Values(object))
	}
	return !slices.ContainsFunc(children, func(child any) bool { return !strictAll(child) })
}

// completion is an answer in one piece, or one event of a streamed one.
type completion struct {
	Model   string             `json:"model"`
	Choices []completionChoice `json:"choices"`
	Usage   *completionUsage   `json:"usage"`
	Error   json.RawMessage    `json:"error"`
}

type completionChoice struct {
	Index        int             `json:"index"`
	FinishReason string          `json:"finish_reason"`
	Message      completionDelta `json:"message"`
	Delta        completionDelta `json:"delta"` // instead of Message in an event
	Error        json.RawMessage `json:"error"` // OpenRouter, when the provider behind it failed
}

type completionDelta struct {
	Content   content     `json:"content"`
	Refusal   string      `json:"refusal"`
	ToolCalls []callDelta `json:"tool_calls"`
}

// callDelta is a tool call, or a part of one.
type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

type completionUsage struct {
	Prompt     Tokens `json:"prompt_tokens"`
	Completion Tokens `json:"completion_tokens"`
	Total      Tokens `json:"total_tokens"`
	Details    struct {
		Cached Tokens `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit Tokens `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cached   Tokens `json:"cached_tokens"`           // Moonshot
}

// answer returns an answer with the counts and nothing else.
func (u *completionUsage) answer() Answer {
	if u == nil {
		return Answer{}
	}
	return Answer{
		InputTokens: int(u.Prompt), CachedTokens: int(max(u.Details.Cached, u.CacheHit, u.Cached)),
		// Gemini counts thoughts in the total only.
		OutputTokens: int(max(u.Completion, u.Total-u.Prompt)),
	}
}

// readCompletion reads an answer in one piece.
func readCompletion(header http.Header, body []byte) (Answer, *Error) {
	var c completion
	if err := json.Unmarshal(body, &c); err != nil {
		return Answer{}, NotAnAnswer(header)
	}
	a := c.Usage.answer()
	a.Model = ModelName(c.Model)
	if failure := Embedded(header, c.Error); failure != nil {
		return a, failure
	}
	if len(c.Choices) == 0 {
		return a, &Error{Kind: Unavailable, Status: http.StatusOK, Message: "the answer has no choices"}
	}
	choice := c.Choices[0]
	if failure := Embedded(header, choice.Error); failure != nil {
		return a, failure
	}
	a.Text, a.Finish, a.Refused = string(choice.Message.Content), choice.FinishReason, choice.Message.Refusal != ""
	for _, call := range choice.Message.ToolCalls {
		a.Calls = append(a.Calls, memory.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: string(call.Function.Arguments)})
	}
	a.Calls = finished(a.Calls)
	return a, nil
}

// completionStream assembles a streamed answer.
type completionStream struct {
	text    strings.Builder
	refused bool
	model   string
	finish  string
	usage   *completionUsage
	calls   []*streamedCall
	began   bool // a choice has come
	ended   bool // the server has marked the end
}

// streamedCall is a tool call whose parts are arriving.
type streamedCall struct {
	index     int // -1: the server does not number them
	id, name  string
	arguments strings.Builder
}

// complete reports whether the arguments are a whole object, to which nothing can be added.
func (c *streamedCall) complete() bool {
	arguments := strings.TrimSpace(c.arguments.String())
	return strings.HasPrefix(arguments, "{") && json.Valid([]byte(arguments))
}

func newCompletionStream() assembler { return &completionStream{} }

func (s *completionStream) take(header http.Header, data []byte) (part string, done bool, failure *Error) {
	if string(data) == endOfStream {
		s.ended = s.began
		return "", true, nil
	}
	var chunk completion
	if err := json.Unmarshal(data, &chunk); err != nil {
		return "", false, NotAnAnswer(header)
	}
	if failure := Embedded(header, chunk.Error); failure != nil {
		return "", false, failure
	}
	if s.model == "" {
		s.model = ModelName(chunk.Model)
	}
	if chunk.Usage != nil { // cumulative, where a server sends it more than once
		s.usage = chunk.Usage
	}
	if len(chunk.Choices) == 0 {
		return "", false, nil
	}
	choice := chunk.Choices[0]
	if failure := Embedded(header, choice.Error); failure != nil {
		return "", false, failure
	}
	if choice.Index > 0 { // of several answers, the first one counts
		return "", false, nil
	}
	s.began = true
	s.refused = s.refused || choice.Delta.Refusal != ""
	for _, delta := range choice.Delta.ToolCalls {
		s.add(delta)
	}
	if choice.FinishReason != "" {
		s.finish, s.ended = choice.FinishReason, true
	}
	s.text.WriteString(string(choice.Delta.Content))
	return string(choice.Delta.Content), false, nil
}

// add adds a part of a tool call. By the protocol the first part of each call has an index, an id and a name, and the others
// have the index; some servers leave out the index or the id, or number every call 0.
func (s *completionStream) add(d callDelta) {
	c := s.find(d)
	if c == nil {
		c = &streamedCall{index: -1}
		if d.Index != nil {
			c.index = *d.Index
		}
		s.calls = append(s.calls, c)
	}
	if c.id == "" {
		c.id = d.ID
	}
	if c.name == "" {
		c.name = d.Function.Name
	}
	c.arguments.WriteString(string(d.Function.Arguments))
}

// find returns the call that a part continues; nil: the part begins another one.
func (s *completionStream) find(d callDelta) *streamedCall {
	var c *streamedCall
	for _, known := range s.calls { // the newest that it may belong to
		if d.Index == nil || known.index == *d.Index {
			c = known
		}
	}
	name := d.Function.Name
	switch {
	case c == nil, name == "", c.name == "": // a name begins a call
		return c
	case d.ID != "" && c.id != "":
		if d.ID != c.id {
			return nil
		}
		return c
	case c.complete(), name != c.name:
		return nil
	}
	return c
}

func (s *completionStream) answer() (a Answer, whole bool) {
	a = s.usage.answer()
	a.Text, a.Model, a.Finish, a.Refused = s.text.String(), s.model, s.finish, s.refused
	for _, c := range s.calls {
		a.Calls = append(a.Calls, memory.ToolCall{ID: c.id, Name: c.name, Arguments: c.arguments.String()})
	}
	a.Calls = finished(a.Calls)
	return a, s.ended
}
