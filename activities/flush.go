package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/store"
)

// Flusher proposes an entry for today's note from messages that leave a context window: a model with its prompt, or the built-in
// engine. memory.ParseFlush parses its answer.
type Flusher interface {
	Flush(ctx context.Context, in memory.ExtractionInput) (memory.Answer, error)
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
func flushed(record store.Flush) FlushStepResult {
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
	out, err := a.Store.CommitFlush(ctx, id, in.Flush, in.From, idempotencyKey(ctx))
	conflict, isConflict := errors.AsType[*store.ConflictError](err)
	_, isRefused := errors.AsType[*store.QuarantineError](err)
	switch {
	case isConflict && (conflict.Code == store.CodeNoDraft || conflict.Code == store.CodeRangeMoved):
		return CommitFlushResult{Stale: true}, nil
	case isRefused && !in.Rules:
		return CommitFlushResult{FallBack: ReasonScan}, nil
	case isRefused:
		out, err = a.Store.EndFlushStep(ctx, id, in.Flush, store.FlushEnd{
			From: in.From, To: in.To, Outcome: memory.OutcomeNothing, ReasonCode: ReasonScan,
		})
	case isConflict && conflict.Code == store.CodeNoteFull: // the window must not wait for a new day; an extraction follows
		out, err = a.Store.EndFlushStep(ctx, id, in.Flush, store.FlushEnd{
			From: in.From, To: in.To, Outcome: memory.OutcomeNothing, ReasonCode: ReasonNoteFull,
		})
	case refusedByGate(err) != "":
		out, err = a.Store.EndFlushStep(ctx, id, in.Flush, store.FlushEnd{
			From: in.From, To: in.To, Outcome: memory.OutcomeNothing, ReasonCode: refusedByGate(err),
		})
	case isConflict && conflict.Code == store.CodeForgotten:
		out, err = a.Store.EndFlushStep(ctx, id, in.Flush, store.FlushEnd{
			From: in.From, To: in.To, Outcome: memory.OutcomeNothing, ReasonCode: ReasonForgotten,
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

// HoldFlush records why an open flush is paused. It resumes with the next request for it.
func (a *Activities) HoldFlush(ctx context.Context, in HoldFlushInput) (HoldFlushResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return HoldFlushResult{}, err
	}
	record, err := a.Store.BeginFlush(ctx, id, in.Flush)
	if err == nil && !record.Acknowledged() {
		var out store.FlushResult
		out, err = a.Store.EndFlushStep(ctx, id, in.Flush, store.FlushEnd{
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

	Settings memory.FlushSettings `json:"settings"`
	Fallback bool                 `json:"fallback,omitempty"` // by rules instead of the model
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
	Stale        bool              `json:"stale,omitempty"`    // the draft or its basis is gone: propose again
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
