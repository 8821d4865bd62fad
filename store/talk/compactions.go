package talk

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store/gate"
	"reverie/store/pg"
)

// Compaction is a summary of the beginning of a conversation. The messages stay unchanged.
type Compaction struct {
	ID              uuid.UUID
	Conversation    string // the client's id
	ConversationUID uuid.UUID
	Owner           memory.Owner
	OwnerID         uuid.UUID
	Window          int       // tokens of the largest window that it was asked for; it serves smaller ones as well
	From            int64     // first message after the previous summary; 1 without one
	To              int64     // last message that it covers; the first is 1
	Previous        uuid.UUID // whose summary it brings up to date; zero: none
	Done            int64     // how far the summary is
	Summary         string
	SummaryTokens   int
	TokensBefore    int // of the previous summary and the messages after it
	TokensAfter     int // of the summary in its place
	Trigger         memory.CompactTrigger
	Outcome         memory.Outcome    // running, written, skipped or failed
	ReasonCode      memory.ReasonCode // of a fallback: why the model did not write it; of skipped and failed: why there is no summary
	Model           string            // "provider/model" or "builtin/extractive"
	PromptVersion   string
	Fallback        bool         // rules wrote (a part of) it because the model did not in time
	Receipts        []Flush      // the flushes that saved From to To, oldest first, without steps; the previous one has those before
	Usage           memory.Usage // of all attempts
	WorkflowID      string
	RunID           string // of the latest request
	StartedAt       time.Time
	FinishedAt      *time.Time
}

// CompactionRequest describes a summary to be made.
type CompactionRequest struct {
	Conversation uuid.UUID
	To           int64
	Trigger      memory.CompactTrigger
	Settings     setting.CompactSettings
	// Maker identifies the prompt and the engine. Together with the messages and the previous summary it determines whether the
	// same summary exists already.
	Maker string
}

// SummaryPart is the input of the next step of a summary.
type SummaryPart struct {
	Compaction Compaction
	Agent      gate.Agent
	Goal       string // the first user message of the conversation
	Summary    string // so far, or the previous one
	Messages   []memory.Message
	To         int64 // last message of this part
	Last       bool
}

// SummaryStep is an updated summary.
type SummaryStep struct {
	To            int64
	Summary       string
	SummaryTokens int
	TokensBefore  int // of the messages of this part; added to the record
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
        where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation and owner_key = @owner)
    and x.compaction_id < @before
order by x.compaction_id desc
limit @limit`

	// The flushes that overlap a range of messages. They have no gaps: the first one is the last that does not begin after the
	// range.
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

// queueCompaction queues reading one record.
func queueCompaction(b *pgx.Batch, sql string, args pgx.NamedArgs, to *Compaction, found *bool) {
	pg.One(b.Queue(sql, args), found, to, scanCompaction)
}

// finishReceipts reads the receipts of records of one conversation, and commits.
func finishReceipts(ctx context.Context, t *pg.Tx, records []Compaction) error {
	b := &pgx.Batch{}
	var flushes []Flush
	if len(records) > 0 {
		from, to := records[0].From, records[0].To
		for _, c := range records {
			from, to = min(from, c.From), max(to, c.To)
		}
		args := t.Args(pgx.NamedArgs{"uid": records[0].ConversationUID, "from": from, "to": to})
		pg.All(b.Queue(sqlReceipts, args), &flushes, scanFlush)
	}
	if err := t.Finish(ctx, b); err != nil {
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
func finishCompaction(ctx context.Context, t *pg.Tx, c Compaction) (Compaction, error) {
	records := []Compaction{c}
	err := finishReceipts(ctx, t, records)
	return records[0], err
}

func noCompaction(compaction uuid.UUID) error {
	return fmt.Errorf("compaction %s: %w", compaction, pg.ErrNotFound)
}

// Compaction returns one record, with receipts. It costs two round trips.
func (s *Talk) Compaction(ctx context.Context, id memory.Identity, compaction uuid.UUID) (Compaction, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Compaction{}, err
	}
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (c Compaction, err error) {
		found := false
		b := &pgx.Batch{}
		queueCompaction(b, sqlCompaction, t.Args(pgx.NamedArgs{"compaction": compaction}), &c, &found)
		if err := t.Send(ctx, b); err != nil {
			return Compaction{}, err
		}
		if !found {
			return Compaction{}, noCompaction(compaction)
		}
		return finishCompaction(ctx, t, c)
	})
}

// Compactions lists the compactions of a conversation, newest first, with summaries and receipts. It costs two round trips.
func (s *Talk) Compactions(ctx context.Context, id memory.Identity, conversation string, p pg.Page) (pg.Listed[Compaction], error) {
	if err := pg.RequireAgent(id); err != nil {
		return pg.Listed[Compaction]{}, err
	}
	from, err := pg.ParseCursor(p.Cursor)
	if err != nil {
		return pg.Listed[Compaction]{}, err
	}
	limit := pg.LimitOf(p.Limit)
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (pg.Listed[Compaction], error) {
		var found []Compaction
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlCompactions, t.Args(pgx.NamedArgs{
			"conversation": conversation, "before": from.ID, "limit": limit + 1,
		})), &found, scanCompaction)
		if err := t.Send(ctx, b); err != nil {
			return pg.Listed[Compaction]{}, err
		}
		list := pg.NewListed(found, limit, func(c Compaction) pg.Cursor { return pg.Cursor{At: c.StartedAt, ID: c.ID} })
		err := finishReceipts(ctx, t, list.Items)
		return list, err
	})
}

const (
	// Reads the input of a summary of messages up to one: the latest earlier summary that serves the window, and the messages
	// after it. further is a summary that covers more already, or the same by the same maker from another previous one.
	sqlCompactionContents = `
with c as materialized (
    select conversation_uid, flushed_seq
    from conversations
    where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
), previous as materialized (
    select x.compaction_id, x.to_seq, x.content_key
    from compactions x
    where x.workspace_id = @workspace and x.agent_id = @agent and x.conversation_uid = @uid
        and x.outcome = 'written' and x.to_seq < @to and x.window_tokens >= @window
    order by x.to_seq desc, x.compaction_id desc
    limit 1
)
select c.flushed_seq, (select compaction_id from previous), coalesce((select to_seq from previous), 0),
    coalesce((select content_key from previous), ''),
    (
        select sha256(convert_to(string_agg(m.seq || ':' || octet_length(m.message_id) || ':' || m.message_id, ' ' order by m.seq), 'UTF8'))
        from messages m
        where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = @uid
            and m.seq > coalesce((select to_seq from previous), 0) and m.seq <= @to
    ),
    (
        select x.compaction_id
        from compactions x
        where x.workspace_id = @workspace and x.agent_id = @agent and x.conversation_uid = @uid
            and x.outcome = 'written' and (x.to_seq > @to or x.to_seq = @to and x.maker = @maker) and x.window_tokens >= @window
        order by x.to_seq desc, x.compaction_id desc
        limit 1
    )
from c`

	// Concurrent requests for the same contents share one record. It serves the largest window that was asked for, and belongs to
	// the latest request until it is finished.
	sqlCompactionInsert = `
insert into compactions (workspace_id, agent_id, compaction_id, owner_key, conversation_id, conversation_uid, content_key, window_tokens,
    previous_id, from_seq, to_seq, done_seq, summary, summary_tokens, trigger_source, outcome, maker, workflow_id, run_id, started_at)
select @workspace, @agent, @compaction, c.owner_key, c.conversation_id, c.conversation_uid, @content_key, @window,
    @previous, @from::bigint, @to::bigint, @from::bigint - 1,
    coalesce((
        select p.summary
        from compactions p
        where p.workspace_id = @workspace and p.agent_id = @agent and p.compaction_id = @previous), ''),
    coalesce((
        select p.summary_tokens
        from compactions p
        where p.workspace_id = @workspace and p.agent_id = @agent and p.compaction_id = @previous), 0),
    @trigger, 'running', @maker, @workflow, @run, @now
from conversations c
where c.workspace_id = @workspace and c.agent_id = @agent and c.conversation_uid = @uid and c.owner_key = @owner
    and c.flushed_seq >= @to
on conflict (content_key, conversation_uid, workspace_id, agent_id) do update set
    window_tokens = greatest(compactions.window_tokens, excluded.window_tokens),
    workflow_id = case when compactions.outcome = 'written' then compactions.workflow_id else excluded.workflow_id end,
    run_id = case when compactions.outcome = 'written' then compactions.run_id else excluded.run_id end,
    outcome = case when compactions.outcome = 'written' then 'written' else 'running' end,
    reason_code = case when compactions.outcome in ('skipped', 'failed') then '' else compactions.reason_code end,
    finished_at = case when compactions.outcome = 'written' then compactions.finished_at end`

	// A workflow writes one summary. One that it has begun before is never continued, when a longer one was written concurrently or
	// another engine writes now.
	sqlCompactionAbandon = `
update compactions set outcome = 'skipped', reason_code = @reason_code, finished_at = @now
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
    and workflow_id = @workflow and workflow_id <> '' and outcome = 'running'
    and (@found::uuid is null or compaction_id <> @found) and (@found::uuid is not null or content_key <> @content_key)`

	sqlCompactionEnd = `
update compactions set outcome = @outcome, reason_code = @reason_code, finished_at = @now
where workspace_id = @workspace and agent_id = @agent and compaction_id = @compaction and owner_key = @owner
    and finished_at is null`

	sqlCompactionOfContent = compactionRows + `and x.conversation_uid = @uid and x.content_key = @content_key`
)

// BeginCompaction opens a compaction, or finds one with the same contents: the same messages after the same previous summary, by
// the same maker, with the same length. It also finds one that covers more and serves the window. What it finds serves the window
// of r from then on. An open one then belongs to the identity's workflow and run; the run that had it before may continue, since it
// saves a summary of the same messages.
//
// Others that the same workflow has left open end as skipped (ReasonOvertaken). One that was skipped or failed is continued.
//
// It returns *ConflictError with CodeNotFlushed when messages up to r.To are not flushed. It costs three round trips.
func (s *Talk) BeginCompaction(ctx context.Context, id memory.Identity, r CompactionRequest) (Compaction, error) {
	if err := pg.RequireOwnerWrite(id); err != nil {
		return Compaction{}, err
	}
	if err := r.validate(); err != nil {
		return Compaction{}, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (Compaction, error) {
		contents, err := r.contents(ctx, t)
		if err != nil {
			return Compaction{}, err
		}
		var c Compaction
		var found bool
		b := &pgx.Batch{}
		key := contents.key(r)
		args := t.Args(pgx.NamedArgs{
			"uid": r.Conversation, "compaction": pg.NewID(), "content_key": key[:], "window": r.Settings.Window,
			"previous": contents.previous, "from": contents.previousTo + 1, "to": r.To, "trigger": r.Trigger, "maker": r.maker(),
			"workflow": id.Author.WorkflowID, "run": id.Author.RunID, "found": contents.further, "reason_code": ReasonOvertaken,
		})
		b.Queue(sqlCompactionAbandon, args)
		if contents.further.Valid {
			queueCompaction(b, sqlCompaction, t.Args(pgx.NamedArgs{"compaction": contents.further.UUID}), &c, &found)
		} else {
			b.Queue(sqlCompactionInsert, args)
			queueCompaction(b, sqlCompactionOfContent, args, &c, &found)
		}
		if err := t.Send(ctx, b); err != nil {
			return Compaction{}, err
		}
		if !found { // flushed_seq never decreases
			return Compaction{}, notFlushed(r.To, contents.flushed)
		}
		return finishCompaction(ctx, t, c)
	})
}

// ReasonOvertaken is the reason of a compaction that was skipped because its workflow found or began another summary instead.
const ReasonOvertaken memory.ReasonCode = "overtaken"

// EndCompaction ends an open compaction without a summary: outcome is skipped or failed. One that has ended stays as it is. The next
// request for the same contents continues it.
func (s *Talk) EndCompaction(
	ctx context.Context, id memory.Identity, compaction uuid.UUID, outcome memory.Outcome, reason memory.ReasonCode,
) error {
	if err := pg.RequireOwnerWrite(id); err != nil {
		return err
	}
	if outcome != memory.OutcomeSkipped && outcome != memory.OutcomeFailed {
		return &pg.InvalidError{Field: "outcome", Problem: "use skipped or failed"}
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		b := &pgx.Batch{}
		args := t.Args(pgx.NamedArgs{"compaction": compaction, "outcome": outcome, "reason_code": reason})
		var c Compaction
		found := false
		b.Queue(sqlCompactionEnd, args)
		queueCompaction(b, sqlCompactionOwn, args, &c, &found)
		if err := t.Finish(ctx, b); err != nil {
			return none, err
		}
		if !found {
			return none, noCompaction(compaction)
		}
		return none, nil
	})
	return err
}

// maker identifies the engine together with the length of the summary.
func (r CompactionRequest) maker() string {
	return fmt.Sprintf("%s, %d tokens", r.Maker, r.Settings.SummaryMaxTokens)
}

func (r CompactionRequest) validate() error {
	switch {
	case r.To < 1:
		return &pg.InvalidError{Field: "to", Problem: "name the last message to summarise; the first is 1"}
	case !r.Trigger.Valid():
		return &pg.InvalidError{Field: "trigger", Problem: "use turn, overflow or request"}
	case r.Settings.Window < 1:
		return &pg.InvalidError{Field: "window", Problem: "give the size of the window in tokens"}
	case r.Settings.SummaryMaxTokens < 1:
		return &pg.InvalidError{Field: "summaryMaxTokens", Problem: "give the maximum size of the summary in tokens"}
	case r.Maker == "":
		return &pg.InvalidError{Field: "maker", Problem: "name the engine"}
	}
	return memory.ValidText("maker", r.Maker, memory.MaxName)
}

// summaryContents is the input of a summary.
type summaryContents struct {
	flushed     int64
	previous    uuid.NullUUID
	previousTo  int64
	previousKey []byte // empty: there is no previous one
	messages    []byte // digest of the ids after it
	further     uuid.NullUUID
}

// contents reads the input of r's summary, and checks that all of it is flushed.
func (r CompactionRequest) contents(ctx context.Context, t *pg.Tx) (c summaryContents, err error) {
	found := false
	b := &pgx.Batch{}
	args := t.Args(pgx.NamedArgs{"uid": r.Conversation, "to": r.To, "window": r.Settings.Window, "maker": r.maker()})
	pg.Columns(b.Queue(sqlCompactionContents, args), &found, &c.flushed, &c.previous, &c.previousTo, &c.previousKey, &c.messages, &c.further)
	if err := t.Send(ctx, b); err != nil {
		return summaryContents{}, err
	}
	switch {
	case !found:
		return summaryContents{}, fmt.Errorf("conversation %s: %w", r.Conversation, pg.ErrNotFound)
	case c.flushed < r.To:
		return summaryContents{}, notFlushed(r.To, c.flushed)
	}
	return c, nil
}

// key hashes the previous summary's key, the messages, and everything else that determines the summary.
func (c summaryContents) key(r CompactionRequest) [sha256.Size]byte {
	var chain []byte
	for _, part := range [][]byte{
		c.previousKey, c.messages, []byte(r.Maker), binary.BigEndian.AppendUint64(nil, uint64(r.Settings.SummaryMaxTokens)),
	} {
		chain = binary.BigEndian.AppendUint64(chain, uint64(len(part)))
		chain = append(chain, part...)
	}
	return sha256.Sum256(chain)
}

func notFlushed(to, flushed int64) error {
	return &pg.ConflictError{
		Code:    pg.CodeNotFlushed,
		Message: fmt.Sprintf("messages up to %d cannot be summarised: only messages up to %d are flushed", to, flushed),
	}
}

// MaxSummary is the longest summary, in bytes. The maker counts its tokens.
const MaxSummary = 64 << 10

const (
	// Only of the identity's owner.
	sqlCompactionOwn = compactionRows + `and x.compaction_id = @compaction and x.owner_key = @owner`

	sqlGoalOfCompaction = `
select ` + wholeMessage + `
from messages m
where m.workspace_id = @workspace and m.agent_id = @agent and m.role = 'user'
    and m.conversation_uid = (
        select conversation_uid
        from compactions
        where workspace_id = @workspace and agent_id = @agent and compaction_id = @compaction and owner_key = @owner)
order by m.seq
limit 1`

	sqlSummaryMessages = `
select ` + wholeMessage + `
from (
    select m.*, sum(` + messageBytes + `) over (order by m.seq rows unbounded preceding) as total
    from (
        select *
        from messages
        where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and seq > @done and seq <= @to
        order by seq
        limit @window
    ) m
) m
where m.total <= @max or m.seq = @done + 1
order by m.seq`

	// A part that is done changes nothing.
	sqlSummarySave = `
update compactions set
    done_seq = @to,
    summary = @summary,
    summary_tokens = @summary_tokens,
    tokens_before = tokens_before + @tokens_before,
    fallback = fallback or @fallback,
    reason_code = case when reason_code = '' then @reason_code else reason_code end,
    model = @model,
    prompt_version = @prompt_version,
    outcome = case when to_seq = @to then 'written' else 'running' end,
    finished_at = case when to_seq = @to then @now::timestamptz end
where workspace_id = @workspace and agent_id = @agent and compaction_id = @compaction and owner_key = @owner
    and done_seq < @to and to_seq >= @to and finished_at is null`

	sqlSummaryUsage = `
update compactions set
    ` + UsageAdded + `
where workspace_id = @workspace and agent_id = @agent and compaction_id = @compaction and owner_key = @owner`
)

// LoadSummary reads the next part of an open compaction: messages of at most maxBytes with their tool calls, but at least one. A
// compaction that has ended has no messages left, and Last is true. It costs two round trips.
func (s *Talk) LoadSummary(ctx context.Context, id memory.Identity, compaction uuid.UUID, maxBytes int) (SummaryPart, error) {
	if err := pg.RequireOwner(id); err != nil {
		return SummaryPart{}, err
	}
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (p SummaryPart, err error) {
		var agent, found, wanted bool
		args := t.Args(pgx.NamedArgs{"compaction": compaction})
		b := &pgx.Batch{}
		pg.One(b.Queue(gate.SQLAgent, args), &agent, &p.Agent, gate.ScanAgent)
		queueCompaction(b, sqlCompactionOwn, args, &p.Compaction, &found)
		pg.WithRow(b.Queue(sqlGoalOfCompaction, args), &wanted, func(row pgx.CollectableRow) error {
			goal, err := scanWhole(row)
			p.Goal = goal.Content
			return err
		})
		if err := t.Send(ctx, b); err != nil {
			return SummaryPart{}, err
		}
		switch {
		case !agent:
			return SummaryPart{}, fmt.Errorf("agent %s: %w", id.Agent, pg.ErrNotFound)
		case !found:
			return SummaryPart{}, noCompaction(compaction)
		}
		p.Summary, p.To = p.Compaction.Summary, p.Compaction.Done
		b = &pgx.Batch{}
		if p.Compaction.FinishedAt == nil {
			pg.All(b.Queue(sqlSummaryMessages, t.Args(pgx.NamedArgs{
				"uid": p.Compaction.ConversationUID, "done": p.Compaction.Done, "to": p.Compaction.To, "max": maxBytes,
				"window": stepWindow,
			})), &p.Messages, scanWhole)
		}
		if err := t.Finish(ctx, b); err != nil {
			return SummaryPart{}, err
		}
		if n := len(p.Messages); n > 0 {
			p.To = p.Messages[n-1].Seq
		}
		p.Last = p.To >= p.Compaction.To
		return p, nil
	})
}

// SaveSummary stores an updated summary; the last part ends the compaction. It drops lines that the scan refuses and redacts
// secrets in the rest. Saving a part that is done only adds its usage. It costs two round trips.
func (s *Talk) SaveSummary(ctx context.Context, id memory.Identity, compaction uuid.UUID, step SummaryStep) (Compaction, error) {
	if err := pg.RequireOwnerWrite(id); err != nil {
		return Compaction{}, err
	}
	summary := proposals.TidySummary(pg.Storable(step.Summary), false, 0, nil)
	if err := memory.ValidText("summary", summary, MaxSummary); err != nil {
		return Compaction{}, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (c Compaction, err error) {
		args := t.Args(pgx.NamedArgs{
			"compaction": compaction, "to": step.To, "summary": summary, "summary_tokens": step.SummaryTokens,
			"tokens_before": step.TokensBefore, "fallback": step.Fallback, "reason_code": step.ReasonCode,
		})
		AddUsageArgs(args, step.Model, step.PromptVersion, step.Usage)
		found := false
		b := &pgx.Batch{}
		b.Queue(sqlSummarySave, args)
		b.Queue(sqlSummaryUsage, args)
		QueueUsage(b, t, step.Model, step.Usage)
		queueCompaction(b, sqlCompactionOwn, args, &c, &found)
		if err := t.Send(ctx, b); err != nil {
			return Compaction{}, err
		}
		switch {
		case !found:
			return Compaction{}, noCompaction(compaction)
		case step.To < c.From || step.To > c.To:
			return Compaction{}, &pg.InvalidError{Field: "to", Problem: fmt.Sprintf("the summary covers messages %d to %d", c.From, c.To)}
		}
		return finishCompaction(ctx, t, c)
	})
}
