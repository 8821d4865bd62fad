package store

import (
	"cmp"
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const (
	sqlFlushConversationLock = `
select c.cursor_seq
from conversations c
where c.workspace_id = @workspace and c.agent_id = @agent and c.owner_key = @owner
    and c.conversation_uid = (
        select f.conversation_uid
        from flushes f
        where f.workspace_id = @workspace and f.agent_id = @agent and f.flush_id = @flush)
for no key update of c`

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
    ` + usageAdded + `,
    acknowledged_at = case when @to = to_seq then @now::timestamptz end
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush`

	sqlConversationFlushed = `
update conversations set flushed_seq = @to
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner`
)

// openFlush is an open flush while its conversation and it are locked, in this order, as extractions lock theirs. Documents are
// locked after them.
type openFlush struct {
	id             uuid.UUID
	found, locked  bool
	conversation   string
	uid            uuid.UUID
	from, to, done int64
	fallback       bool
	workflow, run  string
	draft          *FlushDraft
	violations     []memory.Violation // of what was refused for the next step
	written        bool               // some step was
	cursor         int64              // of extraction
}

// settleFlush locks a conversation and a flush of it and calls fn to account for the step that begins with a message. A step that
// is done already leaves everything as it is.
func (s *Store) settleFlush(ctx context.Context, id memory.Identity, flush uuid.UUID, from int64, fn func(*tx, *openFlush) (FlushResult, error)) (FlushResult, error) {
	if err := requireOwner(id); err != nil {
		return FlushResult{}, err
	}
	if err := requireWrite(id); err != nil {
		return FlushResult{}, err
	}
	return inTx(ctx, s, id, func(t *tx) (FlushResult, error) {
		o := &openFlush{id: flush}
		b := &pgx.Batch{}
		o.queueLock(b, t)
		if err := t.send(ctx, b); err != nil {
			return FlushResult{}, err
		}
		switch {
		case !o.found:
			return FlushResult{}, noFlush(flush)
		case from < o.from:
			return FlushResult{}, &InvalidError{Field: "from", Problem: fmt.Sprintf("the flush begins with message %d", o.from)}
		case from <= o.done:
			return o.finish(ctx, t, &pgx.Batch{})
		case o.workflow != id.Author.WorkflowID || o.run != id.Author.RunID:
			return FlushResult{}, flushSuperseded(flush)
		case from != o.done+1:
			return FlushResult{}, &ConflictError{
				Code:    CodeRangeMoved,
				Message: fmt.Sprintf("the next step of flush %s begins with message %d, not %d", flush, o.done+1, from),
			}
		}
		return fn(t, o)
	})
}

func flushSuperseded(flush uuid.UUID) error {
	return &ConflictError{
		Code:    CodeSuperseded,
		Message: fmt.Sprintf("the step of flush %s is done or another run has taken the flush over", flush),
	}
}

func (o *openFlush) queueLock(b *pgx.Batch, t *tx) {
	args := t.args(pgx.NamedArgs{"flush": o.id})
	one(b.Queue(sqlFlushConversationLock, args), &o.locked, func(row pgx.CollectableRow) error { return row.Scan(&o.cursor) })
	one(b.Queue(sqlFlushLock, args), &o.found, func(row pgx.CollectableRow) error {
		return row.Scan(&o.conversation, &o.uid, &o.from, &o.to, &o.done, &o.fallback, &o.workflow, &o.run,
			&o.draft, &o.violations, &o.written)
	})
}

// accounted is a step that is done, and what it cost beyond what is recorded.
type accounted struct {
	FlushStep
	document      uuid.NullUUID
	entry         string // as it was appended
	promptVersion string
	usage         memory.Usage
}

// queueStep queues the step's record and what it means for the flush and the conversation. The last one acknowledges the flush.
func (o *openFlush) queueStep(b *pgx.Batch, t *tx, s accounted) error {
	outcome, reason := memory.OutcomeRunning, memory.ReasonCode("")
	if s.To == o.to {
		switch {
		case o.written || s.Outcome == memory.OutcomeWritten:
			outcome = memory.OutcomeWritten
		default:
			outcome, reason = memory.OutcomeNothing, s.ReasonCode
		}
	}
	args, err := jsonArgs(t.args(pgx.NamedArgs{
		"flush": o.id, "uid": o.uid, "from": s.From, "to": s.To, "outcome": s.Outcome, "reason_code": s.ReasonCode,
		"fallback": s.Fallback, "document": s.document, "scope": s.Scope, "path": s.Path, "version": s.Version, "entry": s.entry,
		"flush_outcome": outcome, "flush_reason": reason,
	}), map[string]any{"violations": storableViolations(append(o.violations, s.Violations...))})
	if err != nil {
		return err
	}
	addUsageArgs(args, s.Engine, s.promptVersion, s.usage)
	b.Queue(sqlFlushStepInsert, args)
	b.Queue(sqlFlushAdvance, args)
	b.Queue(sqlConversationFlushed, args)
	if s.To == o.to {
		if err := queueEvent(b, t, o.acknowledged(t.id, outcome, s.Fallback)); err != nil {
			return err
		}
	}
	queueUsage(b, t, cmp.Or(s.Engine, t.id.Author.ID), s.usage)
	return nil
}

// acknowledged is the event of a flush whose last step is done. It is the owner's, and of owner system the agent's.
func (o *openFlush) acknowledged(id memory.Identity, outcome memory.Outcome, fallback bool) event {
	scope := memory.ScopePersonal
	if id.Owner == memory.SystemOwner {
		scope = memory.ScopeTeam
	}
	return event{
		kind: EventFlushAcknowledged, agent: id.Agent, scope: scope, owner: rowOwner(id, scope),
		detail: struct {
			Flush        uuid.UUID      `json:"flush"`
			Conversation string         `json:"conversation"`
			From         int64          `json:"from"`
			To           int64          `json:"to"`
			Outcome      memory.Outcome `json:"outcome"`
			Fallback     bool           `json:"fallback,omitempty"`
		}{o.id, o.conversation, o.from, o.to, outcome, o.fallback || fallback},
	}
}

// finish commits, and reads the record as it is then.
func (o *openFlush) finish(ctx context.Context, t *tx, b *pgx.Batch) (FlushResult, error) {
	var r reading
	r.queue(b, t, o.id)
	if err := t.finish(ctx, b); err != nil {
		return FlushResult{}, err
	}
	f, err := r.result(o.id)
	return FlushResult{Flush: f}, err
}
