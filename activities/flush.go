package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"reverie/llm"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/memory/transcripts"
	"reverie/remember"
	"reverie/store"
	stored "reverie/store/facts"
	"reverie/store/talk"
)

// Flusher proposes an entry for today's note from messages that leave a context window: a model with its prompt, or the built-in
// engine. memory.ParseFlush parses its answer.
type Flusher interface {
	Flush(ctx context.Context, in proposals.ExtractionInput) (proposals.Answer, error)
}

// ReasonExtracted ends a step of a flush whose messages were already extracted.
const ReasonExtracted memory.ReasonCode = "extracted"

// ReasonNoteFull ends a step of a flush whose entry does not fit in today's note, which has reached the maximum size of a document.
const ReasonNoteFull memory.ReasonCode = "note_full"

// ReasonForgotten ends a step of a flush whose entry contains only forgotten statements.
const ReasonForgotten memory.ReasonCode = "forgotten"

// PlanFlush finds or opens the next flush needed to flush everything up to a message.
func (a *Activities) PlanFlush(ctx context.Context, in PlanFlushInput) (PlanFlushResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return PlanFlushResult{}, err
	}
	flush, needed, err := a.Store.PlanFlush(ctx, id, in.Conversation, in.To)
	if isBeingDeleted(err) {
		return PlanFlushResult{}, nil
	}
	if err != nil || !needed {
		return PlanFlushResult{}, recordError(err, "flush")
	}
	return PlanFlushResult{Needed: true, Flush: flush.ID, From: flush.From, To: flush.To}, nil
}

// ProposeFlush asks an engine what to note of the next messages of a flush and saves a draft that passed the guards, or ends the
// step without one. An attempt after one that was cut off finds its draft and does not ask twice.
func (a *Activities) ProposeFlush(ctx context.Context, in FlushStepInput) (FlushStepResult, error) {
	asking := in.Settings.Paid && !in.Fallback && a.Flusher != nil
	engine := "builtin"
	if asking {
		engine = in.Settings.Extract.Model
	}
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, engine))
	if err != nil {
		return FlushStepResult{}, err
	}
	record, err := a.Store.BeginFlush(ctx, id, in.Flush)
	if err != nil {
		return FlushStepResult{}, recordError(err, "flush")
	}
	if record.Acknowledged() {
		return flushed(record), nil
	}
	p := flushing{Activities: a, in: in, id: id, asksModel: asking}
	return p.run(ctx)
}

// flushed returns the result for a flush that is acknowledged.
func flushed(record talk.Flush) FlushStepResult {
	return FlushStepResult{
		From: record.To + 1, To: record.To, Acknowledged: true,
		Outcome: record.Outcome, ReasonCode: record.ReasonCode, Fallback: record.Fallback,
	}
}

// CommitFlush appends the draft of a step to today's note and accounts for its messages, exactly once.
func (a *Activities) CommitFlush(ctx context.Context, in CommitFlushInput) (CommitFlushResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return CommitFlushResult{}, err
	}
	out, err := a.Store.CommitFlush(ctx, id, in.Flush, in.From)
	conflict, isConflict := errors.AsType[*store.ConflictError](err)
	_, isRefused := errors.AsType[*store.QuarantineError](err)
	reason := refusedByGate(err)
	switch {
	case isConflict && (conflict.Code == store.CodeNoDraft || conflict.Code == store.CodeRangeMoved):
		return CommitFlushResult{Stale: true}, nil
	case isRefused && !in.Rules:
		return CommitFlushResult{FallBack: ReasonScan}, nil
	case isRefused:
		reason = ReasonScan
	case isConflict:
		reason = unflushed[conflict.Code]
	}
	if reason != "" {
		out, err = a.Store.EndFlushStep(ctx, id, in.Flush, talk.FlushEnd{
			From: in.From, To: in.To, Outcome: memory.OutcomeNothing, ReasonCode: reason,
		})
	}
	if err != nil {
		return CommitFlushResult{}, recordError(err, "flush")
	}
	if !out.Stale {
		a.observeFlush(out.Flush)
		a.indexChanged(AgentRef{Workspace: in.Workspace, Agent: in.Agent})
	}
	return CommitFlushResult{
		Stale: out.Stale, Acknowledged: out.Flush.Acknowledged(), Outcome: out.Flush.Outcome, ReasonCode: out.Flush.ReasonCode,
		Done: out.Flush.Done, Fallback: out.Flush.Fallback,
	}, nil
}

// unflushed are the reasons for ending a step without its entry. The window must not wait for a new day if the note is full: an
// extraction follows.
var unflushed = map[string]memory.ReasonCode{
	store.CodeNoteFull: ReasonNoteFull, store.CodeForgotten: ReasonForgotten, store.CodeKnown: ReasonNoted,
}

// HoldFlush records why an open flush is paused. It resumes with the next request for it.
func (a *Activities) HoldFlush(ctx context.Context, in HoldFlushInput) (HoldFlushResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return HoldFlushResult{}, err
	}
	record, err := a.Store.BeginFlush(ctx, id, in.Flush)
	if err == nil && !record.Acknowledged() {
		var out talk.FlushResult
		out, err = a.Store.EndFlushStep(ctx, id, in.Flush, talk.FlushEnd{
			From: record.Done + 1, To: record.To, Outcome: memory.OutcomeWaiting, ReasonCode: in.ReasonCode,
		})
		if record = out.Flush; err == nil {
			a.observeFlush(record)
		}
	}
	if err != nil {
		return HoldFlushResult{}, recordError(err, "flush")
	}
	return HoldFlushResult{Acknowledged: record.Acknowledged(), Done: record.Done}, nil
}

// FlushRef names an open flush.
type FlushRef struct {
	memory.OwnerRef
	Flush uuid.UUID `json:"flush"`
}

// PlanFlushInput asks for the next flush needed to flush a conversation up to a message.
type PlanFlushInput struct {
	memory.OwnerRef
	Conversation uuid.UUID `json:"conversation"`
	To           int64     `json:"to"`
}

// PlanFlushResult is the next flush.
type PlanFlushResult struct {
	Needed bool      `json:"needed,omitempty"`
	Flush  uuid.UUID `json:"flush,omitzero"`
	From   int64     `json:"from,omitempty"`
	To     int64     `json:"to,omitempty"`
}

// FlushStepInput is one step of a flush.
type FlushStepInput struct {
	FlushRef

	Settings setting.FlushSettings `json:"settings"`
	Fallback bool                  `json:"fallback,omitempty"` // by rules instead of the model
}

// FlushStepResult selects the next action: commit a draft, continue after Done, fall back, wait, or ask with a shorter transcript.
type FlushStepResult struct {
	From         int64             `json:"from"`
	To           int64             `json:"to"`
	HasDraft     bool              `json:"hasDraft,omitempty"`
	Acknowledged bool              `json:"acknowledged,omitempty"`
	TooLong      bool              `json:"tooLong,omitempty"`
	Messages     int               `json:"messages,omitempty"`
	FallBack     memory.ReasonCode `json:"fallBack,omitempty"` // the model cannot do it: budget, refused, invalid, …
	WaitUntil    time.Time         `json:"waitUntil,omitzero"` // the spent budget renews at this time
	Fallback     bool              `json:"fallback,omitempty"` // rules wrote all or a part of the acknowledged flush
	Outcome      memory.Outcome    `json:"outcome,omitempty"`
	ReasonCode   memory.ReasonCode `json:"reasonCode,omitempty"`
	Usage        memory.Usage      `json:"usage,omitzero"`
}

// CommitFlushInput commits the draft of a step.
type CommitFlushInput struct {
	FlushRef

	From  int64 `json:"from"`
	To    int64 `json:"to"`
	Rules bool  `json:"rules,omitempty"` // rules made the draft: there is no other engine
}

// CommitFlushResult is the state of the flush.
type CommitFlushResult struct {
	Stale        bool              `json:"stale,omitempty"`    // the draft or its basis no longer exists: propose again
	FallBack     memory.ReasonCode `json:"fallBack,omitempty"` // the gate refused the model's entry
	Acknowledged bool              `json:"acknowledged,omitempty"`
	Outcome      memory.Outcome    `json:"outcome,omitempty"`
	ReasonCode   memory.ReasonCode `json:"reasonCode,omitempty"`
	Done         int64             `json:"done"`
	Fallback     bool              `json:"fallback,omitempty"` // rules wrote all or a part of it
}

// HoldFlushInput is the reason why an open flush is paused.
type HoldFlushInput struct {
	FlushRef

	ReasonCode memory.ReasonCode `json:"reasonCode"`
}

// HoldFlushResult is the state of the flush.
type HoldFlushResult struct {
	Acknowledged bool  `json:"acknowledged,omitempty"`
	Done         int64 `json:"done"`
}

// flushing is one attempt at a step of a flush.
type flushing struct {
	*Activities
	asking

	in        FlushStepInput
	id        memory.Identity
	asksModel bool
	load      talk.FlushLoad
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
	transcript := transcripts.Transcript(p.load.Messages, p.in.Settings.Extract)
	if len(transcript) == 0 {
		return p.nothing(ctx, ReasonNothingToKeep, nil)
	}
	p.transcript = transcript
	if err = p.fill(ctx, transcript); err != nil {
		return FlushStepResult{}, err
	}
	return consult(ctx, p.Activities, engineUse{
		id: p.id, model: p.asksModel, awaited: true, heartbeat: p.in.Settings.Extract.ModelHeartbeat,
	}, p)
}

func (p *flushing) halt(ctx context.Context, why setting.Halt) (FlushStepResult, error) {
	out, err := p.hold(ctx, why.Code, nil)
	out.WaitUntil = why.Until
	return out, err
}

func (p *flushing) ready(ctx context.Context) (result FlushStepResult, ended bool, err error) {
	if p.asksModel && p.in.Settings.Policy != setting.FlushWait && p.rest.away(p.Now()) {
		result, err = p.hold(ctx, ReasonModelAway, nil)
		return result, true, err
	}
	return FlushStepResult{}, false, nil
}

// fill sets the input of the engine.
func (p *flushing) fill(ctx context.Context, transcript []transcripts.Line) (err error) {
	s := p.in.Settings.Extract
	p.input = proposals.ExtractionInput{
		Agent: p.load.Agent.Name, Today: p.load.Today,
		Profile: p.load.Profile.Content, Memory: p.load.Memory.Content, Shared: p.load.Shared,
		Note: markdown.Tail(p.load.Note.Content, s.NoteTailChars), Transcript: transcript,
		Before:          transcripts.Transcript(p.load.Before, s),
		ProfileMaxChars: s.ProfileMaxChars, MemoryMaxChars: s.MemoryMaxChars, Model: s.Model,
	}
	p.input.Disagreements, err = p.disagreements(ctx, p.id, p.load.Disagreements, p.input)
	return err
}

func (p *flushing) ask(ctx context.Context, r repair) (proposals.Answer, error) {
	engine := Flusher(p.Rules)
	if p.asksModel {
		engine = p.Flusher
	}
	answer, err := engine.Flush(ctx, p.again(r))
	p.usage = p.usage.Add(answer.Usage)
	return answer, err
}

// check returns the entry as it may be written; empty for nothing.
func (p *flushing) check(answer proposals.Answer) (proposals.Proposal, []proposals.Violation) {
	g, violations := p.read(answer, proposals.ParseFlush, p.in.Settings.Extract)
	g.DailyEntry = g.kept.Daily
	return g.Proposal, violations
}

// refuse leaves the step to the rules; if it was theirs, nothing is written.
func (p *flushing) refuse(ctx context.Context, violations []proposals.Violation) (FlushStepResult, error) {
	if p.asksModel {
		return p.hold(ctx, reasonOf(violations), violations)
	}
	return p.nothing(ctx, reasonOf(violations), violations)
}

// accept saves the draft for CommitFlush, unless there is nothing to write.
func (p *flushing) accept(ctx context.Context, proposal proposals.Proposal) (FlushStepResult, error) {
	if proposal.DailyEntry == "" && len(p.dropped) > 0 {
		return p.nothing(ctx, ReasonUngrounded, p.dropped)
	}
	if proposal.DailyEntry == "" {
		return p.nothing(ctx, ReasonNothingToKeep, nil)
	}
	k, err := p.knownOf(ctx, p.id, p.load.Today, p.load.Scope, memory.MemoryPath, memory.ProfilePath, memory.DailyNotePath(p.load.Today))
	if err != nil {
		return FlushStepResult{}, err
	}
	proposal.DailyEntry = k.without(proposal.DailyEntry, "", func(stored.Fact) bool { return true })
	if err := p.recordRepeat(ctx, p.id, k.heard, p.load.Today); err != nil {
		return FlushStepResult{}, err
	}
	if proposal.DailyEntry == "" {
		return p.nothing(ctx, ReasonNoted, nil)
	}
	err = p.Store.SaveFlushDraft(ctx, p.id, p.in.Flush, talk.FlushDraft{
		From: p.load.From, To: p.load.To, Scope: p.load.Scope, Today: p.load.Today,
		Entry: proposal.DailyEntry, Lines: remember.MarkAsked(proposal.Sources("", proposal.DailyEntry, p.transcript), p.transcript),
		Reason: proposal.Reason,
		Model:  p.answer.Model, PromptVersion: p.answer.PromptVersion, Fallback: p.in.Fallback, Usage: p.usage,
		Violations: p.dropped, Revoked: p.load.Revoked,
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
func (p *flushing) hold(ctx context.Context, reason memory.ReasonCode, violations []proposals.Violation) (FlushStepResult, error) {
	_, err := p.end(ctx, memory.OutcomeWaiting, reason, violations)
	return FlushStepResult{From: p.load.From, To: p.load.To, FallBack: reason, Usage: p.usage}, err
}

// nothing ends a step that has nothing to write; its messages are accounted for.
func (p *flushing) nothing(ctx context.Context, reason memory.ReasonCode, violations []proposals.Violation) (FlushStepResult, error) {
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
	ctx context.Context, outcome memory.Outcome, reason memory.ReasonCode, violations []proposals.Violation,
) (talk.FlushResult, error) {
	out, err := p.Store.EndFlushStep(ctx, p.id, p.in.Flush, talk.FlushEnd{
		From: p.load.From, To: p.load.To, Outcome: outcome, ReasonCode: reason, Violations: violations,
		Model: p.answer.Model, PromptVersion: p.answer.PromptVersion, Fallback: p.in.Fallback && p.answer.Model != "", Usage: p.usage,
	})
	return out, recordError(err, "flush")
}
