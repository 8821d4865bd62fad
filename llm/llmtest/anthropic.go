package llmtest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"reverie/memory"
)

// anthropic is the messages protocol.
type anthropic struct{}

type anthropicRequest struct {
	Model      string             `json:"model"`
	Messages   []anthropicMessage `json:"messages"`
	System     any                `json:"system"`
	Tools      []anthropicTool    `json:"tools"`
	ToolChoice struct {
		Type string `json:"type"`
	} `json:"tool_choice"`
	MaxTokens    int      `json:"max_tokens"`
	Temperature  *float64 `json:"temperature"`
	Stream       bool     `json:"stream"`
	OutputConfig *struct {
		Format struct {
			Type   string         `json:"type"`
			Schema map[string]any `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
}

func (anthropic) read(h http.Header, body []byte, o Options, r *Request) *problem {
	switch key := h.Get("X-Api-Key"); {
	case key == "", o.APIKey != "" && key != o.APIKey:
		return &problem{status: http.StatusUnauthorized, kind: invalidKey}
	case h.Get("Anthropic-Version") == "":
		return bad("", "anthropic-version: header is required")
	}
	var fields map[string]any
	var in anthropicRequest
	if json.Unmarshal(body, &fields) != nil || json.Unmarshal(body, &in) != nil {
		return bad("", "The request body is not valid JSON")
	}
	if f := unknownField(fields, "model", "messages", "system", "max_tokens", "temperature", "top_p", "stop_sequences",
		"stream", "output_config", "metadata", "tools", "tool_choice"); f != "" {
		return bad(f, f+": Extra inputs are not permitted")
	}
	r.Model, r.Temperature, r.MaxTokens, r.Stream, r.NoCalls = in.Model, in.Temperature, in.MaxTokens, in.Stream, in.ToolChoice.Type == "none"
	if system := textOf(in.System); system != "" {
		r.Messages = append(r.Messages, Message{Role: memory.RoleOfSystem, Content: system})
	}
	for _, m := range in.Messages {
		r.Messages = append(r.Messages, m.messages()...)
	}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, Tool{Name: t.Name, Description: t.Description, Parameters: t.InputSchema})
	}
	r.read()
	if in.OutputConfig != nil {
		r.Format = in.OutputConfig.Format.Type
	}
	return in.check(o, r)
}

// check declines what Anthropic, or a model that takes less, declines.
func (in anthropicRequest) check(o Options, r *Request) *problem {
	switch {
	case in.Model == "":
		return bad("model", "model: Field required")
	case in.MaxTokens < 1:
		return bad("max_tokens", "max_tokens: Field required")
	case len(in.Messages) == 0:
		return bad("messages", "messages: at least one message is required")
	case in.Messages[0].Role != "user" || strings.TrimSpace(r.User) == "":
		return bad("messages", "messages: text content blocks must be non-empty")
	case in.Stream && o.declined("stream"):
		return bad("stream", "stream: streaming is not supported for this model")
	case in.Temperature != nil && o.declined("temperature"):
		return bad("temperature", "`temperature` is deprecated for this model.")
	case in.Temperature != nil && (*in.Temperature < 0 || *in.Temperature > 1):
		return bad("temperature", "temperature: range: 0..1")
	}
	for _, check := range []*problem{in.checkFormat(o, r), in.checkTools(o), in.checkMessages(o, r)} {
		if check != nil {
			return check
		}
	}
	return nil
}

func (in anthropicRequest) checkFormat(o Options, r *Request) *problem {
	switch {
	case in.OutputConfig == nil:
		return nil
	case o.declined("output_config"):
		return bad("output_config", "output_config.format: structured outputs are not supported by this model")
	case r.Format != "json_schema" || in.OutputConfig.Format.Schema == nil:
		return bad("output_config", "output_config.format.schema: Field required")
	case !allClosed(in.OutputConfig.Format.Schema):
		return bad("output_config", "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false")
	}
	return nil
}

// allClosed reports whether every object in a schema names all of its properties, as structured outputs demand.
func allClosed(node any) bool {
	object, ok := node.(map[string]any)
	if !ok {
		return true
	}
	properties, _ := object["properties"].(map[string]any)
	if object["type"] == "object" && object["additionalProperties"] != false {
		return false
	}
	for _, child := range properties {
		if !allClosed(child) {
			return false
		}
	}
	return allClosed(object["items"])
}

func (anthropic) answer(r Request, t Turn, end End, output int) any {
	blocks := []any{}
	for _, b := range anthropicBlocks(t) {
		blocks = append(blocks, b)
	}
	body := envelope(r, blocks, t, output)
	body["stop_reason"] = anthropicStop(t, end)
	return body
}

// anthropicBlocks are the blocks of a turn; one that says and calls nothing has an empty text.
func anthropicBlocks(t Turn) []map[string]any {
	var blocks []map[string]any
	if t.Text != "" || len(t.Calls) == 0 {
		blocks = append(blocks, map[string]any{"type": "text", "text": t.Text})
	}
	for _, c := range t.Calls {
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	return blocks
}

// anthropicStop is why a turn ended. A filter that stops the answer is a refusal in this protocol too.
func anthropicStop(t Turn, end End) string {
	switch {
	case end == CutAtLimit:
		return "max_tokens"
	case end == Declined, end == Withheld:
		return "refusal"
	case len(t.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func (anthropic) empty(r Request) any { return envelope(r, []any{}, Turn{}, 0) }

func envelope(r Request, content []any, t Turn, output int) map[string]any {
	return map[string]any{
		"id": "msg_" + itoa(r.Number), "type": "message", "role": "assistant", "model": r.Model, "content": content,
		"stop_reason": "end_turn", "stop_sequence": nil, "usage": anthropicUsage(r, t, output),
	}
}

// anthropicUsage are the counts of a turn; what came from a cache is no input here.
func anthropicUsage(r Request, t Turn, output int) map[string]any {
	return map[string]any{
		"input_tokens": r.InputTokens - t.Cached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": t.Cached, "output_tokens": output,
	}
}

func (anthropic) fault(p problem) (int, http.Header, any) {
	message, kind := anthropicWords(p)
	if p.message != "" {
		message = p.message
	}
	header := http.Header{}
	if p.retryAfter > 0 { // in whole seconds, begun ones counted
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))))
	}
	status := p.status
	if p.kind == quotaSpent {
		status = http.StatusBadRequest
	}
	return status, header, map[string]any{
		"type": "error", "request_id": fmt.Sprintf("req_%d", status), "error": map[string]any{"type": kind, "message": message},
	}
}

// anthropicWords are message and type of a problem.
func anthropicWords(p problem) (message, kind string) {
	switch p.kind {
	case quotaSpent:
		return "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.", "invalid_request_error"
	case contextLength:
		return "prompt is too long: 213462 tokens > 200000 maximum", "invalid_request_error"
	case invalidKey:
		return "invalid x-api-key", "authentication_error"
	}
	switch p.status {
	case http.StatusForbidden:
		return "Your API key does not have permission to use the specified resource.", "permission_error"
	case http.StatusNotFound:
		return "model: test", "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "Request exceeds the maximum size", "request_too_large"
	case http.StatusTooManyRequests:
		return "This request would exceed the rate limit for your organization of 50 requests per minute.", "rate_limit_error"
	case http.StatusGatewayTimeout:
		return "Request timed out", "timeout_error"
	case 529:
		return "Overloaded", "overloaded_error"
	}
	if p.status >= http.StatusInternalServerError {
		return "Internal server error", "api_error"
	}
	return http.StatusText(p.status), "invalid_request_error"
}
