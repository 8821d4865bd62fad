package main

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"reverie/config"
	"reverie/engine"
	"reverie/llm/embed"
	"reverie/memory"
	"reverie/recall"
	"reverie/store"
)

// newSearcher wires how memory is searched. Whoever makes it closes its Recorder.
func newSearcher(c config.Config, s *store.Store, t *engine.Telemetry) (*recall.Searcher, error) {
	models, err := embedders(c, t, c.EmbeddingQueryTimeout)
	if err != nil {
		return nil, err
	}
	searcher := &recall.Searcher{
		Store: s, QueryTimeout: c.EmbeddingQueryTimeout, Defaults: recallSettings(c), Recorder: recall.NewRecorder(s, t.Log),
		Reputations: recall.NewReputations(), Now: time.Now, Log: t.Log,
	}
	if err := observeSearches(searcher, t); err != nil {
		return nil, err
	}
	cache := embed.NewQueryCache(embed.DefaultQueryCacheSize)
	for _, model := range models {
		searcher.Embedders = append(searcher.Embedders, questions{model, cache})
	}
	return searcher, nil
}

// observeSearches measures searches and counts what was noted of them.
func observeSearches(s *recall.Searcher, t *engine.Telemetry) error {
	meter := t.Meters.Meter("reverie")
	took, err := meter.Float64Histogram("reverie_search_duration", metric.WithUnit("s"), metric.WithDescription("Of searches, by what answered and why vectors had no part."),
		metric.WithExplicitBucketBoundaries(.002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5))
	if err != nil {
		return err
	}
	s.Observe = func(r recall.Response) {
		took.Record(context.Background(), r.Took.Seconds(),
			metric.WithAttributes(attribute.String("mode", string(r.Mode)), attribute.String("reason", string(r.Reason))))
	}
	_, err = meter.Int64ObservableCounter("reverie_recalls", metric.WithDescription("Searches whose results were noted as used, by whether that worked."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			recorded, failed := s.Recorder.Counts()
			o.Observe(recorded, metric.WithAttributes(attribute.String("outcome", "recorded")))
			o.Observe(failed, metric.WithAttributes(attribute.String("outcome", "failed")))
			return nil
		}))
	return err
}

// recallSettings are the server's settings of searches, which an agent's and a request's override.
func recallSettings(c config.Config) recall.Settings {
	s := recall.DefaultSettings()
	s.Enabled = c.MemoryEnabled
	s.MaxResults, s.MinScore = c.RecallMaxResults, c.RecallMinScore
	s.VectorWeight, s.TextWeight = c.RecallVectorWeight, c.RecallTextWeight
	s.Diversity, s.Lambda = c.RecallMMR, c.RecallMMRLambda
	s.Decay, s.HalfLife = c.RecallDecay, time.Duration(c.RecallDecayHalfLifeDays*24*float64(time.Hour))
	return s
}

// questions embeds questions, and remembers the vectors of the latest ones.
type questions struct {
	model embed.Embedder
	cache *embed.QueryCache
}

// Identity says what makes the vectors.
func (q questions) Identity() memory.EmbeddingIdentity { return q.model.Identity() }

// EmbedQuery makes the vector of a question.
func (q questions) EmbedQuery(ctx context.Context, workspace, text string) ([]float32, error) {
	vector, _, err := q.cache.Embed(ctx, workspace, q.model, text)
	return vector, err
}
