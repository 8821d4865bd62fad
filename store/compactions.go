package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// Compaction is a summary of the beginning of a conversation. It is a view: the messages stay as they are.
type Compaction struct {
	ID              uuid.UUID
	Conversation    string // the client's id
	ConversationUID uuid.UUID
	Owner           memory.Owner
	OwnerID         uuid.UUID
	Window          int       // tokens of the largest window that it was asked for; it serves smaller ones as well
	From            int64     // first message behind the previous summary; 1 without one
	To              int64     // last message that it stands for; the first is 1
	Previous        uuid.UUID // whose summary it brings up to date; zero: none
	Done            int64     // how far the summary is
	Summary         string
	SummaryTokens   int
	TokensBefore    int // of what it stands for: the previous summary and the messages behind it
	TokensAfter     int // of the summary in its place
	Trigger         memory.CompactTrigger
	Outcome         memory.Outcome    // running or written
	ReasonCode      memory.ReasonCode // of a fallback: why the model did not write it
	Model           string            // "provider/model" or "builtin/extractive"
	PromptVersion   string
	Fallback        bool         // rules wrote (a part of) it because the model did not in time
	Receipts        []Flush      // the flushes that saved From to To, oldest first, without steps; the previous one has those before
	Usage           memory.Usage // of all attempts
	WorkflowID      string
	RunID           string // that took it in hand last
	StartedAt       time.Time
	FinishedAt      *time.Time
}

// CompactionRequest asks for one.
type CompactionRequest struct {
	Conversation uuid.UUID
	To           int64
	Trigger      memory.CompactTrigger
	Settings     memory.CompactSettings
	// Maker names the words and the engine that will write it: with them, the messages and the previous summary, it is known
	// whether the same summary is there already.
	Maker string
}

// SummaryPart is what the next step of a summary needs.
type SummaryPart struct {
	Compaction Compaction
	Agent      Agent
	Goal       string // the first user message of the conversation
	Summary    string // so far, or the previous one
	Messages   []memory.Message
	To         int64 // last message of this part
	Last       bool
}

// SummaryStep is a summary that has been brought up to date.
type SummaryStep struct {
	To            int64
	Summary       string
	SummaryTokens int
	TokensBefore  int // of what this part stands for; added to the record
	Model         string
	PromptVersion string
	Fallback      bool
	ReasonCode    memory.ReasonCode // of a fallback
	Usage         memory.Usage      // of this attempt
}

// compactionRows reads a Compaction without its receipts, in the order of scanCompaction.
const compactionRows = `
select x.compaction_id, x.conversation_id, x.conversation_uid, x.owner_key, (
        select o.owner_id
        from owners o
        where o.workspace_id = x.workspace_id and o.agent_id = x.agent_id and o.owner_key = x.owner_key),
    x.window_tokens, x.from_seq, x.to_seq, x.previous_id, x.done_seq, x.summary, x.summary_tokens, x.tokens_before,
    x.trigger_source, x.outcome, x.reason_code, x.model, x.prompt_version, x.fallback,
    x.calls, x.input_tokens, x.output_tokens, x.cost_micros, x.workflow_id, x.run_id, x.started_at, x.finished_at
from compactions x
where x.workspace_id = @workspace and x.agent_id = @agent `

const (
	sqlCompaction = compactionRows + `and x.compaction_id = @compaction`

	sqlCompactions = compactionRows + `
    and x.conversation_uid = (
        select conversation_uid
        from conversations
        where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation)
    and x.compaction_id < @before
order by x.compaction_id desc
limit @limit`

	// The flushes that a range of messages overlaps. They have no gaps: the first one is the last that does not begin behind
	// the range.
	sqlReceipts = flushRows + `and f.conversation_uid = @uid and f.from_seq <= @to
    and f.from_seq >= coalesce((
        select g.from_seq
        from flushes g
        where g.workspace_id = @workspace and g.agent_id = @agent and g.conversation_uid = @uid and g.from_seq <= @from
        order by g.from_seq desc
        limit 1), 1)
order by f.from_seq`
)

func scanCompaction(row pgx.CollectableRow) (c Compaction, err error) {
	var previous uuid.NullUUID
	err = row.Scan(&c.ID, &c.Conversation, &c.ConversationUID, &c.Owner, &c.OwnerID,
		&c.Window, &c.From, &c.To, &previous, &c.Done, &c.Summary, &c.SummaryTokens, &c.TokensBefore,
		&c.Trigger, &c.Outcome, &c.ReasonCode, &c.Model, &c.PromptVersion, &c.Fallback,
		&c.Usage.Calls, &c.Usage.InputTokens, &c.Usage.OutputTokens, &c.Usage.CostMicros, &c.WorkflowID, &c.RunID,
		&c.StartedAt, &c.FinishedAt)
	c.Previous, c.TokensAfter = previous.UUID, c.SummaryTokens
	return c, err
}

// queueCompaction queues what reads one record.
func queueCompaction(b *pgx.Batch, sql string, args pgx.NamedArgs, to *Compaction, found *bool) {
	one(b.Queue(sql, args), found, func(row pgx.CollectableRow) (err error) { *to, err = scanCompaction(row); return err })
}

// finishReceipts gives records of one conversation their receipts, and commits.
func finishReceipts(ctx context.Context, t *tx, records []Compaction) error {
	b := &pgx.Batch{}
	var flushes []Flush
	if len(records) > 0 {
		from, to := records[0].From, records[0].To
		for _, c := range records {
			from, to = min(from, c.From), max(to, c.To)
		}
		args := t.args(pgx.NamedArgs{"uid": records[0].ConversationUID, "from": from, "to": to})
		all(b.Queue(sqlReceipts, args), &flushes, scanFlush)
	}
	if err := t.finish(ctx, b); err != nil {
		return err
	}
	for i := range records {
		c := &records[i]
		for _, f := range flushes {
			if f.To >= c.From && f.From <= c.To {
				c.Receipts = append(c.Receipts, f)
			}
		}
	}
	return nil
}

// finishCompaction is finishReceipts for one record.
func finishCompaction(ctx context.Context, t *tx, c Compaction) (Compaction, error) {
	records := []Compaction{c}
	err := finishReceipts(ctx, t, records)
	return records[0], err
}

func noCompaction(compaction uuid.UUID) error {
	return fmt.Errorf("compaction %s: %w", compaction, ErrNotFound)
}

// Compaction returns one record, with receipts. It costs two round trips.
func (s *Store) Compaction(ctx context.Context, id memory.Identity, compaction uuid.UUID) (Compaction, error) {
	if err := requireAgent(id); err != nil {
		return Compaction{}, err
	}
	return snapshot(ctx, s, id, func(t *tx) (c Compaction, err error) {
		found := false
		b := &pgx.Batch{}
		queueCompaction(b, sqlCompaction, t.args(pgx.NamedArgs{"compaction": compaction}), &c, &found)
		if err := t.send(ctx, b); err != nil {
			return Compaction{}, err
		}
		if !found {
			return Compaction{}, noCompaction(compaction)
		}
		return finishCompaction(ctx, t, c)
	})
}

// Compactions lists those of a conversation, newest first, with summaries and receipts. It costs two round trips.
func (s *Store) Compactions(ctx context.Context, id memory.Identity, conversation string, p Page) (Listed[Compaction], error) {
	if err := requireAgent(id); err != nil {
		return Listed[Compaction]{}, err
	}
	from, err := parseCursor(p.Cursor)
	if err != nil {
		return Listed[Compaction]{}, err
	}
	limit := limitOf(p.Limit)
	return snapshot(ctx, s, id, func(t *tx) (Listed[Compaction], error) {
		var found []Compaction
		b := &pgx.Batch{}
		all(b.Queue(sqlCompactions, t.args(pgx.NamedArgs{
			"conversation": conversation, "before": from.id, "limit": limit + 1,
		})), &found, scanCompaction)
		if err := t.send(ctx, b); err != nil {
			return Listed[Compaction]{}, err
		}
		list := listed(found, limit, func(c Compaction) cursor { return cursor{at: c.StartedAt, id: c.ID} })
		err := finishReceipts(ctx, t, list.Items)
		return list, err
	})
}
