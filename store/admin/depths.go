package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

// Depth counts the work that waited in a queue at a time.
type Depth struct {
	Queue string
	At    time.Time
	Depth int64
	Tasks bool // a task queue of the deployment, not work of the workspace
}

// DepthsKept is the time for which depths are kept.
const DepthsKept = 8 * 24 * time.Hour

const (
	sqlWorkspaces = `select workspace_id from workspaces order by workspace_id`

	sqlDepthsSample = `
insert into queue_depths (workspace_id, queue, at, depth)
select @workspace, n.queue, @at, n.depth
from unnest(@queues::text[], @depths::bigint[]) n (queue, depth)
on conflict do nothing`

	sqlDepthsExpire = `delete from queue_depths where at < @before`

	// The deepest of each step. The steps begin at the hour.
	sqlDepths = `
select queue, date_bin(@step::interval, at, timestamptz '2020-01-01') as begins, max(depth), workspace_id = ''
from queue_depths
where workspace_id in (@workspace, '') and at >= @since
group by workspace_id, queue, begins
order by queue, begins`
)

// Queues returns the counts by the names of what waits.
func (b Backlog) Queues() map[string]int64 {
	return map[string]int64{
		"messages": int64(b.PendingMessages), "turns": int64(b.UnsignalledTurns), "postponed": int64(b.Waiting),
		"quarantine": int64(b.Quarantined), "writes": int64(b.StagedWrites),
	}
}

// SampleDepths records how much waits now in every workspace and, as they are given, in the task queues of the deployment. Two samples
// at one time are one. It removes those that are older than DepthsKept, and returns the number of workspaces. It takes no identity
// because the sweep works for the deployment.
func (s *Admin) SampleDepths(ctx context.Context, at time.Time, tasks map[string]int64) (int, error) {
	workspaces, err := pg.SweepAll(ctx, s.db, sqlWorkspaces, nil, pgx.RowTo[string])
	if err != nil {
		return 0, err
	}
	found := map[string]map[string]int64{"": tasks}
	for _, workspace := range workspaces {
		b, err := s.Backlog(ctx, operator(workspace))
		if err != nil {
			return 0, err
		}
		found[workspace] = b.Queues()
	}
	sweep := &pg.Tx{Settings: pg.Settings{Purpose: pg.PurposeSweep}, Mode: pg.SQLBegin}
	return pg.Run(ctx, s.db, sweep, func(t *pg.Tx) (int, error) {
		b := &pgx.Batch{}
		for workspace, depths := range found {
			queues := slices.Sorted(maps.Keys(depths))
			counts := make([]int64, len(queues))
			for i, queue := range queues {
				counts[i] = depths[queue]
			}
			b.Queue(sqlDepthsSample, pgx.NamedArgs{"workspace": workspace, "at": at, "queues": queues, "depths": counts})
		}
		b.Queue(sqlDepthsExpire, pgx.NamedArgs{"before": at.Add(-DepthsKept)})
		return len(workspaces), t.Finish(ctx, b)
	})
}

// Depths lists how much waited in each queue of the workspace, and of the deployment, since a time: the most of each step. It refuses
// pinned credentials.
func (s *Admin) Depths(ctx context.Context, id memory.Identity, since time.Time, step time.Duration) ([]Depth, error) {
	set, err := pg.SettingsOf(id)
	if err != nil {
		return nil, err
	}
	if id.Pinned || id.Agents != nil {
		return nil, fmt.Errorf("%w: queues are of the whole workspace", pg.ErrForbidden)
	}
	set.Purpose = pg.PurposeStatus
	return pg.Run(ctx, s.db, &pg.Tx{Settings: set, ID: id, Mode: pg.SQLBeginRead}, func(t *pg.Tx) (all []Depth, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlDepths, t.Args(pgx.NamedArgs{"since": since, "step": step})), &all, pgx.RowToStructByPos[Depth])
		err = t.Finish(ctx, b)
		return all, err
	})
}
