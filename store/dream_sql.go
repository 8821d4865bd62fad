package store

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// dreamColumns are the columns of a Dream but for the last two (diff and raw), in the order of scanDream.
const dreamColumns = `
select x.dream_id, x.owner_key, (
        select o.owner_id
        from owners o
        where o.workspace_id = x.workspace_id and o.agent_id = x.agent_id and o.owner_key = x.owner_key), x.mode, x.trigger_source,
    x.topic, x.night, x.dry_run, x.replay_of, x.scope, x.as_of, x.from_day, x.phase, x.outcome, x.reason_code, x.reason,
    x.settings, x.pins, x.reflection, x.contradictions, x.counts, x.changes, x.violations, x.model, x.prompt_version,
    x.calls, x.input_tokens, x.output_tokens, x.cost_micros, x.reverted_by, x.reverted_at, x.draft is not null,
    x.waiting_until, x.workflow_id, x.run_id, x.started_at, x.finished_at, `

const dreamFrom = `
from dreams x
where x.workspace_id = @workspace and x.agent_id = @agent `

const (
	// One dream of the identity's owner, with all of it.
	sqlDreamOwn = dreamColumns + `x.diff, x.raw` + dreamFrom + `
    and x.dream_id = @dream and x.owner_key = @owner`

	// States of statements: all that is settled, what a person wanted gone first, and of the rest what was seen since a time.
	sqlDreamStates = stateColumns + `
from (
    (select *
    from dream_entries
    where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and status <> 'open'
    order by status = 'forgotten' desc, last_seen desc
    limit @limit)
    union all
    (select *
    from dream_entries
    where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and status = 'open' and last_seen >= @seen_since
    order by last_seen desc
    limit @limit)
) e
order by e.status = 'open', e.status = 'forgotten' desc, e.last_seen desc, e.entry_id collate "C"
limit @limit`
)

func scanDream(row pgx.CollectableRow) (Dream, error) { return scanDreamAnd(row) }

// scanDreamAnd also fills more from the columns behind those of the dream.
func scanDreamAnd(row pgx.CollectableRow, more ...any) (d Dream, err error) {
	var replayOf uuid.NullUUID
	var asOf, revertedAt *time.Time
	var settings *memory.DreamSettings
	err = row.Scan(append([]any{
		&d.ID, &d.Owner, &d.OwnerID, &d.Mode, &d.Trigger,
		&d.Topic, &d.Night, &d.DryRun, &replayOf, &d.Scope, &asOf, &d.From, &d.Phase, &d.Outcome, &d.ReasonCode, &d.Reason,
		&settings, &d.Pins, &d.Reflection, &d.Contradictions, &d.Counts, &d.Changes, &d.Violations, &d.Model, &d.PromptVersion,
		&d.Usage.Calls, &d.Usage.InputTokens, &d.Usage.OutputTokens, &d.Usage.CostMicros, &d.RevertedBy, &revertedAt, &d.HasDraft,
		&d.WaitingUntil, &d.WorkflowID, &d.RunID, &d.StartedAt, &d.FinishedAt, &d.Diff, &d.Raw,
	}, more...)...)
	d.ReplayOf = replayOf.UUID
	d.AsOf, d.RevertedAt = timeOf(asOf), timeOf(revertedAt)
	if settings != nil {
		d.Settings = *settings
	}
	return d, err
}

// queueDream queues reading a dream of the identity's owner.
func queueDream(b *pgx.Batch, t *tx, dreamID uuid.UUID, to *Dream, found *bool) {
	one(b.Queue(sqlDreamOwn, t.args(pgx.NamedArgs{"dream": dreamID})), found,
		func(row pgx.CollectableRow) (err error) { *to, err = scanDream(row); return err })
}

func noDream(dreamID uuid.UUID) error { return fmt.Errorf("dream %s: %w", dreamID, ErrNotFound) }

func dreamSuperseded(dreamID uuid.UUID) error {
	return &ConflictError{
		Code:    CodeSuperseded,
		Message: fmt.Sprintf("dream %s has ended or another run has taken it over", dreamID),
	}
}
