package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
)

const (
	sqlEntryState = stateColumns + `
from dream_entries e
where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner
    and (e.entry_id = @entry or @entry = any (e.aliases))
order by e.entry_id = @entry desc, e.last_seen desc
limit 1`

	// The last candidate that a statement was, under the name that is asked for or the one that its state has.
	sqlEntryLast = `
select c.body
from (
    select @entry::text as entry_id
    union
    select e.entry_id
    from dream_entries e
    where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner and @entry = any (e.aliases)
) n
cross join lateral (
    select *
    from dream_candidates
    where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and entry_id = n.entry_id
    order by dream_id desc
    limit 1
) c
order by c.dream_id desc
limit 1`
)

// DreamEntry is the state of one statement of the identity's owner, and the last candidate that it was; entry may be that of
// another wording. One of the two may be missing, which is without an id then.
func (s *Store) DreamEntry(ctx context.Context, id memory.Identity, entry memory.EntryID) (dream.State, dream.Candidate, error) {
	if err := requireOwner(id); err != nil {
		return dream.State{}, dream.Candidate{}, err
	}
	var state dream.State
	candidate, err := read(ctx, s, id, func(t *tx) (candidate dream.Candidate, err error) {
		var known, weighed bool
		args := t.args(pgx.NamedArgs{"entry": entry})
		b := &pgx.Batch{}
		one(b.Queue(sqlEntryState, args), &known, func(row pgx.CollectableRow) (err error) { state, err = scanState(row); return err })
		one(b.Queue(sqlEntryLast, args), &weighed, func(row pgx.CollectableRow) error { return row.Scan(&candidate) })
		if err := t.finish(ctx, b); err != nil {
			return candidate, err
		}
		if !known && !weighed {
			return candidate, fmt.Errorf("statement %s: %w", entry, ErrNotFound)
		}
		return candidate, nil
	})
	return state, candidate, err
}
