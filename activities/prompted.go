package activities

import (
	"cmp"
	"context"

	"reverie/llm"
	"reverie/memory/proposals"
	"reverie/prompts"
)

// Prompted asks a model, with the prompts of extraction, dreams, flushes and summaries.
type Prompted struct {
	Model llm.Model
	// MaxTokens bounds an answer. Both documents at their maximum size and a daily entry must fit.
	MaxTokens int
}

// Propose asks the model once. It fails with an *llm.Error, also for an answer that the token limit cut: half a document must not
// replace a whole one.
func (p Prompted) Propose(ctx context.Context, in proposals.ExtractionInput) (proposals.Answer, error) {
	system, err := prompts.ExtractSystem()
	if err != nil {
		return proposals.Answer{}, err
	}
	user, err := prompts.ExtractUser(in)
	if err != nil {
		return proposals.Answer{}, err
	}
	return p.complete(ctx, prompts.Version, llm.Request{Model: in.Model, System: system, User: user, Schema: proposals.ProposalSchema()})
}

// Consolidate asks the model once for a new MEMORY.md, with the prompt of dreams. It fails as Propose does.
func (p Prompted) Consolidate(ctx context.Context, in proposals.ConsolidationInput) (proposals.Answer, error) {
	system, err := prompts.DreamSystem()
	if err != nil {
		return proposals.Answer{}, err
	}
	user, err := prompts.DreamUser(in)
	if err != nil {
		return proposals.Answer{}, err
	}
	r := llm.Request{Model: in.Model, System: system, User: user, Schema: proposals.ConsolidationSchema()}
	return p.complete(ctx, prompts.DreamVersion, r)
}

// complete sends a request rendered from the templates of a version.
func (p Prompted) complete(ctx context.Context, version string, r llm.Request) (proposals.Answer, error) {
	r.MaxTokens = p.MaxTokens
	response, err := p.Model.Complete(ctx, r)
	answer := proposals.Answer{Raw: response.Text, Model: response.Model, PromptVersion: version, Usage: response.Usage}
	if err == nil && response.Truncated {
		err = &llm.Error{Kind: llm.Truncated, Message: "the answer was cut at its token limit"}
	}
	return answer, err
}

// Flush asks the model once for an entry for today's note, with the prompt of flushes. It fails as Propose does.
func (p Prompted) Flush(ctx context.Context, in proposals.ExtractionInput) (proposals.Answer, error) {
	system, err := prompts.FlushSystem()
	if err != nil {
		return proposals.Answer{}, err
	}
	user, err := prompts.FlushUser(in)
	if err != nil {
		return proposals.Answer{}, err
	}
	return p.complete(ctx, prompts.FlushVersion, llm.Request{Model: in.Model, System: system, User: user, Schema: proposals.FlushSchema()})
}

// Summarise asks the model once to update a summary. It fails as Propose does; next to the error of a cut answer it returns the
// part that came.
func (p Prompted) Summarise(ctx context.Context, in proposals.SummaryInput) (proposals.Answer, error) {
	system, err := prompts.SummarySystem()
	if err != nil {
		return proposals.Answer{}, err
	}
	user, err := prompts.SummaryUser(in)
	if err != nil {
		return proposals.Answer{}, err
	}
	return p.complete(ctx, prompts.SummaryVersion, llm.Request{Model: in.Model, System: system, User: user})
}

// SummaryMaker returns the names of the prompt and the model.
func (p Prompted) SummaryMaker(model string) string {
	return prompts.SummaryVersion + " " + cmp.Or(model, p.Model.Name())
}
