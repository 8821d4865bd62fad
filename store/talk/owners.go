package talk

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
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
