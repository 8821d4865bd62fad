// Package files serves documents: reading, writing, history, the system prompt, artifacts and the journal of events.
package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/recall"
	"reverie/store"
	"reverie/store/gate"
)

// Handlers serve documents, their history, and the events of a memory.
type Handlers struct {
	*rest.Server
}

// Register adds the operations about documents and events.
func Register(k *rest.Server) *Handlers {
	s := &Handlers{Server: k}
	s.fileRoutes()
	s.fileWriteRoutes()
	s.historyRoutes()
	s.promptRoutes()
	s.artifactRoutes()
	s.eventRoutes()
	return s
}

func (s *Handlers) fileRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-files", Method: http.MethodGet, Path: rest.WorkspacePath + "/files", Tag: "files", Need: memory.RoleViewer,
		Summary: "List documents",
		Doc:     "Shared ones, and those of the owner that is named or that the key is pinned to. For a member of a team, its leader's follow.",
	}, s.listFiles)
	rest.Register(s.Server, rest.Route{
		ID: "read-file", Method: http.MethodGet, Path: rest.WorkspacePath + "/files/{path}", Rest: "path", Tag: "files", Need: memory.RoleViewer,
		Summary: "Read a document", Also: []int{http.StatusNotModified},
		Doc: "Without scope, the one that the path means to the owner: the owner's own, else the agent's, else the workspace's. With " +
			"If-None-Match it answers 304 when nothing has changed.",
	}, s.readFile)
}

// PathParam is the path of a document; its slashes need no escaping.
type PathParam struct {
	Path string `path:"path" maxLength:"255" doc:"Path of the document, slashes included." example:"memory/2026-11-21.md"`
}

// AsOfParam selects a time in the history.
type AsOfParam struct {
	AsOf string `query:"asOf" maxLength:"40" doc:"As it was at that time: RFC 3339, or a date in the agent's time zone, of which it is the end; not in the future. Missing: now." example:"2026-05-31"`
}

// Time returns the time, which is not after now; zero: none is given.
func (p AsOfParam) Time(agent gate.Agent, now time.Time) (time.Time, error) {
	zone, err := agent.Location()
	if err != nil {
		return time.Time{}, err
	}
	at, err := recall.ParsePast(p.AsOf, zone, now)
	if bad, is := errors.AsType[*recall.InvalidError](err); is {
		return at, fault.InvalidAt("query.asOf", "%s", bad.Problem)
	}
	return at, err
}

// clean checks the path.
func (p PathParam) clean() (string, error) {
	path, err := memory.ParsePath(p.Path)
	if err != nil {
		return "", fault.InvalidAt("path.path", "%s", err)
	}
	return path, nil
}

// AuthorView is the author of a version.
type AuthorView struct {
	Kind       memory.AuthorKind `json:"kind"`
	ID         string            `json:"id,omitempty" doc:"Key, tool, engine or model."`
	WorkflowID string            `json:"workflowId,omitempty"`
	RunID      string            `json:"runId,omitempty"`
}

// ViewAuthor shows an author.
func ViewAuthor(a memory.Author) AuthorView { return AuthorView{a.Kind, a.ID, a.WorkflowID, a.RunID} }

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
	UpdatedBy AuthorView   `json:"updatedBy"`
}

// ViewEntry returns the entry of a document in a list.
func ViewEntry(d memory.Document, bytes int) FileEntry {
	return FileEntry{
		ID: d.ID, Scope: d.Scope, Agent: d.Agent, Owner: d.Owner, Path: d.Path, Version: d.Version, ETag: rest.ETag(d.Scope, d.Version, d.SHA256),
		Bytes: bytes, SHA256: hex.EncodeToString(d.SHA256[:]), Enabled: d.Enabled, SortOrder: d.SortOrder, Deleted: d.Deleted,
		UpdatedAt: d.UpdatedAt, UpdatedBy: ViewAuthor(d.UpdatedBy),
	}
}

type filesInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.ScopeParam
	Prefix         string `query:"prefix" maxLength:"255" doc:"Only paths that begin with it." example:"memory/"`
	IncludeDeleted bool   `query:"includeDeleted" doc:"Deleted ones as well."`
	AsOfParam
	rest.ListParams
}

func (s *Handlers) listFiles(ctx context.Context, in *filesInput) (*rest.Reply[rest.Page[FileEntry]], error) {
	id, agent, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	at, err := in.Time(agent, s.Now())
	if err != nil {
		return nil, err
	}
	found, err := s.Store.ReadableDocuments(
		ctx, id, gate.DocumentFilter{Prefix: in.Prefix, Scope: in.Scope, IncludeDeleted: in.IncludeDeleted, AsOf: at},
	)
	if err != nil {
		return nil, err
	}
	return rest.Part(found, in.ListParams, func(e gate.DocumentEntry) FileEntry { return ViewEntry(e.Document, e.Bytes) })
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
	Version int `query:"version" minimum:"1" doc:"An earlier version; missing: the current one."`
	AsOfParam
	IfNoneMatch string `header:"If-None-Match" maxLength:"2000"`
}

func (s *Handlers) readFile(ctx context.Context, in *readFileInput) (*rest.Tagged[fileView], error) {
	id, agent, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	at, err := in.Time(agent, s.Now())
	if err != nil {
		return nil, err
	}
	view, err := s.file(ctx, id, in, at)
	if err != nil {
		return nil, err
	}
	if in.IfNoneMatch != "" && rest.MatchesAny(in.IfNoneMatch, view.ETag) {
		return nil, fault.NotModified(view.ETag)
	}
	return rest.Tag(http.StatusOK, view.ETag, view), nil
}

func (s *Handlers) file(ctx context.Context, id memory.Identity, in *readFileInput, asOf time.Time) (fileView, error) {
	path, err := in.clean()
	switch {
	case err != nil:
		return fileView{}, err
	case in.Version > 0 && !asOf.IsZero():
		return fileView{}, fault.InvalidAt("query.asOf", "send either version or asOf")
	case in.Version > 0:
		return s.pastFile(ctx, id, path, in.Scope, in.Version)
	case !asOf.IsZero():
		d, err := s.Store.DocumentAsOf(ctx, id, path, in.Scope, asOf)
		if errors.Is(err, store.ErrNotFound) {
			err = rest.NoSuchDocument(path, in.Scope)
		}
		return fileView{ViewEntry(d, d.Size()), d.Content}, err
	}
	d, err := s.Document(ctx, id, path, in.Scope)
	if err != nil {
		return fileView{}, err
	}
	return fileView{ViewEntry(d, d.Size()), d.Content}, nil
}

// pastFile holds an earlier version of a document. Its prompt settings and author are those of that version.
func (s *Handlers) pastFile(ctx context.Context, id memory.Identity, path string, scope memory.Scope, version int) (fileView, error) {
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

func (s *Handlers) fileWriteRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "write-file", Method: http.MethodPut, Path: rest.WorkspacePath + "/files/{path}", Rest: "path", Tag: "files", Need: memory.RoleMember,
		Summary: "Write a document", Body: rest.MaxDocumentBody,
		Also: []int{http.StatusCreated}, Errors: []int{http.StatusConflict, http.StatusPreconditionFailed, http.StatusPreconditionRequired},
		Doc: "Makes a new version; 201 when the document is new. An existing document needs If-Match with the ETag that was read (or * to " +
			"overwrite whatever is there). When it was changed since it was read, both sides are merged by line; where both changed the same lines the " +
			"answer is 409 stale_base with both. The text is scanned: secrets are replaced by placeholders, and a text that tries to instruct " +
			"the agent is refused.",
	}, s.writeFile)
	rest.Register(s.Server, rest.Route{
		ID: "delete-file", Method: http.MethodDelete, Path: rest.WorkspacePath + "/files/{path}", Rest: "path", Tag: "files",
		Need:    memory.RoleMember,
		Summary: "Delete a document", Errors: []int{http.StatusConflict, http.StatusPreconditionFailed},
		Doc: "The versions stay, and undelete restores it. With If-Match, it is deleted only if that is still the current version.",
	}, s.deleteFile)
	rest.Register(s.Server, rest.Route{
		ID: "undelete-file", Method: http.MethodPost, Path: rest.WorkspacePath + "/undelete/{path}", Rest: "path", Tag: "files",
		Act: rest.Changes, Need: memory.RoleMember,
		Summary: "Undelete a document", Body: rest.MaxSmallBody,
	}, s.undeleteFile)
	rest.Register(s.Server, rest.Route{
		ID: "restore-file", Method: http.MethodPost, Path: rest.WorkspacePath + "/restore/{path}", Rest: "path", Tag: "files",
		Act: rest.Changes, Need: memory.RoleMember,
		Summary: "Restore an earlier version of a document", Body: rest.MaxSmallBody,
	}, s.restoreFile)
}

// WriteParams are the parameters of every write of a document.
type WriteParams struct {
	rest.AgentParam
	PathParam
	rest.PersonParams
	Scope memory.Scope `query:"scope" enum:"PERSONAL,TEAM,GLOBAL" doc:"Where to write. Missing: PERSONAL when a person is named or the key is pinned to one, else TEAM."`
	rest.RequestKeyParam
}

// target returns the identity that a write is made for, and its document.
func (s *Handlers) target(ctx context.Context, in WriteParams) (memory.Identity, memory.Ref, error) {
	path, err := in.clean()
	if err != nil {
		return memory.Identity{}, memory.Ref{}, err
	}
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return memory.Identity{}, memory.Ref{}, err
	}
	scope, err := writeScope(id, in.Scope)
	return id, memory.Ref{Scope: scope, Path: path}, err
}

// writeScope returns the scope of a write.
func writeScope(id memory.Identity, asked memory.Scope) (memory.Scope, error) {
	switch {
	case asked == "" && (id.Owner == memory.NoOwner || id.Owner == memory.SystemOwner): // the system has no PERSONAL documents
		return memory.ScopeTeam, nil
	case asked == "":
		return memory.ScopePersonal, nil
	}
	return asked, rest.CanHave(id, asked)
}

// ledgerKey returns the idempotency key of a write. The client's key counts for the same client and the same request only, so
// that a key used twice by mistake never swallows a write.
func ledgerKey(ctx context.Context, client string, change memory.Change) string {
	if client == "" {
		return ""
	}
	h := sha256.New()
	for _, part := range []string{
		string(change.Op), string(change.Scope), change.Path, change.Content, change.Reason,
		strconv.Itoa(change.Base), strconv.Itoa(change.Restore), strconv.FormatBool(change.Force),
	} {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return "http/" + rest.CallerOf(ctx).ID.String() + "/" + client + "/" + hex.EncodeToString(h.Sum(nil)[:8])
}

// receiptView is the answer to a write.
type receiptView struct {
	memory.Receipt
	Replayed bool   `json:"replayed" doc:"The idempotency key had been used before: this is the first answer, and nothing was written."`
	ETag     string `json:"etag" doc:"ETag of the current version."`
}

// apply makes one change and answers with its receipt.
func (s *Handlers) apply(ctx context.Context, id memory.Identity, key string, change memory.Change) (*rest.Tagged[receiptView], error) {
	receipt, err := s.Store.Apply(ctx, id, ledgerKey(ctx, key, change), []memory.Change{change})
	if err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = rest.NoSuchDocument(change.Path, change.Scope)
		}
		return nil, err
	}
	done := receipt.Changes[0]
	if done.Changed && !receipt.Replayed {
		s.IndexChanged(id, done.Scope)
	}
	view := receiptView{Receipt: receipt, Replayed: receipt.Replayed}
	if hash, err := hex.DecodeString(done.SHA256); err == nil && len(hash) == sha256.Size {
		view.ETag = rest.ETag(done.Scope, done.Version, [sha256.Size]byte(hash))
	}
	status := http.StatusOK
	if done.Created {
		status = http.StatusCreated
	}
	return rest.Tag(status, view.ETag, view), nil
}

type writeFileInput struct {
	WriteParams
	rest.Preconditions
	Body struct {
		Content string `json:"content" maxLength:"1048576" doc:"The whole document: Markdown, UTF-8, at most 1 MiB."`
		Reason  string `json:"reason,omitempty" maxLength:"500" doc:"Reason, recorded in the history." example:"corrected the city"`
	}
}

func (s *Handlers) writeFile(ctx context.Context, in *writeFileInput) (*rest.Tagged[receiptView], error) {
	id, ref, err := s.target(ctx, in.WriteParams)
	if err != nil {
		return nil, err
	}
	base, err := s.Basis(ctx, id, ref, in.Preconditions)
	if err != nil {
		return nil, err
	}
	out, err := s.apply(ctx, id, in.IdempotencyKey, memory.Change{
		Ref: ref, Op: memory.OpReplace, Content: in.Body.Content, Reason: in.Body.Reason, Base: base.Version, Force: base.Any,
	})
	return out, in.Preconditions.Explain(err)
}

type deleteFileInput struct {
	WriteParams
	IfMatch string `header:"If-Match" maxLength:"2000" doc:"ETag that was read."`
	Reason  string `query:"reason" maxLength:"500" doc:"Reason, recorded in the history."`
}

func (s *Handlers) deleteFile(ctx context.Context, in *deleteFileInput) (*rest.Tagged[receiptView], error) {
	id, ref, err := s.target(ctx, in.WriteParams)
	if err != nil {
		return nil, err
	}
	base, err := s.Basis(ctx, id, ref, rest.Preconditions{IfMatch: in.IfMatch})
	if err != nil {
		return nil, err
	}
	out, err := s.apply(ctx, id, in.IdempotencyKey, memory.Change{Ref: ref, Op: memory.OpDelete, Base: base.Version, Reason: in.Reason})
	if stale, is := errors.AsType[*store.StaleBaseError](err); is {
		current := rest.ETag(ref.Scope, stale.Head, sha256.Sum256([]byte(stale.Theirs)))
		err = fault.New(fault.PreconditionFailed, "The document changed; its current version is %s", current).With("ETag", current)
	}
	return out, err
}

type undeleteFileInput struct {
	WriteParams
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"500" doc:"Reason, recorded in the history."`
	}
}

func (s *Handlers) undeleteFile(ctx context.Context, in *undeleteFileInput) (*rest.Tagged[receiptView], error) {
	id, ref, err := s.target(ctx, in.WriteParams)
	if err != nil {
		return nil, err
	}
	change := memory.Change{Ref: ref, Op: memory.OpUndelete}
	if in.Body != nil {
		change.Reason = in.Body.Reason
	}
	return s.apply(ctx, id, in.IdempotencyKey, change)
}

type restoreFileInput struct {
	WriteParams
	Body struct {
		Version int    `json:"version" minimum:"1" doc:"The version whose content becomes current again."`
		Reason  string `json:"reason,omitempty" maxLength:"500" doc:"Reason, recorded in the history."`
	}
}

func (s *Handlers) restoreFile(ctx context.Context, in *restoreFileInput) (*rest.Tagged[receiptView], error) {
	id, ref, err := s.target(ctx, in.WriteParams)
	if err != nil {
		return nil, err
	}
	return s.apply(ctx, id, in.IdempotencyKey, memory.Change{
		Ref: ref, Op: memory.OpRestore, Restore: in.Body.Version, Reason: in.Body.Reason,
	})
}
