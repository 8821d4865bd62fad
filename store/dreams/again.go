package dreams

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/pg"
)

// Again describes how a dream is dreamed again.
type Again struct {
	Settings setting.DreamSettings // zero: resolved when a workflow takes the dream
	Trigger  memory.DreamTrigger   // empty: that of the first dream
	Request  string                // see NewDream.Request
}

// DreamAgain undoes a dream, as RevertDream does, and begins another one of the same night, window, mode and topic, which names it
// (AgainOf), in one transaction. The new dream belongs to the identity's workflow and run; without a workflow it waits for one.
// Statements that the undone dream promoted or rejected have their earlier state again, unless a person has decided about them
// since, so that they can be promoted. A dream that wrote nothing, or was undone before, is repeated without an undo.
//
// The same run or request gets the same dream. With conflicts nothing is written and no dream begins. It returns *ConflictError with
// CodeNotEnded for an open dream, CodeNotWritten for a dry run or a replay, and CodeDreamedAgain for one that was repeated before.
func (s *Dreaming) DreamAgain(ctx context.Context, id memory.Identity, dreamID uuid.UUID, again Again) (RevertedDream, error) {
	return s.undo(ctx, id, dreamID, "request", again.Request, &repeating{Again: again})
}

const (
	// The dream that has repeated one, and whether for the same run or request.
	sqlDreamRepeated = dreamColumns + `'', '',
    x.run_id = @run and x.workflow_id = @workflow and @run <> '' or x.request = @request and @request <> ''` + dreamFrom + `
    and x.owner_key = @owner and x.again_of = @dream
order by x.dream_id desc
limit 1`

	sqlDreamAgainMark = `
update dreams set again_as = @again, changed_at = @now
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner`

	// Writers of several states lock them in this order.
	sqlEntriesWeighedLock = `
select e.entry_id
from dream_entries e
where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner and e.entry_id in (
    select c.entry_id
    from dream_candidates c
    where c.workspace_id = @workspace and c.agent_id = @agent and c.dream_id = @dream)
order by e.entry_id
for no key update`

	// Takes back what the dream decided and counted. Decisions of people, and of later dreams, stay.
	sqlEntriesBefore = `
update dream_entries e set
    (status, reason_code, dream_id) = (
        select case when decided then coalesce(nullif(before ->> 'status', ''), 'open') else e.status end,
            case when decided then coalesce(before ->> 'reasonCode', '') else e.reason_code end,
            case when decided then (before ->> 'dream')::uuid else e.dream_id end
        from (select e.dream_id = @dream and (e.status = 'promoted' or e.status = 'rejected' and e.reason_code in ('undone', 'corrected')))
            d (decided)),
    light_hits = case when e.light_at = @as_of then coalesce((before ->> 'lightHits')::int, 0) else e.light_hits end,
    light_at = case when e.light_at = @as_of then (before ->> 'lightAt')::timestamptz else e.light_at end,
    rem_hits = case when e.rem_at = @as_of then coalesce((before ->> 'remHits')::int, 0) else e.rem_hits end,
    rem_at = case when e.rem_at = @as_of then (before ->> 'remAt')::timestamptz else e.rem_at end,
    changed_at = @now
from dream_candidates c
cross join lateral (select c.body -> 'before') b (before)
where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner
    and c.workspace_id = @workspace and c.agent_id = @agent and c.dream_id = @dream and c.entry_id = e.entry_id`
)

// repeating is the dream that follows an undone one.
type repeating struct {
	Again
	known  Dream // of an earlier time
	found  bool
	isSame bool // it was begun for the same run or request
}

// queueKnown queues reading the dream that has repeated x before.
func (r *repeating) queueKnown(b *pgx.Batch, t *pg.Tx, x Dream) {
	pg.WithRow(b.Queue(sqlDreamRepeated, t.Args(pgx.NamedArgs{
		"dream": x.ID, "workflow": t.ID.Author.WorkflowID, "run": t.ID.Author.RunID, "request": r.Request,
	})), &r.found, func(row pgx.CollectableRow) (err error) {
		r.known, err = scanDreamAnd(row, &r.isSame)
		return err
	})
}

// refused returns an error when another run or request has repeated x before.
func (r *repeating) refused(x Dream) error {
	if r.found && !r.isSame {
		return &pg.ConflictError{
			Code:    pg.CodeDreamedAgain,
			Message: fmt.Sprintf("dream %s was dreamed again as %s: name that one to repeat it once more", x.ID, r.known.ID),
		}
	}
	return nil
}

// queue queues the record of the new dream, and returns its id.
func (r *repeating) queue(b *pgx.Batch, t *pg.Tx, x Dream) uuid.UUID {
	id := pg.NewID()
	d := NewDream{
		Mode: x.Mode, Trigger: x.Trigger, Topic: x.Topic, Night: x.Night, AsOf: x.AsOf, Settings: r.Settings, Request: r.Request,
	}
	if r.Trigger != "" {
		d.Trigger = r.Trigger
	}
	args := d.args(t, id)
	args["again_of"] = x.ID
	old := t.Args(pgx.NamedArgs{"dream": x.ID, "again": id, "as_of": pg.TimeOrNull(x.AsOf)})
	b.Queue(sqlDreamAgainMark, old) // first, since it frees the night
	b.Queue(sqlEntriesWeighedLock, old)
	b.Queue(sqlEntriesBefore, old)
	b.Queue(sqlDreamInsert, t.Args(args))
	return id
}
