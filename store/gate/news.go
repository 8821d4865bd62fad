package gate

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

// SQLOwnerEnsure adds the owner's row unless it exists.
const SQLOwnerEnsure = `
insert into owners (workspace_id, agent_id, owner_key, owner_id, created_at)
values (@workspace, @agent, @owner, @owner_id, @now)
on conflict do nothing`

// News marks owners whose memory or conversations changed since their last dream. The marks are exact: no change is left without a
// dream that saw it, and a dream's own writes do not cause another dream.
//
// A writer sets a mark in the owner's row in the transaction of the write, so that both are seen or neither is. The row stays
// locked until then, so that a reader of a mark sees the writes of all earlier marks. A dream reads the mark in the snapshot in
// which it reads everything else, and its commit deletes the row only if it still has this mark. A write that the snapshot does not
// show has set another mark, or will: marks come from a sequence, and the row stays.
const sqlNews = `
insert into dream_news (workspace_id, agent_id, owner_key, mark, since)
values (@workspace, @agent, @owner, nextval('dream_news_mark'), @now)
on conflict (workspace_id, agent_id, owner_key) do update set mark = excluded.mark`

// QueueMark queues setting a mark for an owner who has a row already.
func QueueMark(b *pgx.Batch, t *pg.Tx, owner memory.Owner) {
	b.Queue(sqlNews, t.Args(pgx.NamedArgs{"owner": owner}))
}

// queueNews queues marks for the owners of the written documents, except for writes of dreams and seeds. The owner's row is created
// before the mark, as everywhere: otherwise a writer that creates the owner and one that sets the mark would deadlock.
func (w *Writes) queueNews(b *pgx.Batch, t *pg.Tx) {
	if w.Author.Kind == memory.AuthorDream || w.Author.Kind == memory.AuthorSeed {
		return
	}
	var owners []memory.Owner
	for _, d := range w.order {
		switch {
		case len(d.versions) == 0:
		case d.ref.Scope == memory.ScopePersonal:
			owners = append(owners, d.owner)
		case d.ref.Scope == memory.ScopeTeam:
			owners = append(owners, memory.SystemOwner)
		}
	}
	slices.Sort(owners) // all writers in the same order
	for _, owner := range slices.Compact(owners) {
		b.Queue(SQLOwnerEnsure, t.Args(pgx.NamedArgs{"owner": owner, "owner_id": pg.NewID()}))
		QueueMark(b, t, owner)
	}
}
