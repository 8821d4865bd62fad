// Package dreams stores dreams, what they weigh and what they change, the statements they know, and recalls.
package dreams

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store/gate"
	"reverie/store/pg"
)

// Dreaming stores dreams, the statements they weigh, and the recalls that count as signals.
type Dreaming struct{ db *pg.DB }

// New returns the dreams of a database.
func New(db *pg.DB) *Dreaming { return &Dreaming{db} }

// Dream is the record of one dream, and its report once it has ended.
type Dream struct {
	ID       uuid.UUID
	Owner    memory.Owner
	OwnerID  uuid.UUID
	Mode     memory.DreamMode
	Trigger  memory.DreamTrigger
	Topic    string // of a focused dream
	Night    string // names the night of a scheduled dream: "2026-01-31T02:00", unique for its owner; empty: none
	DryRun   bool   // nothing was written
	ReplayOf uuid.UUID
	AgainOf  uuid.UUID    // the dream that this one repeats; that one was undone
	AgainAs  uuid.UUID    // the dream that repeated this one
	Scope    memory.Scope // of MEMORY.md
	AsOf     time.Time    // the end of its window; zero until light sleep
	From     dream.Day    // the first day of its window
	Phase    memory.DreamPhase
	// Outcome is written, nothing, skipped, quarantined, failed, waiting or running.
	Outcome        memory.Outcome
	ReasonCode     memory.ReasonCode
	Reason         string // in words
	Settings       setting.DreamSettings
	Pins           dream.Pins
	Reflection     dream.Reflection
	Contradictions []dream.Contradiction
	Counts         DreamCounts
	Changes        []memory.ChangeReceipt // documents written
	Diff           string                 // of MEMORY.md; of a dry run: as it would have been
	Raw            string                 // the model's output, of quarantined dreams and dry runs
	Violations     []proposals.Violation
	Model          string
	PromptVersion  string
	Usage          memory.Usage
	RevertedBy     string    // who undid it; empty: nobody
	RevertedAt     time.Time // zero: not undone
	HasDraft       bool
	WaitingUntil   *time.Time
	WorkflowID     string
	RunID          string
	StartedAt      time.Time
	FinishedAt     *time.Time
}

// Open reports whether the dream has not ended.
func (d Dream) Open() bool {
	return d.Outcome == memory.OutcomeRunning || d.Outcome == memory.OutcomeWaiting
}

// DreamCounts count the candidates of a dream by verdict.
type DreamCounts struct {
	Candidates int `json:"candidates"`
	Promoted   int `json:"promoted"`
	Kept       int `json:"kept"`
	Rejected   int `json:"rejected"`
	Themes     int `json:"themes"`
	Truths     int `json:"truths"`
}

// dreamColumns are the columns of a Dream but for the last two (diff and raw), in the order of scanDream.
const dreamColumns = `
select x.dream_id, x.owner_key, (
        select o.owner_id
        from owners o
        where o.workspace_id = x.workspace_id and o.agent_id = x.agent_id and o.owner_key = x.owner_key), x.mode, x.trigger_source,
    x.topic, x.night, x.dry_run, x.replay_of, x.again_of, x.again_as, x.scope, x.as_of, x.from_day, x.phase, x.outcome, x.reason_code, x.reason,
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

	// States of statements: all settled ones, forgotten ones first, and open ones that were seen since a time.
	sqlDreamStates = gate.StateColumns + `
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

// scanDreamAnd also scans the columns after those of the dream into more.
func scanDreamAnd(row pgx.CollectableRow, more ...any) (d Dream, err error) {
	var replayOf, againOf, againAs uuid.NullUUID
	var asOf, revertedAt *time.Time
	var settings *setting.DreamSettings
	err = row.Scan(append([]any{
		&d.ID, &d.Owner, &d.OwnerID, &d.Mode, &d.Trigger,
		&d.Topic, &d.Night, &d.DryRun, &replayOf, &againOf, &againAs, &d.Scope, &asOf, &d.From, &d.Phase, &d.Outcome, &d.ReasonCode, &d.Reason,
		&settings, &d.Pins, &d.Reflection, &d.Contradictions, &d.Counts, &d.Changes, &d.Violations, &d.Model, &d.PromptVersion,
		&d.Usage.Calls, &d.Usage.InputTokens, &d.Usage.OutputTokens, &d.Usage.CostMicros, &d.RevertedBy, &revertedAt, &d.HasDraft,
		&d.WaitingUntil, &d.WorkflowID, &d.RunID, &d.StartedAt, &d.FinishedAt, &d.Diff, &d.Raw,
	}, more...)...)
	d.ReplayOf, d.AgainOf, d.AgainAs = replayOf.UUID, againOf.UUID, againAs.UUID
	d.AsOf, d.RevertedAt = pg.TimeOf(asOf), pg.TimeOf(revertedAt)
	if settings != nil {
		d.Settings = *settings
	}
	return d, err
}

// queueDream queues reading a dream of the identity's owner.
func queueDream(b *pgx.Batch, t *pg.Tx, dreamID uuid.UUID, to *Dream, found *bool) {
	pg.One(b.Queue(sqlDreamOwn, t.Args(pgx.NamedArgs{"dream": dreamID})), found, to, scanDream)
}

func noDream(dreamID uuid.UUID) error { return fmt.Errorf("dream %s: %w", dreamID, pg.ErrNotFound) }

func dreamSuperseded(dreamID uuid.UUID) error {
	return &pg.ConflictError{
		Code:    pg.CodeSuperseded,
		Message: fmt.Sprintf("dream %s has ended or another run has taken it over", dreamID),
	}
}

// DreamFilter limits a list of dreams. Zero fields match all.
type DreamFilter struct {
	Mode    memory.DreamMode
	Outcome memory.Outcome
	// Real leaves out dry runs and replays.
	Real bool
}

// ChangedDream is a dream with the time of its last change.
type ChangedDream struct {
	Dream
	ChangedAt time.Time
}

const (
	sqlDream = dreamColumns + `x.diff, x.raw` + dreamFrom + `
    and x.dream_id = @dream`

	sqlDreams      = dreamColumns + `'', ''` + dreamFrom + `and x.owner_key = @owner` + dreamList
	sqlDreamsOfAll = dreamColumns + `'', ''` + dreamFrom + dreamList

	dreamList = `
    and x.dream_id < @before
    and (@mode = '' or x.mode = @mode)
    and (@outcome = '' or x.outcome = @outcome)
    and (not @real or not x.dry_run and x.replay_of is null)
order by x.dream_id desc
limit @limit`

	sqlDreamsSince = dreamColumns + `'', '', x.changed_at` + dreamFrom + `
    and x.changed_at > @since
    and (@every or x.owner_key = @owner)
order by x.changed_at, x.dream_id
limit @limit`

	sqlDreamCandidates = `
select rank, body
from dream_candidates
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and rank > @after
    and (@verdict = '' or verdict = @verdict)
order by rank
limit @limit`
)

func scanChangedDream(row pgx.CollectableRow) (x ChangedDream, err error) {
	x.Dream, err = scanDreamAnd(row, &x.ChangedAt)
	return x, err
}

// queueReport queues reading any dream that the identity sees.
func queueReport(b *pgx.Batch, t *pg.Tx, dreamID uuid.UUID, to *Dream, found *bool) {
	pg.One(b.Queue(sqlDream, t.Args(pgx.NamedArgs{"dream": dreamID})), found, to, scanDream)
}

// Dream returns one report, with Raw and Diff, without candidates.
func (s *Dreaming) Dream(ctx context.Context, id memory.Identity, dreamID uuid.UUID) (Dream, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Dream{}, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (x Dream, err error) {
		found := false
		b := &pgx.Batch{}
		queueReport(b, t, dreamID, &x, &found)
		if err := t.Finish(ctx, b); err != nil {
			return Dream{}, err
		}
		if !found {
			return Dream{}, noDream(dreamID)
		}
		return x, nil
	})
}

// Dreams lists reports of the identity's owner (with AnyOwner and without an owner: of all), newest first, without Raw and Diff.
func (s *Dreaming) Dreams(ctx context.Context, id memory.Identity, f DreamFilter, p pg.Page) (pg.Listed[Dream], error) {
	return pg.ReadPage(ctx, s.db, id, p, func(t *pg.Tx, from pg.Cursor) (string, pgx.NamedArgs) {
		sql := sqlDreams
		if t.Everybody() {
			sql = sqlDreamsOfAll
		}
		return sql, pgx.NamedArgs{"before": from.ID, "mode": f.Mode, "outcome": f.Outcome, "real": f.Real}
	}, scanDream, func(x Dream) pg.Cursor { return pg.Cursor{At: x.StartedAt, ID: x.ID} })
}

// DreamsSince lists dreams of the identity's owner (with AnyOwner and without an owner: of all) whose phase or outcome changed
// after a time, oldest change first. A change of a longer transaction may appear later with an earlier time: to miss none, ask
// again from a few seconds before.
func (s *Dreaming) DreamsSince(ctx context.Context, id memory.Identity, since time.Time, limit int) ([]ChangedDream, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (changed []ChangedDream, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlDreamsSince, t.Args(pgx.NamedArgs{"since": since, "every": t.Everybody(), "limit": pg.LimitOf(limit)})),
			&changed, scanChangedDream)
		err = t.Finish(ctx, b)
		return changed, err
	})
}

// rankedCandidate is a candidate with its rank.
type rankedCandidate struct {
	rank int
	dream.Candidate
}

func scanRanked(row pgx.CollectableRow) (c rankedCandidate, err error) {
	err = row.Scan(&c.rank, &c.Candidate)
	return c, err
}

// DreamCandidates lists the candidates of one dream, best first. verdict "" means all.
func (s *Dreaming) DreamCandidates(
	ctx context.Context, id memory.Identity, dreamID uuid.UUID, verdict dream.Verdict, p pg.Page,
) (pg.Listed[dream.Candidate], error) {
	if err := pg.RequireAgent(id); err != nil {
		return pg.Listed[dream.Candidate]{}, err
	}
	after := int64(0) // the cursor of this list has a rank for its time
	if p.Cursor != "" {
		from, err := pg.ParseCursor(p.Cursor)
		if err != nil {
			return pg.Listed[dream.Candidate]{}, err
		}
		after = from.At.UnixMicro()
	}
	limit := pg.LimitOf(p.Limit)
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (pg.Listed[dream.Candidate], error) {
		var x Dream
		var found []rankedCandidate
		known := false
		b := &pgx.Batch{}
		queueReport(b, t, dreamID, &x, &known)
		pg.All(b.Queue(sqlDreamCandidates, t.Args(pgx.NamedArgs{
			"dream": dreamID, "after": after, "verdict": verdict, "limit": limit + 1,
		})), &found, scanRanked)
		if err := t.Finish(ctx, b); err != nil {
			return pg.Listed[dream.Candidate]{}, err
		}
		if !known {
			return pg.Listed[dream.Candidate]{}, noDream(dreamID)
		}
		page := pg.NewListed(found, limit, func(c rankedCandidate) pg.Cursor { return pg.Cursor{At: time.UnixMicro(int64(c.rank)), ID: dreamID} })
		out := pg.Listed[dream.Candidate]{Next: page.Next}
		for _, c := range page.Items {
			out.Items = append(out.Items, c.Candidate)
		}
		return out, nil
	})
}

const sqlDreamOfRequest = dreamColumns + `x.diff, x.raw` + dreamFrom + `
    and x.owner_key = @owner and x.request = @request and x.request <> ''`

// DreamOfRequest returns the dream of the identity's owner that was requested with this key, or ErrNotFound.
func (s *Dreaming) DreamOfRequest(ctx context.Context, id memory.Identity, request string) (Dream, error) {
	if err := pg.RequireOwner(id); err != nil {
		return Dream{}, err
	}
	return pg.ReadOne(
		ctx, s.db, id, sqlDreamOfRequest, pgx.NamedArgs{"request": request}, scanDream,
		fmt.Errorf("dream of this request: %w", pg.ErrNotFound),
	)
}
