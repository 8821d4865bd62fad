package indexes

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"reverie/memory"
	"reverie/search"
	"reverie/search/fuse"
	"reverie/store/pg"
)

// SpaceState is the role of an embedding space.
type SpaceState string

const (
	// SpaceBuilding is filled beside the live one and not searched.
	SpaceBuilding SpaceState = "building"
	// SpaceLive is searched; an agent has at most one.
	SpaceLive SpaceState = "live"
	// SpaceRetired was live. It is not kept up to date, and can become live again.
	SpaceRetired SpaceState = "retired"
	// SpaceDropping is being removed.
	SpaceDropping SpaceState = "dropping"
)

// MaxDimensions is the largest number of dimensions of a vector, so that a row fits into a database page.
const MaxDimensions = 4000

// Space holds the vectors of one agent that were made by the same model in the same way.
type Space struct {
	ID         int64
	Identity   memory.EmbeddingIdentity
	State      SpaceState
	Vectors    int64 // units that have one
	Due        int64 // sources of which some unit has none
	CreatedAt  time.Time
	SwitchedAt *time.Time // when it became live, or was retired
	// Reputations summarize earlier questions, by corpus; set by LiveSpace only.
	Reputations map[search.Corpus]fuse.Reputation
}

const (
	sqlSpaces = `
select p.space_id, p.identity, p.state, p.created_at, p.switched_at,
    (select count(*)
    from index_vectors v
    where v.workspace_id = @workspace and v.agent_id = @agent and v.space_id = p.space_id)
    + (select count(*)
    from index_vectors_large v
    where v.workspace_id = @workspace and v.agent_id = @agent and v.space_id = p.space_id),
    (select count(*)
    from index_sources s
    where s.workspace_id = @workspace and s.agent_id = @agent and s.head > coalesce((
        select done
        from index_progress d
        where d.workspace_id = @workspace and d.agent_id = @agent and d.space_id = p.space_id and d.group_no = s.group_no), 0))
from index_spaces p
where p.workspace_id = @workspace and p.agent_id = @agent and p.state <> 'dropping'
order by p.space_id`

	// The live space without its counts, for searches.
	sqlLiveSpace = `
select space_id, identity, state, created_at, switched_at, 0::bigint, 0::bigint, coalesce((
    select jsonb_object_agg(r.corpus, to_jsonb(r))
    from index_reputations r
    where r.workspace_id = @workspace and r.agent_id = @agent and r.space_id = p.space_id), '{}')
from index_spaces p
where p.workspace_id = @workspace and p.agent_id = @agent and p.state = 'live'`

	// A retired space was live before: somebody has switched back from it.
	sqlSpaceNeeded = `
select exists (
    select from index_spaces
    where workspace_id = @workspace and agent_id = @agent and state = 'live' and identity_key <> @key)
and not exists (
    select from index_spaces
    where workspace_id = @workspace and agent_id = @agent and state = 'retired' and identity_key = @key)`

	// The first space of an agent is live at once. A retired one is built up to date before it can be live again.
	sqlSpaceOpen = `
insert into index_spaces (workspace_id, agent_id, identity_key, identity, dimensions, state, created_at, switched_at)
select @workspace, @agent, @key, @identity, @dimensions,
    case when live.found then 'building' else 'live' end, @now, case when live.found then null else @now::timestamptz end
from (select exists (
    select from index_spaces where workspace_id = @workspace and agent_id = @agent and state = 'live') as found) live
on conflict (workspace_id, agent_id, identity_key) where state <> 'dropping' do update set
    state = case index_spaces.state when 'retired' then 'building' else index_spaces.state end
returning space_id, identity, state, created_at, switched_at, 0::bigint, 0::bigint`

	// All sources are due for a space that is new or was retired.
	sqlSpaceDue = `
update index_sources set embed_due = true
where workspace_id = @workspace and agent_id = @agent and not embed_due and head > coalesce((
    select done
    from index_progress p
    where p.workspace_id = @workspace and p.agent_id = @agent and p.space_id = @space and p.group_no = index_sources.group_no), 0)`

	sqlSpaceLock = `
select space_id
from index_spaces
where workspace_id = @workspace and agent_id = @agent and (state = 'live' or space_id = @space)
order by space_id
for update`

	sqlSpaceRetire = `
update index_spaces set state = 'retired', switched_at = @now
where workspace_id = @workspace and agent_id = @agent and state = 'live' and space_id <> @space`

	sqlSpaceLive = `
update index_spaces set state = 'live', switched_at = @now
where workspace_id = @workspace and agent_id = @agent and space_id = @space and state in ('building', 'retired', 'live')
returning space_id, identity, state, created_at, switched_at, 0::bigint, 0::bigint`

	sqlSpaceDropping = `
update index_spaces set state = 'dropping'
where workspace_id = @workspace and agent_id = @agent and space_id = @space and state <> 'live'`

	sqlSpaceDropVectors = `
delete from index_vectors
where (workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal) in (
    select workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal
    from index_vectors
    where workspace_id = @workspace and agent_id = @agent and space_id = @space and exists (
        select from index_spaces
        where workspace_id = @workspace and agent_id = @agent and space_id = @space and state = 'dropping')
    limit @limit)`

	sqlSpaceDrop = `
with progress as (
    delete from index_progress
    where workspace_id = @workspace and agent_id = @agent and space_id = @space
), reputations as (
    delete from index_reputations
    where workspace_id = @workspace and agent_id = @agent and space_id = @space
)
delete from index_spaces
where workspace_id = @workspace and agent_id = @agent and space_id = @space and state = 'dropping'
    and not exists (
        select from index_vectors
        where workspace_id = @workspace and agent_id = @agent and space_id = @space)`
)

// Spaces lists the embedding spaces of the identity's agent (without one: of the workspace) with their counts, oldest first.
// Counting large spaces is slow.
func (s *Index) Spaces(ctx context.Context, id memory.Identity) ([]Space, error) {
	return pg.ReadAll(ctx, s.db, id, sqlSpaces, nil, scanSpace)
}

// LiveSpace returns the space that is searched, with its reputations and without its counts, or ErrNotFound.
func (s *Index) LiveSpace(ctx context.Context, id memory.Identity) (Space, error) {
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (Space, error) {
		b := &pgx.Batch{}
		space, found := Space{}, false
		pg.Columns(b.Queue(sqlLiveSpace, t.Args(nil)), &found, append(space.columns(), &space.Reputations)...)
		if err := t.Finish(ctx, b); err != nil {
			return Space{}, err
		}
		if !found {
			return Space{}, fmt.Errorf("embedding space: %w", pg.ErrNotFound)
		}
		return space, nil
	})
}

// NeedsSpace reports whether the live vectors of the identity's agent (without one: of the workspace) must be replaced by those
// of another identity. An agent without vectors needs none: its first ones are made with the current model. One that has been
// switched back from a space of that identity keeps its vectors.
func (s *Index) NeedsSpace(ctx context.Context, id memory.Identity, of memory.EmbeddingIdentity) (bool, error) {
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (needed bool, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlSpaceNeeded, t.Args(pgx.NamedArgs{"key": of.Key()})).QueryRow(func(row pgx.Row) error { return row.Scan(&needed) })
		err = t.Finish(ctx, b)
		return needed, err
	})
}

// OpenSpace returns the agent's space of an embedding identity, and creates it if need be: live when it is the agent's first,
// otherwise building. A retired one is built again.
func (s *Index) OpenSpace(ctx context.Context, id memory.Identity, of memory.EmbeddingIdentity) (Space, error) {
	if err := pg.RequireTender(id); err != nil {
		return Space{}, err
	}
	if of.Dimensions < 1 || of.Dimensions > MaxDimensions {
		return Space{}, &pg.InvalidError{Field: "dimensions", Problem: fmt.Sprintf("%d: use 1 to %d", of.Dimensions, MaxDimensions)}
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (Space, error) {
		space, found := Space{}, false
		b := &pgx.Batch{}
		queueSpace(b, t.Args(pgx.NamedArgs{"key": of.Key(), "identity": of, "dimensions": of.Dimensions}), sqlSpaceOpen, &space, &found)
		if err := t.Send(ctx, b); err != nil {
			return Space{}, err
		}
		b = &pgx.Batch{}
		b.Queue(sqlSpaceDue, t.Args(pgx.NamedArgs{"space": space.ID}))
		return space, t.Finish(ctx, b)
	})
}

// SwitchSpace makes a space the live one and retires the previous one, at once for all searches. It returns ErrNotFound when there
// is no such space.
func (s *Index) SwitchSpace(ctx context.Context, id memory.Identity, spaceID int64) (Space, error) {
	if err := pg.RequireTender(id); err != nil {
		return Space{}, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (Space, error) {
		space, found := Space{}, false
		args := t.Args(pgx.NamedArgs{"space": spaceID})
		b := &pgx.Batch{}
		b.Queue(sqlSpaceLock, args)
		b.Queue(sqlSpaceRetire, args)
		queueSpace(b, args, sqlSpaceLive, &space, &found)
		b.Queue(sqlSpaceDue, args)
		if err := t.Send(ctx, b); err != nil {
			return Space{}, err
		}
		if !found {
			return Space{}, fmt.Errorf("embedding space %d: %w", spaceID, pg.ErrNotFound)
		}
		return space, t.Finish(ctx, &pgx.Batch{})
	})
}

// DropSpace removes up to limit vectors of a space that is not live, and the space after its last vector. more reports whether
// vectors are left.
func (s *Index) DropSpace(ctx context.Context, id memory.Identity, spaceID int64, limit int) (more bool, err error) {
	if err := pg.RequireTender(id); err != nil {
		return false, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (more bool, err error) {
		args := t.Args(pgx.NamedArgs{"space": spaceID, "limit": limit})
		dropped := int64(0)
		b := &pgx.Batch{}
		b.Queue(sqlSpaceDropping, args)
		b.Queue(sqlSpaceDropVectors, args).Exec(func(tag pgconn.CommandTag) error {
			dropped = tag.RowsAffected()
			return nil
		})
		b.Queue(sqlDropLargeSpace, args)
		b.Queue(sqlSpaceDrop, args)
		err = t.Finish(ctx, b)
		return dropped == int64(limit), err
	})
}

func queueSpace(b *pgx.Batch, args pgx.NamedArgs, sql string, space *Space, found *bool) {
	pg.One(b.Queue(sql, args), found, space, scanSpace)
}

func scanSpace(row pgx.CollectableRow) (p Space, err error) {
	err = row.Scan(p.columns()...)
	return p, err
}

func (p *Space) columns() []any {
	return []any{&p.ID, &p.Identity, &p.State, &p.CreatedAt, &p.SwitchedAt, &p.Vectors, &p.Due}
}

const (
	// Reads only due sources, which an index finds however many are done.
	sqlSpacesDue = `
with due as materialized (
    select group_no, head
    from index_sources
    where workspace_id = @workspace and agent_id = @agent and embed_due and index_format = @format and head > 0
)
select p.space_id, p.identity, p.state, p.created_at, p.switched_at, 0::bigint, (
    select count(*)
    from due
    left join index_progress d on d.workspace_id = @workspace and d.agent_id = @agent
        and d.space_id = p.space_id and d.group_no = due.group_no
    where coalesce(d.done, 0) < due.head)
from index_spaces p
where p.workspace_id = @workspace and p.agent_id = @agent and p.state <> 'dropping'
order by p.space_id`

	sqlSourcesDue = `
select count(*)
from index_sources
where workspace_id = @workspace and agent_id = @agent and embed_due and index_format = @format and head > 0`
)

// DueSpaces are an agent's spaces as the worker that fills them needs them.
type DueSpaces struct {
	Spaces  []Space // oldest first, without Vectors; Due is exact for those that are live or built
	Waiting int64   // sources that lack a vector in some of them, or in one that is not made yet
}

// DueSpaces lists the embedding spaces of the identity's agent (without one: of the workspace) with the number of due sources. It
// is faster than Spaces because it counts nothing else.
func (s *Index) DueSpaces(ctx context.Context, id memory.Identity) (DueSpaces, error) {
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (due DueSpaces, err error) {
		b := &pgx.Batch{}
		args := t.Args(pgx.NamedArgs{"format": indexFormat})
		pg.All(b.Queue(sqlSpacesDue, args), &due.Spaces, scanSpace)
		b.Queue(sqlSourcesDue, args).QueryRow(func(row pgx.Row) error { return row.Scan(&due.Waiting) })
		err = t.Finish(ctx, b)
		return due, err
	})
}
