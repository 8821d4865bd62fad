package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel/trace"

	"reverie/memory"
)

// chat is a Model on a langchaingo client.
type chat struct {
	config   Config
	name     string // of the provider
	provider provider
	backend  llms.Model
	tracer   trace.Tracer

	mu       sync.Mutex
	declined map[string]feature // by model: what its server has declined once and is not sent again
}

// Name implements Model.
func (c *chat) Name() string { return c.name + "/" + c.config.Model }

// String is Name: nothing else of a model is for printing.
func (c *chat) String() string { return c.Name() }

// GoString is Name.
func (c *chat) GoString() string { return c.Name() }

// Complete implements Model.
func (c *chat) Complete(ctx context.Context, r Request) (Response, error) {
	if r.Model == "" {
		r.Model = c.config.Model
	}
	ctx, span := c.startSpan(ctx, r)
	defer span.End()
	response, err := c.complete(ctx, r)
	describe(span, response, err)
	return response, err
}

func (c *chat) complete(ctx context.Context, r Request) (Response, error) {
	if strings.TrimSpace(r.User) == "" {
		return Response{}, &Error{Kind: BadRequest, Message: "the request has no user text"}
	}
	call, prompt, options := c.shape(r)
	content, err := c.ask(ctx, r.Model, call, prompt, options)
	response := Response{Model: c.answered(r.Model, call), Usage: c.usage(call)}
	switch {
	case err != nil:
		return response, err
	case call.answer.empty:
		return response, &Error{Kind: Unavailable, Status: http.StatusOK, Message: "the answer has no content"}
	}
	response.Text = text(content)
	response.Truncated = isCut(call.answer.finish)
	return response, nil
}

// ask sends the call, once. Its errors are those of Complete and Chat.
func (c *chat) ask(ctx context.Context, model string, call *call, prompt []llms.MessageContent, options []llms.CallOption) (*llms.ContentResponse, error) {
	callCtx := withCall(ctx, call)
	if c.config.Timeout > 0 {
		var cancel context.CancelFunc
		callCtx, cancel = context.WithTimeout(callCtx, c.config.Timeout)
		defer cancel()
	}
	began := time.Now()
	content, err := c.backend.GenerateContent(callCtx, prompt, options...)
	switch {
	case err == nil:
		return content, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, fmt.Errorf("model call: %w", context.Canceled)
	case ctx.Err() != nil, call.failure == nil && callCtx.Err() != nil:
		return nil, late(time.Since(began))
	case call.failure != nil:
		return nil, c.learn(model, call)
	}
	// all that can go wrong on the wire is in call.failure: what is left is the request itself
	return nil, &Error{Kind: BadRequest, Message: tidy(err.Error(), c.config.APIKey, call.said)}
}

// answered names the model that answered, or was to.
func (c *chat) answered(asked string, call *call) string {
	if call.answer.model != "" {
		asked = call.answer.model
	}
	return c.name + "/" + asked
}

// late is the error of a call that a deadline of ours cut.
func late(after time.Duration) *Error {
	return &Error{Kind: Timeout, Message: fmt.Sprintf("no answer within %s", after.Round(time.Millisecond)), cause: context.DeadlineExceeded}
}

// text joins what the model said: Anthropic answers in several blocks.
func text(content *llms.ContentResponse) string {
	var b strings.Builder
	for _, choice := range content.Choices {
		b.WriteString(choice.Content)
	}
	return withoutThoughts(b.String())
}

// usage prices what the call used. A provider that counts nothing is estimated, so that budgets hold there too.
func (c *chat) usage(call *call) memory.Usage {
	if !call.answered {
		return memory.Usage{}
	}
	in, out := call.answer.inputTokens, call.answer.outputTokens
	if in == 0 {
		for _, text := range call.said {
			in += memory.EstimateTokens(text)
		}
	}
	if out == 0 && call.answer.inputTokens == 0 {
		out = memory.EstimateTokens(call.answer.text)
	}
	return memory.Usage{
		Calls: 1, InputTokens: in, OutputTokens: out,
		// a dollar per million tokens is a millionth of a dollar per token
		CostMicros: int64(math.Round(float64(in)*c.config.InputPrice + float64(out)*c.config.OutputPrice)),
	}
}
