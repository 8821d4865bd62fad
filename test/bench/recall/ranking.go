package main

import (
	"context"
	"fmt"
	"os"

	"reverie/config"
	"reverie/llm/embed"
	"reverie/memory"
	"reverie/store"
	"reverie/test/bench/services"
)

// vectorSource makes the vectors of a run: an embedding provider of the environment, or a frozen ranking.
type vectorSource struct {
	name   string
	frozen *frozen // nil: the vectors are a model's
	model  embed.Embedder
	env    []string // of the API process, which embeds the questions
	close  func() error
}

// openVectors opens what the flags and the environment ask for; nil: the ranking is lexical.
func (b *bench) openVectors(dialogues []dialogue) (*vectorSource, error) {
	switch {
	case b.dense != "":
		return openFrozenVectors(b.dense, dialogues)
	case os.Getenv(config.Prefix+"_EMBEDDING_PROVIDER") != "":
		return openProvider()
	}
	return nil, nil
}

func openFrozenVectors(name string, dialogues []dialogue) (*vectorSource, error) {
	f, err := openFrozen(name, dialogues)
	if err != nil {
		return nil, err
	}
	v, err := newFrozenVectors(f, dialogues)
	if err != nil {
		return nil, err
	}
	e, err := services.StartEmbedder(v.of)
	if err != nil {
		return nil, err
	}
	model, err := e.Open(v.dimensions)
	return &vectorSource{name: "words and frozen vectors: " + f.name, frozen: &f, model: model, env: e.Env(v.dimensions), close: e.Close}, err
}

// openProvider opens the provider of the settings as the program does.
func openProvider() (*vectorSource, error) {
	c, err := config.Load()
	if err != nil {
		return nil, err
	}
	model, err := embed.Open(embed.Config{
		Provider: c.EmbeddingProvider, Model: c.EmbeddingModel, APIKey: c.EmbeddingAPIKey.Reveal(), BaseURL: c.EmbeddingBaseURL,
		Dimensions: c.EmbeddingDimensions, BatchSize: c.EmbeddingBatch, Timeout: c.EmbeddingTimeout,
		QueryTimeout: c.EmbeddingQueryTimeout, Concurrency: c.EmbeddingConcurrency,
	})
	if err != nil {
		return nil, err
	}
	env, err := services.TakeSettings("EMBEDDING_")
	return &vectorSource{name: "words and vectors of " + c.EmbeddingProvider + "/" + c.EmbeddingModel, model: model, env: env, close: func() error { return nil }}, err
}

// embed gives every message of the dialogues its vector.
func (v *vectorSource) embed(ctx context.Context, database string, dialogues int) error {
	s, err := store.Open(ctx, database, store.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	of, err := v.model.Probe(ctx)
	if err != nil {
		return fmt.Errorf("embedding model: %w", err)
	}
	agents := make([]memory.Identity, dialogues)
	for i := range agents {
		agents[i] = services.Tending(agentOf(i))
	}
	vectors, err := services.Embed(ctx, s, agents, of, func(ctx context.Context, texts []string) ([][]float32, error) {
		made, err := v.model.Embed(ctx, embed.Document, texts)
		return made.Vectors, err
	})
	services.Say("recall", fmt.Sprintf("%d vectors of %s", vectors, of))
	return err
}

// environment is what the API process needs to embed questions; a nil source needs nothing.
func (v *vectorSource) environment() []string {
	if v == nil {
		return nil
	}
	return v.env
}

// lexical is the name of the ranking without vectors.
const lexical = "lexical"

// ranking names what is measured.
func (v *vectorSource) ranking() string {
	if v == nil {
		return lexical
	}
	return v.name
}
