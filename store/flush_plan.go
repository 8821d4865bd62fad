package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const (
	// Everybody who plans for a conversation queues up here.
	sqlFlushConversation = `
select flushed_seq, last_seq
from conversations
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
for no key update`

	sqlFlushInsert = `
insert into flushes (workspace_id, agent_id, flush_id, owner_key, conversation_id, conversation_uid,
    from_seq, to_seq, done_seq, outcome, opened_at)
select c.workspace_id, c.agent_id, @flush, c.owner_key, c.conversation_id, c.conversation_uid,
    c.flushed_seq + 1, @to, c.flushed_seq, 'running', @now
from conversations c
where c.workspace_id = @workspace and c.agent_id = @agent and c.conversation_uid = @uid and c.owner_key = @owner
    and c.flushed_seq < @to::bigint and @to <= c.last_seq
    and not exists (
        select from flushes f
        where f.workspace_id = @workspace and f.agent_id = @agent and f.conversation_uid = @uid and f.acknowledged_at is null)`

	// A draft is of use to the run that made it: another one may have other settings.
	sqlFlushBegin = `
update flushes set
    outcome = 'running',
    reason_code = '',
    draft = case when workflow_id = @workflow and run_id = @run then draft end,
    workflow_id = @workflow,
    run_id = @run
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush and owner_key = @owner and done_seq < to_seq`
)

// PlanFlush says what is to be flushed next so that everything up to a message is: the open flush of the conversation, whoever
// opened it and however far it goes, else a new one from behind the last to the message. It reports false when nothing is. It
// costs one round trip.
func (s *Store) PlanFlush(ctx context.Context, id memory.Identity, conversation uuid.UUID, to int64) (Flush, bool, error) {
	if err := requireOwner(id); err != nil {
		return Flush{}, false, err
	}
	if err := requireWrite(id); err != nil {
		return Flush{}, false, err
	}
	if to < 1 {
		return Flush{}, false, &InvalidError{Field: "to", Problem: "the first message is 1"}
	}
	needed := false
	f, err := inTx(ctx, s, id, func(t *tx) (f Flush, err error) {
		var known bool
		var flushed, last int64
		args := t.args(pgx.NamedArgs{"uid": conversation, "to": to, "flush": newID()})
		b := &pgx.Batch{}
		one(b.Queue(sqlFlushConversation, args), &known, func(row pgx.CollectableRow) error { return row.Scan(&flushed, &last) })
		b.Queue(sqlFlushInsert, args)
		one(b.Queue(sqlFlushOpen, args), &needed, func(row pgx.CollectableRow) (err error) { f, err = scanFlush(row); return err })
		if err := t.finish(ctx, b); err != nil {
			return Flush{}, err
		}
		switch {
		case !known:
			return Flush{}, fmt.Errorf("conversation %s: %w", conversation, ErrNotFound)
		case to > last:
			return Flush{}, &InvalidError{Field: "to", Problem: fmt.Sprintf("the conversation ends with message %d", last)}
		case flushed >= to:
			needed = false // an open flush goes further
			return Flush{}, nil
		}
		return f, nil
	})
	return f, needed && err == nil, err
}

// BeginFlush makes the identity's workflow and run those of an open flush; a draft of another run is dropped. An acknowledged
// one is returned as it is.
func (s *Store) BeginFlush(ctx context.Context, id memory.Identity, flush uuid.UUID) (Flush, error) {
	if err := requireOwner(id); err != nil {
		return Flush{}, err
	}
	if err := requireWrite(id); err != nil {
		return Flush{}, err
	}
	return inTx(ctx, s, id, func(t *tx) (Flush, error) {
		var r reading
		b := &pgx.Batch{}
		b.Queue(sqlFlushBegin, t.args(pgx.NamedArgs{"flush": flush, "workflow": id.Author.WorkflowID, "run": id.Author.RunID}))
		r.queue(b, t, flush)
		if err := t.finish(ctx, b); err != nil {
			return Flush{}, err
		}
		return r.result(flush)
	})
}
