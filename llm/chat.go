package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
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
	callCtx := withCall(ctx, call)
	if c.config.Timeout > 0 {
		var cancel context.CancelFunc
		callCtx, cancel = context.WithTimeout(callCtx, c.config.Timeout)
		defer cancel()
	}
	began := time.Now()
	content, err := c.backend.GenerateContent(callCtx, prompt, options...)
	response := Response{Model: c.name + "/" + r.Model, Usage: c.usage(r, call)}
	if call.answer.model != "" {
		response.Model = c.name + "/" + call.answer.model
	}
	switch {
	case err == nil:
		response.Text = text(content)
		response.Truncated = isCut(call.answer.finish)
		return response, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return response, fmt.Errorf("model call: %w", context.Canceled)
	case ctx.Err() != nil, call.failure == nil && callCtx.Err() != nil:
		return response, late(time.Since(began))
	case call.failure != nil:
		return response, c.learn(r.Model, call)
	default: // all that can go wrong on the wire is in call.failure: what is left is the request itself
		return response, &Error{Kind: BadRequest, Message: tidy(err.Error(), c.config.APIKey, call.said)}
	}
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

// withoutThoughts cuts off the thoughts that open reasoning models put in front of their answer.
func withoutThoughts(s string) string {
	const open, end = "<think>", "</think>"
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), open)
	if !ok {
		return s
	}
	if _, answer, closed := strings.Cut(rest, end); closed {
		return strings.TrimSpace(answer)
	}
	return "" // cut while it still thought
}

// usage prices what the call used. A provider that counts nothing is estimated, so that budgets hold there too.
func (c *chat) usage(r Request, call *call) memory.Usage {
	if !call.answered {
		return memory.Usage{}
	}
	in, out := call.answer.inputTokens, call.answer.outputTokens
	if in == 0 && out == 0 {
		in, out = memory.EstimateTokens(r.System)+memory.EstimateTokens(r.User), memory.EstimateTokens(call.answer.text)
	}
	return memory.Usage{
		Calls: 1, InputTokens: in, OutputTokens: out,
		// a dollar per million tokens is a millionth of a dollar per token
		CostMicros: int64(math.Round(float64(in)*c.config.InputPrice + float64(out)*c.config.OutputPrice)),
	}
}
