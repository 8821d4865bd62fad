package activities

import (
	"context"
	"testing"

	"reverie/llm"
	"reverie/memory/proposals"
	"reverie/prompts"
)

// silent is a model that answers nothing.
type silent struct{ llm.Model }

func (silent) Complete(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, nil
}

func (silent) Name() string { return "openai/silent" }

// An answer names the version of its prompt; each task has another prompt.
func TestAnswersNameTheirPrompts(t *testing.T) {
	p := Prompted{Model: silent{}}
	proposed, err := p.Propose(t.Context(), proposals.ExtractionInput{})
	if err != nil || proposed.PromptVersion != prompts.Version {
		t.Errorf("an extraction's is %q, want %q (%v)", proposed.PromptVersion, prompts.Version, err)
	}
	consolidated, err := p.Consolidate(t.Context(), proposals.ConsolidationInput{})
	if err != nil || consolidated.PromptVersion != prompts.DreamVersion {
		t.Errorf("a dream's is %q, want %q (%v)", consolidated.PromptVersion, prompts.DreamVersion, err)
	}
	flushed, err := p.Flush(t.Context(), proposals.ExtractionInput{})
	if err != nil || flushed.PromptVersion != prompts.FlushVersion {
		t.Errorf("a flush's is %q, want %q (%v)", flushed.PromptVersion, prompts.FlushVersion, err)
	}
	summarised, err := p.Summarise(t.Context(), proposals.SummaryInput{})
	if err != nil || summarised.PromptVersion != prompts.SummaryVersion {
		t.Errorf("a summary's is %q, want %q (%v)", summarised.PromptVersion, prompts.SummaryVersion, err)
	}
	if given, other := p.SummaryMaker(""), p.SummaryMaker("large"); given != prompts.SummaryVersion+" openai/silent" ||
		other != prompts.SummaryVersion+" large" {
		t.Errorf("summaries are made by %q and %q", given, other)
	}
}
