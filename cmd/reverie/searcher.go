package main

import (
	"context"
	"time"

	"reverie/config"
	"reverie/engine"
	"reverie/llm"
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
		Now: time.Now, Log: t.Log,
	}
	cache := llm.NewQueryCache(llm.DefaultQueryCacheSize)
	for _, model := range models {
		searcher.Embedders = append(searcher.Embedders, questions{model, cache})
	}
	return searcher, nil
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
	model llm.Embedder
	cache *llm.QueryCache
}

// Identity says what makes the vectors.
func (q questions) Identity() memory.EmbeddingIdentity { return q.model.Identity() }

// EmbedQuery makes the vector of a question.
func (q questions) EmbedQuery(ctx context.Context, workspace, text string) ([]float32, error) {
	vector, _, err := q.cache.Embed(ctx, workspace, q.model, text)
	return vector, err
}
