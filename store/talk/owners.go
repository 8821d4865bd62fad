package talk

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/gate"
	"reverie/store/pg"
)

const sqlOwnerID = `select owner_id from owners where workspace_id = @workspace and agent_id = @agent and owner_key = @owner`

// OwnerID returns the opaque id of the identity's owner, which workflow ids and search attributes contain. It returns ErrNotFound
// for an owner of whom nothing is stored.
func (s *Talk) OwnerID(ctx context.Context, id memory.Identity) (uuid.UUID, error) {
	if err := pg.RequireOwner(id); err != nil {
		return uuid.Nil, err
	}
	return pg.ReadOne(ctx, s.db, id, sqlOwnerID, nil, func(row pgx.CollectableRow) (found uuid.UUID, err error) {
		err = row.Scan(&found)
		return found, err
	}, fmt.Errorf("owner: %w", pg.ErrNotFound))
}

// EnsureOwner is OwnerID for an owner of whom nothing may be stored yet: it then gives the owner an id.
func (s *Talk) EnsureOwner(ctx context.Context, id memory.Identity) (uuid.UUID, error) {
	if err := pg.RequireOwnerWrite(id); err != nil {
		return uuid.Nil, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (owner uuid.UUID, err error) {
		found := false
		b := &pgx.Batch{}
		b.Queue(gate.SQLOwnerEnsure, t.Args(pgx.NamedArgs{"owner_id": pg.NewID()}))
		pg.Columns(b.Queue(sqlOwnerID, t.Args(nil)), &found, &owner)
		return owner, t.Finish(ctx, b)
	})
}

// Owner is somebody of whom an agent has stored something.
type Owner struct {
	Key    memory.Owner
	ID     uuid.UUID // opaque, for addresses and workflow ids
	Latest time.Time // the last completed turn; without one, when something was first stored
}

const sqlOwners = `
select owner_key, owner_id, coalesce(turn_at, created_at) as latest
from owners
where workspace_id = @workspace and agent_id = @agent and owner_key <> 'system'
order by latest desc, owner_id
limit @limit`

// Owners lists the owners of the identity's agent, the latest first; without AnyOwner, only the identity's own.
func (s *Talk) Owners(ctx context.Context, id memory.Identity, limit int) ([]Owner, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	return pg.ReadAll(ctx, s.db, id, sqlOwners, pgx.NamedArgs{"limit": pg.LimitOf(limit)}, func(row pgx.CollectableRow) (Owner, error) {
		return pgx.RowToStructByPos[Owner](row)
	})
}
