package activities

import (
	"context"

	"reverie/llm"
	"reverie/memory"
	"reverie/prompts"
)

// Prompted asks a model, with the prompts of extraction, dreams, flushes and summaries.
type Prompted struct {
	Model llm.Model
	// MaxTokens bounds an answer. Both documents at their ceilings and a daily entry must fit.
	MaxTokens int
}

// Propose asks the model once. It fails with an *llm.Error; an answer that the model did not finish is one as well, since
// half a document must not replace a whole one.
func (p Prompted) Propose(ctx context.Context, in memory.ExtractionInput) (memory.Answer, error) {
	system, err := prompts.ExtractSystem()
	if err != nil {
		return memory.Answer{}, err
	}
	user, err := prompts.ExtractUser(in)
	if err != nil {
		return memory.Answer{}, err
	}
	return p.complete(ctx, prompts.Version, llm.Request{Model: in.Model, System: system, User: user, Schema: memory.ProposalSchema()})
}

// Consolidate asks the model once for a new MEMORY.md, with the prompt of dreams. It fails as Propose does.
func (p Prompted) Consolidate(ctx context.Context, in memory.ConsolidationInput) (memory.Answer, error) {
	system, err := prompts.DreamSystem()
	if err != nil {
		return memory.Answer{}, err
	}
	user, err := prompts.DreamUser(in)
	if err != nil {
		return memory.Answer{}, err
	}
	return p.complete(ctx, prompts.DreamVersion, llm.Request{Model: in.Model, System: system, User: user, Schema: memory.ConsolidationSchema()})
}

// complete sends a request that was made of the templates of a version.
func (p Prompted) complete(ctx context.Context, version string, r llm.Request) (memory.Answer, error) {
	r.MaxTokens = p.MaxTokens
	response, err := p.Model.Complete(ctx, r)
	answer := memory.Answer{Raw: response.Text, Model: response.Model, PromptVersion: version, Usage: response.Usage}
	if err == nil && response.Truncated {
		err = &llm.Error{Kind: llm.Truncated, Message: "the answer was cut at its token limit"}
	}
	return answer, err
}
