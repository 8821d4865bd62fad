package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"reverie/memory"
)

// anthropic implements the messages protocol.
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
	r.Model, r.Temperature, r.MaxTokens, r.Stream = in.Model, in.Temperature, in.MaxTokens, in.Stream
	r.NoCalls = in.ToolChoice.Type == "none"
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

// check declines what Anthropic, or a model with fewer features, declines.
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
		return bad("output_config", "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set "+
			"to false")
	}
	return nil
}

// allClosed reports whether every object in a schema is closed, as structured outputs require.
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

// anthropicBlocks returns the blocks of a turn; an empty turn has an empty text.
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

// anthropicStop returns the stop reason of a turn. A content filter counts as a refusal in this protocol.
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

// anthropicUsage returns the counts of a turn. Tokens from a cache are not counted as input.
func anthropicUsage(r Request, t Turn, output int) map[string]any {
	return map[string]any{
		"input_tokens": r.InputTokens - t.Cached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": t.Cached,
		"output_tokens": output,
	}
}

func (anthropic) fault(p problem) (int, http.Header, any) {
	message, kind := anthropicWords(p)
	if p.message != "" {
		message = p.message
	}
	header := http.Header{}
	if p.retryAfter > 0 { // in whole seconds, rounded up
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

// anthropicWords returns message and type of a problem.
func anthropicWords(p problem) (message, kind string) {
	switch p.kind {
	case quotaSpent:
		return "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase " +
			"credits.", "invalid_request_error"
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

// anthropicMessage is one message of the messages protocol; its content is a text or a list of blocks.
type anthropicMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// anthropicBlock is a block of a message.
type anthropicBlock struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      any             `json:"content"`
	CacheControl json.RawMessage `json:"cache_control"`
}

// anthropicTool is a tool of the messages protocol.
type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// blocks returns the message's blocks; a text is one block.
func (m anthropicMessage) blocks() []anthropicBlock {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return []anthropicBlock{{Type: "text", Text: text}}
	}
	var blocks []anthropicBlock
	_ = json.Unmarshal(m.Content, &blocks) // none, which is declined
	return blocks
}

// messages splits m into the messages that scripts and tests see: each text of the user, each tool's answer, and the assistant's text
// with its calls.
func (m anthropicMessage) messages() []Message {
	var out []Message
	for _, b := range m.blocks() {
		last := len(out) - 1
		switch {
		case b.Type == "tool_result":
			out = append(out, Message{Role: memory.RoleOfTool, Content: b.result(), ToolCallID: b.ToolUseID})
		case b.Type == "tool_use" && last >= 0:
			out[last].ToolCalls = append(out[last].ToolCalls, b.call())
		case b.Type == "tool_use":
			out = append(out, Message{Role: m.Role, ToolCalls: []memory.ToolCall{b.call()}})
		default:
			out = append(out, Message{Role: m.Role, Content: b.Text})
		}
	}
	return out
}

func (b anthropicBlock) call() memory.ToolCall {
	return memory.ToolCall{ID: b.ID, Name: b.Name, Arguments: string(b.Input)}
}

func (b anthropicBlock) result() string { return textOf(b.Content) }

var (
	anthropicName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	anthropicID   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

// maxCacheMarks is the maximum number of blocks of a request marked for the cache.
const maxCacheMarks = 4

// checkTools declines tools as Anthropic does.
func (in anthropicRequest) checkTools(o Options) *problem {
	if len(in.Tools) > 0 && o.declined("tools") {
		return bad("tools", "tools: tool use is not supported for this model")
	}
	if in.ToolChoice.Type != "" && len(in.Tools) == 0 {
		return bad("tool_choice", "tool_choice: tool_choice may only be specified while providing tools")
	}
	for i, t := range in.Tools {
		at := fmt.Sprintf("tools.%d.custom", i)
		var schema struct {
			Type string `json:"type"`
		}
		switch {
		case !anthropicName.MatchString(t.Name):
			return bad("tools", at+".name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
		case json.Unmarshal(t.InputSchema, &schema) != nil || schema.Type != "object":
			return bad("tools", at+".input_schema.type: Input should be 'object'")
		}
	}
	return nil
}

// checkMessages declines conversations as Anthropic does: the calls of one message are answered by the next one, its answers
// first, each id is used once, and no block is empty. Consecutive messages of one side count as one.
func (in anthropicRequest) checkMessages(o Options, r *Request) *problem {
	ids, marks, calls := map[string]bool{}, cacheMarks(in.System), 0
	var open []string
	for i, m := range in.Messages {
		blocks := m.blocks()
		at := fmt.Sprintf("messages.%d", i)
		if m.Role != memory.RoleOfUser && m.Role != memory.RoleOfAssistant {
			return bad("messages", fmt.Sprintf("messages: Unexpected role %q. Allowed roles are \"user\" or \"assistant\".", m.Role))
		}
		if len(blocks) == 0 {
			return bad("messages", at+": all messages must have non-empty content except for the optional final assistant message")
		}
		p, left := checkResults(at, blocks, open)
		if p != nil {
			return p
		}
		if len(left) > 0 {
			return bad("messages", fmt.Sprintf("%s: `tool_use` ids were found without `tool_result` blocks immediately after: %s. "+
				"Each `tool_use` block must have a corresponding `tool_result` block in the next message.", at, strings.Join(left, ", ")))
		}
		open = nil
		for n, b := range blocks {
			if p := b.check(fmt.Sprintf("%s.content.%d", at, n), m.Role, ids); p != nil {
				return p
			}
			if b.Type == "tool_use" {
				open = append(open, b.ID)
				calls++
			}
			if len(b.CacheControl) > 0 {
				marks++
			}
		}
	}
	switch {
	case len(open) > 0:
		return bad("messages",
			"messages: `tool_use` ids were found without `tool_result` blocks immediately after: "+strings.Join(open, ", "))
	case in.Messages[len(in.Messages)-1].Role == memory.RoleOfAssistant:
		return bad("messages", "This model does not support assistant message prefill. The conversation must end with a user message.")
	case calls > 0 && len(in.Tools) == 0:
		return bad("tools", "Requests which have `tool_use` or `tool_result` blocks in messages must define tools.")
	case marks > 0 && o.declined("cache_control"):
		return bad("messages", "messages.0.content.0.cache_control: Extra inputs are not permitted")
	case marks > maxCacheMarks:
		return bad("messages", fmt.Sprintf("A maximum of %d blocks with cache_control may be provided. Found %d.", maxCacheMarks, marks))
	case o.declined("rows") && r.rows():
		return bad("messages", "messages: roles must alternate between \"user\" and \"assistant\"")
	}
	return nil
}

// checkResults checks the tools' answers in a message against the calls before it, and returns the calls without an answer.
func checkResults(at string, blocks []anthropicBlock, open []string) (*problem, []string) {
	left := slices.Clone(open)
	for n, b := range blocks {
		if b.Type != "tool_result" {
			continue
		}
		answered := slices.Index(left, b.ToolUseID)
		if answered < 0 {
			return bad("messages", fmt.Sprintf("%s.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each "+
				"`tool_result` block must have a corresponding `tool_use` block in the previous message.", at, n, b.ToolUseID)), nil
		}
		if n > 0 && blocks[n-1].Type != "tool_result" {
			return bad("messages", at+": `tool_result` blocks must come first in the content of a message"), nil
		}
		left = slices.Delete(left, answered, answered+1)
	}
	return nil, left
}

// check declines a block as Anthropic does.
func (b anthropicBlock) check(at, role string, ids map[string]bool) *problem {
	switch {
	case b.Type == "text" && b.Text == "":
		return bad("messages", "messages: text content blocks must be non-empty")
	case b.Type == "text" && strings.TrimSpace(b.Text) == "":
		return bad("messages", "messages: text content blocks must contain non-whitespace text")
	case b.Type == "text", b.Type == "tool_result" && role == memory.RoleOfUser:
		return nil
	case b.Type != "tool_use" || role != memory.RoleOfAssistant:
		return bad("messages", fmt.Sprintf("%s: Input tag '%s' found using 'type' does not match any of the expected tags", at, b.Type))
	case !anthropicID.MatchString(b.ID):
		return bad("messages", at+".tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
	case ids[b.ID]:
		return bad("messages", at+": `tool_use` ids must be unique")
	case len(b.Input) == 0 || b.Input[0] != '{':
		return bad("messages", at+".tool_use.input: Input should be a valid dictionary")
	}
	ids[b.ID] = true
	return nil
}

// cacheMarks counts the marked blocks of a system text.
func cacheMarks(system any) int {
	blocks, _ := system.([]any)
	n := 0
	for _, block := range blocks {
		if b, ok := block.(map[string]any); ok && b["cache_control"] != nil {
			n++
		}
	}
	return n
}

// events returns the events of an answer: the start with the counts of the input, each block with its parts, the stop reason with the
// counts of the output, and the end.
func (anthropic) events(r Request, t Turn, end End, output int) []event {
	var out []event
	add := func(kind string, fields map[string]any) {
		fields["type"] = kind
		out = append(out, event{name: kind, data: fields})
	}
	begin := envelope(r, []any{}, t, 1)
	begin["stop_reason"] = nil
	add("message_start", map[string]any{"message": begin})
	add("ping", map[string]any{})
	block := 0
	say := func(begin, delta map[string]any, part, whole string) {
		add("content_block_start", map[string]any{"index": block, "content_block": begin})
		for _, piece := range pieces(whole) {
			delta := maps.Clone(delta)
			delta[part] = piece
			add("content_block_delta", map[string]any{"index": block, "delta": delta})
		}
		add("content_block_stop", map[string]any{"index": block})
		block++
	}
	if t.Text != "" {
		say(map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta"}, "text", t.Text)
	}
	for _, c := range t.Calls {
		say(map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{}},
			map[string]any{"type": "input_json_delta"}, "partial_json", c.Arguments)
	}
	add("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": anthropicStop(t, end), "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": output},
	})
	add("message_stop", map[string]any{})
	return out
}

func (anthropic) broken(p problem) event {
	_, _, body := anthropic{}.fault(p)
	return event{name: "error", data: body}
}

// Bedrock is an AWS Bedrock endpoint that gives every InvokeModel the same answer.
type Bedrock struct {
	Status int
	Header map[string]string
	Body   string

	Count atomic.Int64 // requests
	Auth  atomic.Value // string: the last Authorization header
	Sent  atomic.Value // string: the last body
}

// ServeHTTP implements http.Handler.
func (b *Bedrock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.Count.Add(1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	b.Auth.Store(r.Header.Get("Authorization"))
	b.Sent.Store(string(body))
	w.Header().Set("Content-Type", "application/json")
	for name, value := range b.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(b.Status)
	_, _ = io.WriteString(w, b.Body)
}

// Listen starts the endpoint until the test ends, and returns its URL.
func (b *Bedrock) Listen(tb testing.TB) string {
	tb.Helper()
	server := httptest.NewServer(b)
	tb.Cleanup(server.Close)
	return server.URL
}

// SetAWSCredentials sets AWS's environment up with test credentials only, whatever the machine has.
func SetAWSCredentials(tb testing.TB) {
	tb.Helper()
	for name, value := range map[string]string{
		"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKIATESTTESTTESTTEST", "AWS_SECRET_ACCESS_KEY": "aws-secret-0123456789",
		"AWS_SESSION_TOKEN": "", "AWS_PROFILE": "", "AWS_CONFIG_FILE": tb.TempDir() + "/none",
		"AWS_SHARED_CREDENTIALS_FILE": tb.TempDir() + "/none", "AWS_EC2_METADATA_DISABLED": "true",
	} {
		tb.Setenv(name, value)
	}
}
