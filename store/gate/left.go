package gate

import (
	"strings"

	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/pg"
)

// Statements that leave MEMORY.md or PROFILE.md, because an extraction corrects them or somebody deletes them, are still in daily notes
// and messages, from which a dream would promote them again. They are recorded as rejected: a dream leaves them out until the person
// says them again on a later day.

// maxLeft is the number of statements that one write records; of a document that is deleted as a whole, the first ones.
const maxLeft = 500

// Decisions of people and promotions keep their status: dreams know by them, too, that a statement has left MEMORY.md.
const sqlLeft = `
insert into dream_entries (workspace_id, agent_id, owner_key, entry_id, status, reason_code, text, first_seen, last_seen, changed_at)
select @workspace, @agent, @owner, s.entry_id, 'rejected', @reason_code, s.text, @now, @now, @now
from unnest(@entries::text[], @texts::text[]) s (entry_id, text)
order by s.entry_id
on conflict (workspace_id, agent_id, owner_key, entry_id) do update set
    status = 'rejected',
    reason_code = excluded.reason_code,
    last_seen = excluded.last_seen,
    changed_at = excluded.changed_at
where dream_entries.status in ('open', 'rejected')`

// isLongTerm reports whether a document keeps long-term memory, which dreams add to or compare with.
func isLongTerm(ref memory.Ref) bool {
	return ref.Path == memory.MemoryPath || ref.Path == memory.ProfilePath
}

// queueLeft queues recording the statements that leave documents of an owner.
func (w *Writes) queueLeft(b *pgx.Batch, t *pg.Tx) {
	if w.OwnStates {
		return
	}
	left := map[memory.Owner][]markdown.Entry{}
	stays := map[memory.Owner]memory.EntrySet{}
	for _, d := range w.order {
		owner := forgetterOf(d.ref.Scope, d.owner)
		if owner == "" || len(d.versions) == 0 || !isLongTerm(d.ref) {
			continue
		}
		now := d.content()
		if d.deleted {
			now = ""
		}
		if d.was.Version > 0 && !d.was.Deleted {
			left[owner] = append(left[owner], memory.AddedEntries(now, d.was.Content)...)
		}
		if stays[owner] == nil {
			stays[owner] = memory.EntrySet{}
		}
		for _, e := range markdown.EntriesOf(now) {
			stays[owner][e.ID] = true
		}
	}
	reason := dream.ReasonRemoved
	if w.Author.Kind == memory.AuthorWorkflow {
		reason = dream.ReasonCorrected
	}
	for owner, entries := range left {
		var ids, texts []string
		for _, e := range entries {
			text := strings.TrimSpace(markdown.WithoutComments(e.Text))
			if stays[owner][e.ID] || text == "" || len(ids) == maxLeft { // it has moved to the other document, or is there twice
				continue
			}
			stays[owner][e.ID] = true
			ids, texts = append(ids, string(e.ID)), append(texts, pg.Storable(text))
		}
		if len(ids) > 0 {
			b.Queue(SQLOwnerEnsure, t.Args(pgx.NamedArgs{"owner": owner, "owner_id": pg.NewID()}))
			b.Queue(sqlLeft, t.Args(pgx.NamedArgs{"owner": owner, "entries": ids, "texts": texts, "reason_code": reason}))
		}
	}
}
