package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"reverie/memory"
	"reverie/search/fuse"
)

// ExactUnits is up to how many units of a view every vector is compared, which finds what is nearest without fail. Comparing
// 50,000 vectors of 1,024 dimensions takes about a tenth of a second; an index of nearest neighbours takes over beyond.
const ExactUnits = 50_000

const (
	// nearestEffort is how many neighbours the index looks at before it filters (hnsw.ef_search).
	nearestEffort = 200
	// mostEffort is the most that pgvector takes for it.
	mostEffort = 1000
	// nearestTuples bounds how far it goes on when too few are left after filtering (hnsw.max_scan_tuples).
	nearestTuples = 40_000
)

const (
	sqlLargeEffort = `
select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', @effort::int::text, true),
    set_config('hnsw.max_scan_tuples', @tuples::int::text, true)`

	sqlSpaceGrown = `
select p.large, (
    select count(*)
    from (
        select from index_vectors v
        where v.workspace_id = @workspace and v.agent_id = @agent and v.space_id = @space
        limit @exact::bigint + 1
    ) v)
from index_spaces p
where p.workspace_id = @workspace and p.agent_id = @agent and p.space_id = @space`

	sqlSpaceGrow = `
update index_spaces set large = true
where workspace_id = @workspace and agent_id = @agent and space_id = @space and not large`

	sqlLargeSpace     = `select reverie_large_space(@space)`
	sqlDropLargeSpace = `select reverie_drop_large_space(@space)`

	sqlMoveVectors = `
with moved as (
    delete from index_vectors
    where (workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal) in (
        select workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal
        from index_vectors
        where workspace_id = @workspace and agent_id = @agent and space_id = @space
        limit @limit)
    returning workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal, embedding
)
insert into index_vectors_large (workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal, embedding)
select workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal, embedding
from moved
on conflict (workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal) do update set embedding = excluded.embedding`
)

// nearestSQL is the search in a large space. The space and its dimensions are written out, because only then the database
// sees that the index fits. What was not moved there yet, and the workspace's own, is compared one by one.
func nearestSQL(space int64, dimensions int) string {
	return fmt.Sprintf(visibleShelves+`
, near as materialized (
    select group_no, ordinal, scope, owner_key, agent_id, 1 - (embedding::halfvec(%[2]d) <=> @vector::halfvec(%[2]d)) as similarity
    from index_vectors_large
    where space_id = %[1]d and workspace_id = @workspace and corpus = @corpus
        and (scope <> 'PERSONAL' or owner_key = @owner or @any::boolean)
    order by embedding::halfvec(%[2]d) <=> @vector::halfvec(%[2]d)
    limit @depth
), rest as materialized (`+everyVector+`
)
select group_no, ordinal, similarity from near
union all
select group_no, ordinal, similarity from rest
order by similarity desc, group_no, ordinal
limit @depth`, space, dimensions)
}

// nearestOfLarge asks the index of nearest neighbours.
func nearestOfLarge(ctx context.Context, t *tx, q VectorQuery, args pgx.NamedArgs) (dense fuse.Dense, err error) {
	b := &pgx.Batch{}
	b.Queue(sqlLargeEffort, pgx.NamedArgs{"effort": min(max(nearestEffort, q.Depth), mostEffort), "tuples": nearestTuples})
	args["indexed"] = q.Space
	b.Queue(nearestSQL(q.Space, len(q.Vector)), args).Query(func(rows pgx.Rows) error {
		var hit fuse.DenseHit
		_, err := pgx.ForEachRow(rows, []any{&hit.Unit.Group, &hit.Unit.Ordinal, &hit.Similarity}, func() error {
			dense.Hits = append(dense.Hits, hit)
			return nil
		})
		return err
	})
	err = t.finish(ctx, b)
	return dense, err
}

// GrowSpace gives a space of more than ExactUnits vectors a part of its own with an index of nearest neighbours, and moves up
// to limit vectors there. more says that others are to be moved. Searches find all vectors throughout.
func (s *Store) GrowSpace(ctx context.Context, id memory.Identity, space int64, limit int) (more bool, err error) {
	if err := requireTender(id); err != nil {
		return false, err
	}
	return inTx(ctx, s, id, func(t *tx) (more bool, err error) {
		args := t.args(pgx.NamedArgs{"space": space, "exact": s.exactUnits, "limit": limit})
		large, found, vectors := false, false, int64(0)
		b := &pgx.Batch{}
		one(b.Queue(sqlSpaceGrown, args), &found, func(row pgx.CollectableRow) error { return row.Scan(&large, &vectors) })
		if err := t.send(ctx, b); err != nil {
			return false, err
		}
		if !found || vectors == 0 || !large && vectors <= s.exactUnits {
			return false, nil
		}
		moved := int64(0)
		b = &pgx.Batch{}
		if !large {
			b.Queue(sqlLargeSpace, args)
			b.Queue(sqlSpaceGrow, args)
		}
		b.Queue(sqlMoveVectors, args).Exec(func(tag pgconn.CommandTag) error {
			moved = tag.RowsAffected()
			return nil
		})
		err = t.finish(ctx, b)
		return moved == int64(limit), err
	})
}
