package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const sqlImportsRunning = `
select workspace_id, agent_id, import_id, format, started_at
from imports
where state = 'running' and started_at < @before and (started_at, import_id) > (@after, @id)
order by started_at, import_id
limit @limit`

// RunningImport is an import that has not ended, by references only.
type RunningImport struct {
	AgentRef
	ID        uuid.UUID
	Format    string
	StartedAt time.Time
}

// RunningImports lists imports of all workspaces that were started before a time and have not ended, behind another one in their
// order, oldest first; none when there are no more. It takes no identity because the sweep works for the deployment.
func (s *Store) RunningImports(ctx context.Context, before time.Time, after RunningImport, limit int) ([]RunningImport, error) {
	sweep := &tx{settings: settings{purpose: purposeSweep}, mode: sqlBeginRead}
	return run(ctx, s, sweep, func(t *tx) (found []RunningImport, err error) {
		b := &pgx.Batch{}
		args := pgx.NamedArgs{"before": before, "after": after.StartedAt, "id": after.ID, "limit": limitOf(limit)}
		all(b.Queue(sqlImportsRunning, args), &found, func(row pgx.CollectableRow) (r RunningImport, err error) {
			err = row.Scan(&r.Workspace, &r.Agent, &r.ID, &r.Format, &r.StartedAt)
			return r, err
		})
		err = t.finish(ctx, b)
		return found, err
	})
}
