// Package wire speaks the HTTP protocols of model providers: OpenAI's chat completions, Anthropic's messages, and the
// transport and errors that they share with embeddings and AWS Bedrock.
//
// A Call is one request. Its options and its outcome travel in the request's context, so that they pass through clients that
// know nothing of them: langchaingo's and AWS's. Nothing is sent twice. Errors hold neither keys nor text of the request.
package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"reverie/memory"
)

// Call is one request to a model and its outcome. The fields above Answered belong to the caller, the others to the
// client that sends it.
type Call struct {
	Key    string          // kept out of errors
	Said   []string        // texts of the request, kept out of errors
	Sent   Feature         // optional parts of the request
	Schema json.RawMessage // JSON schema of the answer; sent as far as Sent allows

	Answered bool    // an answer came, and was paid for
	Answer   Answer  // also set next to a failure, as far as it came
	Failure  *Error  // why there is no usable answer
	Declined Feature // the feature of Sent that the failure is about; 0: none

	Listener func(part string) error // receives the text as it arrives; nil: nobody
	Heard    bool                    // the listener received some text
	Stopped  error                   // the listener's error, which ended the call
}

// Answer is a provider's answer, whatever its protocol.
type Answer struct {
	Text         string
	Model        string // as the provider names it
	Finish       string // why it ended, in the provider's word
	InputTokens  int    // the whole prompt, including what was read from a cache or written to it
	CachedTokens int    // of those, read from a cache
	OutputTokens int    // including a reasoning model's thoughts

	Calls   []memory.ToolCall
	Refused bool // the model refused in a field made for it
	Empty   bool // there is no content block, not even an empty one

	Vectors [][]float32 // embeddings in the order of the texts, not normalised
}

// Cut reports whether the token limit cut the answer.
func (a Answer) Cut() bool { return isCut(a.Finish) }

// content returns the answer in langchaingo's form.
func (a Answer) content() *llms.ContentResponse {
	choice := &llms.ContentChoice{Content: a.Text, StopReason: a.Finish, GenerationInfo: map[string]any{
		"InputTokens": a.InputTokens, "OutputTokens": a.OutputTokens, "CacheReadInputTokens": a.CachedTokens,
	}}
	for _, c := range a.Calls {
		choice.ToolCalls = append(choice.ToolCalls, ToolCall(c))
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}
}

// ToolCall returns a call in langchaingo's form.
func ToolCall(c memory.ToolCall) llms.ToolCall {
	return llms.ToolCall{ID: c.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: c.Name, Arguments: c.Arguments}}
}

type callKey struct{}

var errOutsideCall = errors.New("model request outside a call")

// From returns the call of a request's context.
func From(ctx context.Context) (*Call, error) {
	c, ok := ctx.Value(callKey{}).(*Call)
	if !ok {
		return nil, errOutsideCall
	}
	return c, nil
}

// Run calls send with a context that carries the call. A timeout of 0 leaves the deadline to ctx. It returns nil, an *Error,
// or an error that wraps context.Canceled if ctx was cancelled.
func (c *Call) Run(ctx context.Context, timeout time.Duration, send func(context.Context) error) error {
	callCtx := context.WithValue(ctx, callKey{}, c)
	if timeout > 0 {
		var cancel context.CancelFunc
		callCtx, cancel = context.WithTimeout(callCtx, timeout)
		defer cancel()
	}
	began := time.Now()
	err := send(callCtx)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("model call: %w", context.Canceled)
	case ctx.Err() != nil, c.Failure == nil && callCtx.Err() != nil:
		after := time.Since(began).Round(time.Millisecond)
		return &Error{Kind: Timeout, Message: fmt.Sprintf("no answer within %s", after), cause: context.DeadlineExceeded}
	case c.Failure != nil:
		return c.Failure
	}
	// Whatever fails on the network is in c.Failure, so this is about the request.
	return &Error{Kind: BadRequest, Message: tidy(err.Error(), c.Key, c.Said)}
}

// say passes a part of the text to the listener.
func (c *Call) say(part string) *Error {
	if part == "" || c.Listener == nil {
		return nil
	}
	c.Heard = true
	if c.Stopped = c.Listener(part); c.Stopped != nil {
		return &Error{Kind: Unavailable, Message: "the listener stopped the answer"}
	}
	return nil
}

// Chat is a client of one chat protocol at one server.
type Chat struct {
	client *Client
	path   string
	body   func(call *Call, turns []turn, o llms.CallOptions) map[string]any // without what the protocols share
}

// Call implements llms.Model.
func (c *Chat) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, c, prompt, options...)
}

// GenerateContent implements llms.Model. It fails with an *Error. ctx must come from Call.Run.
func (c *Chat) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	call, err := From(ctx)
	if err != nil {
		return nil, err
	}
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	if call.Sent&Streamed != 0 && o.StreamingFunc != nil {
		call.Listener = func(part string) error { return o.StreamingFunc(ctx, []byte(part)) }
	}
	turns := make([]turn, len(messages))
	for i, m := range messages {
		turns[i] = turnOf(m)
	}
	body := c.body(call, turns, o)
	body["model"] = o.Model
	if call.Sent&Streamed != 0 {
		body["stream"] = true
	}
	if err := c.client.Post(ctx, c.path, body); err != nil {
		return nil, err
	}
	return call.Answer.content(), nil
}

// turn is a message of a request, without langchaingo's variants.
type turn struct {
	role, text string
	calls      []llms.ToolCall
	results    []llms.ToolCallResponse
}

var roles = map[llms.ChatMessageType]string{
	llms.ChatMessageTypeSystem: memory.RoleOfSystem, llms.ChatMessageTypeAI: memory.RoleOfAssistant,
	llms.ChatMessageTypeTool: memory.RoleOfTool,
}

func turnOf(m llms.MessageContent) turn {
	t := turn{role: cmp.Or(roles[m.Role], memory.RoleOfUser)}
	for _, part := range m.Parts {
		switch part := part.(type) {
		case llms.TextContent:
			t.text += part.Text
		case llms.ToolCall:
			t.calls = append(t.calls, part)
		case llms.ToolCallResponse:
			t.results = append(t.results, part)
		}
	}
	return t
}

// Tracer is the name of the tracer of model calls.
const Tracer = "reverie/llm"

// StartSpan starts the span of one call, by OpenTelemetry's conventions for generative models. Spans have no contents, and no trace
// context is sent to the provider.
func StartSpan(
	ctx context.Context, tracer trace.Tracer, operation, provider, model string, more ...attribute.KeyValue,
) (context.Context, trace.Span) {
	return tracer.Start(ctx, operation+" "+model, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(append(more,
		attribute.String("gen_ai.operation.name", operation),
		attribute.String("gen_ai.provider.name", provider),
		attribute.String("gen_ai.request.model", model),
	)...))
}

// DescribeSpan records how a call ended. model is the one that answered.
func DescribeSpan(span trace.Span, model string, usage memory.Usage, truncated bool, err error) {
	span.SetAttributes(
		attribute.String("gen_ai.response.model", model),
		attribute.Int("gen_ai.usage.input_tokens", usage.InputTokens),
		attribute.Int("gen_ai.usage.output_tokens", usage.OutputTokens),
		attribute.Bool("reverie.truncated", truncated),
	)
	if err == nil {
		return
	}
	kind := "cancelled"
	failure := new(Error)
	if errors.As(err, &failure) {
		kind = string(failure.Kind)
		if failure.Status != 0 {
			span.SetAttributes(attribute.Int("http.response.status_code", failure.Status))
		}
	}
	span.SetAttributes(attribute.String("error.type", kind))
	span.SetStatus(codes.Error, kind)
}
