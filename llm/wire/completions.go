package wire

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// NewCompletions returns a client of OpenAI's chat-completions protocol at a base URL. An empty key is not sent.
func NewCompletions(base, key string) *Chat {
	c := NewClient(base, Bearer(key), readCompletion)
	c.stream = newCompletionStream
	return &Chat{client: c, path: "/chat/completions", body: completionBody}
}

func completionBody(call *Call, turns []turn, o llms.CallOptions) map[string]any {
	var messages []map[string]any
	for _, t := range turns {
		messages = append(messages, t.completion())
	}
	body := map[string]any{"messages": messages}
	if call.Sent&Temperature != 0 {
		body["temperature"] = o.Temperature
	}
	switch {
	case call.Sent&ModernLimit != 0:
		body["max_completion_tokens"] = o.MaxTokens
	case call.Sent&LegacyLimit != 0:
		body["max_tokens"] = o.MaxTokens
	}
	switch {
	case call.Schema != nil && call.Sent&SchemaBound != 0:
		body["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{
			"name": answerName, "strict": isStrict(call.Schema), "schema": call.Schema,
		}}
	case call.Schema != nil && call.Sent&JSONBound != 0:
		body["response_format"] = map[string]any{"type": "json_object"}
	}
	if len(o.Tools) > 0 {
		body["tools"] = o.Tools
		if o.ToolChoice != nil {
			body["tool_choice"] = o.ToolChoice
		}
	}
	if call.Sent&StreamUsage != 0 {
		body["stream_options"] = map[string]any{"include_usage": true}
	}
	return body
}

// answerName names the schema; the protocol requires a name.
const answerName = "answer"

// completion returns the message as the protocol has it. The content is always sent: some servers fail on a message without one.
func (t turn) completion() map[string]any {
	message := map[string]any{"role": t.role, "content": t.text}
	var calls []map[string]any
	for _, c := range t.calls {
		function := map[string]any{"name": c.FunctionCall.Name, "arguments": string(object(c.FunctionCall.Arguments))}
		calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": function})
	}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	for _, r := range t.results {
		message["tool_call_id"], message["content"] = r.ToolCallID, r.Content
	}
	return message
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

// readCompletion reads an answer in one piece.
func readCompletion(header http.Header, body []byte) (Answer, *Error) {
	s := &completionStream{whole: true}
	_, _, failure := s.take(header, body)
	if failure == nil && !s.began {
		failure = &Error{Kind: Unavailable, Status: http.StatusOK, Message: "the answer has no choices"}
	}
	a, _ := s.answer()
	return a, failure
}

// completionStream assembles an answer, streamed or whole.
type completionStream struct {
	draft

	whole bool // it comes in one piece
	began bool // a choice has come
}

func newCompletionStream() assembler { return &completionStream{} }

func (s *completionStream) take(header http.Header, data []byte) (part string, done bool, failure *Error) {
	if string(data) == endOfStream {
		s.ended = s.began
		return "", true, nil
	}
	var c completion
	if err := json.Unmarshal(data, &c); err != nil {
		return "", false, NotAnAnswer(header)
	}
	s.Model = cmp.Or(s.Model, ModelName(c.Model))
	if u := c.Usage; u != nil { // cumulative, where a server sends it more than once
		s.InputTokens, s.CachedTokens = int(u.Prompt), int(max(u.Details.Cached, u.CacheHit, u.Cached))
		s.OutputTokens = int(max(u.Completion, u.Total-u.Prompt)) // Gemini counts thoughts in the total only
	}
	if failure := Embedded(header, c.Error); failure != nil || len(c.Choices) == 0 {
		return "", false, failure
	}
	choice := c.Choices[0]
	if failure := Embedded(header, choice.Error); failure != nil {
		return "", false, failure
	}
	if choice.Index > 0 { // of several answers, the first one counts
		return "", false, nil
	}
	s.began = true
	said := choice.Delta
	if s.whole {
		said = choice.Message
	}
	s.Refused = s.Refused || said.Refusal != ""
	for i, call := range said.ToolCalls {
		if s.whole {
			call.Index = &i
		}
		s.add(call)
	}
	if choice.FinishReason != "" {
		s.Finish, s.ended = choice.FinishReason, true
	}
	return s.say(string(said.Content)), false, nil
}

// add adds a part of a tool call. By the protocol the first part of each call has an index, an id and a name, and the others
// have the index; some servers leave out the index or the id, or number every call 0.
func (s *completionStream) add(d callDelta) {
	c := s.newest(d.Index)
	if c == nil || c.followed(d) {
		c = s.begin(d.Index, &block{kind: calling})
	}
	c.id, c.name = cmp.Or(c.id, d.ID), cmp.Or(c.name, d.Function.Name)
	c.input.WriteString(string(d.Function.Arguments))
}

// followed reports whether a part begins another call than b, which has its index. A name begins a call.
func (b *block) followed(d callDelta) bool {
	switch name := d.Function.Name; {
	case name == "", b.name == "":
		return false
	case d.ID != "" && b.id != "":
		return d.ID != b.id
	default:
		return name != b.name || b.complete()
	}
}

// complete reports whether the arguments are a whole object, to which nothing can be added.
func (b *block) complete() bool {
	arguments := strings.TrimSpace(b.input.String())
	return strings.HasPrefix(arguments, "{") && json.Valid([]byte(arguments))
}
