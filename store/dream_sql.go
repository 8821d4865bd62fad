package store

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
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

// stateColumns are the columns of a State, in the order of scanState.
const stateColumns = `
select e.entry_id, e.text, e.aliases, e.status, e.reason_code, e.mention_days, e.asked, e.light_hits, e.light_at, e.rem_hits,
    e.rem_at, e.first_seen, e.last_seen, e.dream_id`

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

func scanState(row pgx.CollectableRow) (s dream.State, err error) {
	var lightAt, remAt *time.Time
	var of uuid.NullUUID
	err = row.Scan(&s.ID, &s.Text, &s.Aliases, &s.Status, &s.ReasonCode, &s.MentionDays, &s.Asked, &s.LightHits, &lightAt,
		&s.REMHits, &remAt, &s.FirstSeen, &s.LastSeen, &of)
	s.LightAt, s.REMAt, s.Dream = timeOf(lightAt), timeOf(remAt), of.UUID
	return s, err
}

// timeOf is a time that may be missing.
func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// timeOrNull is the inverse of timeOf.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func idOrNull(id uuid.UUID) uuid.NullUUID { return uuid.NullUUID{UUID: id, Valid: id != uuid.Nil} }

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
