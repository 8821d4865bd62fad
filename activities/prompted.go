package activities

import (
	"cmp"
	"context"

	"reverie/llm"
	"reverie/memory/proposals"
	"reverie/prompts"
)

// Prompted asks a model, with the prompts of extraction, dreams, flushes, summaries and SOUL.md.
type Prompted struct {
	Model llm.Model
	// MaxTokens bounds an answer. Both documents at their maximum size and a daily entry must fit.
	MaxTokens int
}

// Propose asks the model once. It fails with an *llm.Error, also for an answer that the token limit cut: half a document must not
// replace a whole one.
func (p Prompted) Propose(ctx context.Context, in proposals.ExtractionInput) (proposals.Answer, error) {
	return askPrompt(ctx, p, prompts.Version, prompts.ExtractSystem, prompts.ExtractUser, in,
		llm.Request{Model: in.Model, Schema: proposals.ProposalSchema()})
}

// Consolidate asks the model once for a new MEMORY.md, with the prompt of dreams. It fails as Propose does.
func (p Prompted) Consolidate(ctx context.Context, in proposals.ConsolidationInput) (proposals.Answer, error) {
	return askPrompt(ctx, p, prompts.DreamVersion, prompts.DreamSystem, prompts.DreamUser, in,
		llm.Request{Model: in.Model, Schema: proposals.ConsolidationSchema()})
}

// Flush asks the model once for an entry for today's note, with the prompt of flushes. It fails as Propose does.
func (p Prompted) Flush(ctx context.Context, in proposals.ExtractionInput) (proposals.Answer, error) {
	return askPrompt(ctx, p, prompts.FlushVersion, prompts.FlushSystem, prompts.FlushUser, in,
		llm.Request{Model: in.Model, Schema: proposals.FlushSchema()})
}

// Summarise asks the model once to update a summary. It fails as Propose does; next to the error of a cut answer it returns the
// part that came.
func (p Prompted) Summarise(ctx context.Context, in proposals.SummaryInput) (proposals.Answer, error) {
	return askPrompt(ctx, p, prompts.SummaryVersion, prompts.SummarySystem, prompts.SummaryUser, in, llm.Request{Model: in.Model})
}

// WriteSoul asks the model once for a new SOUL.md. It fails as Propose does.
func (p Prompted) WriteSoul(ctx context.Context, in proposals.SoulInput) (proposals.Answer, error) {
	return askPrompt(ctx, p, prompts.SoulVersion, prompts.SoulSystem, prompts.SoulUser, in, llm.Request{Model: in.Model})
}

// MergeEntries asks the model once which entries of a structured document say the same thing. It fails as Propose does.
func (p Prompted) MergeEntries(ctx context.Context, in proposals.MergeInput) (proposals.Answer, error) {
	return askPrompt(ctx, p, prompts.MergeVersion, prompts.MergeSystem, prompts.MergeUser, in, llm.Request{Model: in.Model})
}

// JudgePairs asks the model once which pairs of statements contradict one another. It fails as Propose does.
func (p Prompted) JudgePairs(ctx context.Context, in proposals.PairsInput) (proposals.Answer, error) {
	return askPrompt(ctx, p, prompts.PairsVersion, prompts.PairsSystem, prompts.PairsUser, in, llm.Request{})
}

// askPrompt sends a request with the texts of a prompt, rendered from the templates of a version.
func askPrompt[In any](
	ctx context.Context, p Prompted, version string, system func() (string, error), user func(In) (string, error), in In, r llm.Request,
) (proposals.Answer, error) {
	var err error
	if r.System, err = system(); err != nil {
		return proposals.Answer{}, err
	}
	if r.User, err = user(in); err != nil {
		return proposals.Answer{}, err
	}
	r.MaxTokens = p.MaxTokens
	response, err := p.Model.Complete(ctx, r)
	answer := proposals.Answer{Raw: response.Text, Model: response.Model, PromptVersion: version, Usage: response.Usage}
	if err == nil && response.Truncated {
		err = &llm.Error{Kind: llm.Truncated, Message: "the answer was cut at its token limit"}
	}
	return answer, err
}

// SummaryMaker returns the names of the prompt and the model.
func (p Prompted) SummaryMaker(model string) string {
	return prompts.SummaryVersion + " " + cmp.Or(model, p.Model.Name())
}
