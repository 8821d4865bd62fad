package activities

import (
	"cmp"
	"context"

	"reverie/llm"
	"reverie/memory"
	"reverie/store"
)

// flushing is one attempt at a step of a flush.
type flushing struct {
	*Activities
	in        FlushStepInput
	id        memory.Identity
	asksModel bool
	load      store.FlushLoad
	usage     memory.Usage
	answer    memory.Answer // the last one
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
	if p.asksModel {
		until, err := p.spentUntil(ctx, p.id, p.Budget)
		if err != nil {
			return FlushStepResult{}, err
		}
		if !until.IsZero() {
			out, err := p.hold(ctx, ReasonBudget, nil)
			out.WaitUntil = until
			return out, err
		}
		if p.in.Settings.Policy != memory.FlushWait && p.rest.away(p.Now()) {
			return p.hold(ctx, ReasonModelAway, nil)
		}
	}
	return p.propose(ctx, transcript)
}

// propose asks the engine, once more when the guards refuse what it answers.
func (p *flushing) propose(ctx context.Context, transcript []memory.Line) (FlushStepResult, error) {
	input := p.input(transcript)
	proposal, violations, err := p.ask(ctx, input)
	if err == nil && len(violations) > 0 { // one repair round: the engine sees what was wrong
		input.Violations, input.Previous = messagesOf(violations), p.answer.Raw
		proposal, violations, err = p.ask(ctx, input)
	}
	switch {
	case err != nil:
		return p.modelFailed(ctx, err, len(transcript))
	case len(violations) > 0 && p.asksModel:
		return p.hold(ctx, reasonOf(violations), violations)
	case len(violations) > 0: // there is nobody left to ask
		return p.nothing(ctx, reasonOf(violations), violations)
	case proposal.DailyEntry == "":
		return p.nothing(ctx, ReasonNothingToKeep, nil)
	}
	err = p.Store.SaveFlushDraft(ctx, p.id, p.in.Flush, store.FlushDraft{
		From: p.load.From, To: p.load.To, Scope: p.load.Scope, Today: p.load.Today,
		Entry: proposal.DailyEntry, Lines: evidence(proposal, "", proposal.DailyEntry, transcript), Reason: proposal.Reason,
		Model: p.answer.Model, PromptVersion: p.answer.PromptVersion, Fallback: p.in.Fallback, Usage: p.usage,
	})
	if err != nil {
		return FlushStepResult{}, recordError(err, "flush")
	}
	return FlushStepResult{From: p.load.From, To: p.load.To, HasDraft: true, Messages: len(transcript), Usage: p.usage}, nil
}

func (p *flushing) input(transcript []memory.Line) memory.ExtractionInput {
	s := p.in.Settings.Extract
	return memory.ExtractionInput{
		Agent: p.load.Agent.Name, Today: p.load.Today,
		Profile: p.load.Profile.Content, Memory: p.load.Memory.Content, Shared: p.load.Shared,
		Note: memory.Tail(p.load.Note.Content, s.NoteTailChars), Transcript: transcript,
		ProfileMaxChars: s.ProfileMaxChars, MemoryMaxChars: s.MemoryMaxChars, Model: s.Model,
	}
}

// ask is one call of the engine, read and guarded: the entry as it may be written, empty for nothing. Faults of the answer come
// back as violations, faults of the call as the error.
func (p *flushing) ask(ctx context.Context, input memory.ExtractionInput) (memory.Proposal, []memory.Violation, error) {
	engine := Flusher(p.Rules)
	if p.asksModel {
		engine = p.Flusher
		defer beat(ctx, cmp.Or(p.in.Settings.Extract.ModelHeartbeat, HeartbeatTimeout)/heartbeatsInTime)()
	}
	began := p.Now()
	answer, err := engine.Flush(ctx, input)
	if p.asksModel {
		p.noteAnswer(ctx, began, err)
	}
	p.usage = p.usage.Add(answer.Usage)
	if err != nil {
		return memory.Proposal{}, nil, err
	}
	p.answer = answer
	if p.asksModel {
		p.modelState(ctx, "ok", "")
	}
	proposal, err := memory.ParseFlush(answer.Raw)
	if err != nil {
		return memory.Proposal{}, []memory.Violation{{Code: string(ReasonInvalidProposal), Message: err.Error()}}, nil
	}
	guarded, violations := memory.Guard(proposal, input, p.in.Settings.Extract)
	proposal.DailyEntry = guarded.Daily
	return proposal, violations, nil
}

// modelFailed decides what a failed call means: a shorter transcript, the built-in engine, or another attempt later, which is
// visible as a waiting flush meanwhile.
func (p *flushing) modelFailed(ctx context.Context, err error, messages int) (FlushStepResult, error) {
	failure, err := p.modelFailure(ctx, err)
	if err != nil {
		return FlushStepResult{}, err
	}
	out, err := p.hold(ctx, memory.ReasonCode(failure.Kind), nil)
	switch {
	case err != nil:
		return FlushStepResult{}, err
	case failure.Kind == llm.ContextTooLong || failure.Kind == llm.Truncated:
		out.FallBack, out.TooLong, out.Messages = "", true, messages
	case failure.Kind.Retryable():
		return FlushStepResult{}, modelError(failure)
	}
	return out, nil
}

// hold records that the model could not do the step, why, and what was spent in vain.
func (p *flushing) hold(ctx context.Context, reason memory.ReasonCode, violations []memory.Violation) (FlushStepResult, error) {
	_, err := p.end(ctx, memory.OutcomeWaiting, reason, violations)
	return FlushStepResult{From: p.load.From, To: p.load.To, FallBack: reason, Usage: p.usage}, err
}

// nothing accounts for the messages of the step, which has nothing to write.
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

func (p *flushing) end(ctx context.Context, outcome memory.Outcome, reason memory.ReasonCode, violations []memory.Violation) (store.FlushResult, error) {
	out, err := p.Store.EndFlushStep(ctx, p.id, p.in.Flush, store.FlushEnd{
		From: p.load.From, To: p.load.To, Outcome: outcome, ReasonCode: reason, Violations: violations,
		Model: p.answer.Model, PromptVersion: p.answer.PromptVersion, Fallback: p.in.Fallback && p.answer.Model != "", Usage: p.usage,
	})
	return out, recordError(err, "flush")
}
