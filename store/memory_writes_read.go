package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const sqlWrites = `
select ` + writeColumns + `
from memory_writes
where workspace_id = @workspace and agent_id = @agent and write_id < @before and (@outcome::text = '' or outcome = @outcome)
order by write_id desc
limit @limit`

// MemoryWrite returns the record of a request.
func (s *Store) MemoryWrite(ctx context.Context, id memory.Identity, request string) (MemoryWrite, error) {
	if err := requireAgent(id); err != nil {
		return MemoryWrite{}, err
	}
	return read(ctx, s, id, func(t *tx) (w MemoryWrite, err error) {
		var hash []byte
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sqlWriteByRequest, t.args(pgx.NamedArgs{"request": request})), &found, func(row pgx.CollectableRow) error {
			return row.Scan(append(w.fields(), &hash)...)
		})
		if err := t.finish(ctx, b); err != nil {
			return MemoryWrite{}, err
		}
		if !found {
			return MemoryWrite{}, noWrite(request)
		}
		return w, nil
	})
}

// MemoryWrites lists those of an agent that id may see, newest first; outcome may be empty for all.
func (s *Store) MemoryWrites(ctx context.Context, id memory.Identity, outcome memory.Outcome, p Page) (Listed[MemoryWrite], error) {
	if err := requireAgent(id); err != nil {
		return Listed[MemoryWrite]{}, err
	}
	from, err := parseCursor(p.Cursor)
	if err != nil {
		return Listed[MemoryWrite]{}, err
	}
	limit := limitOf(p.Limit)
	return read(ctx, s, id, func(t *tx) (Listed[MemoryWrite], error) {
		var found []MemoryWrite
		b := &pgx.Batch{}
		all(b.Queue(sqlWrites, t.args(pgx.NamedArgs{"outcome": outcome, "before": from.id, "limit": limit + 1})), &found, scanWrite)
		if err := t.finish(ctx, b); err != nil {
			return Listed[MemoryWrite]{}, err
		}
		return listed(found, limit, func(w MemoryWrite) cursor { return cursor{at: w.StagedAt, id: w.ID} }), nil
	})
}

const sqlWritesDue = `
update memory_writes set due_at = @next
where (workspace_id, agent_id, write_id) in (
    select workspace_id, agent_id, write_id
    from memory_writes
    where outcome = 'staged' and due_at <= @now
    order by due_at
    limit @limit
    for update skip locked)
returning workspace_id, agent_id, write_id, request_id`

// startAgain is when a write that was handed out is handed out once more, unless it has ended.
const startAgain = time.Minute

// DueWrites hands out writes of all workspaces that have waited for long enough to be started, longest first, and again after a
// minute if they have not ended. Starting one that is started already must be harmless. It returns references only, and takes no
// identity because the sweep works for the deployment.
func (s *Store) DueWrites(ctx context.Context, limit int) ([]WriteRef, error) {
	sweep := &tx{settings: settings{purpose: purposeSweep}, mode: sqlBegin}
	return run(ctx, s, sweep, func(t *tx) (due []WriteRef, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlWritesDue, pgx.NamedArgs{"now": t.now, "next": t.now.Add(startAgain), "limit": limitOf(limit)}), &due,
			func(row pgx.CollectableRow) (r WriteRef, err error) {
				err = row.Scan(&r.Workspace, &r.Agent, &r.Write, &r.RequestID)
				return r, err
			})
		err = t.finish(ctx, b)
		return due, err
	})
}
