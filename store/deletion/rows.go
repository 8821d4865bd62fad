package deletion

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

// BatchRows is the number of rows that are deleted in one transaction, for which writers of the target wait.
const BatchRows = 2000

const (
	// The deletion waits for writers of the target, and later ones wait for it.
	sqlLockTimeout = `set local lock_timeout = '5s'`

	sqlDeletionStart = `select from reverie_deletion_start(@deletion, @now)`

	sqlDeleteRows = `select reverie_delete_rows(@deletion, @most)`

	sqlDeletionEnd = `select reverie_deletion_end(@deletion, @now)`

	// A key that was revoked in the meantime has no say any more, unless it was rotated.
	sqlAuthorRevoked = `
select true
from api_keys
where workspace_id = @workspace and key_id::text = @author and revoked_at is not null and replaced_by is null`

	sqlDeletionHistories = `
update deletions set histories = @histories
where workspace_id = @workspace and agent_id = @agent and deletion_id = @deletion and state = 'deleting'`
)

// own runs fn as a transaction of a deletion, for an identity that reads every owner of the agent.
func own[T any](ctx context.Context, s *Deleting, id memory.Identity, fn func(*pg.Tx) (T, error)) (T, error) {
	if err := pg.RequireTender(id); err != nil {
		var none T
		return none, err
	}
	return pg.InTx(ctx, s.db, id.For(id.Agent, memory.NoOwner), func(t *pg.Tx) (T, error) {
		t.Deletes = true
		t.Queued.Queue(sqlLockTimeout)
		return fn(t)
	})
}

// StartDeletion starts a deletion that waits: from now on nothing is written about its target. It is done once; a deletion that has started
// before, has ended or was cancelled is returned as it is. One whose key was revoked in the meantime is cancelled. It fails with a time-out
// ([pg.IsLockTimeout]) while somebody writes about the target for long.
func (s *Deleting) StartDeletion(ctx context.Context, id memory.Identity, deletion uuid.UUID) (Deletion, error) {
	return own(ctx, s, id, func(t *pg.Tx) (d Deletion, err error) {
		args := t.Args(pgx.NamedArgs{"deletion": deletion})
		found, revoked := false, false
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlDeletionByID+" for no key update", args), &found, &d, scan)
		if err := t.Send(ctx, b); err != nil {
			return d, err
		}
		if !found {
			return d, fmt.Errorf("deletion: %w", pg.ErrNotFound)
		}
		if d.State != Waiting {
			return d, nil
		}
		args["author"] = d.Author
		b = &pgx.Batch{}
		pg.Columns(b.Queue(sqlAuthorRevoked, args), &revoked, &revoked)
		if err := t.Send(ctx, b); err != nil {
			return d, err
		}
		b = &pgx.Batch{}
		if revoked {
			b.Queue(sqlDeletionCancel, args)
		} else {
			b.Queue(sqlDeletionStart, args)
		}
		pg.One(b.Queue(sqlDeletionByID, args), &found, &d, scan)
		return d, t.Finish(ctx, b)
	})
}

const sqlDeletionOutside = `
update deletions set outside = @outside
where workspace_id = @workspace and agent_id = @agent and deletion_id = @deletion and state = 'deleting'`

// NoteOutside records what programs have answered to the request to delete what they have of a deletion's target.
func (s *Deleting) NoteOutside(ctx context.Context, id memory.Identity, deletion uuid.UUID, answers []Outside) error {
	_, err := own(ctx, s, id, func(t *pg.Tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlDeletionOutside, t.Args(pgx.NamedArgs{"deletion": deletion, "outside": answers}))
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}

// DeleteRows deletes up to BatchRows rows of a deletion that has started, and counts them in its record. It returns how many; 0: none are
// left.
func (s *Deleting) DeleteRows(ctx context.Context, id memory.Identity, deletion uuid.UUID) (n int64, err error) {
	return own(ctx, s, id, func(t *pg.Tx) (n int64, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlDeleteRows, pgx.NamedArgs{"deletion": deletion, "most": BatchRows}).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
		return n, t.Finish(ctx, b)
	})
}

// EndDeletion ends a deletion when no table has rows of its target any more, and returns it. Else it returns the number of rows by table:
// DeleteRows deletes them. Its record then no longer names the target. histories is the number of histories that were deleted.
func (s *Deleting) EndDeletion(
	ctx context.Context, id memory.Identity, deletion uuid.UUID, histories int,
) (d Deletion, rows map[string]int64, err error) {
	d, err = own(ctx, s, id, func(t *pg.Tx) (d Deletion, err error) {
		args := t.Args(pgx.NamedArgs{"deletion": deletion})
		found := false
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlDeletionByID, args), &found, &d, scan)
		if err := t.Send(ctx, b); err != nil || d.State == Done {
			return d, err
		}
		args["histories"] = histories
		b = &pgx.Batch{}
		b.Queue(sqlDeletionHistories, args)
		b.Queue(sqlDeletionEnd, args).QueryRow(func(row pgx.Row) error { return row.Scan(&rows) })
		pg.One(b.Queue(sqlDeletionByID, args), &found, &d, scan)
		return d, t.Finish(ctx, b)
	})
	return d, rows, err
}

const sqlDeletionWorkflows = `
select 'import-from/' || i.workspace_id || '.' || i.agent_id || '/' || i.import_id
from imports i
join deletions d on d.workspace_id = i.workspace_id and d.agent_id = i.agent_id and d.deletion_id = @deletion and d.kind = 'owner'
where i.workspace_id = @workspace and i.agent_id = @agent and i.owner_key = d.owner_key
union all
select w.workflow_id
from memory_writes w
join deletions d on d.workspace_id = w.workspace_id and d.agent_id = w.agent_id and d.deletion_id = @deletion and d.kind = 'owner'
where w.workspace_id = @workspace and w.agent_id = @agent and w.owner_key = d.owner_key and w.workflow_id <> ''
union all
select s.workflow_id
from snapshot_imports s
join deletions d on d.workspace_id = s.workspace_id and d.agent_id = s.agent_id and d.deletion_id = @deletion and d.kind = 'owner'
where s.workspace_id = @workspace and s.agent_id = @agent and s.owner_key = d.owner_key and s.workflow_id <> ''`

// DeletionWorkflows returns the ids of workflows of an owner whose deletion has started, which Temporal lists under the agent only.
func (s *Deleting) DeletionWorkflows(ctx context.Context, id memory.Identity, deletion uuid.UUID) ([]string, error) {
	if err := pg.RequireTender(id); err != nil {
		return nil, err
	}
	return pg.ReadAll(ctx, s.db, id, sqlDeletionWorkflows, pgx.NamedArgs{"deletion": deletion}, pgx.RowTo[string])
}
