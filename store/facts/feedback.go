package facts

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

// Opinion is the direction of feedback.
type Opinion string

// Opinions.
const (
	Helpful   Opinion = "HELPFUL"
	Unhelpful Opinion = "UNHELPFUL"
	Heard     Opinion = "HEARD" // no opinion: it was said again, in other words
)

// Feedback is the judgement of a person, or of the course of a conversation, on a fact.
type Feedback struct {
	Opinion Opinion
	Weight  float64 // 1: a person's explicit opinion
	Reason  string  // code, such as "asked" or "corrected"
	Key     string  // idempotency key; empty: none
	// At is when it was given, or said again, at most now; zero: now.
	At time.Time
}

// maxReason is the longest reason of feedback, in bytes.
const maxReason = 64

const (
	sqlPlace = `
select ended is null, document_id, agent_id, scope, owner_key, entry_id
from facts
where workspace_id = @workspace and fact_id = @fact
order by version desc
limit 1`

	sqlEvent = `
insert into fact_events (workspace_id, agent_id, scope, owner_key, fact_id, event_id, kind, weight, reason, author_kind, author_id, at)
values (@workspace, @agent, @scope, @owner, @fact, @event, @kind, @weight, @reason, @author_kind, @author_id, least(@at::timestamptz, @now))
on conflict do nothing`

	sqlUndo = `
update fact_events set undone_at = @now
where workspace_id = @workspace and agent_id = @agent and fact_id = @fact and event_id = @event and undone_at is null
returning event_id`
)

const sqlGiven = `
select e.event_id, e.kind, e.weight, e.reason, e.author_kind, e.author_id, e.at, e.undone_at
from (values (@agent), ('')) p (agent)
cross join lateral (
    select *
    from fact_events e
    where e.workspace_id = @workspace and e.agent_id = p.agent and e.fact_id = @fact
    order by e.event_id
    limit 1000
) e
order by e.at, e.event_id`

func scanGiven(row pgx.CollectableRow) (g Given, err error) {
	var undone *time.Time
	err = row.Scan(&g.ID, &g.Opinion, &g.Weight, &g.Reason, &g.Author.Kind, &g.Author.ID, &g.At, &undone)
	g.Undone = pg.TimeOf(undone)
	return g, err
}

// Reasons of feedback that is given explicitly.
const (
	ReasonAsked     = "asked"     // a person or a program
	ReasonConfirmed = "confirmed" // a person confirmed the statement in the report of a dream
)

// GiveFeedback records feedback about a current fact and returns the id of the event: the same one for the same key, which is recorded
// once. Errors: ErrNotFound; ErrForbidden for a
// credential that may not write the fact's document.
func (s *Facts) GiveFeedback(ctx context.Context, id memory.Identity, fact uuid.UUID, f Feedback) (uuid.UUID, error) {
	switch {
	case f.Opinion != Helpful && f.Opinion != Unhelpful && f.Opinion != Heard:
		return uuid.Nil, &pg.InvalidError{Field: "kind", Problem: "use HELPFUL or UNHELPFUL"}
	case !(f.Weight > 0 && f.Weight <= 1):
		return uuid.Nil, &pg.InvalidError{Field: "weight", Problem: "use a number above 0, at most 1"}
	}
	if err := memory.ValidText("reason", f.Reason, maxReason); err != nil {
		return uuid.Nil, err
	}
	event := pg.NewID()
	if f.Key != "" {
		event = uuid.NewSHA1(fact, []byte(f.Key))
	}
	return event, s.onFact(ctx, id, fact, false, func(b *pgx.Batch, args pgx.NamedArgs, _ *bool) {
		args["event"], args["kind"], args["weight"], args["reason"] = event, f.Opinion, f.Weight, f.Reason
		args["author_kind"], args["author_id"], args["at"] = id.Author.Kind, id.Author.ID, pg.TimeOrNull(f.At)
		b.Queue(sqlEvent, args)
	})
}

// UndoFeedback undoes an event of a fact. The fact may have ended, as corrected ones usually have. Errors are those of GiveFeedback, and
// ErrNotFound for an event that was undone before.
func (s *Facts) UndoFeedback(ctx context.Context, id memory.Identity, fact, event uuid.UUID) error {
	return s.onFact(ctx, id, fact, true, func(b *pgx.Batch, args pgx.NamedArgs, missing *bool) {
		args["event"] = event
		b.Queue(sqlUndo, args).Query(func(rows pgx.Rows) error {
			*missing = !rows.Next()
			rows.Close()
			return rows.Err()
		})
	})
}

// onFact changes the events of a fact and weighs it again, in one transaction. ended accepts facts that have ended.
func (s *Facts) onFact(
	ctx context.Context, id memory.Identity, fact uuid.UUID, ended bool, queue func(*pgx.Batch, pgx.NamedArgs, *bool),
) error {
	if err := pg.RequireAgent(id); err != nil {
		return err
	}
	if _, err := upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) (none struct{}, err error) {
		b := &pgx.Batch{}
		queueBehind(b, t, late)
		return none, t.Finish(ctx, b)
	}); err != nil {
		return err
	}
	missing := fmt.Errorf("fact %s: %w", fact, pg.ErrNotFound)
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		var d Document
		var entry string
		found, current, gone := false, false, false
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlPlace, t.Args(pgx.NamedArgs{"fact": fact})), &found, &current, &d.ID, &d.Agent, &d.Scope, &d.Owner, &entry)
		if err := t.Send(ctx, b); err != nil {
			return none, err
		}
		if !found || !current && !ended {
			return none, missing
		}
		b = &pgx.Batch{}
		b.Queue(sqlLock, d.args(t, nil))
		queue(b, d.args(t, pgx.NamedArgs{"fact": fact}), &gone)
		b.Queue(sqlWeigh, d.args(t, pgx.NamedArgs{"entries": []string{entry}}))
		if err := t.Send(ctx, b); err != nil {
			return none, err
		}
		if gone {
			return none, missing
		}
		return none, t.Finish(ctx, &pgx.Batch{})
	})
	return err
}
