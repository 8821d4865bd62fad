package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
)

// FoundEntry is a statement that was looked for.
type FoundEntry struct {
	State     dream.State     // without ID: no dream has kept one
	Candidate dream.Candidate // without ID: the dream that was looked at did not weigh it
}

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

	// Candidates of the owner's latest dream that has any, dry runs included: what was just weighed is asked about.
	sqlEntriesWeighed = `
select c.body
from (
    select x.dream_id
    from dreams x
    cross join lateral (
        select
        from dream_candidates
        where workspace_id = @workspace and agent_id = @agent and dream_id = x.dream_id
        limit 1
    ) c
    where x.workspace_id = @workspace and x.agent_id = @agent and x.owner_key = @owner
    order by x.dream_id desc
    limit 1
) x
cross join lateral (
    select *
    from dream_candidates
    where workspace_id = @workspace and agent_id = @agent and dream_id = x.dream_id
        and strpos(lower(body ->> 'text'), lower(@text)) > 0
    order by rank
    limit @limit
) c
order by c.rank`

	sqlEntriesSaying = stateColumns + `
from dream_entries e
where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner and strpos(lower(e.text), lower(@text)) > 0
order by e.last_seen desc, e.entry_id collate "C"
limit @limit`

	sqlEntryStates = stateColumns + `
from dream_entries e
where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner and e.entry_id = any (@entries::text[])`
)

// DreamEntry is the state of one statement of the identity's owner, and the last candidate that it was; entry may be that of
// another wording. One of the two may be missing, which is without an id then.
func (s *Store) DreamEntry(ctx context.Context, id memory.Identity, entry memory.EntryID) (dream.State, dream.Candidate, error) {
	if err := requireOwner(id); err != nil {
		return dream.State{}, dream.Candidate{}, err
	}
	found, err := read(ctx, s, id, func(t *tx) (found FoundEntry, err error) {
		var known, weighed bool
		args := t.args(pgx.NamedArgs{"entry": entry})
		b := &pgx.Batch{}
		one(b.Queue(sqlEntryState, args), &known, func(row pgx.CollectableRow) (err error) { found.State, err = scanState(row); return err })
		one(b.Queue(sqlEntryLast, args), &weighed, func(row pgx.CollectableRow) error { return row.Scan(&found.Candidate) })
		if err := t.finish(ctx, b); err != nil {
			return FoundEntry{}, err
		}
		if !known && !weighed {
			return FoundEntry{}, fmt.Errorf("statement %s: %w", entry, ErrNotFound)
		}
		return found, nil
	})
	return found.State, found.Candidate, err
}

// FindDreamEntries finds statements of the identity's owner whose words contain text, in any case: candidates of the latest
// dream, best first, then states that it did not weigh, those that were seen last first. It is empty when nothing says so.
func (s *Store) FindDreamEntries(ctx context.Context, id memory.Identity, text string, limit int) ([]FoundEntry, error) {
	if err := requireOwner(id); err != nil {
		return nil, err
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, &InvalidError{Field: "text", Problem: "give words of the statement"}
	}
	if err := validContent("text", text); err != nil {
		return nil, err
	}
	limit = limitOf(limit)
	return read(ctx, s, id, func(t *tx) ([]FoundEntry, error) {
		var weighed []dream.Candidate
		var kept, states []dream.State
		args := t.args(pgx.NamedArgs{"text": text, "limit": limit})
		b := &pgx.Batch{}
		all(b.Queue(sqlEntriesWeighed, args), &weighed, pgx.RowTo[dream.Candidate])
		all(b.Queue(sqlEntriesSaying, args), &kept, scanState)
		if err := t.send(ctx, b); err != nil {
			return nil, err
		}
		ids := make([]memory.EntryID, len(weighed))
		for i, c := range weighed {
			ids[i] = c.ID
		}
		b = &pgx.Batch{}
		all(b.Queue(sqlEntryStates, t.args(pgx.NamedArgs{"entries": textsOf(ids)})), &states, scanState)
		if err := t.finish(ctx, b); err != nil {
			return nil, err
		}
		return foundEntries(weighed, states, kept, limit), nil
	})
}

// foundEntries puts candidates together with their states, and behind them states without a candidate.
func foundEntries(weighed []dream.Candidate, states, kept []dream.State, limit int) []FoundEntry {
	byID := map[memory.EntryID]dream.State{}
	for _, state := range states {
		byID[state.ID] = state
	}
	var out []FoundEntry
	shown := map[memory.EntryID]bool{}
	for _, c := range weighed {
		shown[c.ID] = true
		out = append(out, FoundEntry{State: byID[c.ID], Candidate: c})
	}
	for _, state := range kept {
		if !shown[state.ID] {
			out = append(out, FoundEntry{State: state})
		}
	}
	return out[:min(len(out), limit)]
}
