package activities

import (
	"context"
	"time"

	"reverie/llm"
	"reverie/memory"
	"reverie/store"
)

// flushing is one attempt at a step of a flush.
type flushing struct {
	*Activities
	in         FlushStepInput
	id         memory.Identity
	asksModel  bool
	load       store.FlushLoad
	transcript []memory.Line
	input      memory.ExtractionInput
	usage      memory.Usage
	answer     memory.Answer // the last one
}

func (p *flushing) run(ctx context.Context) (FlushStepResult, error) {
	var err error
	if p.load, err = p.Store.LoadFlush(ctx, p.id, p.in.Flush, p.in.Settings.Extract); err != nil {
		return FlushStepResult{}, recordError(err, "flush")
	}
	switch trigger := p.load.Conversation.Trigger; {
	case p.load.Flush.Acknowledged():
		return flushed(p.load.Flush), nil
	case p.load.Draft != nil:
		return FlushStepResult{From: p.load.Draft.From, To: p.load.Draft.To, HasDraft: true}, nil
	case p.load.Extracted:
		return p.nothing(ctx, ReasonExtracted, nil)
	case p.in.Settings.Extract.Stopped() != "":
		return p.nothing(ctx, p.in.Settings.Extract.Stopped(), nil)
	case p.Defaults.With(p.load.Agent.Settings).Stopped() != "": // since the flush began
		return p.nothing(ctx, p.Defaults.With(p.load.Agent.Settings).Stopped(), nil)
	case trigger == memory.TriggerCron || trigger == memory.TriggerDream:
		return p.nothing(ctx, memory.GateSource, nil)
	}
	transcript := memory.Transcript(p.load.Messages, p.in.Settings.Extract)
	if len(transcript) == 0 {
		return p.nothing(ctx, ReasonNothingToKeep, nil)
	}
	p.transcript = transcript
	p.input = p.inputOf(transcript)
	return consult(ctx, p.Activities, engineUse{
		id: p.id, model: p.asksModel, awaited: true, heartbeat: p.in.Settings.Extract.ModelHeartbeat,
	}, p)
}

func (p *flushing) overBudget(ctx context.Context, until time.Time) (FlushStepResult, error) {
	out, err := p.hold(ctx, ReasonBudget, nil)
	out.WaitUntil = until
	return out, err
}

func (p *flushing) ready(ctx context.Context) (result FlushStepResult, ended bool, err error) {
	if p.asksModel && p.in.Settings.Policy != memory.FlushWait && p.rest.away(p.Now()) {
		result, err = p.hold(ctx, ReasonModelAway, nil)
		return result, true, err
	}
	return FlushStepResult{}, false, nil
}

func (p *flushing) inputOf(transcript []memory.Line) memory.ExtractionInput {
	s := p.in.Settings.Extract
	return memory.ExtractionInput{
		Agent: p.load.Agent.Name, Today: p.load.Today,
		Profile: p.load.Profile.Content, Memory: p.load.Memory.Content, Shared: p.load.Shared,
		Note: memory.Tail(p.load.Note.Content, s.NoteTailChars), Transcript: transcript,
		ProfileMaxChars: s.ProfileMaxChars, MemoryMaxChars: s.MemoryMaxChars, Model: s.Model,
	}
}

func (p *flushing) ask(ctx context.Context, r repair) (memory.Answer, error) {
	engine := Flusher(p.Rules)
	if p.asksModel {
		engine = p.Flusher
	}
	input := p.input
	input.Violations, input.Previous = r.violations, r.previous
	answer, err := engine.Flush(ctx, input)
	p.usage = p.usage.Add(answer.Usage)
	return answer, err
}

// check returns the entry as it may be written; empty for nothing.
func (p *flushing) check(answer memory.Answer) (memory.Proposal, []memory.Violation) {
	p.answer = answer
	proposal, err := memory.ParseFlush(answer.Raw)
	if err != nil {
		return memory.Proposal{}, unreadable(err)
	}
	kept, violations := memory.Guard(proposal, p.input, p.in.Settings.Extract)
	proposal.DailyEntry = kept.Daily
	return proposal, violations
}

// refuse leaves the step to the rules; if it was theirs, nothing is written.
func (p *flushing) refuse(ctx context.Context, violations []memory.Violation) (FlushStepResult, error) {
	if p.asksModel {
		return p.hold(ctx, reasonOf(violations), violations)
	}
	return p.nothing(ctx, reasonOf(violations), violations)
}

// accept saves the draft for CommitFlush, unless there is nothing to write.
func (p *flushing) accept(ctx context.Context, proposal memory.Proposal) (FlushStepResult, error) {
	if proposal.DailyEntry == "" {
		return p.nothing(ctx, ReasonNothingToKeep, nil)
	}
	err := p.Store.SaveFlushDraft(ctx, p.id, p.in.Flush, store.FlushDraft{
		From: p.load.From, To: p.load.To, Scope: p.load.Scope, Today: p.load.Today,
		Entry: proposal.DailyEntry, Lines: evidence(proposal, "", proposal.DailyEntry, p.transcript), Reason: proposal.Reason,
		Model: p.answer.Model, PromptVersion: p.answer.PromptVersion, Fallback: p.in.Fallback, Usage: p.usage,
	})
	if err != nil {
		return FlushStepResult{}, recordError(err, "flush")
	}
	return FlushStepResult{From: p.load.From, To: p.load.To, HasDraft: true, Messages: len(p.transcript), Usage: p.usage}, nil
}

// fail asks for a shorter transcript, leaves the step to the rules, or asks for another attempt, until which the flush is shown as
// waiting.
func (p *flushing) fail(ctx context.Context, failure *llm.Error) (FlushStepResult, error) {
	out, err := p.hold(ctx, memory.ReasonCode(failure.Kind), nil)
	switch {
	case err != nil:
		return FlushStepResult{}, err
	case failure.Kind == llm.ContextTooLong || failure.Kind == llm.Truncated:
		out.FallBack, out.TooLong, out.Messages = "", true, len(p.transcript)
	case failure.Kind.Retryable():
		return FlushStepResult{}, modelError(failure)
	}
	return out, nil
}

// hold records why the model could not do the step, and what it cost.
func (p *flushing) hold(ctx context.Context, reason memory.ReasonCode, violations []memory.Violation) (FlushStepResult, error) {
	_, err := p.end(ctx, memory.OutcomeWaiting, reason, violations)
	return FlushStepResult{From: p.load.From, To: p.load.To, FallBack: reason, Usage: p.usage}, err
}

// nothing ends a step that has nothing to write; its messages are accounted for.
func (p *flushing) nothing(ctx context.Context, reason memory.ReasonCode, violations []memory.Violation) (FlushStepResult, error) {
	out, err := p.end(ctx, memory.OutcomeNothing, reason, violations)
	switch {
	case err != nil:
		return FlushStepResult{}, err
	case out.Flush.Acknowledged():
		p.observeFlush(out.Flush)
		acknowledged := flushed(out.Flush)
		acknowledged.Usage = p.usage
		return acknowledged, nil
	}
	return FlushStepResult{
		From: p.load.From, To: p.load.To, Outcome: memory.OutcomeNothing, ReasonCode: reason, Usage: p.usage, Fallback: out.Flush.Fallback,
	}, nil
}

func (p *flushing) end(
	ctx context.Context, outcome memory.Outcome, reason memory.ReasonCode, violations []memory.Violation,
) (store.FlushResult, error) {
	out, err := p.Store.EndFlushStep(ctx, p.id, p.in.Flush, store.FlushEnd{
		From: p.load.From, To: p.load.To, Outcome: outcome, ReasonCode: reason, Violations: violations,
		Model: p.answer.Model, PromptVersion: p.answer.PromptVersion, Fallback: p.in.Fallback && p.answer.Model != "", Usage: p.usage,
	})
	return out, recordError(err, "flush")
}
