package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
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

// currentVersion joins the current version to documents d. It reads one row each (ensured by limit 1): without statistics, a join
// would be planned as a scan of all versions of the workspace. For the same reason documents are always found by the whole prefix
// of their key.
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

// documentOrder puts shared documents before those of the owner.
const documentOrder = `
order by d.scope = 'PERSONAL', d.sort_order, d.path collate "C", d.scope, d.owner_key`

const (
	sqlDocument = documentColumns + `octet_length(v.content), v.content
from documents d ` + currentVersion + `
where d.workspace_id = @workspace and d.agent_id = @row_agent and d.scope = @scope and d.owner_key = @whose and d.path = @path
    and not d.deleted`

	// Includes deleted ones, which the reader may write again.
	sqlDocumentWritten = documentColumns + `octet_length(v.content), v.content, d.person_lines
from documents d ` + currentVersion + `
where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = @scope and d.owner_key = @whose and d.path = @path`

	sqlDocumentVisible = documentColumns + `octet_length(v.content), v.content
from (values ('PERSONAL', @agent::text, @owner::text, 1), ('TEAM', @agent, '', 2), ('GLOBAL', '', '', 3))
    s (scope, agent_id, owner_key, place)
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

// scanDocumentAnd also scans the columns behind those of the document into more.
func scanDocumentAnd(row pgx.CollectableRow, more ...any) (e DocumentEntry, err error) {
	var sha []byte
	err = row.Scan(append([]any{
		&e.ID, &e.Scope, &e.Agent, &e.Owner, &e.Path, &e.Enabled, &e.SortOrder, &e.Deleted, &e.Version, &sha, &e.UpdatedAt,
		&e.UpdatedBy.Kind, &e.UpdatedBy.ID, &e.UpdatedBy.WorkflowID, &e.UpdatedBy.RunID, &e.Bytes, &e.Content,
	}, more...)...)
	copy(e.SHA256[:], sha)
	return e, err
}

// scanContent is scanDocument without the size.
func scanContent(row pgx.CollectableRow) (memory.Document, error) {
	e, err := scanDocument(row)
	return e.Document, err
}

// writtenDocument is a document, deleted or not, with the lines of its content that a person wrote.
type writtenDocument struct {
	memory.Document
	person []string
}

func scanWritten(row pgx.CollectableRow) (w writtenDocument, err error) {
	e, err := scanDocumentAnd(row, &w.person)
	w.Document = e.Document
	if w.Deleted {
		w.person = nil // there is nothing left to protect
	}
	return w, err
}

// queueDocument queues reading a document of the agent or of the identity's owner, deleted or not, into to, and the lines that a
// person wrote into person unless it is nil. If there is none, to stays unchanged.
func queueDocument(b *pgx.Batch, t *tx, scope memory.Scope, path string, to *memory.Document, person *[]string) {
	found := false
	args := t.args(pgx.NamedArgs{"scope": scope, "whose": rowOwner(t.id, scope), "path": path})
	withRow(b.Queue(sqlDocumentWritten, args), &found, func(row pgx.CollectableRow) error {
		w, err := scanWritten(row)
		*to = w.Document
		if person != nil {
			*person = w.person
		}
		return err
	})
}

// Document returns one document with its current content. For a deleted one it returns ErrNotFound; History still shows it.
func (s *Gate) Document(ctx context.Context, id memory.Identity, ref memory.Ref) (memory.Document, error) {
	args, err := refArgs(id, ref)
	if err != nil {
		return memory.Document{}, err
	}
	return s.oneDocument(ctx, id, sqlDocument, args)
}

// VisibleDocument returns the document that a path names for the identity: the owner's own if there is one, else the agent's, else
// the workspace's.
func (s *Gate) VisibleDocument(ctx context.Context, id memory.Identity, path string) (memory.Document, error) {
	args, err := refArgs(id, memory.Ref{Scope: memory.ScopeGlobal, Path: path})
	if err != nil {
		return memory.Document{}, err
	}
	return s.oneDocument(ctx, id, sqlDocumentVisible, args)
}

func (s *Gate) oneDocument(ctx context.Context, id memory.Identity, sql string, args pgx.NamedArgs) (memory.Document, error) {
	return readOne(ctx, s.db, id, sql, args, scanContent, fmt.Errorf("document %s: %w", args["path"], ErrNotFound))
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
func (s *Gate) Documents(ctx context.Context, id memory.Identity, f DocumentFilter) ([]DocumentEntry, error) {
	if f.Scope != "" && !f.Scope.Valid() {
		return nil, &InvalidError{Field: "scope", Problem: "use PERSONAL, TEAM or GLOBAL"}
	}
	return read(ctx, s.db, id, func(t *tx) (documents []DocumentEntry, err error) {
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
// team the leader's documents follow, except those that define the persona. For an agent whose memory is switched off, only the
// persona and GLOBAL documents remain.
func (s *Gate) PromptDocuments(ctx context.Context, id memory.Identity) ([]memory.Document, error) {
	if err := requireAgent(id); err != nil {
		return nil, err
	}
	var agent standing
	documents, err := read(ctx, s.db, id, func(t *tx) (documents []memory.Document, err error) {
		b := &pgx.Batch{}
		queueStanding(b, t, &agent)
		all(b.Queue(sqlDocumentsOfPrompt, t.args(nil)), &documents, scanContent)
		err = t.finish(ctx, b)
		return documents, err
	})
	if err != nil {
		return nil, err
	}
	return promptOf(ctx, s.db, id, agent, documents)
}

// maxSortOrder is the largest absolute value of a sort order.
const maxSortOrder = 1_000_000

// SetPrompt changes whether a document is part of the system prompt, and its place there; nil leaves a value unchanged. It makes no
// version. It needs the permission to write the document.
func (s *Gate) SetPrompt(ctx context.Context, id memory.Identity, ref memory.Ref, enabled *bool, sortOrder *int) (memory.Document, error) {
	args, err := refArgs(id, ref)
	if err != nil {
		return memory.Document{}, err
	}
	if err := mayWrite(id, ref.Scope); err != nil {
		return memory.Document{}, err
	}
	if sortOrder != nil && (*sortOrder < -maxSortOrder || *sortOrder > maxSortOrder) {
		return memory.Document{}, &InvalidError{
			Field: "sortOrder", Problem: fmt.Sprintf("use a number from %d to %d", -maxSortOrder, maxSortOrder),
		}
	}
	args["enabled"], args["sort_order"] = enabled, sortOrder
	return inTx(ctx, s.db, id, func(t *tx) (d memory.Document, err error) {
		found := false
		var s standing
		b := &pgx.Batch{}
		if ref.Scope != memory.ScopeGlobal {
			queueStanding(b, t, &s)
		}
		b.Queue(sqlDocumentPrompt, t.args(args))
		one(b.Queue(sqlDocument, t.args(args)), &found, &d, scanContent)
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

// sqlDocumentsWith folds case nearly as the keyword search does, which checks the results again.
const sqlDocumentsWith = documentColumns + `octet_length(v.content), v.content` + visibleDocuments + `
where not d.deleted and d.document_id = any (@documents::uuid[])
    and (select bool_and(position(term in lower(normalize(v.content, NFKC))) > 0) from unnest(@terms::text[]) term)
order by d.updated_at desc, d.document_id
limit @limit`

// DocumentsWith returns those of some documents that the identity sees and that contain all terms, in any case, with content: at
// most limit, latest first.
func (s *Gate) DocumentsWith(
	ctx context.Context, id memory.Identity, documents []uuid.UUID, terms []string, limit int,
) ([]memory.Document, error) {
	if err := requireAgent(id); err != nil {
		return nil, err
	}
	return readAll(
		ctx, s.db, id, sqlDocumentsWith, pgx.NamedArgs{"documents": documents, "terms": terms, "limit": limitOf(limit)}, scanContent,
	)
}
