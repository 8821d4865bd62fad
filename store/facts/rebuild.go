package facts

import (
	"context"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

const (
	sqlForgetFormat = `
update fact_documents set format = '' where workspace_id = @workspace and agent_id = @agent and format <> ''`

	// With an agent: its documents; without one: those of the workspace.
	sqlUnread = `
select d.document_id, d.agent_id, d.scope, d.owner_key, d.path
from documents d
left join lateral (
    select format
    from fact_documents f
    where f.workspace_id = d.workspace_id and f.agent_id = d.agent_id and f.document_id = d.document_id
    limit 1
) f on true
where d.workspace_id = @workspace and d.agent_id = @agent and d.version > 0 and coalesce(f.format, '') <> @format
order by d.document_id
limit @limit`

	sqlUnreadCount = `
select count(*)
from documents d
left join lateral (
    select format
    from fact_documents f
    where f.workspace_id = d.workspace_id and f.agent_id = d.agent_id and f.document_id = d.document_id
    limit 1
) f on true
where d.workspace_id = @workspace and d.agent_id = @agent and d.version > 0 and coalesce(f.format, '') <> @format`

	sqlDrop = `
with gone as (
    delete from facts
    where workspace_id = @workspace and agent_id = @agent and document_id = @document
    returning entry_id
)
select distinct entry_id from gone order by entry_id`

	sqlVersions = `
select version, deleted, content, author_kind, author_id, created_at
from document_versions
where workspace_id = @workspace and agent_id = @agent and document_id = @document and version > @after
order by version
limit @limit`
)

// rebuildVersions is the number of versions that a rebuild reads at once. A version has up to 1 MiB.
const rebuildVersions = 50

// ForgetFacts marks all documents of the identity's agent (without an agent: of the workspace) to be read again by RebuildFacts.
// Facts stay as they are until then. It requires an admin who reads every owner.
func (s *Facts) ForgetFacts(ctx context.Context, id memory.Identity) error {
	if err := pg.RequireTender(id); err != nil {
		return err
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlForgetFormat, t.Args(nil))
		return none, t.Finish(ctx, b)
	})
	return err
}

// RebuildFacts reads the facts of up to limit documents that are marked, or that another release has read, from all their versions,
// each document in its own transaction. It returns how many documents are left. The ids of facts, and what was said about them, stay.
// It requires an admin who reads every owner.
func (s *Facts) RebuildFacts(ctx context.Context, id memory.Identity, limit int) (remaining int, err error) {
	if err := pg.RequireTender(id); err != nil {
		return 0, err
	}
	unread, err := pg.ReadAll(ctx, s.db, id, sqlUnread, pgx.NamedArgs{"format": format, "limit": limit},
		func(row pgx.CollectableRow) (d Document, err error) {
			err = row.Scan(&d.ID, &d.Agent, &d.Scope, &d.Owner, &d.Path)
			return d, err
		})
	if err != nil {
		return 0, err
	}
	for _, d := range unread {
		if _, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) { return none, d.rebuild(ctx, t) }); err != nil {
			return 0, err
		}
	}
	return pg.ReadOne(ctx, s.db, id, sqlUnreadCount, pgx.NamedArgs{"format": format}, pgx.RowTo[int], pg.ErrNotFound)
}

// rebuild reads the facts of a document anew. A writer of the document has committed before, or waits.
func (d Document) rebuild(ctx context.Context, t *pg.Tx) error {
	var gone []string
	b := &pgx.Batch{}
	b.Queue(sqlLock, d.args(t, nil))
	pg.All(b.Queue(sqlDrop, d.args(t, nil)), &gone, pgx.RowTo[string])
	before := ""
	for after := 0; ; {
		var versions []memory.Version
		pg.All(b.Queue(sqlVersions, d.args(t, pgx.NamedArgs{"after": after, "limit": rebuildVersions})), &versions,
			func(row pgx.CollectableRow) (v memory.Version, err error) {
				err = row.Scan(&v.Number, &v.Deleted, &v.Content, &v.Author.Kind, &v.Author.ID, &v.CreatedAt)
				return v, err
			})
		if err := t.Send(ctx, b); err != nil {
			return err
		}
		b = &pgx.Batch{}
		if len(versions) == 0 {
			break
		}
		c := Changes{}
		for _, v := range versions {
			if v.Deleted {
				v.Content = ""
			}
			c.Add(d, Step{Version: v.Number, Before: before, After: v.Content, Author: v.Author, At: v.CreatedAt})
			before, after = v.Content, v.Number
		}
		c.QueueWrites(b, t)
	}
	b.Queue(sqlRead, d.args(t, pgx.NamedArgs{"format": format}))
	b.Queue(sqlWeigh, d.args(t, pgx.NamedArgs{"entries": gone})) // the same words elsewhere
	return t.Finish(ctx, b)
}
