package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const (
	// Only what waits is looked at: an index leads to it, however much is done.
	sqlSpacesDue = `
with due as materialized (
    select group_no, head
    from index_sources
    where workspace_id = @workspace and agent_id = @agent and embed_due and index_format = @format and head > 0
)
select p.space_id, p.identity, p.state, p.created_at, p.switched_at, 0::bigint, (
    select count(*)
    from due
    left join index_progress d on d.workspace_id = @workspace and d.agent_id = @agent and d.space_id = p.space_id and d.group_no = due.group_no
    where coalesce(d.done, 0) < due.head)
from index_spaces p
where p.workspace_id = @workspace and p.agent_id = @agent and p.state <> 'dropping'
order by p.space_id`

	sqlSourcesDue = `
select count(*)
from index_sources
where workspace_id = @workspace and agent_id = @agent and embed_due and index_format = @format and head > 0`
)

// DueSpaces are an agent's spaces, for whoever fills them.
type DueSpaces struct {
	Spaces  []Space // oldest first, without Vectors; Due is exact for those that are live or built
	Waiting int64   // sources that lack a vector in some of them, or in one that is not made yet
}

// DueSpaces lists the embedding spaces of the identity's agent (without one: of the workspace) with what waits in them. Other
// than Spaces it counts nothing else, and is quick.
func (s *Store) DueSpaces(ctx context.Context, id memory.Identity) (DueSpaces, error) {
	return read(ctx, s, id, func(t *tx) (due DueSpaces, err error) {
		b := &pgx.Batch{}
		args := t.args(pgx.NamedArgs{"format": indexFormat})
		all(b.Queue(sqlSpacesDue, args), &due.Spaces, scanSpace)
		b.Queue(sqlSourcesDue, args).QueryRow(func(row pgx.Row) error { return row.Scan(&due.Waiting) })
		err = t.finish(ctx, b)
		return due, err
	})
}
