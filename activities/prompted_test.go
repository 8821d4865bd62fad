package activities

import (
	"context"
	"testing"

	"reverie/llm"
	"reverie/memory"
	"reverie/prompts"
)

// silent is a model that answers nothing.
type silent struct{ llm.Model }

func (silent) Complete(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, nil
}

// An answer says which words the model was given: extractions and dreams have prompts of their own.
func TestAnswersNameTheirPrompts(t *testing.T) {
	p := Prompted{Model: silent{}}
	proposed, err := p.Propose(t.Context(), memory.ExtractionInput{})
	if err != nil || proposed.PromptVersion != prompts.Version {
		t.Errorf("an extraction's is %q, want %q (%v)", proposed.PromptVersion, prompts.Version, err)
	}
	consolidated, err := p.Consolidate(t.Context(), memory.ConsolidationInput{})
	if err != nil || consolidated.PromptVersion != prompts.DreamVersion {
		t.Errorf("a dream's is %q, want %q (%v)", consolidated.PromptVersion, prompts.DreamVersion, err)
	}
}
