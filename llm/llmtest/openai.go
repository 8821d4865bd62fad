package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// openAI is the chat-completions protocol.
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
		"stop", "stream", "frequency_penalty", "presence_penalty", "seed", "response_format", "metadata", "tools", "tool_choice", "stream_options"); f != "" {
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

// check declines what OpenAI, or a server that takes less, declines.
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
		return bad("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case in.MaxCompletionTokens != nil && o.declined("max_completion_tokens"):
		return bad("max_completion_tokens", "Unrecognized request argument supplied: max_completion_tokens")
	case in.Temperature != nil && o.declined("temperature"):
		return bad("temperature", fmt.Sprintf("Unsupported value: 'temperature' does not support %v with this model. Only the default (1) value is supported.", *in.Temperature))
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
		return bad("response_format", fmt.Sprintf("Invalid parameter: 'response_format' of type '%s' is not supported with this model.", r.Format))
	case r.Format == "json_object" && !strings.Contains(strings.ToLower(r.System+r.User), "json"):
		return bad("messages", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
	case r.Format == "json_schema" && (in.ResponseFormat.JSONSchema.Name == "" || schema == nil):
		return bad("response_format.json_schema", "Missing required parameter: 'response_format.json_schema'.")
	case r.Format == "json_schema" && in.ResponseFormat.JSONSchema.Strict && !allRequired(schema):
		return bad("response_format", "Invalid schema for response_format 'answer': In context=(), 'required' is required to be supplied and to be an array including every key in properties.")
	}
	return nil
}

// allRequired reports whether the properties of every object in a schema are required and no others allowed, as strict mode demands.
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

// openAICalls are the calls of a turn.
func openAICalls(t Turn) []any {
	var calls []any
	for _, c := range t.Calls {
		calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments}})
	}
	return calls
}

// openAIFinish is why a turn ended.
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
	if p.retryAfter > 0 { // OpenAI sends both headers, and says it in words
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

// openAIWords are message, type and code of a problem.
func openAIWords(p problem) (message, kind, code string) {
	switch p.kind {
	case quotaSpent:
		return "You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota"
	case contextLength:
		return "This model's maximum context length is 8192 tokens. However, your messages resulted in 9120 tokens. Please reduce the length of the messages.", "invalid_request_error", "context_length_exceeded"
	case invalidKey:
		return "Incorrect API key provided: sk-te**************************cret. You can find your API key at https://platform.openai.com/account/api-keys.", "invalid_request_error", "invalid_api_key"
	}
	switch {
	case p.status == http.StatusTooManyRequests:
		return "Rate limit reached for test in organization org-test on requests per min (RPM): Limit 3, Used 3, Requested 1.", "requests", "rate_limit_exceeded"
	case p.status == http.StatusServiceUnavailable:
		return "The engine is currently overloaded, please try again later.", "server_error", "overloaded"
	case p.status >= http.StatusInternalServerError:
		return "The server had an error while processing your request. Sorry about that!", "server_error", ""
	}
	return http.StatusText(p.status), "invalid_request_error", ""
}

// bad is the error for a request that is wrong in itself.
func bad(param, message string) *problem {
	return &problem{status: http.StatusBadRequest, param: param, message: message}
}
