package wire

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"reverie/memory"
)

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
