package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// flushRows reads a Flush without its steps, in the order of scanFlush.
const flushRows = `
select f.flush_id, f.conversation_id, f.conversation_uid, f.owner_key, (
        select o.owner_id
        from owners o
        where o.workspace_id = f.workspace_id and o.agent_id = f.agent_id and o.owner_key = f.owner_key),
    f.from_seq, f.to_seq, f.done_seq, f.outcome, f.reason_code, f.fallback, f.model,
    f.calls, f.input_tokens, f.output_tokens, f.cost_micros, f.workflow_id, f.run_id, f.opened_at, f.acknowledged_at
from flushes f
where f.workspace_id = @workspace and f.agent_id = @agent `

const (
	sqlFlush = flushRows + `and f.flush_id = @flush`

	sqlFlushOpen = flushRows + `and f.conversation_uid = @uid and f.owner_key = @owner and f.acknowledged_at is null`

	sqlFlushes = flushRows + `
    and f.conversation_uid = (
        select conversation_uid
        from conversations
        where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation)
    and f.flush_id < @before
order by f.flush_id desc
limit @limit`

	sqlFlushSteps = `
select from_seq, to_seq, outcome, reason_code, engine, fallback, scope, path, version, violations
from flush_steps
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush
order by from_seq`
)

func scanFlush(row pgx.CollectableRow) (f Flush, err error) {
	err = row.Scan(&f.ID, &f.Conversation, &f.ConversationUID, &f.Owner, &f.OwnerID,
		&f.From, &f.To, &f.Done, &f.Outcome, &f.ReasonCode, &f.Fallback, &f.Model,
		&f.Usage.Calls, &f.Usage.InputTokens, &f.Usage.OutputTokens, &f.Usage.CostMicros, &f.WorkflowID, &f.RunID,
		&f.OpenedAt, &f.AcknowledgedAt)
	return f, err
}

func scanFlushStep(row pgx.CollectableRow) (s FlushStep, err error) {
	err = row.Scan(&s.From, &s.To, &s.Outcome, &s.ReasonCode, &s.Engine, &s.Fallback, &s.Scope, &s.Path, &s.Version, &s.Violations)
	return s, err
}

// reading is a Flush on its way, with its steps.
type reading struct {
	flush Flush
	found bool
	steps []FlushStep
}

// queue queues reading the record.
func (r *reading) queue(b *pgx.Batch, t *tx, flush uuid.UUID) {
	args := t.args(pgx.NamedArgs{"flush": flush})
	one(b.Queue(sqlFlush, args), &r.found, func(row pgx.CollectableRow) (err error) { r.flush, err = scanFlush(row); return err })
	all(b.Queue(sqlFlushSteps, args), &r.steps, scanFlushStep)
}

// result is the record once the batch has run.
func (r *reading) result(flush uuid.UUID) (Flush, error) {
	if !r.found {
		return Flush{}, noFlush(flush)
	}
	r.flush.Steps = r.steps
	return r.flush, nil
}

func noFlush(flush uuid.UUID) error { return fmt.Errorf("flush %s: %w", flush, ErrNotFound) }

// Flush returns one record, with its steps.
func (s *Store) Flush(ctx context.Context, id memory.Identity, flush uuid.UUID) (Flush, error) {
	if err := requireAgent(id); err != nil {
		return Flush{}, err
	}
	return snapshot(ctx, s, id, func(t *tx) (Flush, error) {
		var r reading
		b := &pgx.Batch{}
		r.queue(b, t, flush)
		if err := t.finish(ctx, b); err != nil {
			return Flush{}, err
		}
		return r.result(flush)
	})
}

// Flushes lists those of a conversation, named by the client's id, newest first.
func (s *Store) Flushes(ctx context.Context, id memory.Identity, conversation string, p Page) (Listed[Flush], error) {
	if err := requireAgent(id); err != nil {
		return Listed[Flush]{}, err
	}
	from, err := parseCursor(p.Cursor)
	if err != nil {
		return Listed[Flush]{}, err
	}
	limit := limitOf(p.Limit)
	return read(ctx, s, id, func(t *tx) (Listed[Flush], error) {
		var found []Flush
		b := &pgx.Batch{}
		all(b.Queue(sqlFlushes, t.args(pgx.NamedArgs{
			"conversation": conversation, "before": from.id, "limit": limit + 1,
		})), &found, scanFlush)
		if err := t.finish(ctx, b); err != nil {
			return Listed[Flush]{}, err
		}
		return listed(found, limit, func(f Flush) cursor { return cursor{at: f.OpenedAt, id: f.ID} }), nil
	})
}
