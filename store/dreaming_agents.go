package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// DreamingAgent is what an agent's schedule follows.
type DreamingAgent struct {
	AgentRef
	TimeZone string // IANA name
	// Settings are those of its nights only: MemoryEnabled, DreamingEnabled, DreamCron and Leader.
	Settings memory.AgentSettings
}

const sqlDreamingAgents = `
select workspace_id, agent_id, time_zone,
    (settings->'memoryEnabled')::boolean, (settings->'dreamingEnabled')::boolean, coalesce(settings->>'dreamCron', ''),
    coalesce(settings->>'leader', '')
from agents
where (workspace_id, agent_id) > (@after_workspace, @after_agent)
order by workspace_id, agent_id
limit @limit`

// DreamingAgents lists at most limit agents, of all workspaces, with what their schedules follow, in order, from behind another
// one on; whether they dream depends on the server's settings as well. It returns references and settings only, and takes no
// identity because the sweep works for the deployment.
func (s *Store) DreamingAgents(ctx context.Context, after AgentRef, limit int) ([]DreamingAgent, error) {
	sweep := &tx{settings: settings{purpose: purposeSweep}, mode: sqlBeginRead}
	return run(ctx, s, sweep, func(t *tx) (agents []DreamingAgent, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlDreamingAgents, pgx.NamedArgs{"after_workspace": after.Workspace, "after_agent": after.Agent, "limit": limit}), &agents,
			func(row pgx.CollectableRow) (a DreamingAgent, err error) {
				err = row.Scan(&a.Workspace, &a.Agent, &a.TimeZone, &a.Settings.MemoryEnabled, &a.Settings.DreamingEnabled, &a.Settings.DreamCron, &a.Settings.Leader)
				return a, err
			})
		err = t.finish(ctx, b)
		return agents, err
	})
}
