package store

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const (
	// Documents that do not exist begin as empty rows, so that two writers who both make one meet here, and the first one's
	// is what the second one changes. They do not outlive the transaction: every change that may create makes a version.
	sqlDocumentsEnsure = `
insert into documents (workspace_id, agent_id, scope, owner_key, path, document_id, version, enabled, sort_order, created_at, updated_at)
select @workspace, d.agent_id, d.scope, d.owner_key, d.path, d.document_id, 0, false, 0, @now, @now
from unnest(@agents::text[], @scopes::text[], @owners::text[], @paths::text[], @ids::uuid[], @creatable::bool[])
    with ordinality d (agent_id, scope, owner_key, path, document_id, creatable, place)
where d.creatable
    and (d.agent_id = '' or exists (
        select from agents a where a.workspace_id = @workspace and a.agent_id = d.agent_id))
order by d.place
on conflict do nothing`

	// Writers of the same documents queue up here, all in the same order.
	sqlDocumentsLock = `
select w.place::int, d.document_id, d.version, d.deleted, d.enabled, d.sort_order, d.person_lines
from unnest(@agents::text[], @scopes::text[], @owners::text[], @paths::text[])
    with ordinality w (agent_id, scope, owner_key, path, place)
join documents d on d.workspace_id = @workspace and d.agent_id = w.agent_id
    and d.scope = w.scope and d.owner_key = w.owner_key and d.path = w.path
order by w.place
for no key update of d`

	// Contents of locked documents: the current version, versions that changes name, and, of a deleted document, what
	// it had. It is a statement of its own because the one that waited for the locks sees what was there before.
	sqlDocumentsRead = `
with locked as (
    select w.place, d.agent_id, d.document_id, d.version, d.deleted
    from unnest(@agents::text[], @scopes::text[], @owners::text[], @paths::text[])
        with ordinality w (agent_id, scope, owner_key, path, place)
    join documents d on d.workspace_id = @workspace and d.agent_id = w.agent_id
        and d.scope = w.scope and d.owner_key = w.owner_key and d.path = w.path
), wanted as (
    select l.place, l.agent_id, l.document_id, l.version, false as live from locked l
    union
    select l.place, l.agent_id, l.document_id, b.version, false
    from unnest(@base_places::int[], @base_versions::int[]) b (place, version)
    join locked l using (place)
    union
    select l.place, l.agent_id, l.document_id, v.version, true
    from locked l
    cross join lateral (
        select v.version
        from document_versions v
        where v.workspace_id = @workspace and v.agent_id = l.agent_id and v.document_id = l.document_id and not v.deleted
        order by v.version desc
        limit 1
    ) v
    where l.deleted
)
select w.place::int, w.live, v.version, v.deleted, v.content
from wanted w
join document_versions v on v.workspace_id = @workspace and v.agent_id = w.agent_id
    and v.document_id = w.document_id and v.version = w.version`

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
	n := len(w.order)
	agents, scopes, owners, paths := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	ids, creatable := make([]uuid.UUID, n), make([]bool, n)
	var basePlaces, baseVersions []int
	for i, d := range w.order {
		agents[i], scopes[i], owners[i], paths[i] = d.agent, string(d.ref.Scope), string(d.owner), d.ref.Path
		ids[i], creatable[i] = d.id, d.creatable
		for _, version := range d.base {
			basePlaces, baseVersions = append(basePlaces, i+1), append(baseVersions, version)
		}
	}
	args := t.args(pgx.NamedArgs{
		"agents": agents, "scopes": scopes, "owners": owners, "paths": paths, "ids": ids, "creatable": creatable,
		"base_places": basePlaces, "base_versions": baseVersions,
	})
	if slices.Contains(creatable, true) {
		b.Queue(sqlDocumentsEnsure, args)
	}
	found := false
	one(b.Queue(sqlDocumentsLock, args), &found, func(row pgx.CollectableRow) error {
		var place int
		var locked document
		if err := row.Scan(&place, &locked.id, &locked.version, &locked.deleted, &locked.enabled, &locked.sortOrder, &locked.person); err != nil {
			return err
		}
		d := w.order[place-1]
		d.found, d.id, d.version, d.deleted = true, locked.id, locked.version, locked.deleted
		d.enabled, d.sortOrder, d.person = locked.enabled, locked.sortOrder, locked.person
		return nil
	})
	if w.key != "" {
		queueLedger(b, t, w.key, &w.recorded)
	}
	one(b.Queue(sqlDocumentsRead, args), &found, func(row pgx.CollectableRow) error {
		var place, version int
		var live, gone bool
		var content string
		if err := row.Scan(&place, &live, &version, &gone, &content); err != nil {
			return err
		}
		d := w.order[place-1]
		d.contents[version], d.gone[version] = content, gone
		if live {
			d.live = content
		}
		return nil
	})
}

// queueWrites queues the versions, the documents, the journal and the key.
func (w *writes) queueWrites(b *pgx.Batch, t *tx) error {
	author := w.author
	for _, d := range w.order {
		if len(d.versions) == 0 {
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
	return nil
}

// seedWrites are the documents that a new agent begins with.
func seedWrites(id memory.Identity) (*writes, error) {
	id.Author = memory.Author{Kind: memory.AuthorSeed, ID: "seed"}
	var changes []memory.Change
	for _, seed := range memory.Seeds() {
		changes = append(changes, memory.Change{
			Ref: memory.Ref{Scope: memory.ScopeTeam, Path: seed.Path}, Op: memory.OpReplace,
			Content: seed.Content, Reason: "what every agent begins with",
		})
	}
	w, err := newWrites(id, "", changes)
	if err != nil {
		return nil, fmt.Errorf("seeds: %w", err)
	}
	return w, nil
}
