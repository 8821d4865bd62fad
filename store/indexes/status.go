package indexes

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/search"
	"reverie/store/pg"
)

// CorpusStatus counts what the index has of one corpus, as far as the identity sees it.
type CorpusStatus struct {
	Corpus   search.Corpus
	Sources  int64 // documents or conversations
	Units    int64
	Fresh    int64 // writes that no segment has yet
	Segments int64
	Stale    int64 // sources that are due to be indexed again
	Bytes    int64 // of postings and units, packed
}

// Lag counts the sources that wait for vectors.
type Lag struct {
	Sources int64      // documents and conversations
	Since   *time.Time // when the oldest of them was written; nil: nothing waits
}

const (
	sqlCorpusStatus = visiblePartitions + `
select c.corpus,
    count(s.corpus),
    coalesce(sum(s.units), 0)::bigint,
    (select count(*)
    from partition
    join index_fresh f on f.workspace_id = @workspace and f.agent_id = partition.agent_id and f.corpus = c.corpus
        and f.scope = partition.scope and f.owner_key = partition.owner_key),
    (select count(*)
    from partition
    join index_segments g on g.workspace_id = @workspace and g.agent_id = partition.agent_id and g.corpus = c.corpus
        and g.scope = partition.scope and g.owner_key = partition.owner_key),
    count(*) filter (where s.index_format <> @format),
    (select coalesce(sum(octet_length(f.data)), 0)::bigint
    from partition
    join index_fresh f on f.workspace_id = @workspace and f.agent_id = partition.agent_id and f.corpus = c.corpus
        and f.scope = partition.scope and f.owner_key = partition.owner_key)
    + (select coalesce(sum(octet_length(g.data) + b.bytes), 0)::bigint
    from partition
    join index_segments g on g.workspace_id = @workspace and g.agent_id = partition.agent_id and g.corpus = c.corpus
        and g.scope = partition.scope and g.owner_key = partition.owner_key
    cross join lateral (
        select coalesce(sum(octet_length(b.data)), 0) as bytes
        from index_blocks b
        where b.workspace_id = @workspace and b.agent_id = g.agent_id and b.segment_id = g.segment_id
    ) b)
from unnest(@corpora::text[]) with ordinality c (corpus, place)
left join (
    select i.corpus, i.units, i.index_format
    from partition
    join index_sources i on i.workspace_id = @workspace and i.agent_id = partition.agent_id and i.scope = partition.scope
        and i.owner_key = partition.owner_key
) s on s.corpus = c.corpus
group by c.corpus, c.place
order by c.place`

	sqlLag = visiblePartitions + `
select count(*), min(i.changed_at)
from partition
cross join lateral (
    select changed_at
    from index_sources i
    where i.workspace_id = @workspace and i.agent_id = partition.agent_id and i.scope = partition.scope
        and i.owner_key = partition.owner_key and i.embed_due and i.corpus = any (@corpora::text[])
        and (@token::bigint = 0 or i.token <= @token)
    offset 0
) i`
)

// IndexStatus counts what the index has of each corpus.
func (s *Index) IndexStatus(ctx context.Context, id memory.Identity) ([]CorpusStatus, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (status []CorpusStatus, err error) {
		b := &pgx.Batch{}
		pg.All(
			b.Queue(sqlCorpusStatus, viewArgs(t, pgx.NamedArgs{"corpora": search.Corpora(), "format": indexFormat})), &status,
			pgx.RowToStructByPos[CorpusStatus],
		)
		err = t.Finish(ctx, b)
		return status, err
	})
}

// IndexLag counts the sources in some corpora that wait for vectors, as far as the identity sees them; with a token other than 0,
// those written up to it. Lexical search never lags: it finds what is committed.
func (s *Index) IndexLag(ctx context.Context, id memory.Identity, corpora []search.Corpus, token int64) (Lag, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Lag{}, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (lag Lag, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlLag, viewArgs(t, pgx.NamedArgs{"corpora": corpora, "token": token})).QueryRow(func(row pgx.Row) error {
			return row.Scan(&lag.Sources, &lag.Since)
		})
		err = t.Finish(ctx, b)
		return lag, err
	})
}

const sqlIndexedAgents = `
select distinct workspace_id, agent_id
from index_sources
where (workspace_id, agent_id) > (@after_workspace, @after_agent)
order by workspace_id, agent_id
limit @limit`

// IndexedAgents lists at most limit agents of all workspaces that have an index, in order, after another one. It returns references
// only, and takes no identity because the sweep works for the deployment.
func (s *Index) IndexedAgents(ctx context.Context, after AgentRef, limit int) ([]AgentRef, error) {
	return pg.SweepAll(
		ctx, s.db, sqlIndexedAgents, pgx.NamedArgs{"after_workspace": after.Workspace, "after_agent": after.Agent, "limit": limit},
		pgx.RowToStructByPos[AgentRef],
	)
}

// Looks at agents one after the other, in their order, skipping from key to key: the cost grows with the agents and the partitions of
// their owners, not with what is indexed. due counts sources that another release has indexed, partitions with enough fresh rows to merge,
// with @vectors what waits for them, and with @facts documents whose facts are out of date.
const sqlDueAgents = `
with recursive formats as (
    (select index_format from index_sources order by index_format limit 1)
    union all
    select (select s.index_format from index_sources s where s.index_format > f.index_format order by s.index_format limit 1)
    from formats f
    where f.index_format is not null
), agent as (
    (select workspace_id, agent_id, 1 as place
    from index_sources
    where (workspace_id, agent_id) > (@after_workspace, @after_agent)
    order by workspace_id, agent_id
    limit 1)
    union all
    select n.workspace_id, n.agent_id, a.place + 1
    from agent a
    cross join lateral (
        select workspace_id, agent_id
        from index_sources s
        where (s.workspace_id, s.agent_id) > (a.workspace_id, a.agent_id)
        order by workspace_id, agent_id
        limit 1
    ) n
    where a.place < @limit
), looked as materialized (
    select a.workspace_id, a.agent_id, 'index/' || a.workspace_id || '.' || a.agent_id as lease,
        exists (
            select from formats f
            cross join lateral (
                select from index_sources s
                where s.index_format = f.index_format and s.workspace_id = a.workspace_id and s.agent_id = a.agent_id
                limit 1
            ) s
            where f.index_format <> @format
        ) or @vectors::boolean and exists (
            select from index_sources s
            where s.workspace_id = a.workspace_id and s.agent_id = a.agent_id and s.embed_due
        ) or @facts::boolean and exists (
            select from fact_due d
            where d.workspace_id = a.workspace_id and d.agent_id = a.agent_id
        ) or exists (
            with recursive part as (
                (select corpus, scope, owner_key
                from index_fresh f
                where f.workspace_id = a.workspace_id and f.agent_id = a.agent_id
                order by corpus, scope, owner_key
                limit 1)
                union all
                select n.corpus, n.scope, n.owner_key
                from part p
                cross join lateral (
                    select corpus, scope, owner_key
                    from index_fresh f
                    where f.workspace_id = a.workspace_id and f.agent_id = a.agent_id
                        and (f.corpus, f.scope, f.owner_key) > (p.corpus, p.scope, p.owner_key)
                    order by corpus, scope, owner_key
                    limit 1
                ) n
            )
            select from part p
            cross join lateral (
                select from index_fresh f
                where f.workspace_id = a.workspace_id and f.agent_id = a.agent_id and f.corpus = p.corpus and f.scope = p.scope
                    and f.owner_key = p.owner_key
                offset @from::int - 1
                limit 1
            ) full_part
        ) as due
    from agent a
), leased as (
    insert into leases (name, holder, leased_until)
    select lease, '', @until::timestamptz
    from looked
    where due and @until::timestamptz is not null
    order by lease
    on conflict (name) do update set leased_until = excluded.leased_until
    where leases.leased_until <= @before
    returning name
)
select workspace_id, agent_id, due and (@until::timestamptz is null or lease in (select name from leased))
from looked
order by workspace_id, agent_id`

// DueAgent is an agent with an index, and whether that has work to do.
type DueAgent struct {
	AgentRef
	Due bool
}

// DueAgents looks at agents of all workspaces in order, at most l.Limit after another one, and takes those whose index has work to
// do: something to merge, to index again, to derive facts from, or (with vectors) to embed. It returns none at the end. It returns
// references only, and takes no identity because the sweep works for the deployment.
func (s *Index) DueAgents(ctx context.Context, l pg.Lease, vectors bool, after AgentRef) ([]DueAgent, error) {
	sweep := &pg.Tx{Settings: pg.Settings{Purpose: pg.PurposeSweep}, Mode: pg.SQLBegin}
	return pg.Run(ctx, s.db, sweep, func(t *pg.Tx) (due []DueAgent, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlDueAgents, pgx.NamedArgs{
			"format": indexFormat, "vectors": vectors, "facts": !s.db.FactsOff(), "from": PackFrom,
			"after_workspace": after.Workspace, "after_agent": after.Agent, "before": l.Before, "until": pg.TimeOrNull(l.Until), "limit": l.Limit,
		}), &due, pgx.RowToStructByPos[DueAgent])
		err = t.Finish(ctx, b)
		return due, err
	})
}
