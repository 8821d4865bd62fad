package main

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"reverie/activities"
	"reverie/config"
	"reverie/engine"
	"reverie/llm/embed"
)

// embedders are the configured embedding models: the current one, and after it the one that it is being changed to. None:
// search is lexical. queryTimeout bounds a question; 0: only the timeout of every request does.
func embedders(c config.Config, t *engine.Telemetry, queryTimeout time.Duration) ([]embed.Embedder, error) {
	if c.EmbeddingProvider == "" {
		return nil, nil
	}
	all := []embed.Config{{
		Provider: c.EmbeddingProvider, Model: c.EmbeddingModel, APIKey: c.EmbeddingAPIKey.Reveal(), BaseURL: c.EmbeddingBaseURL,
		Dimensions: c.EmbeddingDimensions,
	}}
	if c.EmbeddingNextProvider != "" {
		all = append(all, embed.Config{
			Provider: c.EmbeddingNextProvider, Model: c.EmbeddingNextModel, APIKey: c.EmbeddingNextAPIKey.Reveal(), BaseURL: c.EmbeddingNextBaseURL,
			Dimensions: c.EmbeddingNextDimensions,
		})
	}
	opened := make([]embed.Embedder, len(all))
	for i, model := range all {
		model.BatchSize, model.Concurrency, model.Price = c.EmbeddingBatch, c.EmbeddingConcurrency, c.EmbeddingPrice
		model.Timeout, model.QueryTimeout, model.Tracers = c.EmbeddingTimeout, queryTimeout, t.Tracers
		var err error
		if opened[i], err = embed.Open(model); err != nil {
			return nil, err
		}
	}
	return opened, nil
}

// embeddingMetrics counts units that got their vectors, and what they cost.
func embeddingMetrics(t *engine.Telemetry) (func(activities.Embedded), error) {
	meter := t.Meters.Meter("reverie")
	units, err := meter.Int64Counter("reverie_embedded_units", metric.WithDescription("Units of the index, by where their vector came from: the model, the cache, or nowhere because the model refuses their text."))
	if err != nil {
		return nil, err
	}
	took, err := meter.Float64Histogram("reverie_embedding_duration", metric.WithUnit("s"), metric.WithDescription("Of one batch of units at the embedding model."))
	if err != nil {
		return nil, err
	}
	tokens, err := meter.Int64Counter("reverie_embedding_tokens", metric.WithDescription("Tokens that were embedded for the index."))
	if err != nil {
		return nil, err
	}
	failures, err := meter.Int64Counter("reverie_embedding_failures", metric.WithDescription("Batches that the embedding model did not finish, by reason."))
	if err != nil {
		return nil, err
	}
	return func(e activities.Embedded) {
		ctx := context.Background()
		from := func(n int, origin string) {
			units.Add(ctx, int64(n), metric.WithAttributes(attribute.String("from", origin)))
		}
		from(e.Made, "model")
		from(e.Cached, "cache")
		from(e.Refused, "refused")
		tokens.Add(ctx, int64(e.Usage.InputTokens))
		if e.Usage.Calls > 0 {
			took.Record(ctx, e.Took.Seconds())
		}
		if e.Failure != "" {
			failures.Add(ctx, 1, metric.WithAttributes(attribute.String("reason", e.Failure)))
		}
	}, nil
}
