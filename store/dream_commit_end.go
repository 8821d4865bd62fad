package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const sqlDreamEnd = `
update dreams set
    phase = case when @outcome = 'waiting' then phase else 'ended' end,
    outcome = @outcome,
    reason_code = @reason_code,
    reason = @reason,
    changes = @changes,
    draft = case when @outcome = 'waiting' then draft end,
    raw = case when @outcome in ('quarantined', 'waiting') or dry_run then raw else '' end,
    model = @model,
    prompt_version = @prompt_version,
    ` + usageAdded + `,
    waiting_until = @until,
    finished_at = case when @outcome <> 'waiting' then @now::timestamptz end,
    changed_at = @now
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner`

// EndDream records how a dream ended without a commit, or that it waits. One that has ended is returned as it is. The news that
// it looked at are news no more when e.Heard says so and it was no dry run.
func (s *Store) EndDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, e DreamEnding) (Dream, error) {
	switch e.Outcome {
	case memory.OutcomeNothing, memory.OutcomeSkipped, memory.OutcomeFailed, memory.OutcomeWaiting:
	default:
		return Dream{}, &InvalidError{Field: "outcome", Problem: "use nothing, skipped, failed or waiting"}
	}
	return withDream(ctx, s, id, dreamID, func(o *openDream) (Dream, error) {
		switch {
		case !o.Open():
			return o.Dream, nil
		case !o.mine():
			return Dream{}, dreamSuperseded(dreamID)
		}
		end := dreamEnd{DreamEnding: e}
		if end.Model == "" {
			end.Model, end.PromptVersion = o.Model, o.PromptVersion
		}
		if e.Heard && e.Outcome == memory.OutcomeNothing && o.real() {
			if end.heard = e.News; end.heard == 0 {
				end.heard = o.Pins.News
			}
		}
		return o.finish(ctx, &pgx.Batch{}, end)
	})
}

// dreamEnd is a DreamEnding with what a commit adds.
type dreamEnd struct {
	DreamEnding
	changes []memory.ChangeReceipt
	heard   int64 // mark of the news that are none any more; 0: they stay
}

// ending is how a draft ends: as nothing, or quarantined, until it turns out that MEMORY.md is written.
func (o *openDream) ending() dreamEnd {
	end := dreamEnd{DreamEnding: DreamEnding{
		Outcome: memory.OutcomeNothing, ReasonCode: o.draft.ReasonCode, Reason: o.Reason, Model: o.Model, PromptVersion: o.PromptVersion,
	}}
	if o.draft.Outcome == memory.OutcomeQuarantined {
		end.Outcome = memory.OutcomeQuarantined
	}
	return end
}

// finish queues the record's end, commits, and reads the record as it is then.
func (o *openDream) finish(ctx context.Context, b *pgx.Batch, e dreamEnd) (Dream, error) {
	args, err := jsonArgs(o.args(), map[string]any{"changes": orEmpty(e.changes)})
	if err != nil {
		return Dream{}, err
	}
	addUsageArgs(args, e.Model, e.PromptVersion, e.Usage)
	args["outcome"], args["reason_code"], args["reason"], args["until"] = e.Outcome, e.ReasonCode, storable(e.Reason), nil
	if e.Outcome == memory.OutcomeWaiting {
		args["until"] = e.Until
	}
	b.Queue(sqlDreamEnd, args)
	if e.heard > 0 {
		b.Queue(sqlNewsHeard, o.t.args(pgx.NamedArgs{"mark": e.heard}))
	}
	queueUsage(b, o.t, e.Model, e.Usage)
	if e.Outcome != memory.OutcomeWaiting {
		if err := o.queueCompletedEvent(b, e); err != nil {
			return Dream{}, err
		}
	}
	var ended Dream
	var found bool
	queueDream(b, o.t, o.ID, &ended, &found)
	if err := o.t.finish(ctx, b); err != nil {
		return Dream{}, err
	}
	if !found {
		return Dream{}, fmt.Errorf("after its end: %w", noDream(o.ID))
	}
	return ended, nil
}
