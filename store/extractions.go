package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// Extraction is the record of one run over one range.
type Extraction struct {
	ID              uuid.UUID
	Conversation    string // the client's id
	ConversationUID uuid.UUID
	Owner           memory.Owner
	OwnerID         uuid.UUID
	From, To        int64 // To is what was looked at: the end of the step once a draft or an outcome is there
	Outcome         memory.Outcome
	ReasonCode      memory.ReasonCode
	Reason          string             // in words
	Raw             string             // the engine's output; only of quarantined runs, and empty in lists
	Violations      []memory.Violation // why it was quarantined
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

// Retry is the range of a new run over the messages of a quarantined one.
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
func queueExtraction(b *pgx.Batch, t *tx, extraction uuid.UUID, to *Extraction, found *bool) {
	one(b.Queue(sqlExtraction, t.args(pgx.NamedArgs{"extraction": extraction})), found,
		func(row pgx.CollectableRow) (err error) { *to, err = scanExtraction(row); return err })
}

// Extraction returns one record, with Raw.
func (s *Store) Extraction(ctx context.Context, id memory.Identity, extraction uuid.UUID) (Extraction, error) {
	if err := requireAgent(id); err != nil {
		return Extraction{}, err
	}
	return read(ctx, s, id, func(t *tx) (x Extraction, err error) {
		found := false
		b := &pgx.Batch{}
		queueExtraction(b, t, extraction, &x, &found)
		if err := t.finish(ctx, b); err != nil {
			return Extraction{}, err
		}
		if !found {
			return Extraction{}, noExtraction(extraction)
		}
		return x, nil
	})
}

func noExtraction(extraction uuid.UUID) error {
	return fmt.Errorf("extraction %s: %w", extraction, ErrNotFound)
}

// ExtractionFilter limits a list of extractions.
type ExtractionFilter struct {
	Conversation string // the client's id
	Outcome      memory.Outcome
}

// Extractions lists the owner's records, with AnyOwner those of every owner, newest first.
func (s *Store) Extractions(ctx context.Context, id memory.Identity, f ExtractionFilter, p Page) (Listed[Extraction], error) {
	if err := requireAgent(id); err != nil {
		return Listed[Extraction]{}, err
	}
	from, err := parseCursor(p.Cursor)
	if err != nil {
		return Listed[Extraction]{}, err
	}
	limit := limitOf(p.Limit)
	return read(ctx, s, id, func(t *tx) (Listed[Extraction], error) {
		sql := sqlExtractions
		if t.anyOwner {
			sql = sqlExtractionsOfAll
		}
		var found []Extraction
		b := &pgx.Batch{}
		all(b.Queue(sql, t.args(pgx.NamedArgs{
			"before": from.id, "conversation": f.Conversation, "outcome": f.Outcome, "limit": limit + 1,
		})), &found, scanExtraction)
		if err := t.finish(ctx, b); err != nil {
			return Listed[Extraction]{}, err
		}
		return listed(found, limit, func(x Extraction) cursor { return cursor{at: x.StartedAt, id: x.ID} }), nil
	})
}
