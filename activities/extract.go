package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"reverie/llm"
	"reverie/memory"
	"reverie/store"
)

// Reasons that the steps give.
const (
	ReasonAccounted       memory.ReasonCode = "accounted_already" // another run has taken these messages
	ReasonNothingToKeep   memory.ReasonCode = "nothing_to_keep"
	ReasonBudget          memory.ReasonCode = "budget"
	ReasonInvalidProposal memory.ReasonCode = "invalid_proposal"
	ReasonGuards          memory.ReasonCode = "guards"
	ReasonScan            memory.ReasonCode = "scan"
)

// NextRange finds what is to be extracted next, and the settings that hold for it.
func (a *Activities) NextRange(ctx context.Context, in NextRangeInput) (NextRangeResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return NextRangeResult{}, err
	}
	pending, found, err := a.pending(ctx, id, in)
	if err != nil {
		return NextRangeResult{}, storeError(err)
	}
	return NextRangeResult{
		Found: found, Conversation: pending.ConversationUID, From: pending.From, To: pending.To,
		Settings: a.Defaults.With(pending.Agent.Settings), Timing: a.Timing.With(pending.Agent.Settings),
	}, nil
}

func (a *Activities) pending(ctx context.Context, id memory.Identity, in NextRangeInput) (store.PendingRange, bool, error) {
	switch {
	case in.RetryOf != uuid.Nil:
		x, err := a.Store.Extraction(ctx, id, in.RetryOf)
		if err != nil {
			return store.PendingRange{}, false, err
		}
		agent, err := a.Store.Agent(ctx, id)
		return store.PendingRange{Range: x.Retry(), Agent: agent}, true, err
	case in.Conversation != uuid.Nil:
		return a.Store.ConversationRange(ctx, id, in.Conversation)
	default:
		return a.Store.NextRange(ctx, id)
	}
}

// Propose asks the engine what to keep of the next messages and saves a draft that passed the guards, or records how the
// step ended without one. A run that was cut after it had saved its draft finds the draft again and does not ask twice.
func (a *Activities) Propose(ctx context.Context, in ProposeInput) (ProposeResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, a.engine(in.Settings)))
	if err != nil {
		return ProposeResult{}, err
	}
	r := store.Range{ConversationUID: in.Conversation, From: in.From, To: in.To, RetryOf: in.RetryOf}
	record, err := a.Store.BeginExtraction(ctx, id, r)
	switch conflict := (*store.ConflictError)(nil); {
	case errors.As(err, &conflict) && conflict.Code == store.CodeRangeMoved:
		return ProposeResult{To: in.To, Outcome: memory.OutcomeNothing, ReasonCode: ReasonAccounted, More: true}, nil
	case err != nil:
		return ProposeResult{}, storeError(err)
	case !record.Open():
		return ProposeResult{Extraction: record.ID, To: record.To, Outcome: record.Outcome, ReasonCode: record.ReasonCode, More: true}, nil
	case record.HasDraft:
		return ProposeResult{Extraction: record.ID, To: record.To, HasDraft: true, Usage: record.Usage}, nil
	}
	p := proposing{Activities: a, in: in, id: id, record: record, began: a.Now()}
	return p.run(ctx, r)
}

// engine names who will be asked.
func (a *Activities) engine(s memory.ExtractSettings) string {
	if a.Paid {
		return s.Model
	}
	return "builtin"
}

// proposing is one attempt at a proposal.
type proposing struct {
	*Activities
	in         ProposeInput
	id         memory.Identity
	record     store.Extraction
	began      time.Time
	messages   store.Range
	load       store.ExtractionLoad
	transcript []memory.Line
	input      memory.ExtractionInput
	usage      memory.Usage
	answer     memory.Answer // the last one
}

// guarded is a proposal with what the guards left of it.
type guarded struct {
	memory.Proposal

	kept memory.Guarded
}

func (p *proposing) run(ctx context.Context, r store.Range) (ProposeResult, error) {
	p.messages = r
	return consult(ctx, p.Activities, engineUse{id: p.id, model: p.Paid, heartbeat: p.in.Settings.ModelHeartbeat}, p)
}

func (p *proposing) overBudget(ctx context.Context, until time.Time) (ProposeResult, error) {
	_, err := p.Store.RecordOutcome(ctx, p.id, p.record.ID, store.Ending{
		Outcome: memory.OutcomeWaiting, ReasonCode: ReasonBudget, Until: until,
		Reason: "the workspace's model budget of today is spent",
	})
	return ProposeResult{WaitUntil: until}, storeError(err)
}

func (p *proposing) ready(ctx context.Context) (result ProposeResult, ended bool, err error) {
	if p.load, err = p.Store.LoadExtraction(ctx, p.id, p.messages, p.in.Settings); err != nil {
		return ProposeResult{}, true, storeError(err)
	}
	if reason := p.closed(); reason != "" {
		result, err = p.end(ctx, store.Ending{Outcome: memory.OutcomeSkipped, ReasonCode: reason, To: p.in.To})
		return result, true, err
	}
	p.transcript = memory.Transcript(p.load.Messages, p.in.Settings)
	p.input = memory.ExtractionInput{
		Agent: p.load.Agent.Name, Today: p.load.Today,
		Profile: p.load.Profile.Content, Memory: p.load.Memory.Content, Shared: p.load.Shared,
		Note: memory.Tail(p.note(), p.in.Settings.NoteTailChars), Transcript: p.transcript, Protected: p.load.Protected,
		ProfileMaxChars: p.in.Settings.ProfileMaxChars, MemoryMaxChars: p.in.Settings.MemoryMaxChars,
		Model: p.in.Settings.Model,
	}
	return ProposeResult{}, false, nil
}

// closed returns why nothing may be extracted; empty: it may. Memory may have been switched off since the extraction began.
func (p *proposing) closed() memory.ReasonCode {
	if stopped := p.Defaults.With(p.load.Agent.Settings).Stopped(); stopped != "" || !p.in.First || p.in.RetryOf != uuid.Nil {
		return stopped
	}
	reason, open := memory.Gate(memory.GateInput{
		Settings: p.in.Settings, Trigger: p.load.Conversation.Trigger,
		ConversationMessages: p.load.ConversationMessages, Pending: p.load.Latest,
	})
	if open {
		return ""
	}
	return reason
}

func (p *proposing) ask(ctx context.Context, r repair) (memory.Answer, error) {
	input := p.input
	input.Violations, input.Previous = r.violations, r.previous
	answer, err := p.Proposer.Propose(ctx, input)
	p.usage = p.usage.Add(answer.Usage)
	return answer, err
}

func (p *proposing) check(answer memory.Answer) (guarded, []memory.Violation) {
	p.answer = answer
	proposal, err := memory.ParseProposal(answer.Raw)
	if err != nil {
		return guarded{}, unreadable(err)
	}
	kept, violations := memory.Guard(proposal, p.input, p.in.Settings)
	return guarded{proposal, kept}, violations
}

func (p *proposing) refuse(ctx context.Context, violations []memory.Violation) (ProposeResult, error) {
	return p.end(ctx, store.Ending{
		Outcome: memory.OutcomeQuarantined, ReasonCode: reasonOf(violations), To: p.load.To,
		Reason: "the proposal was refused twice", Raw: p.answer.Raw, Violations: violations,
	})
}

// accept saves the draft for Apply, unless there is nothing to write.
func (p *proposing) accept(ctx context.Context, g guarded) (ProposeResult, error) {
	kept := p.notedOnce(g.kept)
	switch {
	case g.kept == memory.Guarded{}:
		return p.end(ctx, store.Ending{Outcome: memory.OutcomeNothing, ReasonCode: ReasonNothingToKeep, Reason: g.Reason, To: p.load.To})
	case kept == memory.Guarded{}:
		return p.end(ctx, store.Ending{Outcome: memory.OutcomeNothing, ReasonCode: ReasonNoted, Reason: g.Reason, To: p.load.To})
	}
	d := store.Draft{
		Changes: p.changes(kept, g.Proposal, p.transcript), To: p.load.To, Reason: g.Reason, Raw: p.answer.Raw,
		Model: p.answer.Model, PromptVersion: p.answer.PromptVersion, Usage: p.usage,
	}
	if p.load.Noted != nil {
		d.Noted = p.load.Noted.Flush
	}
	if err := p.Store.SaveDraft(ctx, p.id, p.record.ID, d); err != nil {
		return ProposeResult{}, storeError(err)
	}
	return ProposeResult{Extraction: p.record.ID, To: p.load.To, Messages: len(p.transcript), HasDraft: true, Usage: p.usage}, nil
}

// end records an outcome without a write.
func (p *proposing) end(ctx context.Context, e store.Ending) (ProposeResult, error) {
	e.Model, e.PromptVersion, e.Usage = p.answer.Model, p.answer.PromptVersion, p.usage
	out, err := p.Store.RecordOutcome(ctx, p.id, p.record.ID, e)
	if err != nil {
		return ProposeResult{}, storeError(err)
	}
	p.observe(out.Extraction)
	return ProposeResult{
		Extraction: p.record.ID, To: out.Extraction.To, Outcome: out.Extraction.Outcome, ReasonCode: out.Extraction.ReasonCode,
		More: out.More, Usage: p.usage,
	}, nil
}

// fail asks for a shorter transcript, records the end, or asks for another attempt, until which the extraction is shown as waiting.
func (p *proposing) fail(ctx context.Context, failure *llm.Error) (ProposeResult, error) {
	switch {
	case failure.Kind == llm.ContextTooLong || failure.Kind == llm.Truncated:
		if p.usage != (memory.Usage{}) {
			if err := p.Store.AddUsage(ctx, p.id, p.engine(p.in.Settings), p.usage); err != nil {
				return ProposeResult{}, storeError(err)
			}
		}
		return ProposeResult{TooLong: true, Messages: len(p.transcript)}, nil
	case failure.Kind == llm.Refused: // a retry would be refused again, and must not block the messages that follow
		return p.end(ctx, store.Ending{Outcome: memory.OutcomeQuarantined, ReasonCode: memory.ReasonCode(failure.Kind), To: p.load.To, Reason: failure.Message})
	case !failure.Kind.Retryable():
		return p.end(ctx, store.Ending{Outcome: memory.OutcomeFailed, ReasonCode: memory.ReasonCode(failure.Kind), To: p.in.To, Reason: failure.Message})
	}
	_, err := p.Store.RecordOutcome(ctx, p.id, p.record.ID, store.Ending{
		Outcome: memory.OutcomeWaiting, ReasonCode: memory.ReasonCode(failure.Kind), Reason: failure.Message,
		Until: p.Now().Add(failure.RetryAfter), Usage: p.usage,
	})
	if err != nil {
		return ProposeResult{}, storeError(err)
	}
	return ProposeResult{}, modelError(failure)
}

// Apply commits a draft: documents, outcome and cursor in one transaction, exactly once.
func (a *Activities) Apply(ctx context.Context, in ApplyInput) (ApplyResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return ApplyResult{}, err
	}
	out, err := a.Store.CommitExtraction(ctx, id, store.Commit{ExtractionID: in.Extraction, Key: idempotencyKey(ctx)})
	var (
		stale       *store.StaleBaseError
		quarantined *store.QuarantineError
		conflict    *store.ConflictError
	)
	switch {
	case errors.As(err, &stale):
		return ApplyResult{Stale: true}, nil
	case errors.As(err, &conflict):
		return ApplyResult{Outcome: memory.OutcomeNothing, ReasonCode: ReasonAccounted, More: true}, nil
	case errors.As(err, &quarantined):
		if out, err = a.Store.RecordOutcome(ctx, id, in.Extraction, store.Ending{
			Outcome: memory.OutcomeQuarantined, ReasonCode: ReasonScan, Reason: quarantined.Error(),
			Violations: []memory.Violation{{Code: string(ReasonScan), Message: quarantined.Error()}},
		}); err != nil {
			return ApplyResult{}, storeError(err)
		}
	case refusedByGate(err) != "":
		if out, err = a.Store.RecordOutcome(ctx, id, in.Extraction, store.Ending{
			Outcome: memory.OutcomeSkipped, ReasonCode: refusedByGate(err),
		}); err != nil {
			return ApplyResult{}, storeError(err)
		}
	case err != nil:
		return ApplyResult{}, storeError(err)
	}
	if !out.Receipt.Replayed {
		a.observe(out.Extraction)
	}
	documents := changed(out.Extraction.Changes)
	if documents > 0 {
		a.indexChanged(AgentRef{Workspace: in.Workspace, Agent: in.Agent})
	}
	return ApplyResult{
		Outcome: out.Extraction.Outcome, ReasonCode: out.Extraction.ReasonCode, Documents: documents, More: out.More,
	}, nil
}

// Conclude records that a range failed: no proposal could be had, or none that could be applied.
func (a *Activities) Conclude(ctx context.Context, in ConcludeInput) (ConcludeResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return ConcludeResult{}, err
	}
	record, err := a.Store.BeginExtraction(ctx, id, store.Range{ConversationUID: in.Conversation, From: in.From, To: in.To, RetryOf: in.RetryOf})
	if err != nil {
		return ConcludeResult{}, storeError(err)
	}
	out, err := a.Store.RecordOutcome(ctx, id, record.ID, store.Ending{Outcome: memory.OutcomeFailed, ReasonCode: in.ReasonCode, To: in.To})
	if err != nil {
		return ConcludeResult{}, storeError(err)
	}
	a.observe(out.Extraction)
	return ConcludeResult{Extraction: record.ID, More: out.More}, nil
}

func (a *Activities) observe(x store.Extraction) {
	if a.Observe == nil || x.FinishedAt == nil {
		return
	}
	a.Observe(x.Outcome, x.ReasonCode, x.Usage, x.FinishedAt.Sub(x.StartedAt))
}

func changed(changes []memory.ChangeReceipt) int {
	n := 0
	for _, c := range changes {
		if c.Changed {
			n++
		}
	}
	return n
}
