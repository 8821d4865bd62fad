package talk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/store/gate"
	"reverie/store/pg"
)

const (
	sqlFlushDraftSave = `
update flushes set
    draft = @draft,
    outcome = 'running',
    reason_code = '',
    model = @model,
    prompt_version = @prompt_version,
    ` + UsageAdded + `
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush and owner_key = @owner
    and workflow_id = @workflow and run_id = @run and done_seq = @from::bigint - 1 and @to::bigint between @from and to_seq
returning flush_id`

	sqlFlushDraftDrop = `
update flushes set draft = null
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush`

	// Messages of the draft whose source was revoked.
	sqlFlushRevoked = `
select count(m.seq)
from flushes f
cross join lateral (
    select seq
    from messages m
    where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = f.conversation_uid and m.owner_key = @owner
        and m.seq between (f.draft ->> 'From')::bigint and (f.draft ->> 'To')::bigint and m.revoked_at is not null
    offset 0
) m
where f.workspace_id = @workspace and f.agent_id = @agent and f.flush_id = @flush and f.owner_key = @owner and f.draft is not null`

	sqlFlushRefused = `
update flushes set draft = null, violations = violations || @violations::jsonb
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush and owner_key = @owner
    and workflow_id = @workflow and run_id = @run and done_seq = @from::bigint - 1`

	sqlFlushWait = `
update flushes set
    outcome = 'waiting',
    reason_code = @reason_code,
    violations = violations || @violations::jsonb,
    ` + UsageAdded + `
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush`
)

// ViolationOfFlush is the code of the violation that is recorded when the scan refuses a flush's entry.
const ViolationOfFlush = "scan"

// SaveFlushDraft stores an entry for CommitFlush and replaces an earlier one. It returns *ConflictError with CodeSuperseded when
// the step is done or another run has taken the flush over.
func (s *Talk) SaveFlushDraft(ctx context.Context, id memory.Identity, flush uuid.UUID, d FlushDraft) error {
	if err := pg.RequireOwner(id); err != nil {
		return err
	}
	if err := d.validate(); err != nil {
		return err
	}
	d.Reason = gate.StorableReason(d.Reason)
	if len(d.Violations) > 0 {
		d.Violations = pg.StorableViolations(d.Violations)
	}
	args, err := pg.JSONArgs(pgx.NamedArgs{
		"flush": flush, "from": d.From, "to": d.To, "workflow": id.Author.WorkflowID, "run": id.Author.RunID,
	}, map[string]any{"draft": d})
	if err != nil {
		return err
	}
	AddUsageArgs(args, d.Model, d.PromptVersion, d.Usage)
	return s.saveDraft(ctx, id, sqlFlushDraftSave, args, spent{d.Model, d.Usage}, flushSuperseded(flush))
}

func (d FlushDraft) validate() error {
	switch {
	case strings.TrimSpace(d.Entry) == "":
		return &pg.InvalidError{Field: "entry", Problem: "a draft has one; end the step with the outcome nothing instead"}
	case d.Scope != memory.ScopePersonal && d.Scope != memory.ScopeTeam:
		return &pg.InvalidError{Field: "scope", Problem: "use the one from the load"}
	case d.Today.IsZero():
		return &pg.InvalidError{Field: "today", Problem: "use the one from the load"}
	}
	return gate.ValidContent("entry", d.Entry)
}

// change returns the change of the day's note; extractions create it in the same way.
func (d FlushDraft) change(conversation string) memory.Change {
	return memory.Change{
		Ref: memory.Ref{Scope: d.Scope, Path: memory.DailyNotePath(d.Today)}, Op: memory.OpAppend,
		Content: d.Entry, Create: "# " + d.Today.Format("2006-01-02") + "\n", Reason: d.Reason,
		Sources: memory.Sources{Conversation: conversation, From: d.From, To: d.To, Lines: d.Lines},
		Once:    true,
	}
}

// CommitFlush appends the draft of a step to the note of its day and accounts for its messages, in one transaction; the last step
// acknowledges the flush. from is the step's first message. A step that is done changes nothing: the idempotency key of the write
// is made of the flush and the step. It costs three round trips.
//
// It returns *QuarantineError when the scan refuses the entry: the draft is dropped, the verdict is in the journal, and the
// violations are kept for the step's record; the step remains to be done, by another engine or with EndFlushStep. It returns
// *ConflictError with CodeNoDraft, CodeSuperseded, CodeRangeMoved (the step is not the next one), CodeNoteFull, CodeForgotten or
// CodeKnown (end the step without the entry), or CodeKeyReused.
func (s *Talk) CommitFlush(ctx context.Context, id memory.Identity, flush uuid.UUID, from int64) (FlushResult, error) {
	open := func() *openFlush { return &openFlush{id: flush, start: from} }
	result, err := settle(ctx, s.db, id, open, func(t *pg.Tx, o *openFlush) (FlushResult, error) { return o.commit(ctx, t) })
	if quarantine, ok := errors.AsType[*pg.QuarantineError](err); ok {
		return FlushResult{}, s.flushRefused(ctx, id, flush, from, quarantine)
	}
	return result, gate.Refused(ctx, s.db, id, err)
}

// commit writes the draft.
func (o *openFlush) commit(ctx context.Context, t *pg.Tx) (FlushResult, error) {
	d := o.draft
	switch {
	case d == nil || d.From != o.done+1:
		return FlushResult{}, &pg.ConflictError{
			Code: pg.CodeNoDraft, Message: fmt.Sprintf("flush %s has no draft for the step: propose one", o.id),
		}
	case o.cursor >= d.From, o.revoked != d.Revoked: // an extraction has taken its messages, or their source was revoked
		b := &pgx.Batch{}
		b.Queue(sqlFlushDraftDrop, t.Args(pgx.NamedArgs{"flush": o.id}))
		result, err := o.finish(ctx, t, b)
		result.Stale = err == nil
		return result, err
	}
	author := t.ID.Author
	author.ID = cmp.Or(author.ID, d.Model)
	w, err := gate.ApplyChanges(ctx, t, gate.ChangeSet{
		Author: author, Key: fmt.Sprintf("flush/%s/%d", o.id, d.From), Changes: []memory.Change{d.change(o.conversation)},
	})
	invalid, _ := errors.AsType[*pg.InvalidError](err)
	switch {
	case invalid != nil && invalid.Field == "content": // the entry alone was valid
		return FlushResult{}, &pg.ConflictError{
			Code: pg.CodeNoteFull, Message: fmt.Sprintf("the entry of flush %s does not fit into the note", o.id),
		}
	case err != nil:
		return FlushResult{}, err
	case w.OnlyForgotten():
		return FlushResult{}, &pg.ConflictError{
			Code: pg.CodeForgotten, Message: fmt.Sprintf("the entry of flush %s contains only forgotten statements", o.id),
		}
	case w.Text(0) == "":
		return FlushResult{}, &pg.ConflictError{
			Code: pg.CodeKnown, Message: fmt.Sprintf("the note has everything that the entry of flush %s says", o.id),
		}
	}
	act := &pgx.Batch{}
	written := w.Receipt.Changes[0]
	step := accounted{
		FlushStep: FlushStep{
			From: d.From, To: d.To, Outcome: memory.OutcomeWritten, Engine: d.Model, Fallback: d.Fallback,
			Scope: written.Scope, Path: written.Path, Version: written.Version, Violations: d.Violations,
		},
		document:      uuid.NullUUID{UUID: written.Document, Valid: true},
		entry:         w.Text(0),
		promptVersion: d.PromptVersion,
	}
	if written.Waiting > 0 { // the entry is in no note yet
		step = accounted{
			FlushStep: FlushStep{
				From: d.From, To: d.To, Outcome: memory.OutcomeNothing, ReasonCode: memory.ReasonApproval, Engine: d.Model,
				Fallback: d.Fallback, Violations: d.Violations,
			},
			promptVersion: d.PromptVersion,
		}
	}
	if err := o.queueStep(act, t, step); err != nil {
		return FlushResult{}, err
	}
	return o.finish(ctx, t, act)
}

// flushRefused drops a draft that the scan has refused and records the reason in a separate transaction, since the one of the write
// was rolled back. It returns the refusal.
func (s *Talk) flushRefused(ctx context.Context, id memory.Identity, flush uuid.UUID, from int64, refusal *pg.QuarantineError) error {
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (struct{}, error) {
		args, err := pg.JSONArgs(t.Args(pgx.NamedArgs{
			"flush": flush, "from": from, "workflow": id.Author.WorkflowID, "run": id.Author.RunID,
		}), map[string]any{"violations": []proposals.Violation{{Code: ViolationOfFlush, Message: pg.Storable(refusal.Error())}}})
		if err != nil {
			return struct{}{}, err
		}
		b := &pgx.Batch{}
		b.Queue(sqlFlushRefused, args)
		if err := gate.QueueEvent(b, t, gate.QuarantineEvent(id, refusal)); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, t.Finish(ctx, b)
	})
	if err != nil {
		return errors.Join(refusal, err)
	}
	return refusal
}

// EndFlushStep accounts for the messages of a step that has nothing to write, or sets the flush to wait. A step that is done
// changes nothing. It returns *ConflictError with CodeSuperseded or CodeRangeMoved.
func (s *Talk) EndFlushStep(ctx context.Context, id memory.Identity, flush uuid.UUID, e FlushEnd) (FlushResult, error) {
	if e.Outcome != memory.OutcomeNothing && e.Outcome != memory.OutcomeWaiting {
		return FlushResult{}, &pg.InvalidError{Field: "outcome", Problem: "use nothing or waiting"}
	}
	open := func() *openFlush { return &openFlush{id: flush, start: e.From} }
	return settle(ctx, s.db, id, open, func(t *pg.Tx, o *openFlush) (FlushResult, error) {
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

func (o *openFlush) queueEnd(b *pgx.Batch, t *pg.Tx, e FlushEnd) error {
	if e.To < e.From || e.To > o.to {
		return &pg.InvalidError{Field: "to", Problem: fmt.Sprintf("the step begins with %d and the flush ends with %d", e.From, o.to)}
	}
	return o.queueStep(b, t, accounted{
		FlushStep: FlushStep{
			From: e.From, To: e.To, Outcome: memory.OutcomeNothing, ReasonCode: e.ReasonCode, Engine: e.Model, Fallback: e.Fallback,
			Violations: e.Violations,
		},
		promptVersion: e.PromptVersion, usage: e.Usage,
	})
}

func (o *openFlush) queueWait(b *pgx.Batch, t *pg.Tx, e FlushEnd) error {
	args, err := pg.JSONArgs(t.Args(pgx.NamedArgs{"flush": o.id, "reason_code": e.ReasonCode}),
		map[string]any{"violations": pg.StorableViolations(e.Violations)})
	if err != nil {
		return err
	}
	AddUsageArgs(args, e.Model, e.PromptVersion, e.Usage)
	b.Queue(sqlFlushWait, args)
	QueueUsage(b, t, cmp.Or(e.Model, t.ID.Author.ID), e.Usage)
	return nil
}

var sqlFlushConversationLock = conversationLock("c.cursor_seq", "flushes", "flush")

const (
	sqlFlushLock = `
select f.conversation_id, f.conversation_uid, f.from_seq, f.to_seq, f.done_seq, f.fallback, f.workflow_id, f.run_id,
    f.draft, f.violations, exists (
        select from flush_steps s
        where s.workspace_id = @workspace and s.agent_id = @agent and s.flush_id = @flush and s.outcome = 'written')
from flushes f
where f.workspace_id = @workspace and f.agent_id = @agent and f.flush_id = @flush and f.owner_key = @owner
for no key update of f`

	sqlFlushStepInsert = `
insert into flush_steps (workspace_id, agent_id, flush_id, owner_key, conversation_uid, from_seq, to_seq, outcome, reason_code,
    engine, prompt_version, fallback, violations, document_id, scope, path, version, entry, at)
values (@workspace, @agent, @flush, @owner, @uid, @from, @to, @outcome, @reason_code,
    @model, @prompt_version, @fallback, @violations, @document, @scope, @path, @version, @entry, @now)`

	sqlFlushAdvance = `
update flushes set
    done_seq = @to,
    outcome = @flush_outcome,
    reason_code = @flush_reason,
    fallback = fallback or @fallback,
    draft = null,
    violations = '[]',
    model = case when @model = '' then model else @model end,
    prompt_version = case when @model = '' then prompt_version else @prompt_version end,
    ` + UsageAdded + `,
    acknowledged_at = case when @to = to_seq then @now::timestamptz end
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush`

	sqlConversationFlushed = `
update conversations set flushed_seq = @to
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner`
)

// openFlush is an open flush while its conversation and it are locked, in this order, as for extractions. Documents are locked
// after them.
type openFlush struct {
	id             uuid.UUID
	start          int64 // first message of the step
	found, locked  bool
	conversation   string
	uid            uuid.UUID
	from, to, done int64
	fallback       bool
	workflow, run  string
	draft          *FlushDraft
	violations     []proposals.Violation // of refused attempts of the next step
	written        bool                  // some step was
	cursor         int64                 // of extraction
	revoked        int                   // messages of the draft whose source was revoked
}

func (o *openFlush) check(id memory.Identity) (done bool, err error) {
	switch {
	case !o.found:
		return false, noFlush(o.id)
	case o.start < o.from:
		return false, &pg.InvalidError{Field: "from", Problem: fmt.Sprintf("the flush begins with message %d", o.from)}
	case o.start <= o.done:
		return true, nil
	case o.workflow != id.Author.WorkflowID || o.run != id.Author.RunID:
		return false, flushSuperseded(o.id)
	case o.start != o.done+1:
		return false, &pg.ConflictError{
			Code:    pg.CodeRangeMoved,
			Message: fmt.Sprintf("the next step of flush %s begins with message %d, not %d", o.id, o.done+1, o.start),
		}
	}
	return false, nil
}

func flushSuperseded(flush uuid.UUID) error {
	return &pg.ConflictError{
		Code:    pg.CodeSuperseded,
		Message: fmt.Sprintf("the step of flush %s is done or another run has taken the flush over", flush),
	}
}

func (o *openFlush) queueLock(b *pgx.Batch, t *pg.Tx) {
	args := t.Args(pgx.NamedArgs{"flush": o.id})
	pg.Columns(b.Queue(sqlFlushConversationLock, args), &o.locked, &o.cursor)
	pg.Columns(b.Queue(sqlFlushLock, args), &o.found,
		&o.conversation, &o.uid, &o.from, &o.to, &o.done, &o.fallback, &o.workflow, &o.run,
		&o.draft, &o.violations, &o.written,
	)
	b.Queue(sqlFlushRevoked, args).QueryRow(func(row pgx.Row) error { return row.Scan(&o.revoked) })
}

// accounted is a step that is done, with the details that its record needs.
type accounted struct {
	FlushStep
	document      uuid.NullUUID
	entry         string // as it was appended
	promptVersion string
	usage         memory.Usage
}

// queueStep queues the step's record and its effect on the flush and the conversation. The last step acknowledges the flush.
func (o *openFlush) queueStep(b *pgx.Batch, t *pg.Tx, s accounted) error {
	outcome, reason := memory.OutcomeRunning, memory.ReasonCode("")
	if s.To == o.to {
		switch {
		case o.written || s.Outcome == memory.OutcomeWritten:
			outcome = memory.OutcomeWritten
		default:
			outcome, reason = memory.OutcomeNothing, s.ReasonCode
		}
	}
	args, err := pg.JSONArgs(t.Args(pgx.NamedArgs{
		"flush": o.id, "uid": o.uid, "from": s.From, "to": s.To, "outcome": s.Outcome, "reason_code": s.ReasonCode,
		"fallback": s.Fallback, "document": s.document, "scope": s.Scope, "path": s.Path, "version": s.Version, "entry": s.entry,
		"flush_outcome": outcome, "flush_reason": reason,
	}), map[string]any{"violations": pg.StorableViolations(append(o.violations, s.Violations...))})
	if err != nil {
		return err
	}
	AddUsageArgs(args, s.Engine, s.promptVersion, s.usage)
	b.Queue(sqlFlushStepInsert, args)
	b.Queue(sqlFlushAdvance, args)
	b.Queue(sqlConversationFlushed, args)
	if s.To == o.to {
		if err := gate.QueueEvent(b, t, o.acknowledged(t.ID, outcome, s.Fallback)); err != nil {
			return err
		}
	}
	QueueUsage(b, t, cmp.Or(s.Engine, t.ID.Author.ID), s.usage)
	return nil
}

// acknowledged is the event of a flush whose last step is done. It belongs to the owner; for owner system, to the agent.
func (o *openFlush) acknowledged(id memory.Identity, outcome memory.Outcome, fallback bool) gate.JournalEvent {
	scope := memory.ScopePersonal
	if id.Owner == memory.SystemOwner {
		scope = memory.ScopeTeam
	}
	return gate.JournalEvent{
		Kind: gate.EventFlushAcknowledged, Agent: id.Agent, Scope: scope, Owner: gate.RowOwner(id, scope),
		Detail: struct {
			Flush        uuid.UUID      `json:"flush"`
			Conversation string         `json:"conversation"`
			From         int64          `json:"from"`
			To           int64          `json:"to"`
			Outcome      memory.Outcome `json:"outcome"`
			Fallback     bool           `json:"fallback,omitempty"`
		}{o.id, o.conversation, o.from, o.to, outcome, o.fallback || fallback},
	}
}

// finish commits and returns the record as stored.
func (o *openFlush) finish(ctx context.Context, t *pg.Tx, b *pgx.Batch) (FlushResult, error) {
	var r reading
	r.queue(b, t, o.id)
	if err := t.Finish(ctx, b); err != nil {
		return FlushResult{}, err
	}
	f, err := r.result(o.id)
	return FlushResult{Flush: f}, err
}
