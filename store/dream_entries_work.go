package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/dream/rewrite"
	"reverie/memory"
)

const (
	sqlEntryCandidate = `
select body
from dream_candidates
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner
    and (entry_id = @entry or jsonb_exists(body -> 'aliases', @entry))
order by entry_id = @entry desc
limit 1`

	// Where a statement can stand that is to be forgotten, beside MEMORY.md: archives and daily notes.
	sqlEntryDocuments = documentColumns + `octet_length(v.content), v.content
from documents d ` + currentVersion + `
where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = @scope and d.owner_key = @whose and not d.deleted
    and d.path ~ '^memory/(archive/.*|[0-9]{4}-[0-9]{2}-[0-9]{2}[^/]*)\.md$'
order by d.path collate "C"`

	// What dreams have counted of a statement stays as it is.
	sqlEntrySettle = `
insert into dream_entries (workspace_id, agent_id, owner_key, entry_id, status, text, aliases, mention_days, asked,
    first_seen, last_seen, changed_at)
values (@workspace, @agent, @owner, @entry, @status, @text, @aliases, @mention_days, @asked, @now, @last_seen, @now)
on conflict (workspace_id, agent_id, owner_key, entry_id) do update set
    status = excluded.status,
    reason_code = '',
    aliases = array(select distinct a from unnest(dream_entries.aliases || excluded.aliases) a order by a),
    changed_at = excluded.changed_at`

	sqlEntrySettleOthers = `
update dream_entries set status = @status, reason_code = '', changed_at = @now
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and entry_id = any (@others::text[])`
)

// entryWork is what a person does with a statement, on its way.
type entryWork struct {
	t      *tx
	change EntryChange
	scope  memory.Scope

	recorded  *memory.Receipt // the key was used before
	standing  standing
	state     dream.State     // zero: no dream has kept one
	candidate dream.Candidate // zero: no dream has weighed it
	memory    memory.Document // MEMORY.md; version 0: there is none
	person    []string        // its lines that a person wrote
	names     names

	changes     []memory.Change
	status      dream.Status
	replacement string // of edit: the words that are confirmed, when they are another statement
}

func (w *entryWork) run(ctx context.Context, act func(*entryWork, context.Context) error) (EntryReceipt, error) {
	if err := w.look(ctx); err != nil {
		return EntryReceipt{}, err
	}
	known := w.candidate.ID != "" || w.state.ID != ""
	if w.change.Dream != uuid.Nil {
		known = w.candidate.ID != ""
	}
	switch {
	case !known:
		return EntryReceipt{}, fmt.Errorf("statement %s: %w", w.change.Entry, ErrNotFound)
	case w.recorded != nil:
		return w.finish(ctx, &pgx.Batch{}, w.recorded)
	}
	if err := w.standing.allows(w.t.id.Author); err != nil { // states of statements are memory without documents
		return EntryReceipt{}, err
	}
	w.names.add(w.change.Entry, nil)
	w.names.add(w.state.ID, w.state.Aliases, w.state.Text)
	w.names.add(w.candidate.ID, append(w.candidate.Before.Aliases, w.candidate.Aliases...), w.candidate.Text, w.candidate.Line)
	if err := act(w, ctx); err != nil {
		return EntryReceipt{}, err
	}
	return w.commit(ctx)
}

// look reads what is known about the statement, and MEMORY.md.
func (w *entryWork) look(ctx context.Context) error {
	t := w.t
	args := t.args(pgx.NamedArgs{
		"entry": w.change.Entry, "dream": w.change.Dream, "scope": w.scope, "whose": rowOwner(t.id, w.scope), "path": memory.MemoryPath,
	})
	b := &pgx.Batch{}
	if w.change.Key != "" {
		queueLedger(b, t, w.change.Key, &w.recorded)
	}
	queueStanding(b, t, &w.standing)
	var known, weighed, written bool
	one(b.Queue(sqlEntryState, args), &known, func(row pgx.CollectableRow) (err error) { w.state, err = scanState(row); return err })
	candidates := sqlEntryCandidate
	if w.change.Dream == uuid.Nil {
		candidates = sqlEntryLast
	}
	one(b.Queue(candidates, args), &weighed, func(row pgx.CollectableRow) error { return row.Scan(&w.candidate) })
	one(b.Queue(sqlExtractionDocument, args), &written, func(row pgx.CollectableRow) error {
		e, err := scanDocumentAnd(row, &w.person)
		w.memory = e.Document
		if e.Deleted {
			w.person = nil
		}
		return err
	})
	return t.send(ctx, b)
}

// text is the statement in words.
func (w *entryWork) text() string {
	if w.candidate.Text != "" {
		return w.candidate.Text
	}
	return w.state.Text
}

// id is the identity under which the state of the statement is kept.
func (w *entryWork) id() memory.EntryID {
	if w.state.ID != "" {
		return w.state.ID
	}
	return w.candidate.ID
}

// write replaces the content of a document as it was read.
func (w *entryWork) write(d memory.Document, content, reason string) {
	if content == d.Content && !d.Deleted && d.Version > 0 {
		return
	}
	w.changes = append(w.changes, memory.Change{
		Ref: memory.Ref{Scope: w.scope, Path: d.Path}, Op: memory.OpReplace, Content: content, Base: d.Version, Reason: reason,
	})
}

// writeMemory replaces MEMORY.md.
func (w *entryWork) writeMemory(content, reason string) {
	d := w.memory
	d.Path = memory.MemoryPath
	w.write(d, content, reason)
}

func (w *entryWork) confirm(context.Context) error {
	w.status = dream.Confirmed
	if w.candidate.ReasonCode == dream.ReasonKnown { // MEMORY.md says it in other words
		w.names.add(w.candidate.With, nil)
	}
	w.writeMemory(w.confirmed(w.memory.Content, w.text()), "confirmed out of the report of a dream")
	return nil
}

// confirmed is content with the statement as a person's own, under the words text when it is not there.
func (w *entryWork) confirmed(content, text string) string {
	entries, found, _ := w.names.placesOf(content)
	if len(found) == 0 {
		return withConfirmed(content, text)
	}
	for _, at := range found {
		content = owned(content, w.person, entries, at)
		entries = memory.EntriesOf(content)
	}
	return content
}

func (w *entryWork) edit(context.Context) error {
	text := w.change.Text
	w.status = dream.Edited
	if w.names[itemID(text)] { // the same in another spelling
		w.status = dream.Confirmed
	} else {
		w.replacement = text
	}
	content := w.put(w.memory.Content, text)
	if content == w.memory.Content { // it stands there word by word, and is to be the person's
		content = w.confirmed(content, text)
	}
	w.writeMemory(content, "edited in the report of a dream")
	return nil
}

// put puts text in the place of the statement: where it stands first, else among what was confirmed. Other places go.
func (w *entryWork) put(content, text string) string {
	entries, found, lines := w.names.placesOf(content)
	if len(found) == 0 {
		return withConfirmed(content, text)
	}
	if out, ok := rewritten(content, entries, found[0], text); ok {
		moved := strings.Count(out, "\n") - strings.Count(content, "\n") // a statement of several lines is one line now
		for i := range lines {
			lines[i].from, lines[i].to = lines[i].from+moved, lines[i].to+moved
		}
		return without(out, lines[1:])
	}
	return withConfirmed(without(content, lines), text)
}

func (w *entryWork) forget(ctx context.Context) error {
	w.status = dream.Forgotten
	const reason = "forgotten on request"
	if _, _, gone := w.names.placesOf(w.memory.Content); len(gone) > 0 {
		w.writeMemory(rewrite.WithoutEmptySections(without(w.memory.Content, gone), w.person...), reason)
	}
	b := &pgx.Batch{}
	b.Queue(sqlEntryDocuments, w.t.args(pgx.NamedArgs{"scope": w.scope, "whose": rowOwner(w.t.id, w.scope)})).Query(func(rows pgx.Rows) error {
		for rows.Next() { // one by one: there may be years of notes, and few of them say it
			d, err := scanContent(rows)
			if err != nil {
				return err
			}
			if _, _, gone := w.names.placesOf(d.Content); len(gone) > 0 {
				w.write(d, rewrite.WithoutEmptySections(without(d.Content, gone)), reason)
			}
		}
		return rows.Err()
	})
	return w.t.send(ctx, b)
}

// commit sends the changes through the gate, together with what becomes of the states.
func (w *entryWork) commit(ctx context.Context) (EntryReceipt, error) {
	t := w.t
	b := &pgx.Batch{}
	if len(w.changes) == 0 {
		receipt := &memory.Receipt{Key: w.change.Key}
		if w.change.Key != "" {
			token, err := queueEvents(b, t, t.id.Author, nil, w.change.Key, *receipt)
			if err != nil {
				return EntryReceipt{}, err
			}
			token.QueryRow(func(row pgx.Row) error { return row.Scan(&receipt.Token) })
		}
		w.queueStates(b)
		return w.finish(ctx, b, receipt)
	}
	g, err := newWrites(t.id, w.change.Key, w.changes)
	if err != nil {
		return EntryReceipt{}, err
	}
	look := &pgx.Batch{}
	g.queueReads(look, t)
	if err := t.send(ctx, look); err != nil {
		return EntryReceipt{}, err
	}
	if err := g.decide(t); err != nil {
		return EntryReceipt{}, err
	}
	if err := g.queueWrites(b, t); err != nil {
		return EntryReceipt{}, err
	}
	w.queueStates(b)
	return w.finish(ctx, b, &g.receipt)
}

// queueStates queues what becomes of the statement, of other wordings of it, and of the words that take its place. Who changes
// several statements locks them in the order of their identities, and makes them in that order.
func (w *entryWork) queueStates(b *pgx.Batch) {
	entry := w.id()
	others := maps.Clone(w.names)
	delete(others, entry)
	aliases := slices.Sorted(maps.Keys(others))
	lastSeen := w.candidate.Signals.LastSeen
	if lastSeen.IsZero() {
		lastSeen = w.t.now
	}
	settled := []pgx.NamedArgs{{
		"entry": entry, "status": w.status, "text": storable(w.text()), "aliases": textsOf(aliases),
		"mention_days": textsOf(w.candidate.Signals.MentionDays), "asked": w.candidate.Signals.Asked, "last_seen": lastSeen,
	}}
	if w.replacement != "" {
		settled = append(settled, pgx.NamedArgs{
			"entry": itemID(w.replacement), "status": dream.Confirmed, "text": w.replacement, "aliases": []string{}, "mention_days": []string{},
			"asked": true, "last_seen": w.t.now,
		})
		if itemID(w.replacement) < entry {
			slices.Reverse(settled)
		}
	}
	locked := append(textsOf(aliases), string(entry), string(itemID(w.replacement)))
	b.Queue(sqlDreamEntriesLock, w.t.args(pgx.NamedArgs{"entries": locked}))
	for _, args := range settled {
		b.Queue(sqlEntrySettle, w.t.args(args))
	}
	b.Queue(sqlEntrySettleOthers, w.t.args(pgx.NamedArgs{"status": w.status, "others": textsOf(aliases)}))
}

// textsOf are the values of a column of texts; never nil, which would be null.
func textsOf[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}

// finish ends the transaction and reads how the statement stands then.
func (w *entryWork) finish(ctx context.Context, b *pgx.Batch, receipt *memory.Receipt) (EntryReceipt, error) {
	var result EntryReceipt
	var found, replaced bool
	var replacement dream.State
	one(b.Queue(sqlEntryState, w.t.args(pgx.NamedArgs{"entry": w.id()})), &found,
		func(row pgx.CollectableRow) (err error) { result.State, err = scanState(row); return err })
	if text := strings.TrimSpace(w.change.Text); text != "" && !w.names[itemID(text)] {
		one(b.Queue(sqlEntryState, w.t.args(pgx.NamedArgs{"entry": itemID(text)})), &replaced,
			func(row pgx.CollectableRow) (err error) { replacement, err = scanState(row); return err })
	}
	if err := w.t.finish(ctx, b); err != nil {
		return EntryReceipt{}, err
	}
	if replaced {
		result.Replacement = &replacement
	}
	result.Receipt = *receipt
	return result, nil
}
