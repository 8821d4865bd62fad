package main

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"reverie/activities"
	"reverie/engine"
)

// dreamMetrics counts dreams by outcome, what they promoted and what they cost.
func dreamMetrics(t *engine.Telemetry) (func(activities.Dreamt), error) {
	meter := t.Meters.Meter("reverie")
	outcomes, err := meter.Int64Counter("reverie_dreams", metric.WithDescription("Dreams that ended, by mode, outcome and reason."))
	if err != nil {
		return nil, err
	}
	took, err := meter.Float64Histogram("reverie_dream_duration", metric.WithUnit("s"), metric.WithDescription("From a dream's record to its end."))
	if err != nil {
		return nil, err
	}
	promoted, err := meter.Int64Counter("reverie_dream_promotions", metric.WithDescription("Statements that dreams promoted into MEMORY.md, without dry runs."))
	if err != nil {
		return nil, err
	}
	tokens, err := meter.Int64Counter("reverie_dream_tokens", metric.WithDescription("Model tokens of dreams, by direction."))
	if err != nil {
		return nil, err
	}
	return func(d activities.Dreamt) {
		ctx := context.Background()
		outcome := attribute.String("outcome", string(d.Outcome))
		outcomes.Add(ctx, 1, metric.WithAttributes(outcome, attribute.String("reason", string(d.ReasonCode)),
			attribute.String("mode", string(d.Mode)), attribute.Bool("dry_run", d.DryRun)))
		took.Record(ctx, d.Took.Seconds(), metric.WithAttributes(outcome))
		if !d.DryRun {
			promoted.Add(ctx, int64(d.Promoted))
		}
		tokens.Add(ctx, int64(d.Usage.InputTokens), metric.WithAttributes(attribute.String("direction", "input")))
		tokens.Add(ctx, int64(d.Usage.OutputTokens), metric.WithAttributes(attribute.String("direction", "output")))
	}, nil
}
