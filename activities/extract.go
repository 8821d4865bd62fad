package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

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
	in     ProposeInput
	id     memory.Identity
	record store.Extraction
	began  time.Time
	load   store.ExtractionLoad
	usage  memory.Usage
	answer memory.Answer // the last one
}

func (p *proposing) run(ctx context.Context, r store.Range) (ProposeResult, error) {
	if until, err := p.spent(ctx); err != nil || !until.IsZero() {
		return ProposeResult{WaitUntil: until}, err
	}
	var err error
	if p.load, err = p.Store.LoadExtraction(ctx, p.id, r, p.in.Settings); err != nil {
		return ProposeResult{}, storeError(err)
	}
	if stopped := p.Defaults.With(p.load.Agent.Settings).Stopped(); stopped != "" { // maybe since the extraction began
		return p.end(ctx, store.Ending{Outcome: memory.OutcomeSkipped, ReasonCode: stopped, To: p.in.To})
	}
	if p.in.First && p.in.RetryOf == uuid.Nil {
		if gate, open := p.gate(); !open {
			return p.end(ctx, store.Ending{Outcome: memory.OutcomeSkipped, ReasonCode: gate, To: p.in.To})
		}
	}
	transcript := memory.Transcript(p.load.Messages, p.in.Settings)
	input := p.input(transcript)
	guarded, proposal, violations, err := p.ask(ctx, input)
	if err != nil {
		return p.modelFailed(ctx, err, len(transcript))
	}
	if len(violations) > 0 { // one repair round: the engine sees what was wrong
		input.Violations, input.Previous = messagesOf(violations), p.answer.Raw
		if guarded, proposal, violations, err = p.ask(ctx, input); err != nil {
			return p.modelFailed(ctx, err, len(transcript))
		}
	}
	kept := p.notedOnce(guarded)
	switch {
	case len(violations) > 0:
		return p.end(ctx, store.Ending{
			Outcome: memory.OutcomeQuarantined, ReasonCode: reasonOf(violations), To: p.load.To,
			Reason: "the proposal was refused twice", Raw: p.answer.Raw, Violations: violations,
		})
	case guarded == memory.Guarded{}:
		return p.end(ctx, store.Ending{Outcome: memory.OutcomeNothing, ReasonCode: ReasonNothingToKeep, Reason: proposal.Reason, To: p.load.To})
	case kept == memory.Guarded{}:
		return p.end(ctx, store.Ending{Outcome: memory.OutcomeNothing, ReasonCode: ReasonNoted, Reason: proposal.Reason, To: p.load.To})
	}
	return p.save(ctx, kept, proposal, transcript)
}

// spent reports until when the extraction has to wait for its budget; zero: it may go on.
func (p *proposing) spent(ctx context.Context) (time.Time, error) {
	if !p.Paid {
		return time.Time{}, nil
	}
	until, err := p.spentUntil(ctx, p.id, p.Budget)
	if err != nil || until.IsZero() {
		return time.Time{}, err
	}
	_, err = p.Store.RecordOutcome(ctx, p.id, p.record.ID, store.Ending{
		Outcome: memory.OutcomeWaiting, ReasonCode: ReasonBudget, Until: until,
		Reason: "the workspace's model budget of today is spent",
	})
	return until, storeError(err)
}

func (p *proposing) gate() (memory.ReasonCode, bool) {
	return memory.Gate(memory.GateInput{
		Settings: p.in.Settings, Trigger: p.load.Conversation.Trigger,
		ConversationMessages: p.load.ConversationMessages, Pending: p.load.Latest,
	})
}

func (p *proposing) input(transcript []memory.Line) memory.ExtractionInput {
	return memory.ExtractionInput{
		Agent: p.load.Agent.Name, Today: p.load.Today,
		Profile: p.load.Profile.Content, Memory: p.load.Memory.Content, Shared: p.load.Shared,
		Note: memory.Tail(p.note(), p.in.Settings.NoteTailChars), Transcript: transcript, Protected: p.load.Protected,
		ProfileMaxChars: p.in.Settings.ProfileMaxChars, MemoryMaxChars: p.in.Settings.MemoryMaxChars,
		Model: p.in.Settings.Model,
	}
}

// ask is one call of the engine, parsed and guarded. Faults of the answer come back as violations, faults of the call as
// the error.
func (p *proposing) ask(ctx context.Context, input memory.ExtractionInput) (memory.Guarded, memory.Proposal, []memory.Violation, error) {
	stop := beat(ctx, p.in.Settings.ModelHeartbeat/heartbeatsInTime)
	answer, err := p.Proposer.Propose(ctx, input)
	stop()
	p.usage = p.usage.Add(answer.Usage)
	if err != nil {
		return memory.Guarded{}, memory.Proposal{}, nil, err
	}
	p.answer = answer
	p.modelState(ctx, "ok", "")
	guarded, proposal, violations := p.judge(answer.Raw, input)
	return guarded, proposal, violations, nil
}

// judge reads an answer and guards what it proposes.
func (p *proposing) judge(raw string, input memory.ExtractionInput) (memory.Guarded, memory.Proposal, []memory.Violation) {
	proposal, err := memory.ParseProposal(raw)
	if err != nil {
		return memory.Guarded{}, memory.Proposal{}, []memory.Violation{{Code: string(ReasonInvalidProposal), Message: err.Error()}}
	}
	guarded, violations := memory.Guard(proposal, input, p.in.Settings)
	return guarded, proposal, violations
}

// save keeps the draft for Apply.
func (p *proposing) save(ctx context.Context, g memory.Guarded, proposal memory.Proposal, transcript []memory.Line) (ProposeResult, error) {
	d := store.Draft{
		Changes: p.changes(g, proposal, transcript), To: p.load.To, Reason: proposal.Reason, Raw: p.answer.Raw,
		Model: p.answer.Model, PromptVersion: p.answer.PromptVersion, Usage: p.usage,
	}
	if p.load.Noted != nil {
		d.Noted = p.load.Noted.Flush
	}
	if err := p.Store.SaveDraft(ctx, p.id, p.record.ID, d); err != nil {
		return ProposeResult{}, storeError(err)
	}
	return ProposeResult{Extraction: p.record.ID, To: p.load.To, Messages: len(transcript), HasDraft: true, Usage: p.usage}, nil
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

// modelFailed decides what a failed call means: a shorter transcript, a recorded end, or another attempt later, which is
// visible as a waiting extraction meanwhile.
func (p *proposing) modelFailed(ctx context.Context, err error, messages int) (ProposeResult, error) {
	failure, err := p.modelFailure(ctx, err)
	if err != nil {
		return ProposeResult{}, err
	}
	switch {
	case failure.Kind == llm.ContextTooLong || failure.Kind == llm.Truncated:
		if p.usage != (memory.Usage{}) {
			if err := p.Store.AddUsage(ctx, p.id, p.engine(p.in.Settings), p.usage); err != nil {
				return ProposeResult{}, storeError(err)
			}
		}
		return ProposeResult{TooLong: true, Messages: messages}, nil
	case failure.Kind == llm.Refused: // asking again would be refused again, and must not hold up what follows
		return p.end(ctx, store.Ending{Outcome: memory.OutcomeQuarantined, ReasonCode: memory.ReasonCode(failure.Kind), To: p.load.To, Reason: failure.Message})
	case !failure.Kind.Retryable():
		return p.end(ctx, store.Ending{Outcome: memory.OutcomeFailed, ReasonCode: memory.ReasonCode(failure.Kind), To: p.in.To, Reason: failure.Message})
	}
	again := modelError(failure)
	_, err = p.Store.RecordOutcome(ctx, p.id, p.record.ID, store.Ending{
		Outcome: memory.OutcomeWaiting, ReasonCode: memory.ReasonCode(failure.Kind), Reason: failure.Message,
		Until: p.Now().Add(failure.RetryAfter), Usage: p.usage,
	})
	if err != nil {
		return ProposeResult{}, storeError(err)
	}
	return ProposeResult{}, again
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

// beat tells Temporal that the step is alive until the returned function is called, so that a dead worker is noticed
// within the heartbeat timeout and not only after the longest possible model call.
func beat(ctx context.Context, every time.Duration) (stop func()) {
	return repeat(ctx, every, func() { activity.RecordHeartbeat(ctx) })
}

// repeat does something at every interval, until the returned function is called or ctx is done.
func repeat(ctx context.Context, every time.Duration, do func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
				do()
			}
		}
	}()
	return func() { close(done) }
}

// heartbeatsInTime is how many heartbeats fit into the time after which a silent worker is taken for dead.
const heartbeatsInTime = 3

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

func messagesOf(violations []memory.Violation) []string {
	out := make([]string, len(violations))
	for i, v := range violations {
		out[i] = v.Message
	}
	return out
}

// reasonOf tells an answer that could not be read from one that the guards refused.
func reasonOf(violations []memory.Violation) memory.ReasonCode {
	if violations[0].Code == string(ReasonInvalidProposal) {
		return ReasonInvalidProposal
	}
	return ReasonGuards
}
