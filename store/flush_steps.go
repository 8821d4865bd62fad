package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const (
	sqlFlushDraftSave = `
update flushes set
    draft = @draft,
    outcome = 'running',
    reason_code = '',
    model = @model,
    prompt_version = @prompt_version,
    ` + usageAdded + `
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush and owner_key = @owner
    and workflow_id = @workflow and run_id = @run and done_seq = @from::bigint - 1 and @to::bigint between @from and to_seq
returning flush_id`

	sqlFlushDraftDrop = `
update flushes set draft = null
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush`

	sqlFlushRefused = `
update flushes set draft = null, violations = violations || @violations::jsonb
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush and owner_key = @owner
    and workflow_id = @workflow and run_id = @run and done_seq = @from::bigint - 1`

	sqlFlushWait = `
update flushes set
    outcome = 'waiting',
    reason_code = @reason_code,
    violations = violations || @violations::jsonb,
    ` + usageAdded + `
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush`
)

// ViolationOfFlush is the code of a violation that says that the scan refused a flush's entry when it was to be written.
const ViolationOfFlush = "scan"

// SaveFlushDraft keeps an entry for CommitFlush, in place of an earlier one. It returns *ConflictError with CodeSuperseded when
// another run has taken the flush over, or the step is done.
func (s *Store) SaveFlushDraft(ctx context.Context, id memory.Identity, flush uuid.UUID, d FlushDraft) error {
	if err := requireOwner(id); err != nil {
		return err
	}
	if err := d.validate(); err != nil {
		return err
	}
	d.Reason = storableReason(d.Reason)
	_, err := inTx(ctx, s, id, func(t *tx) (struct{}, error) {
		saved := false
		var kept uuid.UUID
		args, err := jsonArgs(t.args(pgx.NamedArgs{
			"flush": flush, "from": d.From, "to": d.To, "workflow": id.Author.WorkflowID, "run": id.Author.RunID,
		}), map[string]any{"draft": d})
		if err != nil {
			return struct{}{}, err
		}
		addUsageArgs(args, d.Model, d.PromptVersion, d.Usage)
		b := &pgx.Batch{}
		one(b.Queue(sqlFlushDraftSave, args), &saved, func(row pgx.CollectableRow) error { return row.Scan(&kept) })
		queueUsage(b, t, d.Model, d.Usage) // it was spent even if the draft comes too late
		if err := t.finish(ctx, b); err != nil {
			return struct{}{}, err
		}
		if !saved {
			return struct{}{}, flushSuperseded(flush)
		}
		return struct{}{}, nil
	})
	return err
}

func (d FlushDraft) validate() error {
	switch {
	case strings.TrimSpace(d.Entry) == "":
		return &InvalidError{Field: "entry", Problem: "a draft has one; end the step with the outcome nothing instead"}
	case d.Scope != memory.ScopePersonal && d.Scope != memory.ScopeTeam:
		return &InvalidError{Field: "scope", Problem: "use that of the load"}
	case d.Today.IsZero():
		return &InvalidError{Field: "today", Problem: "use that of the load"}
	}
	return validContent("entry", d.Entry)
}

// change is what the draft writes, in the note of its day as extractions begin it.
func (d FlushDraft) change(conversation string) memory.Change {
	return memory.Change{
		Ref: memory.Ref{Scope: d.Scope, Path: memory.DailyNotePath(d.Today)}, Op: memory.OpAppend,
		Content: d.Entry, Create: "# " + d.Today.Format("2006-01-02") + "\n", Reason: d.Reason,
		Sources: memory.Sources{Conversation: conversation, From: d.From, To: d.To, Lines: d.Lines},
	}
}

// CommitFlush appends the draft of a step to the note of its day and accounts for its messages, in one transaction; the last step
// acknowledges the flush. from is the step's first message. A step that is done already changes nothing. key is the idempotency
// key of the write; empty: one made of the flush and the step. It costs three round trips.
//
// It returns *QuarantineError when the scan refuses the entry: the draft is dropped, the verdict is in the journal, and the
// violations are kept for the step's record; the step is still to be done, by another engine or with EndFlushStep. It returns
// *ConflictError with CodeNoDraft, CodeSuperseded, CodeRangeMoved (the step does not begin behind those that are done), CodeNoteFull
// or CodeForgotten (end the step without the entry), or CodeKeyReused.
func (s *Store) CommitFlush(ctx context.Context, id memory.Identity, flush uuid.UUID, from int64, key string) (FlushResult, error) {
	result, err := s.settleFlush(ctx, id, flush, from, func(t *tx, o *openFlush) (FlushResult, error) { return o.commit(ctx, t, key) })
	if quarantine, ok := errors.AsType[*QuarantineError](err); ok {
		return FlushResult{}, s.flushRefused(ctx, id, flush, from, quarantine)
	}
	return result, s.refused(ctx, id, err)
}

// commit writes the draft.
func (o *openFlush) commit(ctx context.Context, t *tx, key string) (FlushResult, error) {
	d := o.draft
	switch {
	case d == nil || d.From != o.done+1:
		return FlushResult{}, &ConflictError{Code: CodeNoDraft, Message: fmt.Sprintf("flush %s has no draft for the step: propose one", o.id)}
	case o.cursor >= d.From: // an extraction has taken its messages
		b := &pgx.Batch{}
		b.Queue(sqlFlushDraftDrop, t.args(pgx.NamedArgs{"flush": o.id}))
		result, err := o.finish(ctx, t, b)
		result.Stale = err == nil
		return result, err
	}
	author := t.id.Author
	author.ID = cmp.Or(author.ID, d.Model)
	w, err := applyChanges(ctx, t, changeSet{
		author: author, key: cmp.Or(key, fmt.Sprintf("flush/%s/%d", o.id, d.From)), changes: []memory.Change{d.change(o.conversation)},
	})
	invalid, _ := errors.AsType[*InvalidError](err)
	switch {
	case invalid != nil && invalid.Field == "content": // the entry by itself was valid
		return FlushResult{}, &ConflictError{Code: CodeNoteFull, Message: fmt.Sprintf("the entry of flush %s has no room in the note", o.id)}
	case err != nil:
		return FlushResult{}, err
	case w.onlyForgotten():
		return FlushResult{}, &ConflictError{Code: CodeForgotten, Message: fmt.Sprintf("the entry of flush %s says nothing but what was forgotten", o.id)}
	}
	act := &pgx.Batch{}
	written := w.receipt.Changes[0]
	if err := o.queueStep(act, t, accounted{
		FlushStep: FlushStep{
			From: d.From, To: d.To, Outcome: memory.OutcomeWritten, Engine: d.Model, Fallback: d.Fallback,
			Scope: written.Scope, Path: written.Path, Version: written.Version,
		},
		document:      uuid.NullUUID{UUID: written.Document, Valid: true},
		entry:         w.text(0),
		promptVersion: d.PromptVersion,
	}); err != nil {
		return FlushResult{}, err
	}
	return o.finish(ctx, t, act)
}

// flushRefused drops a draft that the scan has refused, records why in a transaction of its own, because the one of the write was
// rolled back, and returns the refusal.
func (s *Store) flushRefused(ctx context.Context, id memory.Identity, flush uuid.UUID, from int64, refusal *QuarantineError) error {
	_, err := inTx(ctx, s, id, func(t *tx) (struct{}, error) {
		args, err := jsonArgs(t.args(pgx.NamedArgs{
			"flush": flush, "from": from, "workflow": id.Author.WorkflowID, "run": id.Author.RunID,
		}), map[string]any{"violations": []memory.Violation{{Code: ViolationOfFlush, Message: storable(refusal.Error())}}})
		if err != nil {
			return struct{}{}, err
		}
		b := &pgx.Batch{}
		b.Queue(sqlFlushRefused, args)
		if err := queueEvent(b, t, quarantineEvent(id, refusal)); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, t.finish(ctx, b)
	})
	if err != nil {
		return errors.Join(refusal, err)
	}
	return refusal
}

// EndFlushStep accounts for the messages of a step that has nothing to write, or sets the flush to wait. A step that is done
// already changes nothing. It returns *ConflictError with CodeSuperseded or CodeRangeMoved.
func (s *Store) EndFlushStep(ctx context.Context, id memory.Identity, flush uuid.UUID, e FlushEnd) (FlushResult, error) {
	if e.Outcome != memory.OutcomeNothing && e.Outcome != memory.OutcomeWaiting {
		return FlushResult{}, &InvalidError{Field: "outcome", Problem: "use nothing or waiting"}
	}
	return s.settleFlush(ctx, id, flush, e.From, func(t *tx, o *openFlush) (FlushResult, error) {
		b := &pgx.Batch{}
		queue := o.queueEnd
		if e.Outcome == memory.OutcomeWaiting {
			queue = o.queueWait
		}
		if err := queue(b, t, e); err != nil {
			return FlushResult{}, err
		}
		return o.finish(ctx, t, b)
	})
}

func (o *openFlush) queueEnd(b *pgx.Batch, t *tx, e FlushEnd) error {
	if e.To < e.From || e.To > o.to {
		return &InvalidError{Field: "to", Problem: fmt.Sprintf("the step begins with %d and the flush ends with %d", e.From, o.to)}
	}
	return o.queueStep(b, t, accounted{
		FlushStep: FlushStep{
			From: e.From, To: e.To, Outcome: memory.OutcomeNothing, ReasonCode: e.ReasonCode, Engine: e.Model, Fallback: e.Fallback,
			Violations: e.Violations,
		},
		promptVersion: e.PromptVersion, usage: e.Usage,
	})
}

func (o *openFlush) queueWait(b *pgx.Batch, t *tx, e FlushEnd) error {
	args, err := jsonArgs(t.args(pgx.NamedArgs{"flush": o.id, "reason_code": e.ReasonCode}),
		map[string]any{"violations": storableViolations(e.Violations)})
	if err != nil {
		return err
	}
	addUsageArgs(args, e.Model, e.PromptVersion, e.Usage)
	b.Queue(sqlFlushWait, args)
	queueUsage(b, t, cmp.Or(e.Model, t.id.Author.ID), e.Usage)
	return nil
}
