package store

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// News are exact: nothing that was written or said is left without a dream that looked at it, and nothing is dreamed of twice
// because of what a dream itself wrote.
//
// A writer leaves a mark in the owner's row in the transaction of the write, so that both are seen or neither is. The row is
// locked until then: whoever sees a mark sees the writes of all marks that were left before it. A dream reads the mark in
// the snapshot in which it reads everything else, and its commit takes the row away only if it still has this mark. A
// write that the snapshot does not show has left another mark, or leaves one later: the numbers come from a sequence and
// none comes twice, so that the mark is not the one that was read, and the row stays.
const (
	sqlNews = `
insert into dream_news (workspace_id, agent_id, owner_key, mark, since)
values (@workspace, @agent, @owner, nextval('dream_news_mark'), @now)
on conflict (workspace_id, agent_id, owner_key) do update set mark = excluded.mark`

	sqlNewsMark = `
select mark
from dream_news
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner`

	sqlNewsHeard = `
delete from dream_news
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and mark = @mark`

	// The order is that of the owners' keys, which is that of the table: each page reads what it gives.
	sqlNewsOwners = `
select (
    select o.owner_id
    from owners o
    where o.workspace_id = n.workspace_id and o.agent_id = n.agent_id and o.owner_key = n.owner_key)
from dream_news n
where n.workspace_id = @workspace and n.agent_id = @agent and n.owner_key > coalesce((
    select a.owner_key
    from owners a
    where a.workspace_id = @workspace and a.agent_id = @agent and a.owner_id = @after), '')
order by n.owner_key
limit @limit`
)

// queueMark queues leaving a mark for an owner who is known.
func queueMark(b *pgx.Batch, t *tx, owner memory.Owner) {
	b.Queue(sqlNews, t.args(pgx.NamedArgs{"owner": owner}))
}

// queueNews queues leaving marks for the owners of what was written. What a dream or a seed wrote is no news. An owner is made
// before the mark, here as everywhere: else a writer that makes the owner and one that leaves the mark would wait for each other.
func (w *writes) queueNews(b *pgx.Batch, t *tx) {
	if w.author.Kind == memory.AuthorDream || w.author.Kind == memory.AuthorSeed {
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
		b.Queue(sqlOwnerEnsure, t.args(pgx.NamedArgs{"owner": owner, "owner_id": newID()}))
		queueMark(b, t, owner)
	}
}

// News lists at most limit owners of the identity's agent (AnyOwner) about whom something was written or said since their last
// dream, in an order that stays the same, behind after (zero: from the start). That of the shared memory is the owner
// system. It costs in proportion to what it finds, however many owners the agent has.
func (s *Store) News(ctx context.Context, id memory.Identity, after uuid.UUID, limit int) ([]memory.OwnerRef, error) {
	if err := requireAgent(id); err != nil {
		return nil, err
	}
	return read(ctx, s, id, func(t *tx) (owners []memory.OwnerRef, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlNewsOwners, t.args(pgx.NamedArgs{"after": after, "limit": limitOf(limit)})), &owners,
			func(row pgx.CollectableRow) (memory.OwnerRef, error) {
				ref := memory.OwnerRef{Workspace: id.Workspace, Agent: id.Agent}
				return ref, row.Scan(&ref.Owner)
			})
		err = t.finish(ctx, b)
		return owners, err
	})
}
