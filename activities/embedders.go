package activities

import (
	"context"
	"errors"

	"go.temporal.io/sdk/temporal"

	"reverie/llm"
	"reverie/llm/embed"
	"reverie/memory"
)

// Names of the embedding models on the status page.
const (
	EmbeddingsComponent     = "embeddings"
	NextEmbeddingsComponent = "embeddings-next"
)

// ReasonNoEmbedder means that no configured model makes the vectors of a space.
const ReasonNoEmbedder = "no_embedder"

// errNoEmbedder returns the error of a step whose model is not configured.
func errNoEmbedder() error {
	return temporal.NewNonRetryableApplicationError(ReasonNoEmbedder, TypeUnusable, nil)
}

// configured is an embedding model of the configuration.
type configured struct {
	embed.Embedder
	next bool // the one being changed to
}

// embedderOf finds the configured model with an identity. It may have to ask the model for its dimensions, and then fails as Embed
// does.
func (a *Activities) embedderOf(ctx context.Context, of memory.EmbeddingIdentity) (*configured, error) {
	for i, embedder := range a.Embedders {
		model := &configured{embedder, i > 0}
		identity := embedder.Identity()
		if identity.Dimensions == 0 {
			identity.Dimensions = of.Dimensions
		}
		if identity != of {
			continue
		}
		identity, err := embedder.Probe(ctx)
		if failure, ok := errors.AsType[*llm.Error](err); ok && ctx.Err() == nil {
			a.embeddingState(ctx, model, string(failure.Kind), failure.Message)
			return nil, embeddingError(failure)
		}
		if err != nil {
			return nil, err
		}
		if identity == of {
			return model, nil
		}
	}
	return nil, errNoEmbedder()
}

// embeddingState reports a change of an embedding model's state.
func (a *Activities) embeddingState(ctx context.Context, model *configured, state, detail string) {
	known, name := &a.embeddings, EmbeddingsComponent
	if model.next {
		known, name = &a.nextEmbeddings, NextEmbeddingsComponent
	}
	if !known.changes(state) {
		return
	}
	if err := a.Store.ReportComponent(context.WithoutCancel(ctx), name, state, detail); err != nil {
		known.changes("")
		a.Log.Warn("the embedding model's state could not be reported", "state", state, "error", err)
	}
}
