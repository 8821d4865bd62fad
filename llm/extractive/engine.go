// Package extractive is the built-in engine: it turns a conversation into a proposal by rules, without a model.
//
// It reads the user's messages sentence by sentence (the assistant's only for context) in English and Chinese. It extracts
// statements about the user and their people, preferences, decisions, facts, tasks, dates and requests to remember, and
// writes them as short third-person lines under stable headings. The rules are tables (rules_en_*.go,
// rules_zh_*.go, lexicon_*.go); everything is deterministic, linear in the input and free of I/O.
package extractive

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"reverie/memory/proposals"
)

const (
	// Model is the name under which the engine's answers are recorded.
	Model = "builtin/extractive"
	// RulesVersion names the rule set; it changes whenever the same input may give another output.
	RulesVersion = "rules@1"
)

// Engine proposes memory updates by rules. The zero value is ready to use and safe for concurrent use.
type Engine struct{}

// New returns the engine.
func New() Engine { return Engine{} }

// Propose reads the transcript of in and returns the JSON of a memory.Proposal. The same input gives the same output.
//
// What it never does: change or drop a line of in.Protected, touch a line that the user did not correct, or grow a file
// beyond its ceiling. On the repair round (in.Violations is set) it leaves alone the parts that were objected to.
// It fails only when ctx is done.
func (Engine) Propose(ctx context.Context, in proposals.ExtractionInput) (proposals.Answer, error) {
	if err := ctx.Err(); err != nil {
		return proposals.Answer{}, err
	}
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(propose(in)); err != nil {
		return proposals.Answer{}, fmt.Errorf("encode the proposal: %w", err)
	}
	return proposals.Answer{Raw: string(bytes.TrimSpace(raw.Bytes())), Model: Model, PromptVersion: RulesVersion}, nil
}

func propose(in proposals.ExtractionInput) proposals.Proposal {
	objected := readObjections(in.Violations)
	if objected.all {
		return proposals.Proposal{Reason: "the first proposal was refused as a whole; nothing is proposed instead"}
	}
	n := newNotebook(in, objected)
	for _, s := range n.settle(listen(in)) {
		n.take(s)
	}
	return n.proposal()
}
