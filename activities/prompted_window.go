package activities

import (
	"cmp"
	"context"

	"reverie/llm"
	"reverie/memory"
	"reverie/prompts"
)

// Flush asks the model once for an entry for today's note, with the prompt of flushes. It fails as Propose does.
func (p Prompted) Flush(ctx context.Context, in memory.ExtractionInput) (memory.Answer, error) {
	system, err := prompts.FlushSystem()
	if err != nil {
		return memory.Answer{}, err
	}
	user, err := prompts.FlushUser(in)
	if err != nil {
		return memory.Answer{}, err
	}
	return p.complete(ctx, prompts.FlushVersion, llm.Request{Model: in.Model, System: system, User: user, Schema: memory.FlushSchema()})
}

// Summarise asks the model once to bring a summary up to date. It fails as Propose does; of an answer that the token limit cut,
// what there is comes with the error.
func (p Prompted) Summarise(ctx context.Context, in memory.SummaryInput) (memory.Answer, error) {
	system, err := prompts.SummarySystem()
	if err != nil {
		return memory.Answer{}, err
	}
	user, err := prompts.SummaryUser(in)
	if err != nil {
		return memory.Answer{}, err
	}
	return p.complete(ctx, prompts.SummaryVersion, llm.Request{Model: in.Model, System: system, User: user})
}

// SummaryMaker names the prompt and the model.
func (p Prompted) SummaryMaker(model string) string {
	return prompts.SummaryVersion + " " + cmp.Or(model, p.Model.Name())
}
