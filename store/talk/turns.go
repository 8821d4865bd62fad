package talk

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
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

	// The commit does not wait for the disk: a crash of the server may lose the transaction, which is repeated anyway.
	sqlRepeatable = `set local synchronous_commit = off`
)

// ResolveOwner returns the owner with an opaque id, within the identity's agent. It needs AnyOwner unless the owner is the
// identity's own.
func (s *Talk) ResolveOwner(ctx context.Context, id memory.Identity, ownerID uuid.UUID) (memory.Owner, error) {
	if err := pg.RequireAgent(id); err != nil {
		return "", err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (owner memory.Owner, err error) {
		found := false
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlOwnerResolve, t.Args(pgx.NamedArgs{"id": ownerID})), &found, &owner)
		if err := t.Finish(ctx, b); err != nil {
			return "", err
		}
		if !found {
			return "", fmt.Errorf("owner %s: %w", ownerID, pg.ErrNotFound)
		}
		return owner, nil
	})
}

// Signalled records that Temporal has accepted the owner's turns up to turn. A smaller turn than before changes nothing. If a crash
// of the database loses it, the sweep signals once more, which is harmless.
func (s *Talk) Signalled(ctx context.Context, id memory.Identity, turn int64) error {
	if err := pg.RequireOwnerWrite(id); err != nil {
		return err
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlRepeatable)
		b.Queue(sqlOwnerSignalled, t.Args(pgx.NamedArgs{"turn": turn}))
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}

// Unsignalled lists owners of all workspaces whose last completed turn came in before the given time and was not accepted by
// Temporal, oldest first. It returns references only, and takes no identity because the sweep works for the deployment.
func (s *Talk) Unsignalled(ctx context.Context, before time.Time, limit int) ([]UnsignalledTurn, error) {
	return s.sweep(ctx, sqlOwnersUnsignalled, before, limit)
}

// sweep lists the turns of before the given time that have to be signalled.
func (s *Talk) sweep(ctx context.Context, sql string, before time.Time, limit int) ([]UnsignalledTurn, error) {
	return pg.SweepAll(ctx, s.db, sql, pgx.NamedArgs{"before": before, "limit": pg.LimitOf(limit)}, pgx.RowToStructByPos[UnsignalledTurn])
}

const sqlOwnersStalled = `
select o.workspace_id, o.agent_id, o.owner_id, o.turn, o.turn_at
from (
    select workspace_id, agent_id, owner_key, min(pending_since) as since
    from conversations
    where complete_seq > considered_seq and pending_since < @before
    group by workspace_id, agent_id, owner_key
) p
join owners o using (workspace_id, agent_id, owner_key)
order by p.since
limit @limit`

// Stalled lists owners of all workspaces with a conversation that has been pending since before the given time although its turns
// were signalled, because their workflow was terminated or Temporal lost it. Longest pending first. It returns references only, and
// takes no identity because the sweep works for the deployment.
func (s *Talk) Stalled(ctx context.Context, before time.Time, limit int) ([]UnsignalledTurn, error) {
	return s.sweep(ctx, sqlOwnersStalled, before, limit)
}
