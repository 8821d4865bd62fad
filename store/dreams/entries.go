package dreams

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/dream/rewrite"
	"reverie/facts"
	"reverie/language/analysis"
	"reverie/language/claim"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/scan"
	"reverie/store/erase"
	"reverie/store/gate"
	"reverie/store/pg"
)

// EntryChange is a person's decision about one candidate of a dream.
type EntryChange struct {
	// Dream of the candidate; zero: the last one that weighed it.
	Dream uuid.UUID
	Entry markdown.EntryID
	Text  string // of EditEntry: the words to put in its place
	Key   string // idempotency key
}

// EntryReceipt is the result of a decision.
type EntryReceipt struct {
	State dream.State
	// Replacement is the state of the text that EditEntry put in its place; nil: it is the same statement, or there is none.
	Replacement *dream.State
	Receipt     memory.Receipt // documents that changed; empty when none did
}

// MaxEntryChars is the longest replacement of a statement, in characters.
const MaxEntryChars = 500

// ConfirmEntry confirms a candidate. Its line in MEMORY.md becomes the person's: a new version by the identity removes the dream's
// comment from the line, or adds a mark. A statement that is not in MEMORY.md is added under "## Confirmed". Of an edited candidate, the
// words are confirmed that were put in its place.
//
// It returns ErrNotFound when neither the dream nor any state knows the statement; so do EditEntry and ForgetEntry. A forgotten statement
// is neither confirmed nor edited: the error is a *ConflictError.
func (s *Dreaming) ConfirmEntry(ctx context.Context, id memory.Identity, c EntryChange) (EntryReceipt, error) {
	return s.changeEntry(ctx, id, c, (*entryWork).confirm)
}

// EditEntry replaces a candidate's line in MEMORY.md by c.Text, as the person's own; if there is none, the text is added under "##
// Confirmed". It replaces the same words in PROFILE.md too, and removes the statement from daily notes if c.Text gives another value. The
// old statement does not come back (status edited), and the new one is confirmed. c.Text is one line of at most MaxEntryChars characters
// that Markdown reads as one statement.
func (s *Dreaming) EditEntry(ctx context.Context, id memory.Identity, c EntryChange) (EntryReceipt, error) {
	text, err := entryText(c.Text)
	if err != nil {
		return EntryReceipt{}, err
	}
	c.Text = text
	return s.changeEntry(ctx, id, c, (*entryWork).edit, func(w *entryWork) { w.edits = true })
}

// ForgetEntry forgets a candidate as Forget forgets a statement: in every document of the scope, in the same or similar words, together
// with everything nested under it, and in what was made of them. Its parents, and earlier versions, stay.
func (s *Dreaming) ForgetEntry(ctx context.Context, id memory.Identity, c EntryChange) (EntryReceipt, error) {
	return s.changeEntry(ctx, id, c, (*entryWork).forget, func(w *entryWork) { w.forgets = true })
}

// entryText checks the replacement of a statement, and redacts secrets as the gate would.
func entryText(text string) (string, error) {
	text = strings.TrimSpace(text)
	invalid := func(problem string) (string, error) { return "", &pg.InvalidError{Field: "text", Problem: problem} }
	switch {
	case text == "":
		return invalid("give a replacement; to remove the statement, forget it")
	case utf8.RuneCountInString(text) > MaxEntryChars:
		return invalid(fmt.Sprintf("%d characters, at most %d allowed", utf8.RuneCountInString(text), MaxEntryChars))
	case strings.ContainsAny(text, "\r\n\v\f\u0085\u2028\u2029"):
		return invalid("write it on one line")
	case strings.Contains(text, "<!--") || strings.Contains(text, "-->"):
		return invalid("remove the comment")
	}
	if err := gate.ValidContent("text", text); err != nil {
		return "", err
	}
	if result := scan.Scan(text); result.Verdict == scan.VerdictRedact {
		text = result.Text
	}
	said := markdown.EntriesOf("- " + text + "\n")
	if len(said) != 1 || said[0].Text != text || memory.ListPrefix(text) != "" || strings.HasPrefix(strings.TrimLeft(text, "#"), " ") {
		return invalid("write a sentence without Markdown list, quote, table or code markers")
	}
	return text, nil
}

// changeEntry reads the known state of a statement, lets act decide on the changes, and applies them, in one transaction.
func (s *Dreaming) changeEntry(
	ctx context.Context, id memory.Identity, c EntryChange, act func(*entryWork, context.Context) error, prepare ...func(*entryWork),
) (EntryReceipt, error) {
	if err := pg.RequireOwner(id); err != nil {
		return EntryReceipt{}, err
	}
	scope := DreamScope(id.Owner)
	if err := gate.MayWrite(id, scope); err != nil {
		return EntryReceipt{}, err
	}
	if err := memory.ValidText("idempotency key", c.Key, gate.MaxKey); err != nil {
		return EntryReceipt{}, err
	}
	if c.Entry == "" {
		return EntryReceipt{}, &pg.InvalidError{Field: "entry", Problem: "name the statement"}
	}
	result, err := gate.Contended(ctx, s.db, id, func(t *pg.Tx) (EntryReceipt, error) {
		w := &entryWork{t: t, change: c, scope: scope, names: memory.EntrySet{}}
		for _, set := range prepare {
			set(w)
		}
		return w.run(ctx, act)
	})
	return result, gate.Refused(ctx, s.db, id, err)
}

const (
	sqlEntryState = gate.StateColumns + `
from dream_entries e
where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner
    and (e.entry_id = @entry or @entry = any (e.aliases))
order by e.entry_id = @entry desc, e.last_seen desc
limit 1`

	// The last candidate for a statement, under the given id or that of its state.
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

// DreamEntry returns the state of a statement of the identity's owner, and its last candidate; entry may be the id of another
// wording. One of the two may be missing; its id is empty then.
func (s *Dreaming) DreamEntry(ctx context.Context, id memory.Identity, entry markdown.EntryID) (dream.State, dream.Candidate, error) {
	if err := pg.RequireOwner(id); err != nil {
		return dream.State{}, dream.Candidate{}, err
	}
	var state dream.State
	candidate, err := pg.Read(ctx, s.db, id, func(t *pg.Tx) (candidate dream.Candidate, err error) {
		var known, weighed bool
		args := t.Args(pgx.NamedArgs{"entry": entry})
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlEntryState, args), &known, &state, gate.ScanState)
		pg.Columns(b.Queue(sqlEntryLast, args), &weighed, &candidate)
		if err := t.Finish(ctx, b); err != nil {
			return candidate, err
		}
		if !known && !weighed {
			return candidate, fmt.Errorf("statement %s: %w", entry, pg.ErrNotFound)
		}
		return candidate, nil
	})
	return state, candidate, err
}

const (
	sqlEntryCandidate = `
select body
from dream_candidates
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner
    and (entry_id = @entry or jsonb_exists(body -> 'aliases', @entry))
order by entry_id = @entry desc
limit 1`

	// The report shows a person's replacement instead of its own words. An erasure finds it in the record.
	sqlEntryEdited = `
update dream_candidates set body = jsonb_set(body, '{edited}', to_jsonb(@text::text))
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner and entry_id = @entry`

	// Keeps the counts of dreams.
	sqlEntrySettle = `
insert into dream_entries (workspace_id, agent_id, owner_key, entry_id, status, text, sketch, aliases, mention_days, asked,
    first_seen, last_seen, changed_at)
values (@workspace, @agent, @owner, @entry, @status, @text, @sketch, @aliases, @mention_days, @asked, @now, @last_seen, @now)
on conflict (workspace_id, agent_id, owner_key, entry_id) do update set
    status = excluded.status,
    reason_code = '',
    text = case
        when excluded.status = 'forgotten' then ''
        when dream_entries.text <> '' then dream_entries.text
        else excluded.text
    end,
    sketch = case when excluded.status = 'forgotten' then coalesce(excluded.sketch, dream_entries.sketch) end,
    aliases = array(select distinct a from unnest(dream_entries.aliases || excluded.aliases) a order by a),
    changed_at = excluded.changed_at`

	sqlEntrySettleOthers = `
update dream_entries set
    status = @status,
    reason_code = '',
    text = case when @status = 'forgotten' then '' else text end,
    sketch = case when @status = 'forgotten' then coalesce(sketch, @sketch::jsonb) end,
    changed_at = @now
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and entry_id = any (@others::text[])`
)

// settled returns the columns of a statement with a status: of a forgotten one a sketch in place of the text. dependent is as in
// claim.Claimed.With.
func settled(t *pg.Tx, status dream.Status, text string, dependent bool) (kept string, sketch *claim.Sketch) {
	if status != dream.Forgotten || text == "" {
		return text, nil
	}
	text = markdown.WithoutComments(text)
	s := claim.SketchOf(saltOf(t), text).Claiming(claim.Claimed{}.With(text, dependent))
	return "", &s
}

// saltOf returns the salt of an owner's sketches.
func saltOf(t *pg.Tx) string {
	sum := sha256.Sum256([]byte(t.ID.Workspace + "\x00" + t.ID.Agent + "\x00" + string(t.ID.Owner)))
	return base64.RawStdEncoding.EncodeToString(sum[:9])
}

// entryWork is a person's decision in progress.
type entryWork struct {
	t      *pg.Tx
	change EntryChange
	scope  memory.Scope

	recorded  *memory.Receipt // the key was used before
	standing  gate.Standing
	state     dream.State     // zero: no dream has kept one
	candidate dream.Candidate // zero: no dream has weighed it
	memory    memory.Document // MEMORY.md; version 0: there is none
	person    []string        // its lines that a person wrote
	names     memory.EntrySet
	profile   memory.Document // PROFILE.md, of edits; version 0: there is none
	edits     bool
	forgets   bool
	columns   erase.Columns // of a statement that is forgotten
	erased    *erase.Redaction

	changes     []memory.Change
	unsaid      []unsaid
	status      dream.Status
	replacement string // of edit: the words that are confirmed, when they are another statement
	edited      string // of edit: the words that the report shows
	reported    markdown.EntryID
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
		return EntryReceipt{}, fmt.Errorf("statement %s: %w", w.change.Entry, pg.ErrNotFound)
	case w.recorded != nil:
		if !w.edits {
			w.follow()
		}
		return w.finish(ctx, &pgx.Batch{}, w.recorded)
	}
	if err := w.mayChange(); err != nil {
		return EntryReceipt{}, err
	}
	if err := w.standing.Allows(w.t.ID.Author); err != nil { // states of statements are memory without documents
		return EntryReceipt{}, err
	}
	if w.reported == w.candidate.ID { // else it is about the words that took the place of the entry
		w.names.Add(w.change.Entry, nil)
	}
	w.names.Add(w.state.ID, w.state.Aliases, w.state.Text)
	w.names.Add(w.candidate.ID, append(w.candidate.Before.Aliases, w.candidate.Aliases...), w.candidate.Text, w.candidate.Line)
	if err := act(w, ctx); err != nil {
		return EntryReceipt{}, err
	}
	return w.commit(ctx)
}

// follow turns a decision about an edited candidate into one about the words that took its place.
func (w *entryWork) follow() {
	w.reported = w.candidate.ID
	if now := w.candidate.Edited; now != "" && w.state.Status == dream.Edited {
		w.candidate = dream.Candidate{ID: memory.ItemID(now), Text: now}
		w.state = dream.State{}
	}
}

// mayChange refuses decisions about words that were erased.
func (w *entryWork) mayChange() error {
	edited := w.state.Status == dream.Edited
	w.follow()
	switch {
	case w.forgets:
		return nil
	case w.state.Status == dream.Forgotten || strings.Contains(w.text(), memory.Erased):
		return &pg.ConflictError{
			Code: pg.CodeForgotten, Message: "the statement was forgotten: say it anew to bring it back",
		}
	case edited && w.state.Status == dream.Edited && !w.edits:
		return &pg.ConflictError{
			Code: pg.CodeEdited, Message: "a person has put other words in the place of the statement: edit it to change them again",
		}
	}
	return nil
}

// look reads the statement and MEMORY.md.
func (w *entryWork) look(ctx context.Context) error {
	t := w.t
	args := t.Args(pgx.NamedArgs{
		"entry": w.change.Entry, "dream": w.change.Dream,
	})
	b := &pgx.Batch{}
	if w.change.Key != "" {
		gate.QueueLedger(b, t, w.change.Key, &w.recorded)
	}
	gate.QueueStanding(b, t, &w.standing)
	var known, weighed bool
	pg.One(b.Queue(sqlEntryState, args), &known, &w.state, gate.ScanState)
	candidates := sqlEntryCandidate
	if w.change.Dream == uuid.Nil {
		candidates = sqlEntryLast
	}
	pg.Columns(b.Queue(candidates, args), &weighed, &w.candidate)
	gate.QueueDocument(b, t, w.scope, memory.MemoryPath, &w.memory, &w.person)
	if w.edits {
		gate.QueueDocument(b, t, w.scope, memory.ProfilePath, &w.profile, nil)
	}
	if w.forgets {
		erase.QueueColumns(b, &w.columns)
	}
	return t.Send(ctx, b)
}

// text returns the text of the statement. Words that were erased in a report are not restored in it when somebody repeats them.
func (w *entryWork) text() string {
	if w.candidate.Text != "" && (w.state.Text == "" || !strings.Contains(w.candidate.Text, memory.Erased)) {
		return w.candidate.Text
	}
	return w.state.Text
}

// id returns the id under which the state of the statement is stored.
func (w *entryWork) id() markdown.EntryID {
	if w.state.ID != "" {
		return w.state.ID
	}
	return w.candidate.ID
}

// write replaces the content of a document at the version that was read.
func (w *entryWork) write(d memory.Document, content, reason string) {
	if content == d.Content && !d.Deleted && d.Version > 0 {
		return
	}
	w.changes = append(w.changes, memory.Change{
		Ref: memory.Ref{Scope: w.scope, Path: d.Path}, Op: memory.OpReplace, Content: content, Base: d.Version, Reason: reason,
	})
}

func (w *entryWork) writeMemory(content, reason string) {
	d := w.memory
	d.Path = memory.MemoryPath
	w.write(d, content, reason)
}

func (w *entryWork) confirm(context.Context) error {
	w.status = dream.Confirmed
	if w.candidate.ReasonCode == dream.ReasonKnown { // MEMORY.md has it in other words
		w.names.Add(w.candidate.With, nil)
	}
	w.writeMemory(w.confirmed(w.memory.Content, w.text()), "confirmed out of the report of a dream")
	return nil
}

// confirmed returns content with the statement as a person's own; if it is missing, text is added.
func (w *entryWork) confirmed(content, text string) string {
	entries, found, _ := w.names.Find(content)
	if len(found) == 0 {
		return rewrite.Confirm(content, text)
	}
	for _, at := range found {
		content = rewrite.Own(content, w.person, entries, at)
		entries = markdown.EntriesOf(content)
	}
	return content
}

func (w *entryWork) edit(ctx context.Context) error {
	text := w.change.Text
	w.status, w.edited = dream.Edited, text
	if w.names[memory.ItemID(text)] { // the same in another spelling
		w.status = dream.Confirmed
	} else {
		w.replacement = text
	}
	content := w.put(w.memory.Content, text)
	if content == w.memory.Content { // it is there word by word, and becomes the person's
		content = w.confirmed(content, text)
	}
	w.writeMemory(content, editedInReport)
	if w.profile.Version > 0 && !w.profile.Deleted {
		w.profile.Path = memory.ProfilePath
		w.write(w.profile, w.reworded(w.profile.Content, text), editedInReport)
	}
	if w.replacement == "" || !overturns(text, w.text()) {
		return nil
	}
	w.withoutIn(editedInReport, func(path string) bool {
		_, isNote := facts.DayOf(path)
		return isNote
	})
	return w.t.Send(ctx, &pgx.Batch{})
}

// overturns reports whether a text that takes the place of a statement makes it untrue: it does not repeat all of its words, or negates it.
func overturns(text, statement string) bool {
	was, is := claim.WordsOf(statement).Turns, claim.WordsOf(text).Turns
	return (was^is)&claim.Negated != 0 || !analysis.Repeats(text, statement)
}

const editedInReport = "edited in the report of a dream"

// reworded replaces the statement by text in a document that need not have it.
func (w *entryWork) reworded(content, text string) string {
	entries, found, _ := w.names.Find(content)
	if len(found) == 0 {
		return content
	}
	if id := memory.ItemID(text); !w.names[id] && slices.ContainsFunc(entries, func(e markdown.Entry) bool { return e.ID == id }) {
		_, _, lines := w.names.Find(content)
		return memory.WithoutLines(content, lines)
	}
	return w.put(content, text)
}

// put replaces the first occurrence of the statement by text, and removes the others; without one, it adds text to the confirmed
// statements.
func (w *entryWork) put(content, text string) string {
	entries, found, lines := w.names.Find(content)
	if len(found) == 0 {
		return rewrite.Confirm(content, text)
	}
	if out, ok := rewrite.Reword(content, entries, found[0], text); ok {
		moved := strings.Count(out, "\n") - strings.Count(content, "\n") // a statement of several lines is one line now
		for i := range lines {
			lines[i].From, lines[i].To = lines[i].From+moved, lines[i].To+moved
		}
		return memory.WithoutLines(out, lines[1:])
	}
	return rewrite.Confirm(memory.WithoutLines(content, lines), text)
}

func (w *entryWork) forget(ctx context.Context) error {
	w.status = dream.Forgotten
	const reason = "forgotten on request"
	w.erased = w.redaction()
	w.memory.Path = memory.MemoryPath
	if w.memory.Version > 0 && !w.memory.Deleted {
		w.without(w.memory, w.wordings(), reason, w.person...)
	}
	w.withoutIn(reason, func(path string) bool { return path != memory.MemoryPath }) // which is done
	if w.erased.Empty() {
		return w.t.Send(ctx, &pgx.Batch{})
	}
	return w.erased.Read(ctx)
}

func (w *entryWork) wordings() wordings {
	return wordingsOf(w.candidate.Text, w.candidate.Line, w.state.Text)
}

// withoutIn queues the removal of the statement from the documents that a function selects.
func (w *entryWork) withoutIn(reason string, selects func(path string) bool) {
	said := w.wordings()
	w.t.Queued.Queue(sqlForgetDocuments, w.t.Args(pgx.NamedArgs{
		"scope": w.scope, "whose": gate.RowOwner(w.t.ID, w.scope),
	})).Query(func(rows pgx.Rows) error {
		for rows.Next() { // one by one: there may be years of notes, of which few match
			d, err := gate.ScanContent(rows)
			if err != nil {
				return err
			}
			if selects(d.Path) {
				w.without(d, said, reason)
			}
		}
		return rows.Err()
	})
}

// without removes the statement, in any of its wordings, from a document of which a person wrote some lines.
func (w *entryWork) without(d memory.Document, said wordings, reason string, person ...string) {
	was := d
	if !isReport(d.Path) {
		said.cut(&d, w.names)
	}
	found, gone := linesOf(d, func(e markdown.Entry) bool {
		return w.names[e.ID] || said.has(e)
	})
	for _, e := range found {
		w.names[e.ID] = true
	}
	content := d.Content
	if len(gone) > 0 {
		content = rewrite.WithoutEmptySections(withoutStatements(d, gone), person...)
	}
	if isReport(d.Path) {
		content, _ = w.erased.Erase(content)
	}
	w.unsaid = append(w.unsaid, unsaidOf(was, content))
	w.write(was, content, reason)
}

// redaction erases the statement in what was made of it.
func (w *entryWork) redaction() *erase.Redaction {
	said := []string{w.candidate.Text, w.candidate.Line, w.state.Text}
	words := erase.WordsOf(nil, said).Claiming(wordingsOf(said...).claims)
	return erase.Begin(w.t, erase.Request{Words: words, Scope: w.scope}, w.columns)
}

// commit sends the changes through the gate, and the new states with them.
func (w *entryWork) commit(ctx context.Context) (EntryReceipt, error) {
	gate, err := gate.ApplyChanges(ctx, w.t, gate.ChangeSet{Key: w.change.Key, Changes: w.changes, OwnStates: true})
	if err != nil {
		return EntryReceipt{}, err
	}
	if w.erased != nil {
		if len(w.changes) > 0 { // which have made rows since
			w.erased = w.redaction()
			if err := w.erased.Read(ctx); err != nil {
				return EntryReceipt{}, err
			}
		}
		if _, err := w.erased.Finish(ctx); err != nil {
			return EntryReceipt{}, err
		}
	}
	b := &pgx.Batch{}
	for _, u := range w.unsaid {
		u.queue(b, w.t)
	}
	w.queueStates(b)
	return w.finish(ctx, b, &gate.Receipt)
}

// queueStates queues the states of the statement, of its other wordings, and of its replacement. Writers of several states lock and
// insert them in the order of their ids.
func (w *entryWork) queueStates(b *pgx.Batch) {
	entry := w.id()
	others := maps.Clone(w.names)
	delete(others, entry)
	aliases := slices.Sorted(maps.Keys(others))
	lastSeen := w.candidate.Signals.LastSeen
	if lastSeen.IsZero() {
		lastSeen = w.t.Now
	}
	text, sketch := settled(w.t, w.status, pg.Storable(w.text()), false)
	states := []pgx.NamedArgs{{
		"entry": entry, "status": w.status, "text": text, "sketch": sketch, "aliases": pg.TextsOf(aliases),
		"mention_days": pg.TextsOf(w.candidate.Signals.MentionDays), "asked": w.candidate.Signals.Asked, "last_seen": lastSeen,
	}}
	if w.replacement != "" {
		states = append(states, pgx.NamedArgs{
			"entry": memory.ItemID(w.replacement), "status": dream.Confirmed, "text": w.replacement, "sketch": nil, "aliases": []string{},
			"mention_days": []string{},
			"asked":        true, "last_seen": w.t.Now,
		})
		if memory.ItemID(w.replacement) < entry {
			slices.Reverse(states)
		}
	}
	locked := append(pg.TextsOf(aliases), string(entry), string(memory.ItemID(w.replacement)))
	b.Queue(gate.SQLDreamEntriesLock, w.t.Args(pgx.NamedArgs{"entries": locked}))
	for _, args := range states {
		b.Queue(sqlEntrySettle, w.t.Args(args))
	}
	if w.edited != "" && w.change.Dream != uuid.Nil {
		b.Queue(sqlEntryEdited, w.t.Args(pgx.NamedArgs{"dream": w.change.Dream, "entry": w.reported, "text": pg.Storable(w.edited)}))
	}
	b.Queue(sqlEntrySettleOthers, w.t.Args(pgx.NamedArgs{
		"status": w.status, "sketch": sketch, "others": pg.TextsOf(aliases),
	}))
}

// finish commits and returns the states as stored.
func (w *entryWork) finish(ctx context.Context, b *pgx.Batch, receipt *memory.Receipt) (EntryReceipt, error) {
	var result EntryReceipt
	var found, replaced bool
	var replacement dream.State
	pg.One(b.Queue(sqlEntryState, w.t.Args(pgx.NamedArgs{"entry": w.id()})), &found, &result.State, gate.ScanState)
	if text := strings.TrimSpace(w.change.Text); text != "" && !w.names[memory.ItemID(text)] {
		pg.One(b.Queue(sqlEntryState, w.t.Args(pgx.NamedArgs{"entry": memory.ItemID(text)})), &replaced, &replacement, gate.ScanState)
	}
	if err := w.t.Finish(ctx, b); err != nil {
		return EntryReceipt{}, err
	}
	if replaced {
		result.Replacement = &replacement
	}
	result.Receipt = *receipt
	return result, nil
}
