package store

import (
	"context"
	"time"
)

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

// Stalled lists owners of all workspaces who have a conversation that has been pending since before the given time,
// although its turns were signalled: their workflow was terminated, or Temporal lost it. Longest pending first. It
// returns references only, and takes no identity because the sweep works for the deployment.
func (s *Store) Stalled(ctx context.Context, before time.Time, limit int) ([]UnsignalledTurn, error) {
	return s.sweep(ctx, sqlOwnersStalled, before, limit)
}
