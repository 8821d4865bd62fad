package gate

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/dream/judge"
	"reverie/language/claim"
	"reverie/language/lazyregexp"
	"reverie/language/sentence"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/structured"
	"reverie/store/pg"
)

// Statements that a person had forgotten do not come back by an automatic write: an extraction or a flush may have been drafted
// earlier, a snapshot or an imported document may be older, a model may read old messages. The gate removes them from such writes.
// Dreams check for themselves. A person who writes a statement again, or restores a version that has it, revives it. Of a forgotten
// statement only a sketch is kept, not its words.

// maxForgotten is the number of forgotten statements that a write is compared with, the latest ones.
const maxForgotten = 500

const (
	// SQLDreamEntriesLock selects the current states of statements and locks them until the commit.
	SQLDreamEntriesLock = `
select entry_id, status, reason_code
from dream_entries
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and entry_id = any (@entries::text[])
order by entry_id
for no key update`

	// Read after the documents are locked, since a request to forget holds the lock of the document that has the statement.
	sqlForgotten = StateColumns + `, e.owner_key
from unnest(@owners::text[]) o (owner_key)
cross join lateral (
    select *
    from dream_entries
    where workspace_id = @workspace and agent_id = @agent and owner_key = o.owner_key and status <> 'open' and status = 'forgotten'
    order by last_seen desc
    limit @limit
) e`

	// The words are those in which a person says it again.
	sqlForgottenRevive = `
update dream_entries e set
    status = 'confirmed',
    reason_code = '',
    text = (select s.text from unnest(@entries::text[], @texts::text[]) s (entry_id, text) where s.entry_id = e.entry_id limit 1),
    sketch = null,
    changed_at = @now
where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner and e.entry_id = any (@entries::text[])
    and e.status = 'forgotten'`
)

// forgotten are the forgotten statements of those whose documents are written.
type forgotten struct {
	states  map[memory.Owner][]dream.State
	gone    map[memory.Owner]judge.Gone                  // of states, made when it is needed
	revived map[memory.Owner]map[markdown.EntryID]string // texts in which they are said again
	all     bool                                         // the last change adds nothing else
}

// forgetterOf returns the owner of the records of a document's forgotten statements; empty: its statements cannot be forgotten.
func forgetterOf(scope memory.Scope, owner memory.Owner) memory.Owner {
	switch scope {
	case memory.ScopePersonal:
		return owner
	case memory.ScopeTeam:
		return memory.SystemOwner
	}
	return memory.NoOwner
}

// checksForgotten reports whether writes of an author are compared with forgotten statements.
func checksForgotten(a memory.Author) bool {
	switch a.Kind {
	case memory.AuthorWorkflow, memory.AuthorImport, memory.AuthorTool, memory.AuthorDream, memory.AuthorUser:
		return true
	}
	return false
}

// queueForgotten queues reading the forgotten statements.
func (w *Writes) queueForgotten(b *pgx.Batch, t *pg.Tx) {
	var owners []string
	for _, d := range w.order {
		if of := string(forgetterOf(d.ref.Scope, d.owner)); of != "" && !slices.Contains(owners, of) {
			owners = append(owners, of)
		}
	}
	if len(owners) == 0 || !checksForgotten(w.Author) {
		return
	}
	w.forgotten = forgotten{
		states: map[memory.Owner][]dream.State{}, gone: map[memory.Owner]judge.Gone{}, revived: map[memory.Owner]map[markdown.EntryID]string{},
	}
	b.Queue(sqlForgotten, t.Args(pgx.NamedArgs{"owners": owners, "limit": maxForgotten})).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var owner memory.Owner
			state, err := ScanState(ownedRow{rows, &owner})
			if err != nil {
				return err
			}
			w.forgotten.states[owner] = append(w.forgotten.states[owner], state)
		}
		return rows.Err()
	})
}

// ownedRow scans the owner of a row after its other columns.
type ownedRow struct {
	pgx.CollectableRow

	owner *memory.Owner
}

// Scan scans the owner as well.
func (r ownedRow) Scan(to ...any) error { return r.CollectableRow.Scan(append(to, r.owner)...) }

// of returns the forgotten statements of an owner.
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

// withhold removes from what a change makes of a document the statements that were forgotten, and reports whether there were any. It
// never removes what a person writes, and notes which forgotten statements a person writes again.
func (w *Writes) withhold(d *document, next *state) bool {
	owner := forgetterOf(d.ref.Scope, d.owner)
	gone := w.forgotten.of(owner)
	if gone.Empty() || next.deleted {
		return false
	}
	if w.Author.Kind == memory.AuthorUser {
		for _, e := range memory.AddedEntries(d.content(), next.content) {
			for _, s := range gone.SaidBy(e) {
				if w.forgotten.revived[owner] == nil {
					w.forgotten.revived[owner] = map[markdown.EntryID]string{}
				}
				w.forgotten.revived[owner][s.ID] = pg.Storable(e.Text)
			}
		}
		return false
	}
	is := func(e markdown.Entry) bool {
		// Some earlier releases have forgotten the lines that name the source of structured entries.
		named := strings.HasPrefix(d.ref.Path, structured.Folder) && structured.IsSourceLine(e.Text)
		return !named && len(gone.SaidBy(e)) > 0
	}
	shortened, cut := shorten(d.content(), next.content, is)
	kept := memory.WithholdForgotten(d.content(), d.version > 0 && !d.deleted, shortened, is)
	if !kept.Any && !cut {
		return false
	}
	if kept.Content == d.content() {
		next.merged = false
	}
	next.content, w.forgotten.all = kept.Content, kept.All
	return true
}

// shorten removes from the statements that a version adds the sentences that were forgotten, where others stay, and from the headings that
// it adds the words of what it loses. It reports whether there were any.
func shorten(before, after string, forgotten func(markdown.Entry) bool) (content string, cut bool) {
	content = after
	var lost []string
	for _, e := range memory.AddedEntries(before, after) {
		if !forgotten(e) {
			continue
		}
		q, quoted := claim.QuoteOf(strings.TrimSpace(markdown.WithoutComments(e.Text)))
		if !quoted {
			q.Words = strings.TrimSpace(markdown.WithoutComments(e.Text))
		}
		rest, found := sentence.Without(q.Words, func(part string) bool {
			one := e
			one.Text = claim.Quote{Speaker: q.Speaker, Words: part}.Plain()
			one.ID = memory.ItemID(one.Text)
			is := forgotten(one)
			if is {
				lost = append(lost, part)
			}
			return is
		})
		switch {
		case !found:
			lost = append(lost, q.Words)
		case rest != "":
			content, cut = strings.Replace(content, q.Words, rest, 1), true
		}
	}
	lines := slices.Collect(strings.Lines(content))
	for at := range markdown.HeadingLines(content) {
		clock := ClockHeading.FindString(lines[at])
		title := strings.Trim(lines[at][len(clock):], "….\r\n ")
		repeats := func(words string) bool { return strings.HasPrefix(words, title) }
		if clock != "" && title != "" && !strings.Contains(before, lines[at]) && slices.ContainsFunc(lost, repeats) {
			lines[at], cut = clock+"\n", true
		}
	}
	return strings.Join(lines, ""), cut
}

// ClockHeading matches the beginning of a heading of a daily note, with its time.
var ClockHeading = lazyregexp.New(`^ *#+ +\d{1,2}[:：]\d{2}`)

// OnlyForgotten reports whether the last change adds nothing but statements that were forgotten.
func (w *Writes) OnlyForgotten() bool { return w.forgotten.all }

// queueRevived queues the change of state of what a person wrote again.
func (w *Writes) queueRevived(b *pgx.Batch, t *pg.Tx) {
	for owner, entries := range w.forgotten.revived {
		var ids, texts []string
		for _, id := range slices.Sorted(maps.Keys(entries)) {
			ids, texts = append(ids, string(id)), append(texts, entries[id])
		}
		args := t.Args(pgx.NamedArgs{"owner": owner, "entries": ids, "texts": texts})
		b.Queue(SQLDreamEntriesLock, args)
		b.Queue(sqlForgottenRevive, args)
	}
}

// StateColumns are the columns of a State, in the order of ScanState.
const StateColumns = `
select e.entry_id, e.text, e.aliases, e.status, e.reason_code, e.mention_days, e.asked, e.light_hits, e.light_at, e.rem_hits,
    e.rem_at, e.first_seen, e.last_seen, e.dream_id, e.sketch`

// ScanState scans a row of StateColumns.
func ScanState(row pgx.CollectableRow) (s dream.State, err error) {
	var lightAt, remAt *time.Time
	var of uuid.NullUUID
	err = row.Scan(&s.ID, &s.Text, &s.Aliases, &s.Status, &s.ReasonCode, &s.MentionDays, &s.Asked, &s.LightHits, &lightAt,
		&s.REMHits, &remAt, &s.FirstSeen, &s.LastSeen, &of, &s.Sketch)
	s.LightAt, s.REMAt, s.Dream = pg.TimeOf(lightAt), pg.TimeOf(remAt), of.UUID
	return s, err
}
