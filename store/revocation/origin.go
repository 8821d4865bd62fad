package revocation

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/dreams"
	"reverie/store/pg"
)

const (
	// The imports of a source: that one, or those that were made with a key in a period. A person's are those that they have made.
	sqlOriginImports = `
select 'import-from/' || workspace_id || '.' || agent_id || '/' || import_id, import_id, state not in ('staging', 'running')
from imports
where workspace_id = @workspace and agent_id = @agent
    and (@kind = 'import' and import_id::text = @source or @kind = 'key' and author_id = @source
        and created_at >= @since and created_at < @until)
    and (not @by_owner or owner_key = @owner and writes = 'personal' and author_id = @author)
union all
select workflow_id, import_id, outcome <> 'running'
from snapshot_imports
where workspace_id = @workspace and agent_id = @agent
    and (@kind = 'import' and import_id::text = @source or @kind = 'key' and author_id = @source
        and requested_at >= @since and requested_at < @until)
    and (not @by_owner or owner_key = @owner and pinned and author_id = @author)`

	sqlOriginItems = `
select distinct target
from import_items
where workspace_id = @workspace and agent_id = @agent and import_id = any (@imports::uuid[]) and kind = 1 and target <> ''`

	sqlOriginWrites = `
select write_id, workflow_id, outcome = 'staged'
from memory_writes
where workspace_id = @workspace and agent_id = @agent and staged_at >= @since and staged_at < @until
    and (@kind = 'key' and key_id::text = @source
        or @kind = 'connector' and (requested_id = @source or workflow_id = @source and workflow_id <> ''
            or right(@source, 1) = '*' and starts_with(requested_id, left(@source, -1))))
    and (not @by_owner or owner_key = @owner and key_id::text = @author)`

	// A write that is being committed is waited for, and was written then.
	sqlStagedRefused = `
update memory_writes set
    content = '', reason = '', outcome = 'refused', reason_code = 'revoked', problem = 'what its source wrote was revoked', ended_at = @now
where workspace_id = @workspace and agent_id = @agent and owner_key = @whose and write_id = any (@staged::uuid[]) and outcome = 'staged'`

	// Whom it has taught.
	sqlOriginOwners = `
select case scope when 'TEAM' then 'system' else owner_key end
from document_versions
where workspace_id = @workspace and agent_id = @agent and scope <> 'GLOBAL'
    and (workflow_id <> '' and workflow_id = any (@workflows::text[]) or sources ->> 'conversation' = any (@conversations::text[])
        or @key <> '' and (author_id = @key or sources ->> 'key' = @key) and created_at >= @since and created_at < @until)
union
select owner_key
from messages
where workspace_id = @workspace and agent_id = @agent and @key <> '' and author_id = @key and stored_at >= @since and stored_at < @until
union
select owner_key
from conversations
where workspace_id = @workspace and agent_id = @agent and conversation_id = any (@conversations::text[])
union
select case scope when 'TEAM' then 'system' else owner_key end
from memory_writes
where workspace_id = @workspace and agent_id = @agent and scope <> 'GLOBAL' and write_id = any (@staged::uuid[])
order by 1`
)

// origin selects everything that came from a source.
type origin struct {
	dreams.Origin

	staged []uuid.UUID    // writes that wait
	owners []memory.Owner // whom it has taught, in the order of keys
}

// origin finds what came from a source, of the owner of the part, or of everybody. The identity sees the owner, or everybody.
func (s *Revoking) origin(ctx context.Context, id memory.Identity, p Part) (o origin, err error) {
	if err := p.validate(); err != nil {
		return o, err
	}
	if p.ByOwner && p.Kind == Key && p.Source.ID != p.Author {
		return o, fmt.Errorf("%w: a key that is pinned to an owner revokes what was written with itself", pg.ErrForbidden)
	}
	o.Origin = dreams.Origin{Conversations: map[string]bool{}, Workflows: map[string]bool{}, Since: p.Since, Until: p.Until}
	var conversations, workflows []string
	if p.Kind == Conversation {
		conversations = append(conversations, p.Source.ID)
	}
	if p.Kind == Key {
		o.Key = p.Source.ID
	}
	o.owners, err = pg.Read(ctx, s.db, id, func(t *pg.Tx) (owners []memory.Owner, err error) {
		since, until := any(p.Since), any(p.Until)
		if p.Until.IsZero() {
			until = "infinity"
		}
		if p.Since.IsZero() {
			since = "-infinity"
		}
		var imports []uuid.UUID
		open := false
		args := t.Args(pgx.NamedArgs{
			"kind": p.Kind, "source": p.Source.ID, "since": since, "until": until, "by_owner": p.ByOwner, "author": p.Author,
			"owner": p.Owner, "key": o.Key,
		})
		b := &pgx.Batch{}
		b.Queue(sqlOriginImports, args).Query(func(rows pgx.Rows) error {
			var workflow string
			var of uuid.UUID
			var ended bool
			_, err := pgx.ForEachRow(rows, []any{&workflow, &of, &ended}, func() error {
				workflows, imports, open = append(workflows, workflow), append(imports, of), open || !ended
				return nil
			})
			return err
		})
		b.Queue(sqlOriginWrites, args).Query(func(rows pgx.Rows) error {
			var write uuid.UUID
			var workflow string
			var staged bool
			_, err := pgx.ForEachRow(rows, []any{&write, &workflow, &staged}, func() error {
				if staged {
					o.staged = append(o.staged, write)
				} else {
					workflows = append(workflows, workflow)
				}
				return nil
			})
			return err
		})
		if err := t.Send(ctx, b); err != nil {
			return nil, err
		}
		if open {
			return nil, &pg.ConflictError{Code: pg.CodeNotEnded, Message: "an import of it has not ended: wait for it, or cancel it"}
		}
		args["imports"] = imports
		b = &pgx.Batch{}
		b.Queue(sqlOriginItems, args).Query(func(rows pgx.Rows) error {
			var of string
			_, err := pgx.ForEachRow(rows, []any{&of}, func() error {
				conversations = append(conversations, of)
				return nil
			})
			return err
		})
		if err := t.Send(ctx, b); err != nil {
			return nil, err
		}
		args["workflows"], args["conversations"], args["staged"] = workflows, conversations, o.staged
		b = &pgx.Batch{}
		pg.All(b.Queue(sqlOriginOwners, args), &owners, pgx.RowTo[memory.Owner])
		return owners, t.Finish(ctx, b)
	})
	if err != nil {
		return o, err
	}
	for _, c := range conversations {
		o.Conversations[c] = true
	}
	for _, w := range workflows {
		o.Workflows[w] = w != ""
	}
	o.owners = slices.DeleteFunc(o.owners, func(owner memory.Owner) bool {
		return owner == memory.NoOwner || p.Owner != memory.NoOwner && owner != p.Owner || p.ByOwner && owner == memory.SystemOwner
	})
	slices.Sort(o.owners)
	if len(o.owners) == 0 {
		return o, fmt.Errorf("memory from %s %s: %w", p.Kind, p.Source.ID, pg.ErrNotFound)
	}
	return o, nil
}
