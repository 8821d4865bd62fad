package gate

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

// DocumentFilter limits a list of documents; the zero value lists every visible document that is not deleted.
type DocumentFilter struct {
	Prefix         string // of the path, such as memory/
	Scope          memory.Scope
	IncludeDeleted bool
	AsOf           time.Time // the documents as they were then; zero: now. Whether they are enabled and their order are those of now.
	Contents       bool      // with AsOf: with their contents
}

// DocumentEntry is a document in a list, without its content.
type DocumentEntry struct {
	memory.Document
	Bytes int // size of the content
}

// CurrentVersion joins the current version to documents d. It reads one row each (ensured by limit 1): without statistics, a join
// would be planned as a scan of all versions of the workspace. For the same reason documents are always found by the whole prefix
// of their key.
const CurrentVersion = `
cross join lateral (
    select *
    from document_versions v
    where v.workspace_id = d.workspace_id and v.agent_id = d.agent_id and v.document_id = d.document_id and v.version = d.version
    limit 1
) v `

// versionAsOf joins the version of a time to documents d, as CurrentVersion.
const versionAsOf = `
cross join lateral (
    select *
    from document_versions v
    where v.workspace_id = d.workspace_id and v.agent_id = d.agent_id and v.document_id = d.document_id and v.created_at <= @as_of
    order by v.version desc
    limit 1
) v `

// VisibleDocuments are the documents of the identity's owner, agent and workspace.
const VisibleDocuments = visibleRows + CurrentVersion

const visibleRows = `
from (values ('PERSONAL', @agent::text, @owner::text), ('TEAM', @agent, ''), ('GLOBAL', '', '')) s (scope, agent_id, owner_key)
cross join lateral (
    select *
    from documents d
    where d.workspace_id = @workspace and d.agent_id = s.agent_id and d.scope = s.scope and d.owner_key = s.owner_key
    offset 0
) d `

// DocumentColumns are the columns of a DocumentEntry with its content, in the order of ScanDocument.
const DocumentColumns = `
select d.document_id, d.scope, d.agent_id, d.owner_key, d.path, d.enabled, d.sort_order, d.deleted, d.version, v.sha256, d.updated_at,
    v.author_kind, v.author_id, v.workflow_id, v.run_id, `

// DocumentOrder puts shared documents before those of the owner.
const DocumentOrder = `
order by d.scope = 'PERSONAL', d.sort_order, d.path collate "C", d.scope, d.owner_key`

const (
	// SQLDocument selects one document, unless it is deleted.
	SQLDocument = DocumentColumns + `octet_length(v.content), v.content
from documents d ` + CurrentVersion + `
where d.workspace_id = @workspace and d.agent_id = @row_agent and d.scope = @scope and d.owner_key = @whose and d.path = @path
    and not d.deleted`

	// SQLDocumentWritten selects one document with its person's lines. It includes deleted ones, which may be written again.
	SQLDocumentWritten = DocumentColumns + `octet_length(v.content), v.content, d.person_lines
from documents d ` + CurrentVersion + `
where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = @scope and d.owner_key = @whose and d.path = @path`

	sqlDocumentVisible = DocumentColumns + `octet_length(v.content), v.content
from (values ('PERSONAL', @agent::text, @owner::text, 1), ('TEAM', @agent, '', 2), ('GLOBAL', '', '', 3))
    s (scope, agent_id, owner_key, place)
cross join lateral (
    select *
    from documents d
    where d.workspace_id = @workspace and d.agent_id = s.agent_id and d.scope = s.scope and d.owner_key = s.owner_key and d.path = @path
    limit 1
) d ` + CurrentVersion + `
where not d.deleted
order by s.place
limit 1`

	sqlDocuments = DocumentColumns + `octet_length(v.content), ''` + VisibleDocuments + documentList
	// SQLDocumentsOfPrompt selects the documents of the system prompt that the identity may read.
	SQLDocumentsOfPrompt = DocumentColumns + `octet_length(v.content), v.content` + VisibleDocuments + `
where d.enabled and not d.deleted` + DocumentOrder
	sqlPromptAsOf = columnsAsOf + visibleRows + versionAsOf + `
where d.enabled and not v.deleted` + DocumentOrder

	sqlDocumentsAsOf = columnsAsOf + visibleRows + versionAsOf + listAsOf

	// Lists for operators.
	sqlDocumentsOfAll     = DocumentColumns + `octet_length(v.content), ''` + rowsOfAll + CurrentVersion + documentList
	sqlDocumentsOfAllAsOf = columnsAsOf + rowsOfAll + versionAsOf + listAsOf

	rowsOfAll = `
from (select @agent::text as agent_id union select '') a
cross join lateral (
    select *
    from documents d
    where d.workspace_id = @workspace and d.agent_id = a.agent_id
    offset 0
) d `

	columnsAsOf = `
select d.document_id, d.scope, d.agent_id, d.owner_key, d.path, d.enabled, d.sort_order, v.deleted, v.version, v.sha256, v.created_at,
    v.author_kind, v.author_id, v.workflow_id, v.run_id, octet_length(v.content), case when @contents then v.content else '' end`

	listAsOf = `
where starts_with(d.path, @prefix)
    and (@scope = '' or d.scope = @scope)
    and (not v.deleted or @deleted)` + DocumentOrder

	documentList = `
where starts_with(d.path, @prefix)
    and (@scope = '' or d.scope = @scope)
    and (not d.deleted or @deleted)` + DocumentOrder

	sqlDocumentPrompt = `
update documents set
    enabled = coalesce(@enabled, enabled),
    sort_order = coalesce(@sort_order, sort_order),
    updated_at = @now
where workspace_id = @workspace and agent_id = @row_agent and scope = @scope and owner_key = @whose and path = @path and not deleted`
)

// ScanDocument scans a row of DocumentColumns and the content.
func ScanDocument(row pgx.CollectableRow) (DocumentEntry, error) { return scanDocumentAnd(row) }

// scanDocumentAnd also scans the columns after those of the document into more.
func scanDocumentAnd(row pgx.CollectableRow, more ...any) (e DocumentEntry, err error) {
	var sha []byte
	err = row.Scan(append([]any{
		&e.ID, &e.Scope, &e.Agent, &e.Owner, &e.Path, &e.Enabled, &e.SortOrder, &e.Deleted, &e.Version, &sha, &e.UpdatedAt,
		&e.UpdatedBy.Kind, &e.UpdatedBy.ID, &e.UpdatedBy.WorkflowID, &e.UpdatedBy.RunID, &e.Bytes, &e.Content,
	}, more...)...)
	copy(e.SHA256[:], sha)
	return e, err
}

// ScanContent is ScanDocument without the size.
func ScanContent(row pgx.CollectableRow) (memory.Document, error) {
	e, err := ScanDocument(row)
	return e.Document, err
}

// WrittenDocument is a document, deleted or not, with the lines of its content that a person wrote.
type WrittenDocument struct {
	memory.Document
	Person []string
}

// ScanWritten scans a row of SQLDocumentWritten.
func ScanWritten(row pgx.CollectableRow) (w WrittenDocument, err error) {
	e, err := scanDocumentAnd(row, &w.Person)
	w.Document = e.Document
	if w.Deleted {
		w.Person = nil // there is nothing left to protect
	}
	return w, err
}

// QueueDocument queues reading a document of the agent or of the identity's owner, deleted or not, into to, and the lines that a
// person wrote into person unless it is nil. If there is none, to stays unchanged.
func QueueDocument(b *pgx.Batch, t *pg.Tx, scope memory.Scope, path string, to *memory.Document, person *[]string) {
	found := false
	args := t.Args(pgx.NamedArgs{"scope": scope, "whose": RowOwner(t.ID, scope), "path": path})
	pg.WithRow(b.Queue(SQLDocumentWritten, args), &found, func(row pgx.CollectableRow) error {
		w, err := ScanWritten(row)
		*to = w.Document
		if person != nil {
			*person = w.Person
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
	return s.oneDocument(ctx, id, SQLDocument, args)
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
	return pg.ReadOne(ctx, s.db, id, sql, args, ScanContent, fmt.Errorf("document %s: %w", args["path"], pg.ErrNotFound))
}

// refArgs checks a reference and returns it as arguments: scope, path, whose (the owner of a PERSONAL document, else
// empty) and row_agent (empty for GLOBAL).
func refArgs(id memory.Identity, ref memory.Ref) (pgx.NamedArgs, error) {
	path, err := CheckRef(id, "", ref)
	if err != nil {
		return nil, err
	}
	return pgx.NamedArgs{
		"scope": ref.Scope, "path": path, "whose": RowOwner(id, ref.Scope), "row_agent": rowAgent(id, ref.Scope),
	}, nil
}

// Documents lists documents: shared ones first, then by sort order and path. Contents are left out. With AnyOwner the
// documents of every owner of the agent are listed.
func (s *Gate) Documents(ctx context.Context, id memory.Identity, f DocumentFilter) ([]DocumentEntry, error) {
	if f.Scope != "" && !f.Scope.Valid() {
		return nil, &pg.InvalidError{Field: "scope", Problem: "use PERSONAL, TEAM or GLOBAL"}
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (documents []DocumentEntry, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(f.statement(t.AnyOwner), t.Args(pgx.NamedArgs{
			"prefix": f.Prefix, "scope": f.Scope, "deleted": f.IncludeDeleted, "as_of": f.AsOf, "contents": f.Contents,
		})), &documents, ScanDocument)
		err = t.Finish(ctx, b)
		return documents, err
	})
}

func (f DocumentFilter) statement(anyOwner bool) string {
	switch {
	case f.AsOf.IsZero() && anyOwner:
		return sqlDocumentsOfAll
	case f.AsOf.IsZero():
		return sqlDocuments
	case anyOwner:
		return sqlDocumentsOfAllAsOf
	}
	return sqlDocumentsAsOf
}

// DocumentAsOf returns the document that a path named for the identity at a time: the owner's own if there was one, else the agent's,
// else the workspace's; with a scope, the one in it.
func (s *Gate) DocumentAsOf(ctx context.Context, id memory.Identity, path string, scope memory.Scope, at time.Time) (memory.Document, error) {
	found, err := s.Documents(ctx, id, DocumentFilter{Prefix: path, Scope: scope, AsOf: at, Contents: true})
	if err != nil {
		return memory.Document{}, err
	}
	for _, scope := range []memory.Scope{memory.ScopePersonal, memory.ScopeTeam, memory.ScopeGlobal} {
		for _, e := range found {
			if e.Path == path && e.Scope == scope && (scope != memory.ScopePersonal || e.Owner == id.Owner) {
				return e.Document, nil
			}
		}
	}
	return memory.Document{}, fmt.Errorf("document %s at %s: %w", path, at.Format(time.RFC3339), pg.ErrNotFound)
}

// PromptDocuments returns the enabled documents that the identity sees, with content, in the order of Documents. For a member of a
// team the leader's documents follow, except those that define the persona. For an agent whose memory is switched off, only the
// persona and GLOBAL documents remain. With a time, the documents are those of then; which are enabled, and the team, are those of now.
func (s *Gate) PromptDocuments(ctx context.Context, id memory.Identity, asOf time.Time) ([]memory.Document, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	var agent Standing
	documents, err := pg.Read(ctx, s.db, id, func(t *pg.Tx) (documents []memory.Document, err error) {
		b := &pgx.Batch{}
		QueueStanding(b, t, &agent)
		queuePrompt(b, t, asOf, &documents)
		err = t.Finish(ctx, b)
		return documents, err
	})
	if err != nil {
		return nil, err
	}
	return PromptOf(ctx, s.db, id, agent, documents, asOf)
}

// queuePrompt queues reading the documents of the system prompt, of now or of a time.
func queuePrompt(b *pgx.Batch, t *pg.Tx, asOf time.Time, to *[]memory.Document) {
	sql := SQLDocumentsOfPrompt
	if !asOf.IsZero() {
		sql = sqlPromptAsOf
	}
	pg.All(b.Queue(sql, t.Args(pgx.NamedArgs{"as_of": asOf, "contents": true})), to, ScanContent)
}

// MaxSortOrder is the largest absolute value of a sort order.
const MaxSortOrder = 1_000_000

// SetPrompt changes whether a document is part of the system prompt, and its place there; nil leaves a value unchanged. It makes no
// version. It needs the permission to write the document.
func (s *Gate) SetPrompt(ctx context.Context, id memory.Identity, ref memory.Ref, enabled *bool, sortOrder *int) (memory.Document, error) {
	args, err := refArgs(id, ref)
	if err != nil {
		return memory.Document{}, err
	}
	if err := MayWrite(id, ref.Scope); err != nil {
		return memory.Document{}, err
	}
	if sortOrder != nil && (*sortOrder < -MaxSortOrder || *sortOrder > MaxSortOrder) {
		return memory.Document{}, &pg.InvalidError{
			Field: "sortOrder", Problem: fmt.Sprintf("use a number from %d to %d", -MaxSortOrder, MaxSortOrder),
		}
	}
	args["enabled"], args["sort_order"] = enabled, sortOrder
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (d memory.Document, err error) {
		found := false
		var s Standing
		b := &pgx.Batch{}
		if ref.Scope != memory.ScopeGlobal {
			QueueStanding(b, t, &s)
		}
		b.Queue(sqlDocumentPrompt, t.Args(args))
		pg.One(b.Queue(SQLDocument, t.Args(args)), &found, &d, ScanContent)
		if err := t.Send(ctx, b); err != nil {
			return memory.Document{}, err
		}
		if err := s.Allows(id.Author); err != nil {
			return memory.Document{}, err
		}
		if !found {
			return memory.Document{}, fmt.Errorf("document %s: %w", args["path"], pg.ErrNotFound)
		}
		b = &pgx.Batch{}
		if err := QueueEvent(b, t, promptEvent(id, d)); err != nil {
			return memory.Document{}, err
		}
		err = t.Finish(ctx, b)
		return d, err
	})
}

// sqlDocumentsWith folds case nearly as the keyword search does, which checks the results again. The documents that it weighs most are
// sorted first, then those with more of the terms, so that the limit omits the worst.
const sqlDocumentsWith = DocumentColumns + `octet_length(v.content), v.content` + VisibleDocuments + `
cross join lateral (select lower(normalize(v.content, NFKC)) as content offset 0) folded
cross join lateral (
    select count(*) as terms, count(distinct w.word) as words
    from unnest(@terms::text[], @words::int[]) w (term, word)
    where position(w.term in folded.content) > 0
) found
where not d.deleted and d.document_id = any (@documents::uuid[]) and found.words = @all::int
order by d.path like any (array['MEMORY%', 'PROFILE%', 'AGENTS%']) desc, found.terms desc, d.updated_at desc, d.document_id
limit @limit`

// DocumentsWith returns those of some documents that the identity sees and that contain a term of each word, in any case, with
// content: at most limit, first MEMORY, PROFILE and AGENTS files, then those with the most terms, then the latest.
func (s *Gate) DocumentsWith(
	ctx context.Context, id memory.Identity, documents []uuid.UUID, words [][]string, limit int,
) ([]memory.Document, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	var terms []string
	var of []int
	for i, word := range words {
		for _, term := range word {
			terms, of = append(terms, term), append(of, i)
		}
	}
	return pg.ReadAll(ctx, s.db, id, sqlDocumentsWith, pgx.NamedArgs{
		"documents": documents, "terms": terms, "words": of, "all": len(words), "limit": pg.LimitOf(limit),
	}, ScanContent)
}
