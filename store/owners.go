package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// UnsignalledTurn is a completed turn of an owner that Temporal has not accepted yet.
type UnsignalledTurn struct {
	memory.OwnerRef
	Turn   int64
	TurnAt time.Time
}

const (
	sqlOwnerResolve = `select owner_key from owners where workspace_id = @workspace and agent_id = @agent and owner_id = @id`

	sqlOwnerSignalled = `
update owners set signalled_turn = least(@turn, turn)
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and signalled_turn < @turn`

	sqlOwnersUnsignalled = `
select workspace_id, agent_id, owner_id, turn, turn_at
from owners
where turn > signalled_turn and turn_at < @before
order by turn_at
limit @limit`

	// What a transaction does may be lost in a crash of the server, which is harmless where it is repeated anyway, and
	// the commit does not wait for the disk.
	sqlRepeatable = `set local synchronous_commit = off`
)

// ResolveOwner tells whose opaque id ownerID is, within the identity's agent. Unless the owner is the identity's own, it
// needs AnyOwner.
func (s *Store) ResolveOwner(ctx context.Context, id memory.Identity, ownerID uuid.UUID) (memory.Owner, error) {
	if err := requireAgent(id); err != nil {
		return "", err
	}
	return read(ctx, s, id, func(t *tx) (owner memory.Owner, err error) {
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sqlOwnerResolve, t.args(pgx.NamedArgs{"id": ownerID})), &found, func(row pgx.CollectableRow) error { return row.Scan(&owner) })
		if err := t.finish(ctx, b); err != nil {
			return "", err
		}
		if !found {
			return "", fmt.Errorf("owner %s: %w", ownerID, ErrNotFound)
		}
		return owner, nil
	})
}

// Signalled notes that Temporal has accepted the owner's turns up to turn. A smaller turn than before changes nothing.
// Lost in a crash of the database, it makes the sweep signal once more, which is harmless.
func (s *Store) Signalled(ctx context.Context, id memory.Identity, turn int64) error {
	if err := requireOwner(id); err != nil {
		return err
	}
	if err := requireWrite(id); err != nil {
		return err
	}
	_, err := inTx(ctx, s, id, func(t *tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlRepeatable)
		b.Queue(sqlOwnerSignalled, t.args(pgx.NamedArgs{"turn": turn}))
		return struct{}{}, t.finish(ctx, b)
	})
	return err
}

// Unsignalled lists owners of all workspaces whose last completed turn came in before the given time and was not accepted
// by Temporal, oldest first. It returns references only, and takes no identity because the sweep works for the deployment.
func (s *Store) Unsignalled(ctx context.Context, before time.Time, limit int) ([]UnsignalledTurn, error) {
	return s.sweep(ctx, sqlOwnersUnsignalled, before, limit)
}

// sweep runs a question of the sweep: which turns, of before the given time, are to be signalled.
func (s *Store) sweep(ctx context.Context, sql string, before time.Time, limit int) ([]UnsignalledTurn, error) {
	sweep := &tx{settings: settings{purpose: purposeSweep}, mode: sqlBeginRead}
	return run(ctx, s, sweep, func(t *tx) (turns []UnsignalledTurn, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sql, pgx.NamedArgs{"before": before, "limit": limitOf(limit)}), &turns,
			func(row pgx.CollectableRow) (u UnsignalledTurn, err error) {
				err = row.Scan(&u.Workspace, &u.Agent, &u.Owner, &u.Turn, &u.TurnAt)
				return u, err
			})
		err = t.finish(ctx, b)
		return turns, err
	})
}
