package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// DocumentFilter limits a list of documents; the zero value lists every visible document that is not deleted.
type DocumentFilter struct {
	Prefix         string // of the path, such as memory/
	Scope          memory.Scope
	IncludeDeleted bool
}

// DocumentEntry is a document in a list, without its content.
type DocumentEntry struct {
	memory.Document
	Bytes int // size of the content
}

// currentVersion adds the current version to documents d. It looks up one for each (limit 1 keeps it so): a join would be
// planned without statistics as a search through all versions of the workspace. For the same reason documents are always
// looked up by the whole beginning of their key.
const currentVersion = `
cross join lateral (
    select *
    from document_versions v
    where v.workspace_id = d.workspace_id and v.agent_id = d.agent_id and v.document_id = d.document_id and v.version = d.version
    limit 1
) v `

// visibleDocuments are the documents of the identity's owner, agent and workspace.
const visibleDocuments = `
from (values ('PERSONAL', @agent::text, @owner::text), ('TEAM', @agent, ''), ('GLOBAL', '', '')) s (scope, agent_id, owner_key)
cross join lateral (
    select *
    from documents d
    where d.workspace_id = @workspace and d.agent_id = s.agent_id and d.scope = s.scope and d.owner_key = s.owner_key
    offset 0
) d ` + currentVersion

// documentColumns are the columns of a DocumentEntry with its content, in the order of scanDocument.
const documentColumns = `
select d.document_id, d.scope, d.agent_id, d.owner_key, d.path, d.enabled, d.sort_order, d.deleted, d.version, v.sha256, d.updated_at,
    v.author_kind, v.author_id, v.workflow_id, v.run_id, `

// documentOrder puts shared documents first: what everybody reads, then what is the owner's.
const documentOrder = `
order by d.scope = 'PERSONAL', d.sort_order, d.path collate "C", d.scope, d.owner_key`

const (
	sqlDocument = documentColumns + `octet_length(v.content), v.content
from documents d ` + currentVersion + `
where d.workspace_id = @workspace and d.agent_id = @row_agent and d.scope = @scope and d.owner_key = @whose and d.path = @path
    and not d.deleted`

	sqlDocumentVisible = documentColumns + `octet_length(v.content), v.content
from (values ('PERSONAL', @agent::text, @owner::text, 1), ('TEAM', @agent, '', 2), ('GLOBAL', '', '', 3)) s (scope, agent_id, owner_key, place)
cross join lateral (
    select *
    from documents d
    where d.workspace_id = @workspace and d.agent_id = s.agent_id and d.scope = s.scope and d.owner_key = s.owner_key and d.path = @path
    limit 1
) d ` + currentVersion + `
where not d.deleted
order by s.place
limit 1`

	sqlDocuments         = documentColumns + `octet_length(v.content), ''` + visibleDocuments + documentList
	sqlDocumentsOfPrompt = documentColumns + `octet_length(v.content), v.content` + visibleDocuments + `
where d.enabled and not d.deleted` + documentOrder

	// A list for operators.
	sqlDocumentsOfAll = documentColumns + `octet_length(v.content), ''
from (select @agent::text as agent_id union select '') a
cross join lateral (
    select *
    from documents d
    where d.workspace_id = @workspace and d.agent_id = a.agent_id
    offset 0
) d ` + currentVersion + documentList

	documentList = `
where starts_with(d.path, @prefix)
    and (@scope = '' or d.scope = @scope)
    and (not d.deleted or @deleted)` + documentOrder

	sqlDocumentPrompt = `
update documents set
    enabled = coalesce(@enabled, enabled),
    sort_order = coalesce(@sort_order, sort_order),
    updated_at = @now
where workspace_id = @workspace and agent_id = @row_agent and scope = @scope and owner_key = @whose and path = @path and not deleted`
)

func scanDocument(row pgx.CollectableRow) (DocumentEntry, error) { return scanDocumentAnd(row) }

// scanDocumentAnd also fills more from the columns behind those of the document.
func scanDocumentAnd(row pgx.CollectableRow, more ...any) (e DocumentEntry, err error) {
	var sha []byte
	err = row.Scan(append([]any{
		&e.ID, &e.Scope, &e.Agent, &e.Owner, &e.Path, &e.Enabled, &e.SortOrder, &e.Deleted, &e.Version, &sha, &e.UpdatedAt,
		&e.UpdatedBy.Kind, &e.UpdatedBy.ID, &e.UpdatedBy.WorkflowID, &e.UpdatedBy.RunID, &e.Bytes, &e.Content,
	}, more...)...)
	copy(e.SHA256[:], sha)
	return e, err
}

// scanContent is scanDocument for reads whose size is that of the content.
func scanContent(row pgx.CollectableRow) (memory.Document, error) {
	e, err := scanDocument(row)
	return e.Document, err
}

// Document returns one document with its current content. A deleted one is ErrNotFound; History still shows it.
func (s *Store) Document(ctx context.Context, id memory.Identity, ref memory.Ref) (memory.Document, error) {
	args, err := refArgs(id, ref)
	if err != nil {
		return memory.Document{}, err
	}
	return s.oneDocument(ctx, id, sqlDocument, args)
}

// VisibleDocument returns the document that a path means to the identity: the owner's own if there is one, else the
// agent's, else the workspace's.
func (s *Store) VisibleDocument(ctx context.Context, id memory.Identity, path string) (memory.Document, error) {
	args, err := refArgs(id, memory.Ref{Scope: memory.ScopeGlobal, Path: path})
	if err != nil {
		return memory.Document{}, err
	}
	return s.oneDocument(ctx, id, sqlDocumentVisible, args)
}

func (s *Store) oneDocument(ctx context.Context, id memory.Identity, sql string, args pgx.NamedArgs) (memory.Document, error) {
	return read(ctx, s, id, func(t *tx) (d memory.Document, err error) {
		b := &pgx.Batch{}
		found := false
		one(b.Queue(sql, t.args(args)), &found, func(row pgx.CollectableRow) (err error) { d, err = scanContent(row); return err })
		if err := t.finish(ctx, b); err != nil {
			return memory.Document{}, err
		}
		if !found {
			return memory.Document{}, fmt.Errorf("document %s: %w", args["path"], ErrNotFound)
		}
		return d, nil
	})
}

// refArgs checks a reference and returns it as arguments: scope, path, whose (the owner of a PERSONAL document, else
// empty) and row_agent (empty for GLOBAL).
func refArgs(id memory.Identity, ref memory.Ref) (pgx.NamedArgs, error) {
	path, err := checkRef(id, "", ref)
	if err != nil {
		return nil, err
	}
	return pgx.NamedArgs{
		"scope": ref.Scope, "path": path, "whose": rowOwner(id, ref.Scope), "row_agent": rowAgent(id, ref.Scope),
	}, nil
}

// Documents lists documents: shared ones first, then by sort order and path. Contents are left out. With AnyOwner the
// documents of every owner of the agent are listed.
func (s *Store) Documents(ctx context.Context, id memory.Identity, f DocumentFilter) ([]DocumentEntry, error) {
	if f.Scope != "" && !f.Scope.Valid() {
		return nil, &InvalidError{Field: "scope", Problem: "use PERSONAL, TEAM or GLOBAL"}
	}
	return read(ctx, s, id, func(t *tx) (documents []DocumentEntry, err error) {
		sql := sqlDocuments
		if t.anyOwner {
			sql = sqlDocumentsOfAll
		}
		b := &pgx.Batch{}
		all(b.Queue(sql, t.args(pgx.NamedArgs{
			"prefix": f.Prefix, "scope": f.Scope, "deleted": f.IncludeDeleted,
		})), &documents, scanDocument)
		err = t.finish(ctx, b)
		return documents, err
	})
}

// PromptDocuments returns the enabled documents that the identity sees, with content, in the order of Documents. For a member of a
// team the leader's follow, but for those that say who an agent is; of an agent whose memory is switched off only these are left,
// and what is the workspace's.
func (s *Store) PromptDocuments(ctx context.Context, id memory.Identity) ([]memory.Document, error) {
	if err := requireAgent(id); err != nil {
		return nil, err
	}
	var agent standing
	documents, err := read(ctx, s, id, func(t *tx) (documents []memory.Document, err error) {
		b := &pgx.Batch{}
		queueStanding(b, t, &agent)
		all(b.Queue(sqlDocumentsOfPrompt, t.args(nil)), &documents, scanContent)
		err = t.finish(ctx, b)
		return documents, err
	})
	if err != nil {
		return nil, err
	}
	return s.promptOf(ctx, id, agent, documents)
}

// maxSortOrder bounds a sort order on both sides.
const maxSortOrder = 1_000_000

// SetPrompt changes whether a document is rendered into the system prompt, and where; nil leaves as it is. It makes no
// version. The permission is that of writing the document.
func (s *Store) SetPrompt(ctx context.Context, id memory.Identity, ref memory.Ref, enabled *bool, sortOrder *int) (memory.Document, error) {
	args, err := refArgs(id, ref)
	if err != nil {
		return memory.Document{}, err
	}
	if err := mayWrite(id, ref.Scope); err != nil {
		return memory.Document{}, err
	}
	if sortOrder != nil && (*sortOrder < -maxSortOrder || *sortOrder > maxSortOrder) {
		return memory.Document{}, &InvalidError{Field: "sortOrder", Problem: fmt.Sprintf("use a number from %d to %d", -maxSortOrder, maxSortOrder)}
	}
	args["enabled"], args["sort_order"] = enabled, sortOrder
	return inTx(ctx, s, id, func(t *tx) (d memory.Document, err error) {
		found := false
		var s standing
		b := &pgx.Batch{}
		if ref.Scope != memory.ScopeGlobal {
			queueStanding(b, t, &s)
		}
		b.Queue(sqlDocumentPrompt, t.args(args))
		one(b.Queue(sqlDocument, t.args(args)), &found, func(row pgx.CollectableRow) (err error) { d, err = scanContent(row); return err })
		if err := t.send(ctx, b); err != nil {
			return memory.Document{}, err
		}
		if err := s.allows(id.Author); err != nil {
			return memory.Document{}, err
		}
		if !found {
			return memory.Document{}, fmt.Errorf("document %s: %w", args["path"], ErrNotFound)
		}
		b = &pgx.Batch{}
		if err := queueEvent(b, t, promptEvent(id, d)); err != nil {
			return memory.Document{}, err
		}
		err = t.finish(ctx, b)
		return d, err
	})
}
