package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/snapshot"
	"reverie/store"
)

const (
	snapshotPath  = workspacePath + "/memory"
	snapshotsPath = snapshotPath + "/imports"
)

func (s *transferRoom) snapshotRoutes() {
	register(s.kernel, route{
		id: "export-snapshot", method: http.MethodGet, path: snapshotPath + "/export", tag: "snapshots", need: memory.RoleViewer,
		summary: "Export documents as one ZIP archive", also: []int{http.StatusNotModified}, errors: []int{http.StatusConflict},
		doc: "manifest.json first, then the documents by name; the same documents are the same bytes. At most 499 documents and 16 MiB: export a part with prefix when there are more. " +
			"The header Reverie-Left-Out counts documents that a snapshot does not carry. With If-None-Match it answers 304 when nothing has changed.",
	}, s.exportSnapshot)
	s.snapshotImportRoutes()
	register(s.kernel, route{
		id: "list-snapshot-imports", method: http.MethodGet, path: snapshotsPath, tag: "snapshots", need: memory.RoleViewer,
		summary: "List imports of archives, newest first", doc: "Those of shared documents, and those of the owner that is named or that the key is pinned to; an admin key that names nobody sees those of all.",
	}, s.listSnapshotImports)
	register(s.kernel, route{
		id: "get-snapshot-import", method: http.MethodGet, path: snapshotsPath + "/{import}", tag: "snapshots", need: memory.RoleViewer,
		summary: "What became of an import", doc: "Of every entry of the archive. It holds names and hashes, never contents. An admin key finds it without naming the owner.",
	}, s.getSnapshotImport)
}

// SnapshotParams say whose documents an archive is about.
type SnapshotParams struct {
	AgentParam
	PersonParams
	Scope snapshot.Choice `query:"scope" enum:"personal,team,all" doc:"Which documents: PERSONAL ones of the owner, the agent's TEAM ones, or both. Missing: all that the request may be about."`
}

// choice is which documents are meant, for reading.
func (p SnapshotParams) choice(id memory.Identity) (snapshot.Choice, error) {
	isPerson := id.Owner != memory.NoOwner && id.Owner != memory.SystemOwner
	switch {
	case p.Scope.Has(memory.ScopePersonal) && !isPerson:
		return "", problem(nameOwnerRequired, "say whose PERSONAL documents: owner, or channel and sender, or endUserId (in the query)")
	case p.Scope != "":
		return p.Scope, nil
	case isPerson:
		return snapshot.ChooseAll, nil
	}
	return snapshot.ChooseTeam, nil
}

type exportSnapshotInput struct {
	SnapshotParams
	Prefix      string `query:"prefix" maxLength:"255" doc:"Only documents whose paths begin with it." example:"memory/2026-"`
	IfNoneMatch string `header:"If-None-Match" maxLength:"2000"`
}

// archiveReply is an archive.
type archiveReply struct {
	ContentType        string `header:"Content-Type"`
	ContentDisposition string `header:"Content-Disposition"`
	ETag               string `header:"ETag" doc:"Names exactly these bytes."`
	CacheControl       string `header:"Cache-Control"`
	LeftOut            string `header:"Reverie-Left-Out" doc:"How many documents a snapshot does not carry."`
	Body               []byte
}

func (s *transferRoom) exportSnapshot(ctx context.Context, in *exportSnapshotInput) (*archiveReply, error) {
	id, _, err := s.enter(ctx, in.Agent, in.person())
	if err != nil {
		return nil, err
	}
	choice, err := in.choice(id)
	if err != nil {
		return nil, err
	}
	export, err := s.Store.ExportSnapshot(ctx, id, choice, in.Prefix)
	if err != nil {
		return nil, cannotExport(err)
	}
	archive, err := snapshot.Write(export.Origin, export.Files)
	if err != nil {
		return nil, cannotExport(err)
	}
	sum := sha256.Sum256(archive)
	tag := fmt.Sprintf(`"%x"`, sum[:16])
	if in.IfNoneMatch != "" && matchesAny(in.IfNoneMatch, tag) {
		return nil, notModified(tag)
	}
	return &archiveReply{
		ContentType: zipType, ContentDisposition: fmt.Sprintf(`attachment; filename="%s-memory.zip"`, id.Agent), // a slug
		ETag: tag, CacheControl: revalidate, LeftOut: strconv.Itoa(export.Left), Body: archive,
	}, nil
}

// cannotExport says that documents do not fit into one archive.
func cannotExport(err error) error {
	refused, is := errors.AsType[*snapshot.RefusedError](err)
	if !is {
		return err
	}
	p := problem(nameConflict, "%s (with prefix, such as memory/2026-01)", refused.Error())
	p.Data = refusedArchive{Code: refused.Code, Entry: refused.Entry}
	return p
}

// snapshotImportView is the record of an import.
type snapshotImportView struct {
	ID         uuid.UUID            `json:"id"`
	Owner      memory.Owner         `json:"owner,omitempty" doc:"Whose PERSONAL documents it brings; missing: shared documents only."`
	Archive    string               `json:"archive" doc:"SHA-256 of the archive, in hex."`
	Bytes      int64                `json:"bytes" doc:"Of the archive."`
	Scope      snapshot.Choice      `json:"scope" enum:"personal,team,all"`
	Outcome    memory.Outcome       `json:"outcome" enum:"running,written,nothing,refused"`
	ReasonCode memory.ReasonCode    `json:"reasonCode,omitempty" doc:"Why nothing was written."`
	Created    int                  `json:"created" doc:"Documents."`
	Updated    int                  `json:"updated" doc:"Documents."`
	Skipped    int                  `json:"skipped" doc:"Entries, those that are as they were among them."`
	Files      []store.SnapshotFile `json:"files" nullable:"false" doc:"What became of each entry; none while it is running, and in lists."`
	WorkflowID string               `json:"workflowId,omitempty"`
	RunID      string               `json:"runId,omitempty"`
	Link       string               `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	Requested  time.Time            `json:"requestedAt"`
	Finished   *time.Time           `json:"finishedAt,omitempty"`
}

func (s *transferRoom) viewSnapshotImport(i store.SnapshotImport) snapshotImportView {
	files := i.Files
	if files == nil {
		files = []store.SnapshotFile{}
	}
	return snapshotImportView{
		ID: i.ID, Owner: i.Owner, Archive: hex.EncodeToString(i.Archive[:]), Bytes: i.ArchiveBytes, Scope: i.Choice,
		Outcome: i.Outcome, ReasonCode: i.ReasonCode, Created: i.Created, Updated: i.Updated, Skipped: i.Skipped, Files: files,
		WorkflowID: i.WorkflowID, RunID: i.RunID, Link: s.workflows.link(i.WorkflowID), Requested: i.RequestedAt, Finished: i.FinishedAt,
	}
}

type snapshotImportsInput struct {
	AgentParam
	PersonParams
	PageParams
}

// onImports is on whose behalf records are looked at.
func (s *transferRoom) onImports(ctx context.Context, agent string, p person) (memory.Identity, error) {
	id, _, err := s.enter(ctx, agent, p)
	if id.Owner == memory.NoOwner && id.Role.Includes(memory.RoleAdmin) {
		id.AnyOwner = true // whom Temporal's Web UI has told of an import, it does not tell whose that is
	}
	return id, err
}

func (s *transferRoom) listSnapshotImports(ctx context.Context, in *snapshotImportsInput) (*reply[page[snapshotImportView]], error) {
	id, err := s.onImports(ctx, in.Agent, in.person())
	if err != nil {
		return nil, err
	}
	found, err := s.Store.Snapshots(ctx, id, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	out := page[snapshotImportView]{Items: views(found.Items, s.viewSnapshotImport), Next: found.Next}
	for i := range out.Items {
		out.Items[i].Files = []store.SnapshotFile{}
	}
	return ok(out), nil
}

type snapshotImportInput struct {
	AgentParam
	PersonParams
	Import uuid.UUID `path:"import" doc:"Id of the import."`
}

func (s *transferRoom) getSnapshotImport(ctx context.Context, in *snapshotImportInput) (*reply[snapshotImportView], error) {
	id, err := s.onImports(ctx, in.Agent, in.person())
	if err != nil {
		return nil, err
	}
	found, err := s.Store.Snapshot(ctx, id, in.Import)
	if err != nil {
		return nil, err
	}
	return ok(s.viewSnapshotImport(found)), nil
}
