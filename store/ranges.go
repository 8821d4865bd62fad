package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// Range is a range of messages to extract from, both ends included.
type Range struct {
	ConversationUID uuid.UUID
	From, To        int64
	// RetryOf is the quarantined extraction whose range is tried again; zero unless a retry. A retry does not look at the
	// conversation's cursor, which has passed the range.
	RetryOf uuid.UUID
}

// PendingRange is a range with the agent whose settings hold for it.
type PendingRange struct {
	Range
	Agent Agent
}

const (
	sqlRangeNext = `
select conversation_uid, cursor_seq + 1, complete_seq
from conversations
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and complete_seq > considered_seq
order by pending_since, conversation_uid
limit 1`

	sqlRangeOfConversation = `
select conversation_uid, cursor_seq + 1, complete_seq
from conversations
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and complete_seq > cursor_seq`

	// The conversation's cursor is held still while a run is opened behind it.
	sqlRangeLock = `
select cursor_seq, complete_seq
from conversations
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
for no key update`

	// A run may open where the cursor stands, or where a quarantined range was not successfully retried, unless this run
	// has ended there before. While a run is open, the cursor moves by its end only: nobody else can open one there.
	sqlExtractionBegin = `
insert into extractions (workspace_id, agent_id, extraction_id, owner_key, conversation_id, conversation_uid,
    from_seq, to_seq, range_to, outcome, retry_of, workflow_id, run_id, started_at)
select c.workspace_id, c.agent_id, @extraction, c.owner_key, c.conversation_id, c.conversation_uid,
    @from::bigint, @to::bigint, @to, 'running', @retry_of, @workflow, @run, @now
from conversations c
where c.workspace_id = @workspace and c.agent_id = @agent and c.conversation_uid = @uid and c.owner_key = @owner
    and case
        when @retry_of::uuid is null then c.cursor_seq = @from - 1 and @to <= c.complete_seq
        else (
            select q.outcome = 'quarantined' and q.conversation_uid = @uid and q.from_seq = @from and q.to_seq = @to
            from extractions q
            where q.workspace_id = @workspace and q.agent_id = @agent and q.extraction_id = @retry_of)
            and not exists (
                select from extractions a
                where a.workspace_id = @workspace and a.agent_id = @agent and a.conversation_uid = @uid and a.from_seq = @from
                    and a.outcome in ('written', 'nothing'))
    end
    and not exists (
        select from extractions e
        where e.workspace_id = @workspace and e.agent_id = @agent and e.conversation_uid = @uid and e.from_seq = @from
            and e.workflow_id = @workflow and e.run_id = @run and e.run_id <> '' and e.finished_at is not null)
on conflict (workspace_id, agent_id, conversation_uid, from_seq) where outcome in ('running', 'waiting')
do update set
    outcome = 'running',
    reason_code = '',
    reason = '',
    waiting_until = null,
    draft = case when extractions.run_id = excluded.run_id then extractions.draft end,
    to_seq = case when extractions.run_id = excluded.run_id and extractions.draft is not null then extractions.to_seq else excluded.to_seq end,
    range_to = case when extractions.run_id = excluded.run_id and extractions.draft is not null then extractions.range_to else excluded.range_to end,
    workflow_id = excluded.workflow_id,
    run_id = excluded.run_id`

	// What there is for a run to go on with or to report: its own open record, its own ended one, or the one that has
	// accounted for the range.
	sqlExtractionOfRange = extractionColumns + `''` + extractionFrom + `
    and x.conversation_uid = @uid and x.from_seq = @from and x.owner_key = @owner
    and (x.workflow_id = @workflow and x.run_id = @run and (x.finished_at is null or x.run_id <> '')
        or x.outcome in ('written', 'nothing')
        or x.outcome = 'quarantined' and @retry_of::uuid is null)
order by x.finished_at is null desc, x.workflow_id = @workflow and x.run_id = @run desc, x.extraction_id desc
limit 1`
)

// NextRange returns what is to be extracted next of the owner's conversations: the oldest pending one, from behind its
// cursor to its last completed message. It reports false when nothing is pending; the agent is filled in either case.
func (s *Store) NextRange(ctx context.Context, id memory.Identity) (PendingRange, bool, error) {
	if err := requireOwner(id); err != nil {
		return PendingRange{}, false, err
	}
	return s.pendingRange(ctx, id, sqlRangeNext, nil)
}

// ConversationRange is NextRange of one conversation, including messages that were considered and left in front of the
// cursor: a person asks for them now.
func (s *Store) ConversationRange(ctx context.Context, id memory.Identity, uid uuid.UUID) (PendingRange, bool, error) {
	return s.pendingRange(ctx, id, sqlRangeOfConversation, pgx.NamedArgs{"uid": uid})
}

func (s *Store) pendingRange(ctx context.Context, id memory.Identity, sql string, args pgx.NamedArgs) (PendingRange, bool, error) {
	if err := requireAgent(id); err != nil {
		return PendingRange{}, false, err
	}
	pending := false
	r, err := read(ctx, s, id, func(t *tx) (r PendingRange, err error) {
		known := false
		b := &pgx.Batch{}
		one(b.Queue(sqlAgent, t.args(nil)), &known, func(row pgx.CollectableRow) (err error) { r.Agent, err = scanAgent(row); return err })
		one(b.Queue(sql, t.args(args)), &pending, func(row pgx.CollectableRow) error { return row.Scan(&r.ConversationUID, &r.From, &r.To) })
		if err := t.finish(ctx, b); err != nil {
			return PendingRange{}, err
		}
		if !known {
			return PendingRange{}, fmt.Errorf("agent %s: %w", id.Agent, ErrNotFound)
		}
		return r, nil
	})
	return r, pending && err == nil, err
}

// BeginExtraction opens the record of a run over r, by the workflow that the identity's author names; r.To is the end of
// the whole range. An open record of the same conversation and start is taken over; it keeps its draft when the run is
// the same.
//
// A range that the same run has ended, or that any run has accounted for, gives that record (Open is false): there is
// nothing left to do for it. It returns *ConflictError with CodeRangeMoved when r does not begin behind the cursor, and
// with CodeNotQuarantined when r.RetryOf cannot be retried.
func (s *Store) BeginExtraction(ctx context.Context, id memory.Identity, r Range) (Extraction, error) {
	if err := requireOwner(id); err != nil {
		return Extraction{}, err
	}
	if err := requireWrite(id); err != nil {
		return Extraction{}, err
	}
	if r.From < 1 || r.To < r.From {
		return Extraction{}, &InvalidError{Field: "range", Problem: "it begins with 1 or more and does not end before that"}
	}
	return inTx(ctx, s, id, func(t *tx) (x Extraction, err error) {
		var conversation, found bool
		var cursor, complete int64
		args := t.args(pgx.NamedArgs{
			"uid": r.ConversationUID, "from": r.From, "to": r.To, "extraction": newID(),
			"retry_of": uuid.NullUUID{UUID: r.RetryOf, Valid: r.RetryOf != uuid.Nil},
			"workflow": id.Author.WorkflowID, "run": id.Author.RunID,
		})
		b := &pgx.Batch{}
		one(b.Queue(sqlRangeLock, args), &conversation, func(row pgx.CollectableRow) error { return row.Scan(&cursor, &complete) })
		b.Queue(sqlExtractionBegin, args)
		one(b.Queue(sqlExtractionOfRange, args), &found, func(row pgx.CollectableRow) (err error) { x, err = scanExtraction(row); return err })
		if err := t.finish(ctx, b); err != nil {
			return Extraction{}, err
		}
		switch {
		case found:
			return x, nil
		case !conversation:
			return Extraction{}, fmt.Errorf("conversation %s: %w", r.ConversationUID, ErrNotFound)
		case r.RetryOf != uuid.Nil:
			return Extraction{}, &ConflictError{
				Code:    CodeNotQuarantined,
				Message: fmt.Sprintf("extraction %s was not quarantined with this range: only a quarantined one can be retried", r.RetryOf),
			}
		default:
			return Extraction{}, rangeMoved(r.From, r.To, cursor, complete)
		}
	})
}

func rangeMoved(from, to, cursor, complete int64) error {
	return &ConflictError{
		Code:    CodeRangeMoved,
		Message: fmt.Sprintf("messages %d to %d cannot be taken: what can be taken begins at %d and ends at %d", from, to, cursor+1, complete),
	}
}
