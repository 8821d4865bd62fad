package talk

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	statements "reverie/facts"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/store/gate"
	"reverie/store/pg"
)

// Flush is the record of saving one range of messages before a compaction drops it. The ranges of a conversation are consecutive
// and never overlap: each message is flushed once.
type Flush struct {
	ID              uuid.UUID
	Conversation    string // the client's id
	ConversationUID uuid.UUID
	Owner           memory.Owner
	OwnerID         uuid.UUID
	From, To        int64
	Done            int64          // last message that is accounted for; From-1 at first
	Outcome         memory.Outcome // running or waiting; written or nothing once it is acknowledged
	ReasonCode      memory.ReasonCode
	Fallback        bool        // rules flushed (a part of) it because the model did not in time
	Steps           []FlushStep // oldest first; none in lists
	Model           string      // the last one used
	Usage           memory.Usage
	WorkflowID      string
	RunID           string
	OpenedAt        time.Time
	AcknowledgedAt  *time.Time
}

// Acknowledged reports whether everything in the range is saved: it may be dropped from a context window.
func (f Flush) Acknowledged() bool { return f.AcknowledgedAt != nil }

// FlushStep is a part of a flush that was accounted for in one transaction.
type FlushStep struct {
	From, To   int64
	Outcome    memory.Outcome    // written or nothing
	ReasonCode memory.ReasonCode // of nothing: why. "extracted": an extraction had taken the messages before.
	Engine     string            // "provider/model" or "builtin/extractive"; empty when none was asked
	Fallback   bool
	Scope      memory.Scope // of the note that it was written to
	Path       string
	Version    int
	Violations []proposals.Violation // of attempts that were refused before the step ended
}

// FlushLoad is the input of the next step of a flush.
type FlushLoad struct {
	Flush        Flush
	Agent        gate.Agent
	Conversation Conversation
	Today        time.Time // of the last message of the step, in the agent's time zone; never after now
	Scope        memory.Scope
	From, To     int64 // of this step
	// Extracted reports whether an extraction has taken the messages of this step, so that nothing is left to do for it.
	Extracted             bool
	Messages, Before      []memory.Message // as those of ExtractionLoad
	Revoked               int              // of them, those whose source was revoked
	Profile, Memory, Note memory.Document
	Shared                string
	Disagreements         statements.Disagreements // as ExtractionLoad.Disagreements
	// Draft is the entry that the same run saved for this step before it was interrupted.
	Draft *FlushDraft
}

// FlushDraft is the entry that a step appends to today's note.
type FlushDraft struct {
	From, To      int64
	Scope         memory.Scope // of the note: FlushLoad.Scope
	Today         time.Time    // whose note it is: FlushLoad.Today
	Entry         string
	Lines         []memory.LineSource // from which messages the lines of the entry come
	Reason        string              // the engine's, in words
	Model         string
	PromptVersion string
	Fallback      bool
	Usage         memory.Usage          // of this attempt
	Violations    []proposals.Violation // lines that were dropped from the entry
	Revoked       int                   `json:"Revoked,omitempty"` // FlushLoad.Revoked: the draft is stale when others were revoked since
}

// FlushEnd records how a step ends without an entry, or why the flush waits.
type FlushEnd struct {
	From, To      int64
	Outcome       memory.Outcome // nothing or waiting
	ReasonCode    memory.ReasonCode
	Model         string
	PromptVersion string
	Fallback      bool
	Violations    []proposals.Violation // of an answer that was refused; of waiting: kept until the step ends
	Usage         memory.Usage
}

// FlushResult is the state of a flush after a step.
type FlushResult struct {
	Flush Flush
	// Stale reports whether an extraction has taken messages of the step since then. Nothing was written; load the step again.
	Stale bool
}

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
        where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation and owner_key = @owner)
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

func scanFlushStep(row pgx.CollectableRow) (FlushStep, error) {
	return pgx.RowToStructByPos[FlushStep](row)
}

// reading reads a Flush with its steps.
type reading struct {
	flush Flush
	found bool
	steps []FlushStep
}

// queue queues reading the record.
func (r *reading) queue(b *pgx.Batch, t *pg.Tx, flush uuid.UUID) {
	args := t.Args(pgx.NamedArgs{"flush": flush})
	pg.One(b.Queue(sqlFlush, args), &r.found, &r.flush, scanFlush)
	pg.All(b.Queue(sqlFlushSteps, args), &r.steps, scanFlushStep)
}

// result returns the record after the batch was sent.
func (r *reading) result(flush uuid.UUID) (Flush, error) {
	if !r.found {
		return Flush{}, noFlush(flush)
	}
	r.flush.Steps = r.steps
	return r.flush, nil
}

func noFlush(flush uuid.UUID) error { return fmt.Errorf("flush %s: %w", flush, pg.ErrNotFound) }

// Flush returns one record, with its steps.
func (s *Talk) Flush(ctx context.Context, id memory.Identity, flush uuid.UUID) (Flush, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Flush{}, err
	}
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (Flush, error) {
		var r reading
		b := &pgx.Batch{}
		r.queue(b, t, flush)
		if err := t.Finish(ctx, b); err != nil {
			return Flush{}, err
		}
		return r.result(flush)
	})
}

// Flushes lists the flushes of a conversation, named by the client's id, newest first.
func (s *Talk) Flushes(ctx context.Context, id memory.Identity, conversation string, p pg.Page) (pg.Listed[Flush], error) {
	return pg.ReadPage(ctx, s.db, id, p, func(t *pg.Tx, from pg.Cursor) (string, pgx.NamedArgs) {
		return sqlFlushes, pgx.NamedArgs{"conversation": conversation, "before": from.ID}
	}, scanFlush, func(f Flush) pg.Cursor { return pg.Cursor{At: f.OpenedAt, ID: f.ID} })
}

const (
	// Planners of one conversation wait here.
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

	// Drops the draft of another run, which may have had other settings.
	sqlFlushBegin = `
update flushes set
    outcome = 'running',
    reason_code = '',
    draft = case when workflow_id = @workflow and run_id = @run then draft end,
    workflow_id = @workflow,
    run_id = @run
where workspace_id = @workspace and agent_id = @agent and flush_id = @flush and owner_key = @owner and done_seq < to_seq`
)

// PlanFlush returns the flush needed next to flush everything up to a message: the open flush of the conversation if there is one,
// whatever its end, otherwise a new one from the last flushed message to the given one. It reports false when none is needed. It
// costs one round trip.
func (s *Talk) PlanFlush(ctx context.Context, id memory.Identity, conversation uuid.UUID, to int64) (Flush, bool, error) {
	if err := pg.RequireOwnerWrite(id); err != nil {
		return Flush{}, false, err
	}
	if to < 1 {
		return Flush{}, false, &pg.InvalidError{Field: "to", Problem: "the first message is 1"}
	}
	needed := false
	f, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (f Flush, err error) {
		var known bool
		var flushed, last int64
		args := t.Args(pgx.NamedArgs{"uid": conversation, "to": to, "flush": pg.NewID()})
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlFlushConversation, args), &known, &flushed, &last)
		b.Queue(sqlFlushInsert, args)
		pg.One(b.Queue(sqlFlushOpen, args), &needed, &f, scanFlush)
		if err := t.Finish(ctx, b); err != nil {
			return Flush{}, err
		}
		switch {
		case !known:
			return Flush{}, fmt.Errorf("conversation %s: %w", conversation, pg.ErrNotFound)
		case to > last:
			return Flush{}, &pg.InvalidError{Field: "to", Problem: fmt.Sprintf("the conversation ends with message %d", last)}
		case flushed >= to:
			needed = false // an open flush covers more
			return Flush{}, nil
		}
		return f, nil
	})
	return f, needed && err == nil, err
}

// BeginFlush assigns an open flush to the identity's workflow and run, and drops a draft of another run. An acknowledged flush is
// returned unchanged.
func (s *Talk) BeginFlush(ctx context.Context, id memory.Identity, flush uuid.UUID) (Flush, error) {
	if err := pg.RequireOwnerWrite(id); err != nil {
		return Flush{}, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (Flush, error) {
		var r reading
		b := &pgx.Batch{}
		b.Queue(sqlFlushBegin, t.Args(pgx.NamedArgs{"flush": flush, "workflow": id.Author.WorkflowID, "run": id.Author.RunID}))
		r.queue(b, t, flush)
		if err := t.Finish(ctx, b); err != nil {
			return Flush{}, err
		}
		return r.result(flush)
	})
}
