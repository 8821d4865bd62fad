package llm

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"reverie/llm/provider"
	"reverie/llm/wire"
	"reverie/memory"
	"reverie/memory/tokencount"
)

// chat is a Chatter on a langchaingo model.
type chat struct {
	config   Config
	name     string // of the provider
	provider provider.Provider
	backend  llms.Model
	// forwarder passes requests on as they are; nil: the provider takes none.
	forwarder *wire.Forwarder
	tracer    trace.Tracer

	mu       sync.Mutex
	declined map[string]wire.Feature // by model: what its server has declined and is not sent again
}

// Name implements Model.
func (c *chat) Name() string { return c.name + "/" + c.config.Model }

// String returns the name, and never the key.
func (c *chat) String() string { return c.Name() }

// GoString implements fmt.GoStringer as String does.
func (c *chat) GoString() string { return c.Name() }

// Complete implements Model.
func (c *chat) Complete(ctx context.Context, r Request) (Response, error) {
	if r.Model == "" {
		r.Model = c.config.Model
	}
	ctx, span := c.startSpan(ctx, r)
	defer span.End()
	response, err := c.complete(ctx, r)
	wire.DescribeSpan(span, response.Model, response.Usage, response.Truncated, err)
	return response, err
}

func (c *chat) complete(ctx context.Context, r Request) (Response, error) {
	if strings.TrimSpace(r.User) == "" {
		return Response{}, &Error{Kind: BadRequest, Message: "the request has no user text"}
	}
	call := &wire.Call{Key: c.config.APIKey, Said: []string{r.System, r.User}, Sent: c.features(r), Schema: r.Schema}
	system := r.System
	if r.Schema != nil && (call.Sent&wire.SchemaBound == 0 || c.provider.JSON != provider.BindsSchema) {
		system = inWords(system, r.Schema)
	}
	var messages []llms.MessageContent
	if system != "" {
		messages = append(messages, llms.TextParts(llms.ChatMessageTypeSystem, system))
	}
	messages = append(messages, llms.TextParts(llms.ChatMessageTypeHuman, r.User))
	content, err := c.ask(ctx, r, call, messages)
	response := Response{Model: c.answered(r.Model, call), Usage: c.usage(call)}
	switch {
	case err != nil:
		return response, err
	case call.Answer.Empty:
		return response, &Error{Kind: Unavailable, Status: http.StatusOK, Message: "the answer has no content"}
	}
	response.Text, response.Truncated = text(content), call.Answer.Cut()
	return response, nil
}

// inWords appends the schema to the system text. JSON mode also requires the word JSON in the prompt.
func inWords(system string, schema json.RawMessage) string {
	if system != "" {
		system += "\n\n"
	}
	return system + "Answer with one JSON object and nothing else: no prose, no code fence. It must follow this JSON " +
		"schema:\n" + string(schema)
}

// Chat implements Chatter.
func (c *chat) Chat(ctx context.Context, r ChatRequest, onText func(part string) error) (ChatResponse, error) {
	if r.Model == "" {
		r.Model = c.config.Model
	}
	ctx, span := c.startSpan(ctx, r.request())
	defer span.End()
	response, err := c.converse(ctx, r, onText)
	wire.DescribeSpan(span, response.Model, response.Usage, response.Truncated, err)
	return response, err
}

func (c *chat) startSpan(ctx context.Context, r Request) (context.Context, trace.Span) {
	return wire.StartSpan(ctx, c.tracer, "chat", c.name, r.Model, attribute.Int("gen_ai.request.max_tokens", r.MaxTokens))
}

// request returns what a conversation has in common with a question.
func (r ChatRequest) request() Request {
	return Request{Model: r.Model, MaxTokens: r.MaxTokens, Temperature: r.Temperature}
}

func (c *chat) converse(ctx context.Context, r ChatRequest, onText func(part string) error) (ChatResponse, error) {
	sent := c.chatFeatures(r, onText != nil)
	v, failure := arrange(r, newCallIDs(c.name), sent)
	if failure != nil {
		return ChatResponse{}, failure
	}
	call := &wire.Call{Key: c.config.APIKey, Said: v.said(), Sent: sent}
	var options []llms.CallOption
	if len(v.tools) > 0 {
		options = append(options, llms.WithTools(functions(v.tools)))
		if r.NoCalls {
			options = append(options, llms.WithToolChoice(wire.NoCalls))
		}
	}
	if sent&wire.Streamed != 0 {
		options = append(options, llms.WithStreamingFunc(func(_ context.Context, part []byte) error { return onText(string(part)) }))
	}
	content, err := c.ask(ctx, r.request(), call, prompt(v), options...)
	response := ChatResponse{
		Model: c.answered(r.Model, call), Usage: c.usage(call), Cached: call.Answer.CachedTokens, Finish: call.Answer.Finish,
	}
	switch {
	case call.Stopped != nil:
		return response, call.Stopped
	case err != nil:
		return response, err
	}
	calls := toolCalls(content)
	for _, toolCall := range calls {
		if toolCall.Name == "" { // asked again, the model may name it
			return response, &Error{Kind: Unavailable, Status: http.StatusOK, Message: "the answer calls a tool without its name"}
		}
	}
	response.Text, response.Truncated = text(content), call.Answer.Cut()
	if !r.NoCalls {
		response.ToolCalls = calls
	}
	if onText != nil && !call.Heard && response.Text != "" {
		return response, onText(response.Text)
	}
	return response, nil
}

// requiredMaxTokens is sent when a request has no limit and the protocol (Anthropic's, Bedrock's) requires one. Every model still
// served accepts it; langchaingo's defaults, 2,048 or 512, cut larger answers.
const requiredMaxTokens = 4096

// ask sends the call once. Its errors are those of Complete and Chat.
func (c *chat) ask(
	ctx context.Context, r Request, call *wire.Call, messages []llms.MessageContent, options ...llms.CallOption,
) (content *llms.ContentResponse, err error) {
	limit := max(r.MaxTokens, 0)
	if limit == 0 && c.provider.Protocol != provider.ChatCompletions {
		limit = requiredMaxTokens
	}
	options = append(options, llms.WithModel(r.Model))
	if limit > 0 {
		options = append(options, llms.WithMaxTokens(limit))
	}
	if call.Sent&wire.Temperature != 0 {
		options = append(options, llms.WithTemperature(r.Temperature))
	}
	err = call.Run(ctx, c.config.Timeout, func(ctx context.Context) (err error) {
		content, err = c.backend.GenerateContent(ctx, messages, options...)
		return err
	})
	if call.Declined != 0 && errors.Is(err, call.Failure) {
		err = c.learn(r.Model, call)
	}
	return content, err
}

// answered returns the name of the model that answered, or that was asked.
func (c *chat) answered(asked string, call *wire.Call) string {
	if call.Answer.Model != "" {
		asked = call.Answer.Model
	}
	return c.name + "/" + asked
}

// text joins the text of an answer, without the model's thoughts.
func text(content *llms.ContentResponse) string {
	var b strings.Builder
	for _, choice := range content.Choices {
		b.WriteString(choice.Content)
	}
	return wire.WithoutThoughts(b.String())
}

// usage prices what the call used. Tokens that the provider does not count are estimated, so that budgets hold there too.
func (c *chat) usage(call *wire.Call) memory.Usage {
	if !call.Answered {
		return memory.Usage{}
	}
	in, out := call.Answer.InputTokens, call.Answer.OutputTokens
	if in == 0 {
		for _, text := range call.Said {
			in += tokencount.Estimate(text)
		}
	}
	if out == 0 && call.Answer.InputTokens == 0 {
		out = tokencount.Estimate(call.Answer.Text)
	}
	return c.priced(in, out)
}

// priced returns the usage of one call.
func (c *chat) priced(in, out int) memory.Usage {
	return memory.Usage{
		Calls: 1, InputTokens: in, OutputTokens: out,
		// A dollar per million tokens is a millionth of a dollar per token.
		CostMicros: int64(math.Round(float64(in)*c.config.InputPrice + float64(out)*c.config.OutputPrice)),
	}
}

// fixedTemperature matches OpenAI's models that accept no temperature. Others are found when they decline one.
var fixedTemperature = regexp.MustCompile(`^(?:o1-|o3-|o3$|gpt-5)`)

// features returns the optional parts to send with r.
func (c *chat) features(r Request) wire.Feature {
	c.mu.Lock()
	declined := c.declined[r.Model]
	c.mu.Unlock()

	completions := c.provider.Protocol == provider.ChatCompletions
	var want wire.Feature
	if r.Schema != nil && c.provider.JSON <= provider.TakesSchema {
		want |= wire.SchemaBound &^ declined
	}
	if r.Schema != nil && c.provider.JSON <= provider.TakesJSON && completions && want&wire.SchemaBound == 0 {
		want |= wire.JSONBound &^ declined
	}
	if r.Temperature >= 0 && !(completions && fixedTemperature.MatchString(r.Model)) {
		want |= wire.Temperature &^ declined
	}
	if r.MaxTokens > 0 && completions {
		want |= limitForm(c.provider.ModernLimit, declined)
	}
	return want
}

// limitForm returns the provider's form of the limit, else the other one, else none.
func limitForm(modern bool, declined wire.Feature) wire.Feature {
	first, second := wire.LegacyLimit, wire.ModernLimit
	if modern {
		first, second = second, first
	}
	if first&^declined != 0 {
		return first
	}
	return second &^ declined
}

// chatFeatures returns the optional parts to send with a conversation.
func (c *chat) chatFeatures(r ChatRequest, streaming bool) wire.Feature {
	want := c.features(r.request())
	c.mu.Lock()
	declined := c.declined[r.Model]
	c.mu.Unlock()
	if c.provider.Protocol == provider.AWSRuntime { // langchaingo streams and offers tools to some families only
		return want
	}
	want |= (wire.ToolUse | wire.UserRows) &^ declined
	if c.provider.Protocol == provider.Messages {
		want |= wire.CacheMarks &^ declined
	}
	if streaming {
		want |= wire.Streamed &^ declined
	}
	if want&wire.Streamed != 0 && c.provider.Protocol == provider.ChatCompletions {
		want |= wire.StreamUsage &^ declined
	}
	return want
}

// learn returns the failure of a call that declined a feature: worth another try, without the feature from then on.
func (c *chat) learn(model string, call *wire.Call) *Error {
	c.mu.Lock()
	c.declined[model] |= call.Declined
	c.mu.Unlock()
	e := *call.Failure
	e.Kind = Unavailable
	e.Message = wire.Cut("declined: " + call.Declined.String() + "; left out from the next call on (" + e.Message + ")")
	return &e
}
