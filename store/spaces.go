package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"reverie/memory"
)

// SpaceState is what an embedding space is used for.
type SpaceState string

const (
	// SpaceBuilding is filled beside the live one; searches do not look at it.
	SpaceBuilding SpaceState = "building"
	// SpaceLive is what searches look at; an agent has one at most.
	SpaceLive SpaceState = "live"
	// SpaceRetired was live; it is not kept up to date, and can become live again.
	SpaceRetired SpaceState = "retired"
	// SpaceDropping is going away.
	SpaceDropping SpaceState = "dropping"
)

// MaxDimensions is what a vector may have, so that one row fits into a database page.
const MaxDimensions = 4000

// Space is the vectors of one agent that were made in the same way.
type Space struct {
	ID         int64
	Identity   memory.EmbeddingIdentity
	State      SpaceState
	Vectors    int64 // units that have one
	Due        int64 // sources of which some unit has none
	CreatedAt  time.Time
	SwitchedAt *time.Time // when it became live, or was retired
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

	// The live space alone, as a search needs it: without counting.
	sqlLiveSpace = `
select space_id, identity, state, created_at, switched_at, 0::bigint, 0::bigint
from index_spaces
where workspace_id = @workspace and agent_id = @agent and state = 'live'`

	// The first space of an agent has nothing to stand beside. A retired one is built further before it can be live again.
	sqlSpaceOpen = `
insert into index_spaces (workspace_id, agent_id, identity_key, identity, dimensions, state, created_at, switched_at)
select @workspace, @agent, @key, @identity, @dimensions,
    case when live.found then 'building' else 'live' end, @now, case when live.found then null else @now::timestamptz end
from (select exists (
    select from index_spaces where workspace_id = @workspace and agent_id = @agent and state = 'live') as found) live
on conflict (workspace_id, agent_id, identity_key) where state <> 'dropping' do update set
    state = case index_spaces.state when 'retired' then 'building' else index_spaces.state end
returning space_id, identity, state, created_at, switched_at, 0::bigint, 0::bigint`

	// Every source is looked at again for a space that is new or was away.
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
)
delete from index_spaces
where workspace_id = @workspace and agent_id = @agent and space_id = @space and state = 'dropping'
    and not exists (
        select from index_vectors
        where workspace_id = @workspace and agent_id = @agent and space_id = @space)`
)

// Spaces lists the embedding spaces of the identity's agent (without one: of the workspace), oldest first, with what they
// hold. It counts, which takes a while for large ones.
func (s *Store) Spaces(ctx context.Context, id memory.Identity) ([]Space, error) {
	return read(ctx, s, id, func(t *tx) (spaces []Space, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlSpaces, t.args(nil)), &spaces, scanSpace)
		err = t.finish(ctx, b)
		return spaces, err
	})
}

// LiveSpace is the space that searches look at, without its counts. It returns ErrNotFound when the agent has none.
func (s *Store) LiveSpace(ctx context.Context, id memory.Identity) (Space, error) {
	return read(ctx, s, id, func(t *tx) (Space, error) {
		b := &pgx.Batch{}
		space, found := Space{}, false
		queueSpace(b, t.args(nil), sqlLiveSpace, &space, &found)
		if err := t.finish(ctx, b); err != nil {
			return Space{}, err
		}
		if !found {
			return Space{}, fmt.Errorf("embedding space: %w", ErrNotFound)
		}
		return space, nil
	})
}

// OpenSpace finds the agent's space of an identity, or makes it: live when it is the agent's first, building otherwise. A
// retired one is built again.
func (s *Store) OpenSpace(ctx context.Context, id memory.Identity, of memory.EmbeddingIdentity) (Space, error) {
	if err := requireTender(id); err != nil {
		return Space{}, err
	}
	if of.Dimensions < 1 || of.Dimensions > MaxDimensions {
		return Space{}, &InvalidError{Field: "dimensions", Problem: fmt.Sprintf("%d: 1 to %d are possible", of.Dimensions, MaxDimensions)}
	}
	return inTx(ctx, s, id, func(t *tx) (Space, error) {
		space, found := Space{}, false
		b := &pgx.Batch{}
		queueSpace(b, t.args(pgx.NamedArgs{"key": of.Key(), "identity": of, "dimensions": of.Dimensions}), sqlSpaceOpen, &space, &found)
		if err := t.send(ctx, b); err != nil {
			return Space{}, err
		}
		b = &pgx.Batch{}
		b.Queue(sqlSpaceDue, t.args(pgx.NamedArgs{"space": space.ID}))
		return space, t.finish(ctx, b)
	})
}

// SwitchSpace makes a space the live one and retires the one that was, at once for all searches. It returns ErrNotFound
// when there is no such space.
func (s *Store) SwitchSpace(ctx context.Context, id memory.Identity, spaceID int64) (Space, error) {
	if err := requireTender(id); err != nil {
		return Space{}, err
	}
	return inTx(ctx, s, id, func(t *tx) (Space, error) {
		space, found := Space{}, false
		args := t.args(pgx.NamedArgs{"space": spaceID})
		b := &pgx.Batch{}
		b.Queue(sqlSpaceLock, args)
		b.Queue(sqlSpaceRetire, args)
		queueSpace(b, args, sqlSpaceLive, &space, &found)
		b.Queue(sqlSpaceDue, args)
		if err := t.send(ctx, b); err != nil {
			return Space{}, err
		}
		if !found {
			return Space{}, fmt.Errorf("embedding space %d: %w", spaceID, ErrNotFound)
		}
		return space, t.finish(ctx, &pgx.Batch{})
	})
}

// DropSpace removes up to limit vectors of a space that is not live, and the space with the last of them. more says that
// some are left.
func (s *Store) DropSpace(ctx context.Context, id memory.Identity, spaceID int64, limit int) (more bool, err error) {
	if err := requireTender(id); err != nil {
		return false, err
	}
	return inTx(ctx, s, id, func(t *tx) (more bool, err error) {
		args := t.args(pgx.NamedArgs{"space": spaceID, "limit": limit})
		dropped := int64(0)
		b := &pgx.Batch{}
		b.Queue(sqlSpaceDropping, args)
		b.Queue(sqlSpaceDropVectors, args).Exec(func(tag pgconn.CommandTag) error {
			dropped = tag.RowsAffected()
			return nil
		})
		b.Queue(sqlDropLargeSpace, args)
		b.Queue(sqlSpaceDrop, args)
		err = t.finish(ctx, b)
		return dropped == int64(limit), err
	})
}

func queueSpace(b *pgx.Batch, args pgx.NamedArgs, sql string, space *Space, found *bool) {
	one(b.Queue(sql, args), found, func(row pgx.CollectableRow) (err error) {
		*space, err = scanSpace(row)
		return err
	})
}

func scanSpace(row pgx.CollectableRow) (p Space, err error) {
	err = row.Scan(&p.ID, &p.Identity, &p.State, &p.CreatedAt, &p.SwitchedAt, &p.Vectors, &p.Due)
	return p, err
}
