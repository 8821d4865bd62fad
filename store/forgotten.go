package store

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/dream/judge"
	"reverie/memory"
)

// What a person wanted forgotten does not come back through the gate by itself. An extraction or a flush may have been drafted
// before, or read messages from before; a snapshot or another system's documents may be older; what they say of it is left out. A
// dream knows by itself. A person who writes it again, or restores a version that says it, wants it back.

// maxForgotten bounds how many statements a write is compared with, the latest ones.
const maxForgotten = 500

const (
	// It comes behind the locks of the documents: who forgets holds the one that says it.
	sqlForgotten = stateColumns + `, e.owner_key
from unnest(@owners::text[]) o (owner_key)
cross join lateral (
    select *
    from dream_entries
    where workspace_id = @workspace and agent_id = @agent and owner_key = o.owner_key and status <> 'open' and status = 'forgotten'
    order by last_seen desc
    limit @limit
) e`

	sqlForgottenRevive = `
update dream_entries set status = 'confirmed', reason_code = '', changed_at = @now
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and entry_id = any (@entries::text[]) and status = 'forgotten'`
)

// forgotten is what was forgotten by those whose documents are written.
type forgotten struct {
	states  map[memory.Owner][]dream.State
	gone    map[memory.Owner]judge.Gone // of states, made when it is needed
	revived map[memory.Owner][]memory.EntryID
	all     bool // nothing is left of what machinery would add
}

// forgetterOf is under whom it is kept what was forgotten of a document; empty: nobody can forget anything of it.
func forgetterOf(scope memory.Scope, owner memory.Owner) memory.Owner {
	switch scope {
	case memory.ScopePersonal:
		return owner
	case memory.ScopeTeam:
		return memory.SystemOwner
	}
	return memory.NoOwner
}

// minds reports whether an author's writes are looked at for what was forgotten.
func minds(a memory.Author) bool {
	return a.Kind == memory.AuthorWorkflow || a.Kind == memory.AuthorImport || a.Kind == memory.AuthorUser
}

// queueForgotten queues reading what was forgotten.
func (w *writes) queueForgotten(b *pgx.Batch, t *tx) {
	var owners []string
	for _, d := range w.order {
		if of := string(forgetterOf(d.ref.Scope, d.owner)); of != "" && !slices.Contains(owners, of) {
			owners = append(owners, of)
		}
	}
	if len(owners) == 0 || !minds(w.author) {
		return
	}
	w.forgotten = forgotten{states: map[memory.Owner][]dream.State{}, gone: map[memory.Owner]judge.Gone{}, revived: map[memory.Owner][]memory.EntryID{}}
	b.Queue(sqlForgotten, t.args(pgx.NamedArgs{"owners": owners, "limit": maxForgotten})).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var owner memory.Owner
			state, err := scanState(ownedRow{rows, &owner})
			if err != nil {
				return err
			}
			w.forgotten.states[owner] = append(w.forgotten.states[owner], state)
		}
		return rows.Err()
	})
}

// ownedRow is a row that has its owner behind what is scanned.
type ownedRow struct {
	pgx.CollectableRow

	owner *memory.Owner
}

// Scan scans the owner, too.
func (r ownedRow) Scan(to ...any) error { return r.CollectableRow.Scan(append(to, r.owner)...) }

// of is what was forgotten of a document.
func (f *forgotten) of(owner memory.Owner) judge.Gone {
	if len(f.states[owner]) == 0 {
		return judge.Gone{}
	}
	gone, made := f.gone[owner]
	if !made {
		gone = judge.GoneOf(f.states[owner])
		f.gone[owner] = gone
	}
	return gone
}

// mind takes out of what machinery would make of a document the statements that were forgotten and that it does not have
// already, and reports whether there were any. It notes which of them a person writes again.
func (w *writes) mind(d *document, next *state) bool {
	owner := forgetterOf(d.ref.Scope, d.owner)
	gone := w.forgotten.of(owner)
	if gone.Empty() || next.deleted {
		return false
	}
	had := map[memory.EntryID]bool{}
	for _, e := range memory.EntriesOf(d.content()) {
		had[e.ID] = true
	}
	again, added := names{}, 0
	for _, e := range memory.EntriesOf(next.content) {
		if had[e.ID] {
			continue
		}
		added++
		states := gone.Said(e.ID, e.Text)
		if len(states) == 0 {
			continue
		}
		again[e.ID] = true
		added--
		if w.author.Kind == memory.AuthorUser {
			for _, s := range states {
				w.forgotten.revived[owner] = append(w.forgotten.revived[owner], s.ID)
			}
		}
	}
	switch {
	case len(again) == 0 || w.author.Kind == memory.AuthorUser:
		return false
	case added == 0 && d.version > 0 && !d.deleted && addsOnly(d.content(), next.content): // but for headings nothing is left of it
		next.content, next.merged = d.content(), false
	default:
		_, _, places := again.placesOf(next.content)
		next.content = without(next.content, places)
	}
	w.forgotten.all = added == 0
	return true
}

// addsOnly reports whether a text has every statement of an earlier one.
func addsOnly(before, after string) bool {
	has := map[memory.EntryID]bool{}
	for _, e := range memory.EntriesOf(after) {
		has[e.ID] = true
	}
	return !slices.ContainsFunc(memory.EntriesOf(before), func(e memory.EntryAt) bool { return !has[e.ID] })
}

// queueRevived queues that what a person wrote again is no longer forgotten.
func (w *writes) queueRevived(b *pgx.Batch, t *tx) {
	for owner, entries := range w.forgotten.revived {
		if len(entries) == 0 {
			continue
		}
		args := t.args(pgx.NamedArgs{"owner": owner, "entries": textsOf(entries)})
		b.Queue(sqlDreamEntriesLock, args)
		b.Queue(sqlForgottenRevive, args)
	}
}
