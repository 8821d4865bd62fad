package talk

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/store/gate"
	"reverie/store/pg"
)

// Extraction is the record of one run over one range.
type Extraction struct {
	ID              uuid.UUID
	Conversation    string // the client's id
	ConversationUID uuid.UUID
	Owner           memory.Owner
	OwnerID         uuid.UUID
	From, To        int64 // To is the end of the range, and of the step once there is a draft or an outcome
	Outcome         memory.Outcome
	ReasonCode      memory.ReasonCode
	Reason          string                // in words
	Raw             string                // the engine's output; only of quarantined runs, and empty in lists
	Violations      []proposals.Violation // why it was quarantined
	Changes         []memory.ChangeReceipt
	Model           string // the last one used
	PromptVersion   string
	Usage           memory.Usage // of all attempts
	RetryOf         uuid.UUID
	WorkflowID      string
	RunID           string
	HasDraft        bool // a proposal that passed the guards waits for CommitExtraction
	WaitingUntil    *time.Time
	StartedAt       time.Time
	FinishedAt      *time.Time
}

// Open reports whether the run has not ended.
func (x Extraction) Open() bool {
	return x.Outcome == memory.OutcomeRunning || x.Outcome == memory.OutcomeWaiting
}

// Retry returns the range for a new run over the messages of a quarantined one.
func (x Extraction) Retry() Range {
	return Range{ConversationUID: x.ConversationUID, From: x.From, To: x.To, RetryOf: x.ID}
}

// extractionColumns are the columns of an Extraction but for the last one, in the order of scanExtraction.
const extractionColumns = `
select x.extraction_id, x.conversation_id, x.conversation_uid, x.owner_key, (
        select o.owner_id
        from owners o
        where o.workspace_id = x.workspace_id and o.agent_id = x.agent_id and o.owner_key = x.owner_key), x.from_seq, x.to_seq,
    x.outcome, x.reason_code, x.reason, x.violations, x.changes, x.model, x.prompt_version,
    x.calls, x.input_tokens, x.output_tokens, x.cost_micros, x.retry_of, x.workflow_id, x.run_id,
    x.draft is not null, x.waiting_until, x.started_at, x.finished_at, `

const extractionFrom = `
from extractions x
where x.workspace_id = @workspace and x.agent_id = @agent `

const (
	sqlExtraction = extractionColumns + `case when x.outcome = 'quarantined' then x.raw else '' end` + extractionFrom + `
    and x.extraction_id = @extraction`

	sqlExtractions      = extractionColumns + `''` + extractionFrom + `and x.owner_key = @owner` + extractionList
	sqlExtractionsOfAll = extractionColumns + `''` + extractionFrom + extractionList

	extractionList = `
    and x.extraction_id < @before
    and (@conversation = '' or x.conversation_id = @conversation)
    and (@outcome = '' or x.outcome = @outcome)
order by x.extraction_id desc
limit @limit`
)

func scanExtraction(row pgx.CollectableRow) (x Extraction, err error) {
	var retryOf uuid.NullUUID
	err = row.Scan(&x.ID, &x.Conversation, &x.ConversationUID, &x.Owner, &x.OwnerID, &x.From, &x.To,
		&x.Outcome, &x.ReasonCode, &x.Reason, &x.Violations, &x.Changes, &x.Model, &x.PromptVersion,
		&x.Usage.Calls, &x.Usage.InputTokens, &x.Usage.OutputTokens, &x.Usage.CostMicros, &retryOf, &x.WorkflowID, &x.RunID,
		&x.HasDraft, &x.WaitingUntil, &x.StartedAt, &x.FinishedAt, &x.Raw)
	x.RetryOf = retryOf.UUID
	return x, err
}

// queueExtraction queues reading one record.
func queueExtraction(b *pgx.Batch, t *pg.Tx, extraction uuid.UUID, to *Extraction, found *bool) {
	pg.One(b.Queue(sqlExtraction, t.Args(pgx.NamedArgs{"extraction": extraction})), found, to, scanExtraction)
}

// Extraction returns one record, with Raw.
func (s *Talk) Extraction(ctx context.Context, id memory.Identity, extraction uuid.UUID) (Extraction, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Extraction{}, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (x Extraction, err error) {
		found := false
		b := &pgx.Batch{}
		queueExtraction(b, t, extraction, &x, &found)
		if err := t.Finish(ctx, b); err != nil {
			return Extraction{}, err
		}
		if !found {
			return Extraction{}, noExtraction(extraction)
		}
		return x, nil
	})
}

func noExtraction(extraction uuid.UUID) error {
	return fmt.Errorf("extraction %s: %w", extraction, pg.ErrNotFound)
}

// ExtractionFilter limits a list of extractions.
type ExtractionFilter struct {
	Conversation string // the client's id
	Outcome      memory.Outcome
}

// Extractions lists the owner's records, with AnyOwner those of every owner, newest first.
func (s *Talk) Extractions(ctx context.Context, id memory.Identity, f ExtractionFilter, p pg.Page) (pg.Listed[Extraction], error) {
	return pg.ReadPage(ctx, s.db, id, p, func(t *pg.Tx, from pg.Cursor) (string, pgx.NamedArgs) {
		sql := sqlExtractions
		if t.AnyOwner {
			sql = sqlExtractionsOfAll
		}
		return sql, pgx.NamedArgs{"before": from.ID, "conversation": f.Conversation, "outcome": f.Outcome}
	}, scanExtraction, func(x Extraction) pg.Cursor { return pg.Cursor{At: x.StartedAt, ID: x.ID} })
}

// Range is a range of messages to extract from, both ends included.
type Range struct {
	ConversationUID uuid.UUID
	From, To        int64
	// RetryOf is the quarantined extraction whose range is retried; otherwise zero. A retry ignores the conversation's cursor,
	// which has passed the range.
	RetryOf uuid.UUID
}

// PendingRange is a range with the agent whose settings apply to it.
type PendingRange struct {
	Range
	Agent gate.Agent
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

	// Locks the conversation's cursor while a run is opened after it.
	sqlRangeLock = `
select cursor_seq, complete_seq
from conversations
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
for no key update`

	// A run may open at the cursor, or at a quarantined range that was not successfully retried, unless the same run has ended
	// there before. While a run is open, only its end moves the cursor: no other one can open there.
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
    to_seq = case when extractions.run_id = excluded.run_id and extractions.draft is not null
        then extractions.to_seq else excluded.to_seq end,
    range_to = case when extractions.run_id = excluded.run_id and extractions.draft is not null
        then extractions.range_to else excluded.range_to end,
    workflow_id = excluded.workflow_id,
    run_id = excluded.run_id`

	// Finds the record that a run continues or reports: its own open record, its own ended one, or the one that has accounted for
	// the range.
	sqlExtractionOfRange = extractionColumns + `''` + extractionFrom + `
    and x.conversation_uid = @uid and x.from_seq = @from and x.owner_key = @owner
    and (x.workflow_id = @workflow and x.run_id = @run and (x.finished_at is null or x.run_id <> '')
        or x.outcome in ('written', 'nothing')
        or x.outcome = 'quarantined' and @retry_of::uuid is null)
order by x.finished_at is null desc, x.workflow_id = @workflow and x.run_id = @run desc, x.extraction_id desc
limit 1`
)

// NextRange returns the next range to extract from the owner's conversations: the oldest pending one, from its cursor to its last
// completed message. It reports false when nothing is pending; the agent is set in either case.
func (s *Talk) NextRange(ctx context.Context, id memory.Identity) (PendingRange, bool, error) {
	if err := pg.RequireOwner(id); err != nil {
		return PendingRange{}, false, err
	}
	return s.pendingRange(ctx, id, sqlRangeNext, nil)
}

// ConversationRange is NextRange for one conversation, at a person's request. It includes messages in front of the cursor that were
// considered before.
func (s *Talk) ConversationRange(ctx context.Context, id memory.Identity, uid uuid.UUID) (PendingRange, bool, error) {
	return s.pendingRange(ctx, id, sqlRangeOfConversation, pgx.NamedArgs{"uid": uid})
}

func (s *Talk) pendingRange(ctx context.Context, id memory.Identity, sql string, args pgx.NamedArgs) (PendingRange, bool, error) {
	if err := pg.RequireAgent(id); err != nil {
		return PendingRange{}, false, err
	}
	pending := false
	r, err := pg.Read(ctx, s.db, id, func(t *pg.Tx) (r PendingRange, err error) {
		known := false
		b := &pgx.Batch{}
		pg.One(b.Queue(gate.SQLAgent, t.Args(nil)), &known, &r.Agent, gate.ScanAgent)
		pg.Columns(b.Queue(sql, t.Args(args)), &pending, &r.ConversationUID, &r.From, &r.To)
		if err := t.Finish(ctx, b); err != nil {
			return PendingRange{}, err
		}
		if !known {
			return PendingRange{}, fmt.Errorf("agent %s: %w", id.Agent, pg.ErrNotFound)
		}
		return r, nil
	})
	return r, pending && err == nil, err
}

// BeginExtraction opens the record of a run over r, by the workflow that the identity's author names; r.To is the end of the whole
// range. It takes over an open record of the same conversation and start, which keeps its draft when the run is the same.
//
// If the same run has ended the range, or any run has accounted for it, BeginExtraction returns that record (Open is false):
// nothing is left to do. It returns *ConflictError with CodeRangeMoved when r does not begin after the cursor, and with
// CodeNotQuarantined when r.RetryOf cannot be retried.
func (s *Talk) BeginExtraction(ctx context.Context, id memory.Identity, r Range) (Extraction, error) {
	if err := pg.RequireOwnerWrite(id); err != nil {
		return Extraction{}, err
	}
	if r.From < 1 || r.To < r.From {
		return Extraction{}, &pg.InvalidError{Field: "range", Problem: "it must begin at 1 or later, and not end before it begins"}
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (x Extraction, err error) {
		var conversation, found bool
		var cursor, complete int64
		args := t.Args(pgx.NamedArgs{
			"uid": r.ConversationUID, "from": r.From, "to": r.To, "extraction": pg.NewID(),
			"retry_of": uuid.NullUUID{UUID: r.RetryOf, Valid: r.RetryOf != uuid.Nil},
			"workflow": id.Author.WorkflowID, "run": id.Author.RunID,
		})
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlRangeLock, args), &conversation, &cursor, &complete)
		b.Queue(sqlExtractionBegin, args)
		pg.One(b.Queue(sqlExtractionOfRange, args), &found, &x, scanExtraction)
		if err := t.Finish(ctx, b); err != nil {
			return Extraction{}, err
		}
		switch {
		case found:
			return x, nil
		case !conversation:
			return Extraction{}, fmt.Errorf("conversation %s: %w", r.ConversationUID, pg.ErrNotFound)
		case r.RetryOf != uuid.Nil:
			return Extraction{}, &pg.ConflictError{
				Code:    pg.CodeNotQuarantined,
				Message: fmt.Sprintf("extraction %s was not quarantined with this range: only a quarantined one can be retried", r.RetryOf),
			}
		default:
			return Extraction{}, rangeMoved(r.From, r.To, cursor, complete)
		}
	})
}

func rangeMoved(from, to, cursor, complete int64) error {
	return &pg.ConflictError{
		Code:    pg.CodeRangeMoved,
		Message: fmt.Sprintf("messages %d to %d cannot be extracted: the pending range is %d to %d", from, to, cursor+1, complete),
	}
}
