package store

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const (
	// A document that does not exist begins as an empty row, so that two writers who both make it meet here, and the
	// first one's is what the second one changes. The row does not outlive the transaction empty: every change that may
	// create makes a version.
	sqlDocumentEnsure = `
insert into documents (workspace_id, agent_id, scope, owner_key, path, document_id, version, enabled, sort_order, created_at, updated_at)
select @workspace, @agent, @scope, @owner, @path, @document, 0, false, 0, @now, @now
where @agent::text = '' or exists (
    select from agents where workspace_id = @workspace and agent_id = @agent)
on conflict do nothing`

	// Writers of the same documents queue up here, all in the same order.
	sqlDocumentLock = `
select document_id, version, deleted, enabled, sort_order, person_lines
from documents
where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and path = @path
for no key update`

	// Contents of a locked document: the current version, versions that changes name, and, if it is deleted, what it had.
	// It is a statement of its own because the one that waited for the lock sees what was there before.
	sqlDocumentContents = `
with d as materialized (
    select document_id, version, deleted
    from documents
    where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and path = @path
), wanted as (
    select version, false as live from d
    union
    select unnest(@bases::int[]), false
    union
    select version, true
    from (
        select version
        from document_versions
        where workspace_id = @workspace and agent_id = @agent and document_id = (select document_id from d) and not deleted
        order by version desc
        limit 1
    ) v
    where (select deleted from d)
)
select w.live, w.version, v.deleted, v.content
from wanted w
cross join lateral (
    select deleted, content
    from document_versions
    where workspace_id = @workspace and agent_id = @agent and document_id = (select document_id from d) and version = w.version
    limit 1
) v`

	sqlVersionInsert = `
insert into document_versions (workspace_id, agent_id, document_id, version, scope, owner_key, base_version, merged, deleted,
    content, sha256, added, removed, author_kind, author_id, workflow_id, run_id, reason, sources, created_at)
values (@workspace, @agent, @document, @version, @scope, @owner, @base, @merged, @deleted,
    @content, @sha256, @added, @removed, @author_kind, @author_id, @workflow, @run, @reason, @sources, @now)`

	sqlDocumentAdvance = `
update documents set
    version = @version,
    deleted = @deleted,
    enabled = @enabled,
    sort_order = @sort_order,
    person_lines = @person_lines,
    updated_at = @now
where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and path = @path`
)

// queueReads queues locking and reading the documents, and looking up the key. The key comes after the locks: a second
// writer with the same key has waited for the first one there, and sees its receipt.
func (w *writes) queueReads(b *pgx.Batch, t *tx) {
	for _, d := range w.order {
		if d.creatable {
			b.Queue(sqlDocumentEnsure, d.args(t))
		}
	}
	for _, d := range w.order {
		one(b.Queue(sqlDocumentLock, d.args(t)), &d.found, func(row pgx.CollectableRow) error {
			return row.Scan(&d.id, &d.version, &d.deleted, &d.enabled, &d.sortOrder, &d.person)
		})
	}
	if w.key != "" && len(w.order) > 0 { // without documents, the receipt's own key keeps it from being written twice
		queueLedger(b, t, w.key, &w.recorded)
	}
	if slices.ContainsFunc(w.order, func(d *document) bool { return d.agent != "" }) {
		queueStanding(b, t, &w.standing)
	}
	for _, d := range w.order {
		found := false
		one(b.Queue(sqlDocumentContents, d.args(t)), &found, func(row pgx.CollectableRow) error {
			var live, gone bool
			var version int
			var content string
			if err := row.Scan(&live, &version, &gone, &content); err != nil {
				return err
			}
			d.contents[version], d.gone[version] = content, gone
			if live || version == d.version && !gone {
				d.live = content
			}
			return nil
		})
	}
	w.queueForgotten(b, t)
}

// args are the arguments of the statements that find d.
func (d *document) args(t *tx) pgx.NamedArgs {
	return t.args(pgx.NamedArgs{
		"agent": d.agent, "scope": d.ref.Scope, "owner": d.owner, "path": d.ref.Path, "document": d.id, "bases": d.base,
	})
}

// queueWrites queues the versions, the documents, the journal and the key, the index, and what is new for the next dream.
func (w *writes) queueWrites(b *pgx.Batch, t *tx) error {
	author := w.author
	for _, d := range w.order {
		if len(d.versions) == 0 {
			if w.prompts != nil && placeOf(d.was) != placeOf(d.document()) {
				b.Queue(sqlDocumentPrompt, t.args(pgx.NamedArgs{
					"row_agent": d.agent, "scope": d.ref.Scope, "whose": d.owner, "path": d.ref.Path,
					"enabled": d.enabled, "sort_order": d.sortOrder,
				}))
			}
			continue
		}
		for _, v := range d.versions {
			b.Queue(sqlVersionInsert, t.args(pgx.NamedArgs{
				"agent": d.agent, "document": d.id, "version": v.Number, "scope": d.ref.Scope, "owner": d.owner,
				"base": v.BaseVersion, "merged": v.Merged, "deleted": v.Deleted,
				"content": v.Content, "sha256": v.SHA256[:], "added": v.Added, "removed": v.Removed,
				"author_kind": author.Kind, "author_id": author.ID, "workflow": author.WorkflowID, "run": author.RunID,
				"reason": v.Reason, "sources": v.Sources,
			}))
		}
		person := d.person
		if person == nil {
			person = []string{}
		}
		b.Queue(sqlDocumentAdvance, t.args(pgx.NamedArgs{
			"agent": d.agent, "scope": d.ref.Scope, "owner": d.owner, "path": d.ref.Path,
			"version": d.version, "deleted": d.deleted, "enabled": d.enabled, "sort_order": d.sortOrder, "person_lines": person,
		}))
	}
	if len(w.events) == 0 && w.key == "" {
		return nil
	}
	token, err := queueEvents(b, t, author, w.events, w.key, w.receipt)
	if err != nil {
		return err
	}
	token.QueryRow(func(row pgx.Row) error { return row.Scan(&w.receipt.Token) })
	for _, d := range w.order {
		if len(d.versions) > 0 {
			d.queueIndex(b, t)
		}
	}
	w.queueNews(b, t)
	w.queueRevived(b, t)
	return nil
}

// seeds are the documents that a new agent begins with.
func seeds() changeSet {
	var changes []memory.Change
	for _, seed := range memory.Seeds() {
		changes = append(changes, memory.Change{
			Ref: memory.Ref{Scope: memory.ScopeTeam, Path: seed.Path}, Op: memory.OpReplace,
			Content: seed.Content, Reason: "what every agent begins with",
		})
	}
	return changeSet{author: memory.Author{Kind: memory.AuthorSeed, ID: "seed"}, changes: changes}
}
