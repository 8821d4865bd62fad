package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"reverie/memory"
)

// openAI implements the chat-completions protocol.
type openAI struct{}

type openAIRequest struct {
	Model               string          `json:"model"`
	Messages            []openAIMessage `json:"messages"`
	Tools               []openAITool    `json:"tools"`
	ToolChoice          any             `json:"tool_choice"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	Stream              bool            `json:"stream"`
	StreamOptions       *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ResponseFormat *struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name   string         `json:"name"`
			Strict bool           `json:"strict"`
			Schema map[string]any `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

func (openAI) read(h http.Header, body []byte, o Options, r *Request) *problem {
	if o.APIKey != "" && h.Get("Authorization") != "Bearer "+o.APIKey {
		return &problem{status: http.StatusUnauthorized, kind: invalidKey}
	}
	var fields map[string]any
	var in openAIRequest
	if json.Unmarshal(body, &fields) != nil || json.Unmarshal(body, &in) != nil {
		return bad("", "We could not parse the JSON body of your request.")
	}
	if f := unknownField(fields, "model", "messages", "temperature", "top_p", "max_tokens", "max_completion_tokens", "n",
		"stop", "stream", "frequency_penalty", "presence_penalty", "seed", "response_format", "metadata",
		"tools", "tool_choice", "stream_options"); f != "" {
		return bad(f, "Unrecognized request argument supplied: "+f)
	}
	r.Model, r.Temperature, r.Stream, r.NoCalls = in.Model, in.Temperature, in.Stream, in.ToolChoice == "none"
	r.usage = in.StreamOptions != nil && in.StreamOptions.IncludeUsage
	for _, m := range in.Messages {
		r.Messages = append(r.Messages, m.message())
	}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, Tool(t.Function))
	}
	r.read()
	for _, limit := range []*int{in.MaxTokens, in.MaxCompletionTokens} {
		if limit != nil {
			r.MaxTokens = *limit
		}
	}
	if in.ResponseFormat != nil {
		r.Format = in.ResponseFormat.Type
	}
	return in.check(o, r)
}

// check declines what OpenAI, or a server with fewer features, declines.
func (in openAIRequest) check(o Options, r *Request) *problem {
	switch {
	case in.Model == "":
		return bad("model", "you must provide a model parameter")
	case len(in.Messages) == 0 || strings.TrimSpace(r.User) == "":
		return bad("messages", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	case in.Stream && o.declined("stream"):
		return bad("stream", "Your organization must be verified to stream this model. Please go to the settings of your organization.")
	case in.StreamOptions != nil && !in.Stream:
		return bad("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case in.StreamOptions != nil && o.declined("stream_options"):
		return bad("stream_options", "Unrecognized request argument supplied: stream_options")
	case in.MaxTokens != nil && in.MaxCompletionTokens != nil:
		return bad("max_tokens", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case in.MaxTokens != nil && o.declined("max_tokens"):
		return bad("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "+
			"instead.")
	case in.MaxCompletionTokens != nil && o.declined("max_completion_tokens"):
		return bad("max_completion_tokens", "Unrecognized request argument supplied: max_completion_tokens")
	case in.Temperature != nil && o.declined("temperature"):
		return bad("temperature", fmt.Sprintf("Unsupported value: 'temperature' does not support %v with this model. Only the "+
			"default (1) value is supported.", *in.Temperature))
	case in.Temperature != nil && (*in.Temperature < 0 || *in.Temperature > 2):
		return bad("temperature", "Invalid 'temperature': decimal out of range. Expected a value between 0 and 2.")
	}
	if p := in.checkFormat(o, r); p != nil {
		return p
	}
	if p := in.checkTools(o); p != nil {
		return p
	}
	return in.checkMessages(o, r)
}

func (in openAIRequest) checkFormat(o Options, r *Request) *problem {
	schema := map[string]any(nil)
	if in.ResponseFormat != nil {
		schema = in.ResponseFormat.JSONSchema.Schema
	}
	switch {
	case r.Format == "":
		return nil
	case o.declined(r.Format):
		return bad("response_format", fmt.Sprintf("Invalid parameter: 'response_format' of type '%s' is not supported with this "+
			"model.", r.Format))
	case r.Format == "json_object" && !strings.Contains(strings.ToLower(r.System+r.User), "json"):
		return bad("messages", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
	case r.Format == "json_schema" && (in.ResponseFormat.JSONSchema.Name == "" || schema == nil):
		return bad("response_format.json_schema", "Missing required parameter: 'response_format.json_schema'.")
	case r.Format == "json_schema" && in.ResponseFormat.JSONSchema.Strict && !allRequired(schema):
		return bad("response_format", "Invalid schema for response_format 'answer': In context=(), 'required' is required to be "+
			"supplied and to be an array including every key in properties.")
	}
	return nil
}

// allRequired reports whether every object in a schema is closed and requires all of its properties, as strict mode demands.
func allRequired(node any) bool {
	object, ok := node.(map[string]any)
	if !ok {
		return true
	}
	properties, _ := object["properties"].(map[string]any)
	required, _ := object["required"].([]any)
	if len(properties) > 0 && (object["additionalProperties"] != false || len(required) != len(properties)) {
		return false
	}
	for _, child := range properties {
		if !allRequired(child) {
			return false
		}
	}
	return allRequired(object["items"])
}

func (openAI) answer(r Request, t Turn, end End, output int) any {
	message := map[string]any{"role": "assistant", "content": t.Text, "refusal": nil}
	if calls := openAICalls(t); len(calls) > 0 {
		message["tool_calls"] = calls
		if t.Text == "" {
			message["content"] = nil
		}
	}
	if end == Declined {
		message = map[string]any{"role": "assistant", "content": nil, "refusal": t.Text}
	}
	return map[string]any{
		"id": "chatcmpl-" + itoa(r.Number), "object": "chat.completion", "created": r.At.Unix(), "model": r.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": openAIFinish(t, end)}},
		"usage":   openAIUsage(r, t, output),
	}
}

// openAICalls returns the calls of a turn.
func openAICalls(t Turn) []any {
	var calls []any
	for _, c := range t.Calls {
		function := map[string]any{"name": c.Name, "arguments": c.Arguments}
		calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": function})
	}
	return calls
}

// openAIFinish returns the finish reason of a turn.
func openAIFinish(t Turn, end End) string {
	switch {
	case end == CutAtLimit:
		return "length"
	case end == Withheld:
		return "content_filter"
	case len(t.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func openAIUsage(r Request, t Turn, output int) map[string]any {
	return map[string]any{
		"prompt_tokens": r.InputTokens, "completion_tokens": output, "total_tokens": r.InputTokens + output,
		"prompt_tokens_details":     map[string]any{"cached_tokens": t.Cached},
		"completion_tokens_details": map[string]any{"reasoning_tokens": 0},
	}
}

func (openAI) empty(r Request) any {
	return map[string]any{"id": "chatcmpl-" + itoa(r.Number), "object": "chat.completion", "model": r.Model, "choices": []any{}}
}

func (openAI) fault(p problem) (int, http.Header, any) {
	message, kind, code := openAIWords(p)
	if p.message != "" {
		message = p.message
	}
	header := http.Header{}
	if p.retryAfter > 0 { // OpenAI sends both headers, and a sentence
		header.Set("Retry-After-Ms", strconv.FormatInt(p.retryAfter.Milliseconds(), 10))
		header.Set("Retry-After", strconv.FormatFloat(p.retryAfter.Seconds(), 'f', -1, 64))
		message += " Please try again in " + p.retryAfter.String() + "."
	}
	fault := map[string]any{"message": message, "type": kind, "param": nil, "code": nil}
	if p.param != "" {
		fault["param"] = p.param
	}
	if code != "" {
		fault["code"] = code
	}
	return p.status, header, map[string]any{"error": fault}
}

// openAIWords returns message, type and code of a problem.
func openAIWords(p problem) (message, kind, code string) {
	switch p.kind {
	case quotaSpent:
		return "You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota"
	case contextLength:
		return "This model's maximum context length is 8192 tokens. However, your messages resulted in 9120 tokens. Please reduce " +
			"the length of the messages.", "invalid_request_error", "context_length_exceeded"
	case invalidKey:
		return "Incorrect API key provided: sk-te**************************cret. You can find your API key at " +
			"https://platform.openai.com/account/api-keys.", "invalid_request_error", "invalid_api_key"
	}
	switch {
	case p.status == http.StatusTooManyRequests:
		return "Rate limit reached for test in organization org-test on requests per min (RPM): Limit 3, Used 3, " +
			"Requested 1.", "requests", "rate_limit_exceeded"
	case p.status == http.StatusServiceUnavailable:
		return "The engine is currently overloaded, please try again later.", "server_error", "overloaded"
	case p.status >= http.StatusInternalServerError:
		return "The server had an error while processing your request. Sorry about that!", "server_error", ""
	}
	return http.StatusText(p.status), "invalid_request_error", ""
}

// bad returns the error of an invalid request.
func bad(param, message string) *problem {
	return &problem{status: http.StatusBadRequest, param: param, message: message}
}

// openAIMessage is one message of the chat-completions protocol; its content is a text, a list of parts, or null.
type openAIMessage struct {
	Role      string `json:"role"`
	Content   any    `json:"content"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

// openAITool is a tool of the chat-completions protocol.
type openAITool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// message returns m as scripts and tests see it.
func (m openAIMessage) message() Message {
	out := Message{Role: m.Role, Content: textOf(m.Content), ToolCallID: m.ToolCallID}
	if out.Role == "developer" {
		out.Role = memory.RoleOfSystem
	}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, memory.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return out
}

// textOf returns the text of a content, which is a text or a list of blocks.
func textOf(content any) string {
	switch content := content.(type) {
	case string:
		return content
	case []any:
		var texts []string
		for _, block := range content {
			if b, ok := block.(map[string]any); ok {
				if text, ok := b["text"].(string); ok {
					texts = append(texts, text)
				}
			}
		}
		return strings.Join(texts, "")
	}
	return ""
}

var (
	openAIName   = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	maxCallIDLen = 40
)

// checkTools declines tools as OpenAI does.
func (in openAIRequest) checkTools(o Options) *problem {
	if in.ToolChoice != nil && len(in.Tools) == 0 {
		return bad("tool_choice", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
	}
	if len(in.Tools) > 0 && o.declined("tools") {
		return bad("tools", in.Model+" does not support tools")
	}
	for i, t := range in.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		var schema struct {
			Type string `json:"type"`
		}
		switch {
		case t.Type != "function":
			return bad(at+".type", fmt.Sprintf("Invalid value: '%s'. Supported values are: 'function' and 'custom'.", t.Type))
		case !openAIName.MatchString(t.Function.Name):
			return bad(at+".function.name", fmt.Sprintf("Invalid '%s.function.name': string does not match pattern. Expected a "+
				"string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at))
		case len(t.Function.Parameters) > 0 && (json.Unmarshal(t.Function.Parameters, &schema) != nil || schema.Type != "object"):
			return bad(at+".function.parameters", fmt.Sprintf("Invalid schema for function '%s': schema must be a JSON Schema of "+
				"'type: \"object\"', got 'type: \"%s\"'.", t.Function.Name, schema.Type))
		}
	}
	return nil
}

// checkMessages declines conversations as OpenAI does: the messages after a call must answer it.
func (in openAIRequest) checkMessages(o Options, r *Request) *problem {
	open := map[string]bool{}
	for i, m := range in.Messages {
		at := fmt.Sprintf("messages.[%d]", i)
		if m.Role != memory.RoleOfTool {
			if p := unanswered(at, open); p != nil {
				return p
			}
		}
		switch m.Role {
		case "system", "developer", "user":
			if m.Content == nil {
				return bad(at+".content", "Invalid value for 'content': expected a string, got null.")
			}
		case "assistant":
			if m.Content == nil && len(m.ToolCalls) == 0 {
				return bad(at+".content", "Invalid value for 'content': expected a string, got null.")
			}
			if p := m.checkCalls(at, open); p != nil {
				return p
			}
		case "tool":
			if !open[m.ToolCallID] {
				return bad(at+".role", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message "+
					"with 'tool_calls'.")
			}
			delete(open, m.ToolCallID)
		default:
			return bad(at+".role", fmt.Sprintf("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', "+
				"'function', 'tool', and 'developer'.", m.Role))
		}
	}
	if o.declined("rows") && r.rows() {
		return bad("", "Conversation roles must alternate user/assistant/user/assistant/...")
	}
	return unanswered("messages", open)
}

// checkCalls declines an assistant's calls as OpenAI does, and opens them.
func (m openAIMessage) checkCalls(at string, open map[string]bool) *problem {
	for i, c := range m.ToolCalls {
		at := fmt.Sprintf("%s.tool_calls[%d]", at, i)
		switch {
		case c.Type != "function":
			return bad(at+".type", fmt.Sprintf("Missing required parameter: '%s.type'.", at))
		case c.ID == "" || len(c.ID) > maxCallIDLen:
			return bad(at+".id", fmt.Sprintf("Invalid '%s.id': string too long. Expected a string with maximum length %d, but got a "+
				"string with length %d instead.", at, maxCallIDLen, len(c.ID)))
		case open[c.ID]:
			return bad(at+".id", fmt.Sprintf("Duplicate value for 'tool_call_id' of '%s'", c.ID))
		case !openAIName.MatchString(c.Function.Name):
			return bad(at+".function.name", fmt.Sprintf("Invalid '%s.function.name': string does not match pattern.", at))
		}
		open[c.ID] = true
	}
	return nil
}

// unanswered returns the error of calls without an answer; nil if there are none.
func unanswered(at string, open map[string]bool) *problem {
	for id := range open {
		return bad(at+".role", "An assistant message with 'tool_calls' must be followed by tool messages responding to each "+
			"'tool_call_id'. The following tool_call_ids did not have response messages: "+id)
	}
	return nil
}

// events returns the chunks of an answer: the role, the text token by token, each call with its name and then its arguments in
// pieces, the finish reason, the counts if they are requested, and the end.
func (openAI) events(r Request, t Turn, end End, output int) []event {
	chunk := func(delta map[string]any, finish any) event {
		return event{data: map[string]any{
			"id": "chatcmpl-" + itoa(r.Number), "object": "chat.completion.chunk", "created": r.At.Unix(), "model": r.Model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}},
			"usage":   nil,
		}}
	}
	out := []event{chunk(map[string]any{"role": "assistant", "content": "", "refusal": nil}, nil)}
	said := "content"
	if end == Declined {
		said = "refusal"
	}
	for _, piece := range pieces(t.Text) {
		out = append(out, chunk(map[string]any{said: piece}, nil))
	}
	for i, c := range t.Calls {
		call := func(part map[string]any) {
			part["index"] = i
			out = append(out, chunk(map[string]any{"tool_calls": []any{part}}, nil))
		}
		call(map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""}})
		for _, piece := range pieces(c.Arguments) {
			call(map[string]any{"function": map[string]any{"arguments": piece}})
		}
	}
	out = append(out, chunk(map[string]any{}, openAIFinish(t, end)))
	if r.usage {
		out = append(out, event{data: map[string]any{
			"id": "chatcmpl-" + itoa(r.Number), "object": "chat.completion.chunk", "created": r.At.Unix(), "model": r.Model,
			"choices": []any{}, "usage": openAIUsage(r, t, output),
		}})
	}
	return append(out, event{data: "[DONE]"})
}

func (openAI) broken(p problem) event {
	_, _, body := openAI{}.fault(p)
	return event{data: body}
}
