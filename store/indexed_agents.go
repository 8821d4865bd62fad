package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const sqlIndexedAgents = `
select distinct workspace_id, agent_id
from index_sources
where (workspace_id, agent_id) > (@after_workspace, @after_agent)
order by workspace_id, agent_id
limit @limit`

// IndexedAgents lists at most limit agents, of all workspaces, of which something is indexed, in order, from behind another
// one on. It returns references only, and takes no identity because the sweep works for the deployment.
func (s *Store) IndexedAgents(ctx context.Context, after AgentRef, limit int) ([]AgentRef, error) {
	sweep := &tx{settings: settings{purpose: purposeSweep}, mode: sqlBeginRead}
	return run(ctx, s, sweep, func(t *tx) (indexed []AgentRef, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlIndexedAgents, pgx.NamedArgs{"after_workspace": after.Workspace, "after_agent": after.Agent, "limit": limit}), &indexed,
			pgx.RowToStructByPos[AgentRef])
		err = t.finish(ctx, b)
		return indexed, err
	})
}
