package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// maxSummary bounds a summary, in bytes. Its tokens are the maker's to count.
const maxSummary = 64 << 10

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

	// A part that is done already changes nothing.
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
    and done_seq < @to and to_seq >= @to`

	sqlSummaryUsage = `
update compactions set
    ` + usageAdded + `
where workspace_id = @workspace and agent_id = @agent and compaction_id = @compaction and owner_key = @owner`
)

// LoadSummary reads the next part of an open compaction: messages of at most maxBytes with what they ask of tools, and one at least.
// Of one that has ended there are no messages, and Last is true. It costs two round trips.
func (s *Store) LoadSummary(ctx context.Context, id memory.Identity, compaction uuid.UUID, maxBytes int) (SummaryPart, error) {
	if err := requireOwner(id); err != nil {
		return SummaryPart{}, err
	}
	return snapshot(ctx, s, id, func(t *tx) (p SummaryPart, err error) {
		var agent, found, wanted bool
		args := t.args(pgx.NamedArgs{"compaction": compaction})
		b := &pgx.Batch{}
		one(b.Queue(sqlAgent, args), &agent, func(row pgx.CollectableRow) (err error) { p.Agent, err = scanAgent(row); return err })
		queueCompaction(b, sqlCompactionOwn, args, &p.Compaction, &found)
		one(b.Queue(sqlGoalOfCompaction, args), &wanted, func(row pgx.CollectableRow) error {
			goal, err := scanWhole(row)
			p.Goal = goal.Content
			return err
		})
		if err := t.send(ctx, b); err != nil {
			return SummaryPart{}, err
		}
		switch {
		case !agent:
			return SummaryPart{}, fmt.Errorf("agent %s: %w", id.Agent, ErrNotFound)
		case !found:
			return SummaryPart{}, noCompaction(compaction)
		}
		p.Summary, p.To = p.Compaction.Summary, p.Compaction.Done
		b = &pgx.Batch{}
		if p.Compaction.FinishedAt == nil {
			all(b.Queue(sqlSummaryMessages, t.args(pgx.NamedArgs{
				"uid": p.Compaction.ConversationUID, "done": p.Compaction.Done, "to": p.Compaction.To, "max": maxBytes, "window": stepWindow,
			})), &p.Messages, scanWhole)
		}
		if err := t.finish(ctx, b); err != nil {
			return SummaryPart{}, err
		}
		if n := len(p.Messages); n > 0 {
			p.To = p.Messages[n-1].Seq
		}
		p.Last = p.To >= p.Compaction.To
		return p, nil
	})
}

// SaveSummary keeps a summary that is brought up to date; the last part ends the compaction. Lines that the scan refuses are left
// out, and secrets are taken out of the rest. A part that is done already changes nothing but what it cost, which was spent in any
// case. It costs two round trips.
func (s *Store) SaveSummary(ctx context.Context, id memory.Identity, compaction uuid.UUID, step SummaryStep) (Compaction, error) {
	if err := requireOwner(id); err != nil {
		return Compaction{}, err
	}
	if err := requireWrite(id); err != nil {
		return Compaction{}, err
	}
	summary := memory.TidySummary(storable(step.Summary), false, 0, nil)
	if err := validText("summary", summary, maxSummary); err != nil {
		return Compaction{}, err
	}
	return inTx(ctx, s, id, func(t *tx) (c Compaction, err error) {
		args := t.args(pgx.NamedArgs{
			"compaction": compaction, "to": step.To, "summary": summary, "summary_tokens": step.SummaryTokens,
			"tokens_before": step.TokensBefore, "fallback": step.Fallback, "reason_code": step.ReasonCode,
		})
		addUsageArgs(args, step.Model, step.PromptVersion, step.Usage)
		found := false
		b := &pgx.Batch{}
		b.Queue(sqlSummarySave, args)
		b.Queue(sqlSummaryUsage, args)
		queueUsage(b, t, step.Model, step.Usage)
		queueCompaction(b, sqlCompactionOwn, args, &c, &found)
		if err := t.send(ctx, b); err != nil {
			return Compaction{}, err
		}
		switch {
		case !found:
			return Compaction{}, noCompaction(compaction)
		case step.To < c.From || step.To > c.To:
			return Compaction{}, &InvalidError{Field: "to", Problem: fmt.Sprintf("the summary brings messages %d to %d", c.From, c.To)}
		}
		return finishCompaction(ctx, t, c)
	})
}
