package llm

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// startSpan begins the span of one call, named and described after OpenTelemetry's conventions for generative models.
// No span carries contents, and none is propagated to the provider.
func (c *chat) startSpan(ctx context.Context, r Request) (context.Context, trace.Span) {
	return c.tracer.Start(ctx, "chat "+r.Model, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "chat"),
		attribute.String("gen_ai.provider.name", c.name),
		attribute.String("gen_ai.request.model", r.Model),
		attribute.Int("gen_ai.request.max_tokens", r.MaxTokens),
	))
}

// startSpan begins the span of one request with texts to embed.
func (e *embedder) startSpan(ctx context.Context, texts int) (context.Context, trace.Span) {
	return e.tracer.Start(ctx, "embeddings "+e.config.Model, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "embeddings"),
		attribute.String("gen_ai.provider.name", e.identity.Provider),
		attribute.String("gen_ai.request.model", e.config.Model),
		attribute.Int("reverie.texts", texts),
	))
}

// describe adds to the span how the call ended.
func describe(span trace.Span, r Response, err error) {
	span.SetAttributes(
		attribute.String("gen_ai.response.model", r.Model),
		attribute.Int("gen_ai.usage.input_tokens", r.Usage.InputTokens),
		attribute.Int("gen_ai.usage.output_tokens", r.Usage.OutputTokens),
		attribute.Bool("reverie.truncated", r.Truncated),
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
