package transfer

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

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/snapshot"
	"reverie/store"
)

const (
	snapshotPath  = rest.WorkspacePath + "/memory"
	snapshotsPath = snapshotPath + "/imports"
)

func (s *transferRoom) snapshotRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "export-snapshot", Method: http.MethodGet, Path: snapshotPath + "/export", Tag: "snapshots", Need: memory.RoleViewer,
		Summary: "Export documents as one ZIP archive", Also: []int{http.StatusNotModified}, Errors: []int{http.StatusConflict},
		Doc: "manifest.json first, then the documents by name; the same documents are the same bytes. At most 499 documents and 16 MiB: export a part with prefix when there are more. " +
			"The header Reverie-Left-Out counts documents that a snapshot does not carry. With If-None-Match it answers 304 when nothing has changed.",
	}, s.exportSnapshot)
	s.snapshotImportRoutes()
	rest.Register(s.Server, rest.Route{
		ID: "list-snapshot-imports", Method: http.MethodGet, Path: snapshotsPath, Tag: "snapshots", Need: memory.RoleViewer,
		Summary: "List imports of archives, newest first", Doc: "Those of shared documents, and those of the owner that is named or that the key is pinned to; an admin key that names nobody sees those of all.",
	}, s.listSnapshotImports)
	rest.Register(s.Server, rest.Route{
		ID: "get-snapshot-import", Method: http.MethodGet, Path: snapshotsPath + "/{import}", Tag: "snapshots", Need: memory.RoleViewer,
		Summary: "What became of an import", Doc: "Of every entry of the archive. It holds names and hashes, never contents. An admin key finds it without naming the owner.",
	}, s.getSnapshotImport)
}

// SnapshotParams say whose documents an archive is about.
type SnapshotParams struct {
	rest.AgentParam
	rest.PersonParams
	Scope snapshot.Choice `query:"scope" enum:"personal,team,all" doc:"Which documents: PERSONAL ones of the owner, the agent's TEAM ones, or both. Missing: all that the request may be about."`
}

// choice is which documents are meant, for reading.
func (p SnapshotParams) choice(id memory.Identity) (snapshot.Choice, error) {
	isPerson := id.Owner != memory.NoOwner && id.Owner != memory.SystemOwner
	switch {
	case p.Scope.Has(memory.ScopePersonal) && !isPerson:
		return "", fault.New(fault.OwnerRequired, "say whose PERSONAL documents: owner, or channel and sender, or endUserId (in the query)")
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
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
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
	if in.IfNoneMatch != "" && rest.MatchesAny(in.IfNoneMatch, tag) {
		return nil, fault.NotModified(tag)
	}
	return &archiveReply{
		ContentType: zipType, ContentDisposition: fmt.Sprintf(`attachment; filename="%s-memory.zip"`, id.Agent), // a slug
		ETag: tag, CacheControl: fault.Revalidate, LeftOut: strconv.Itoa(export.Left), Body: archive,
	}, nil
}

// cannotExport says that documents do not fit into one archive.
func cannotExport(err error) error {
	refused, is := errors.AsType[*snapshot.RefusedError](err)
	if !is {
		return err
	}
	p := fault.New(fault.Conflict, "%s (with prefix, such as memory/2026-01)", refused.Error())
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
		WorkflowID: i.WorkflowID, RunID: i.RunID, Link: s.Workflows.Link(i.WorkflowID), Requested: i.RequestedAt, Finished: i.FinishedAt,
	}
}

type snapshotImportsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
}

// onImports is on whose behalf records are looked at.
func (s *transferRoom) onImports(ctx context.Context, agent string, p rest.Person) (memory.Identity, error) {
	id, _, err := s.Enter(ctx, agent, p)
	if id.Owner == memory.NoOwner && id.Role.Includes(memory.RoleAdmin) {
		id.AnyOwner = true // whom Temporal's Web UI has told of an import, it does not tell whose that is
	}
	return id, err
}

func (s *transferRoom) listSnapshotImports(ctx context.Context, in *snapshotImportsInput) (*rest.Reply[rest.Page[snapshotImportView]], error) {
	id, err := s.onImports(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	found, err := s.Store.Snapshots(ctx, id, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	out := rest.Page[snapshotImportView]{Items: rest.Views(found.Items, s.viewSnapshotImport), Next: found.Next}
	for i := range out.Items {
		out.Items[i].Files = []store.SnapshotFile{}
	}
	return rest.OK(out), nil
}

type snapshotImportInput struct {
	rest.AgentParam
	rest.PersonParams
	Import uuid.UUID `path:"import" doc:"Id of the import."`
}

func (s *transferRoom) getSnapshotImport(ctx context.Context, in *snapshotImportInput) (*rest.Reply[snapshotImportView], error) {
	id, err := s.onImports(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	found, err := s.Store.Snapshot(ctx, id, in.Import)
	if err != nil {
		return nil, err
	}
	return rest.OK(s.viewSnapshotImport(found)), nil
}
