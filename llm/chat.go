package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"regexp"
	"slices"
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

// exchange is one call: a question, or a turn of a conversation.
type exchange struct {
	ChatRequest

	chats  bool            // it is a turn: with tools, streaming and marks for the cache
	schema json.RawMessage // of a question's answer
	onText func(part string) error
}

// Complete implements Model.
func (c *chat) Complete(ctx context.Context, r Request) (Response, error) {
	if strings.TrimSpace(r.User) == "" {
		return Response{}, wrong("the request has no user text")
	}
	a, err := c.answer(ctx, exchange{schema: r.Schema, ChatRequest: ChatRequest{
		Model: r.Model, MaxTokens: r.MaxTokens, Temperature: r.Temperature,
		Messages: []ChatMessage{{Role: memory.RoleOfSystem, Content: r.System}, {Role: memory.RoleOfUser, Content: r.User}},
	}})
	return Response{Text: a.Text, Usage: a.Usage, Model: a.Model, Truncated: a.Truncated}, err
}

// Chat implements Chatter.
func (c *chat) Chat(ctx context.Context, r ChatRequest, onText func(part string) error) (ChatResponse, error) {
	return c.answer(ctx, exchange{ChatRequest: r, chats: true, onText: onText})
}

func (c *chat) answer(ctx context.Context, x exchange) (ChatResponse, error) {
	x.Model = cmp.Or(x.Model, c.config.Model)
	ctx, span := wire.StartSpan(ctx, c.tracer, "chat", c.name, x.Model, attribute.Int("gen_ai.request.max_tokens", x.MaxTokens))
	defer span.End()
	response, err := c.ask(ctx, x)
	wire.DescribeSpan(span, response.Model, response.Usage, response.Truncated, err)
	return response, err
}

// ask sends the call once.
func (c *chat) ask(ctx context.Context, x exchange) (ChatResponse, error) {
	sent := c.features(x)
	v, failure := arrange(x.ChatRequest, uniqueIDs(c.name), sent)
	if failure != nil {
		return ChatResponse{}, failure
	}
	call := &wire.Call{Key: c.config.APIKey, Said: v.said(), Sent: sent, Schema: x.schema}
	if x.schema != nil && (sent&wire.SchemaBound == 0 || c.provider.JSON != provider.BindsSchema) {
		v.system = inWords(v.system, x.schema)
	}
	var content *llms.ContentResponse
	err := call.Run(ctx, c.config.Timeout, func(ctx context.Context) (err error) {
		content, err = c.backend.GenerateContent(ctx, prompt(v), c.options(x, v, sent)...)
		return err
	})
	if call.Declined != 0 && errors.Is(err, call.Failure) {
		err = c.learn(x.Model, call)
	}
	response := ChatResponse{
		Model: c.name + "/" + cmp.Or(call.Answer.Model, x.Model), Usage: c.usage(call), Cached: call.Answer.CachedTokens,
		Finish: call.Answer.Finish,
	}
	switch {
	case call.Stopped != nil:
		return response, call.Stopped
	case err != nil:
		return response, err
	case !x.chats && call.Answer.Empty:
		return response, &Error{Kind: Unavailable, Status: http.StatusOK, Message: "the answer has no content"}
	case x.chats && slices.ContainsFunc(call.Answer.Calls, func(c memory.ToolCall) bool { return c.Name == "" }):
		// Asked again, the model may name it.
		return response, &Error{Kind: Unavailable, Status: http.StatusOK, Message: "the answer calls a tool without its name"}
	}
	response.Text, response.Truncated = text(content), call.Answer.Cut()
	if !x.NoCalls {
		response.ToolCalls = call.Answer.Calls
	}
	if x.onText != nil && !call.Heard && response.Text != "" {
		return response, x.onText(response.Text)
	}
	return response, nil
}

// requiredMaxTokens is sent when a request has no limit and the protocol (Anthropic's, Bedrock's) requires one. Every model still
// served accepts it; langchaingo's defaults, 2,048 or 512, cut larger answers.
const requiredMaxTokens = 4096

func (c *chat) options(x exchange, v conversation, sent wire.Feature) []llms.CallOption {
	options := []llms.CallOption{llms.WithModel(x.Model)}
	limit := max(x.MaxTokens, 0)
	if limit == 0 && c.provider.Protocol != provider.ChatCompletions {
		limit = requiredMaxTokens
	}
	if limit > 0 {
		options = append(options, llms.WithMaxTokens(limit))
	}
	if sent&wire.Temperature != 0 {
		options = append(options, llms.WithTemperature(x.Temperature))
	}
	if len(v.tools) > 0 {
		options = append(options, llms.WithTools(functions(v.tools)))
		if x.NoCalls {
			options = append(options, llms.WithToolChoice(wire.NoCalls))
		}
	}
	if sent&wire.Streamed != 0 {
		options = append(options, llms.WithStreamingFunc(func(_ context.Context, part []byte) error { return x.onText(string(part)) }))
	}
	return options
}

// inWords appends the schema to the system text. JSON mode also requires the word JSON in the prompt.
func inWords(system string, schema json.RawMessage) string {
	if system != "" {
		system += "\n\n"
	}
	return system + "Answer with one JSON object and nothing else: no prose, no code fence. It must follow this JSON " +
		"schema:\n" + string(schema)
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

// features returns the optional parts to send.
func (c *chat) features(x exchange) wire.Feature {
	c.mu.Lock()
	declined := c.declined[x.Model]
	c.mu.Unlock()

	completions := c.provider.Protocol == provider.ChatCompletions
	limit, otherLimit := wire.LegacyLimit, wire.ModernLimit
	if c.provider.ModernLimit {
		limit, otherLimit = otherLimit, limit
	}
	x.chats = x.chats && c.provider.Protocol != provider.AWSRuntime // langchaingo streams and offers tools to some families only
	var want wire.Feature
	add := func(f wire.Feature, wanted bool) {
		if wanted {
			want |= f &^ declined
		}
	}
	add(wire.SchemaBound, x.schema != nil && c.provider.JSON <= provider.TakesSchema)
	add(wire.JSONBound, x.schema != nil && c.provider.JSON <= provider.TakesJSON && completions && want&wire.SchemaBound == 0)
	add(wire.Temperature, x.Temperature >= 0 && !(completions && fixedTemperature.MatchString(x.Model)))
	add(limit, x.MaxTokens > 0 && completions)
	add(otherLimit, x.MaxTokens > 0 && completions && want&limit == 0)
	add(wire.ToolUse|wire.UserRows, x.chats)
	add(wire.CacheMarks, x.chats && c.provider.Protocol == provider.Messages)
	add(wire.Streamed, x.chats && x.onText != nil)
	add(wire.StreamUsage, want&wire.Streamed != 0 && completions)
	return want
}

// learn returns the failure of a call that declined a feature: worth another try, without the feature from then on.
func (c *chat) learn(model string, call *wire.Call) *Error {
	c.mu.Lock()
	c.declined[model] |= call.Declined
	c.mu.Unlock()
	e := *call.Failure
	e.Kind, e.Declined = Unavailable, true
	e.Message = wire.Cut("declined: " + call.Declined.String() + "; left out from the next call on (" + e.Message + ")")
	return &e
}
