package files

import (
	"context"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
)

// fileRoom serves documents, their history, and the events of a memory.
type fileRoom struct {
	*rest.Server
	followers *rest.Followers // of events
}

// Register adds the operations about documents and events.
func Register(k *rest.Server) {
	s := &fileRoom{Server: k}
	s.followers = rest.NewFollowers(k, "events", s.lookForEvents)
	s.fileRoutes()
	s.fileWriteRoutes()
	s.historyRoutes()
	s.promptRoutes()
	s.artifactRoutes()
	s.eventRoutes()
}

func (s *fileRoom) fileRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-files", Method: http.MethodGet, Path: rest.WorkspacePath + "/files", Tag: "files", Need: memory.RoleViewer,
		Summary: "List documents", Doc: "Shared ones, and those of the owner that is named or that the key is pinned to. For a member of a team, its leader's follow.",
	}, s.listFiles)
	rest.Register(s.Server, rest.Route{
		ID: "read-file", Method: http.MethodGet, Path: rest.WorkspacePath + "/files/{path}", Rest: "path", Tag: "files", Need: memory.RoleViewer,
		Summary: "Read a document", Also: []int{http.StatusNotModified},
		Doc: "Without scope, the one that the path means to the owner: the owner's own, else the agent's, else the workspace's. With If-None-Match it answers 304 when nothing has changed.",
	}, s.readFile)
}

// PathParam is the path of a document; its slashes need no escaping.
type PathParam struct {
	Path string `path:"path" maxLength:"255" doc:"Path of the document, slashes included." example:"memory/2026-11-21.md"`
}

// clean checks the path.
func (p PathParam) clean() (string, error) {
	path, err := memory.ParsePath(p.Path)
	if err != nil {
		return "", fault.InvalidAt("path.path", "%s", err)
	}
	return path, nil
}

type authorView struct {
	Kind       memory.AuthorKind `json:"kind"`
	ID         string            `json:"id,omitempty" doc:"Key, tool, engine or model."`
	WorkflowID string            `json:"workflowId,omitempty"`
	RunID      string            `json:"runId,omitempty"`
}

func viewAuthor(a memory.Author) authorView { return authorView{a.Kind, a.ID, a.WorkflowID, a.RunID} }

// FileEntry is a document in a list.
type FileEntry struct {
	ID        uuid.UUID    `json:"id,omitzero" doc:"Missing for an earlier version."`
	Scope     memory.Scope `json:"scope"`
	Agent     string       `json:"agent,omitempty" doc:"Whose it is; of a member of a team, its leader's documents are listed as well. Missing for GLOBAL and for an earlier version."`
	Owner     memory.Owner `json:"owner,omitempty"`
	Path      string       `json:"path"`
	Version   int          `json:"version"`
	ETag      string       `json:"etag"`
	Bytes     int          `json:"bytes"`
	SHA256    string       `json:"sha256"`
	Enabled   bool         `json:"enabled" doc:"Rendered into the system prompt."`
	SortOrder int          `json:"sortOrder" doc:"Place in the system prompt, ascending."`
	Deleted   bool         `json:"deleted,omitempty"`
	UpdatedAt time.Time    `json:"updatedAt"`
	UpdatedBy authorView   `json:"updatedBy"`
}

func ViewEntry(d memory.Document, bytes int) FileEntry {
	return FileEntry{
		ID: d.ID, Scope: d.Scope, Agent: d.Agent, Owner: d.Owner, Path: d.Path, Version: d.Version, ETag: rest.ETag(d.Scope, d.Version, d.SHA256),
		Bytes: bytes, SHA256: hex.EncodeToString(d.SHA256[:]), Enabled: d.Enabled, SortOrder: d.SortOrder, Deleted: d.Deleted,
		UpdatedAt: d.UpdatedAt, UpdatedBy: viewAuthor(d.UpdatedBy),
	}
}

type filesInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.ScopeParam
	Prefix         string `query:"prefix" maxLength:"255" doc:"Only paths that begin with it." example:"memory/"`
	IncludeDeleted bool   `query:"includeDeleted" doc:"Deleted ones as well."`
}

func (s *fileRoom) listFiles(ctx context.Context, in *filesInput) (*rest.Reply[rest.Page[FileEntry]], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	found, err := s.Store.ReadableDocuments(ctx, id, store.DocumentFilter{Prefix: in.Prefix, Scope: in.Scope, IncludeDeleted: in.IncludeDeleted})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[FileEntry]{Items: rest.Views(found, func(e store.DocumentEntry) FileEntry { return ViewEntry(e.Document, e.Bytes) })}), nil
}

// fileView is a version of a document with its content.
type fileView struct {
	FileEntry
	Content string `json:"content"`
}

type readFileInput struct {
	rest.AgentParam
	PathParam
	rest.PersonParams
	rest.ScopeParam
	Version     int    `query:"version" minimum:"1" doc:"An earlier version; missing: the current one."`
	IfNoneMatch string `header:"If-None-Match" maxLength:"2000"`
}

func (s *fileRoom) readFile(ctx context.Context, in *readFileInput) (*rest.Tagged[fileView], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	view, err := s.file(ctx, id, in)
	if err != nil {
		return nil, err
	}
	if in.IfNoneMatch != "" && rest.MatchesAny(in.IfNoneMatch, view.ETag) {
		return nil, fault.NotModified(view.ETag)
	}
	return rest.Tag(http.StatusOK, view.ETag, view), nil
}

func (s *fileRoom) file(ctx context.Context, id memory.Identity, in *readFileInput) (fileView, error) {
	path, err := in.clean()
	if err != nil {
		return fileView{}, err
	}
	if in.Version > 0 {
		return s.pastFile(ctx, id, path, in.Scope, in.Version)
	}
	d, err := s.Document(ctx, id, path, in.Scope)
	if err != nil {
		return fileView{}, err
	}
	return fileView{ViewEntry(d, d.Size()), d.Content}, nil
}

// pastFile is an earlier version of a document. What it says about the system prompt and its author is of that version.
func (s *fileRoom) pastFile(ctx context.Context, id memory.Identity, path string, scope memory.Scope, version int) (fileView, error) {
	ref, err := s.resolve(ctx, id, path, scope)
	if err != nil {
		return fileView{}, err
	}
	v, err := s.Store.VersionOf(ctx, id, ref, version)
	if err != nil {
		return fileView{}, err
	}
	owner := memory.NoOwner
	if ref.Scope == memory.ScopePersonal {
		owner = id.Owner
	}
	d := memory.Document{
		Scope: ref.Scope, Owner: owner, Path: path, Version: v.Number, SHA256: v.SHA256, Deleted: v.Deleted,
		UpdatedAt: v.CreatedAt, UpdatedBy: v.Author,
	}
	return fileView{ViewEntry(d, len(v.Content)), v.Content}, nil
}
