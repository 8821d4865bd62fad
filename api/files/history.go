package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store"
)

func (s *Handlers) historyRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "file-history", Method: http.MethodGet, Path: rest.WorkspacePath + "/history/{path}", Rest: "path", Tag: "files",
		Need:    memory.RoleViewer,
		Summary: "List the versions of a document, newest first", Doc: "Each version names its author, reason and source messages. Works for a deleted document too.",
	}, s.fileHistory)
	rest.Register(s.Server, rest.Route{
		ID: "file-diff", Method: http.MethodGet, Path: rest.WorkspacePath + "/diff/{path}", Rest: "path", Tag: "files", Need: memory.RoleViewer,
		Summary: "Compare two versions of a document", Doc: "Returns a unified diff by lines.",
	}, s.fileDiff)
	rest.Register(s.Server, rest.Route{
		ID: "file-blame", Method: http.MethodGet, Path: rest.WorkspacePath + "/blame/{path}", Rest: "path", Tag: "files", Need: memory.RoleViewer,
		Summary: "Blame the lines of a document", Doc: "Traces each line to the messages that it was learned from.",
	}, s.fileBlame)
}

// resolve finds the document that a path means, a deleted one too: its history stays.
func (s *Handlers) resolve(ctx context.Context, id memory.Identity, path string, scope memory.Scope) (memory.Ref, error) {
	if scope != "" {
		return memory.Ref{Scope: scope, Path: path}, rest.CanHave(id, scope)
	}
	if id.Owner != memory.NoOwner && id.Owner != memory.SystemOwner { // who has no PERSONAL documents
		own := memory.Ref{Scope: memory.ScopePersonal, Path: path}
		if found, err := s.hasHistory(ctx, id, own); err != nil || found { // also if it is deleted, and the shared one is shown instead
			return own, err
		}
	}
	d, err := s.Store.VisibleDocument(ctx, id, path)
	if !errors.Is(err, store.ErrNotFound) {
		return memory.Ref{Scope: d.Scope, Path: path}, err
	}
	for _, scope := range []memory.Scope{memory.ScopeTeam, memory.ScopeGlobal} {
		ref := memory.Ref{Scope: scope, Path: path}
		if found, err := s.hasHistory(ctx, id, ref); err != nil || found {
			return ref, err
		}
	}
	return memory.Ref{}, rest.NoSuchDocument(path, "")
}

// hasHistory reports whether a document exists, or did before it was deleted.
func (s *Handlers) hasHistory(ctx context.Context, id memory.Identity, ref memory.Ref) (bool, error) {
	versions, err := s.Store.History(ctx, id, ref, 0, 1)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return len(versions) > 0, err
}

// historical checks a request about a document's past and finds the document.
func (s *Handlers) historical(
	ctx context.Context,
	agent rest.AgentParam,
	p PathParam,
	who rest.PersonParams,
	scope memory.Scope,
) (memory.Identity, memory.Ref, error) {
	path, err := p.clean()
	if err != nil {
		return memory.Identity{}, memory.Ref{}, err
	}
	id, _, err := s.Enter(ctx, agent.Agent, who.Person())
	if err != nil {
		return memory.Identity{}, memory.Ref{}, err
	}
	ref, err := s.resolve(ctx, id, path, scope)
	return id, ref, err
}

// versionView is one entry of a history.
type versionView struct {
	Version     int            `json:"version"`
	ETag        string         `json:"etag"`
	BaseVersion int            `json:"baseVersion" doc:"The version that the change was based on; 0 for a new document."`
	Merged      bool           `json:"merged" doc:"The base was outdated; both sides were merged line by line."`
	Deleted     bool           `json:"deleted" doc:"This version deleted the document."`
	Author      AuthorView     `json:"author"`
	Reason      string         `json:"reason,omitempty"`
	Sources     memory.Sources `json:"sources" doc:"The messages that it came from."`
	Added       int            `json:"added" doc:"Lines."`
	Removed     int            `json:"removed" doc:"Lines."`
	CreatedAt   time.Time      `json:"createdAt"`
}

type historyView struct {
	Scope    memory.Scope  `json:"scope"`
	Path     string        `json:"path"`
	Items    []versionView `json:"items"`
	Next     int           `json:"next,omitempty" doc:"Send it as cursor to get the next page; missing on the last one."`
	Versions []versionView `json:"versions" deprecated:"true" doc:"Same as items."`
}

type historyInput struct {
	rest.AgentParam
	PathParam
	rest.PersonParams
	rest.ScopeParam
	Cursor int `query:"cursor" minimum:"0" doc:"The value of next on the previous page; missing: from the newest version."`
	Limit  int `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"Versions."`
	Before int `query:"before" minimum:"0" deprecated:"true" doc:"Same as cursor: versions below this one."`
}

func (s *Handlers) fileHistory(ctx context.Context, in *historyInput) (*rest.Reply[historyView], error) {
	id, ref, err := s.historical(ctx, in.AgentParam, in.PathParam, in.PersonParams, in.Scope)
	if err != nil {
		return nil, err
	}
	before := cmp.Or(in.Cursor, in.Before)
	versions, err := s.Store.History(ctx, id, ref, before, in.Limit)
	if err != nil {
		return nil, err
	}
	if len(versions) == 0 && before == 0 {
		return nil, rest.NoSuchDocument(ref.Path, ref.Scope)
	}
	out := historyView{Scope: ref.Scope, Path: ref.Path, Items: rest.Views(versions, func(v memory.Version) versionView {
		return versionView{
			Version: v.Number, ETag: rest.ETag(ref.Scope, v.Number, v.SHA256), BaseVersion: v.BaseVersion, Merged: v.Merged, Deleted: v.Deleted,
			Author: ViewAuthor(v.Author), Reason: v.Reason, Sources: v.Sources, Added: v.Added, Removed: v.Removed, CreatedAt: v.CreatedAt,
		}
	})}
	out.Versions = out.Items
	if n := len(versions); n == in.Limit && versions[n-1].Number > 1 {
		out.Next = versions[n-1].Number
	}
	return rest.OK(out), nil
}

type diffView struct {
	Scope   memory.Scope `json:"scope"`
	Path    string       `json:"path"`
	From    int          `json:"from"`
	To      int          `json:"to"`
	Added   int          `json:"added" doc:"Lines."`
	Removed int          `json:"removed" doc:"Lines."`
	Diff    string       `json:"diff" doc:"Unified diff; empty when the two are alike."`
}

type diffInput struct {
	rest.AgentParam
	PathParam
	rest.PersonParams
	rest.ScopeParam
	From rest.OptionalInt `query:"from" minimum:"0" doc:"Version; 0: before the document was there. Missing: the one before to."`
	To   int              `query:"to" minimum:"0" doc:"Version; missing: the newest."`
}

func (s *Handlers) fileDiff(ctx context.Context, in *diffInput) (*rest.Reply[diffView], error) {
	id, ref, err := s.historical(ctx, in.AgentParam, in.PathParam, in.PersonParams, in.Scope)
	if err != nil {
		return nil, err
	}
	to := in.To
	if to == 0 {
		newest, err := s.Store.History(ctx, id, ref, 0, 1)
		if err != nil {
			return nil, err
		}
		if len(newest) == 0 {
			return nil, rest.NoSuchDocument(ref.Path, ref.Scope)
		}
		to = newest[0].Number
	}
	from := to - 1
	if in.From.Given {
		from = in.From.Value
	}
	before, err := s.content(ctx, id, ref, from)
	if err != nil {
		return nil, err
	}
	after, err := s.content(ctx, id, ref, to)
	if err != nil {
		return nil, err
	}
	out := diffView{Scope: ref.Scope, Path: ref.Path, From: from, To: to}
	out.Added, out.Removed = markdown.DiffStat(before, after)
	out.Diff = markdown.UnifiedDiff(versionName(ref, from), versionName(ref, to), before, after)
	return rest.OK(out), nil
}

func versionName(ref memory.Ref, version int) string { return fmt.Sprintf("%s@%d", ref.Path, version) }

// content returns the text of a version; before the first one there was none.
func (s *Handlers) content(ctx context.Context, id memory.Identity, ref memory.Ref, version int) (string, error) {
	if version == 0 {
		return "", nil
	}
	v, err := s.Store.VersionOf(ctx, id, ref, version)
	if errors.Is(err, store.ErrNotFound) {
		err = fault.New(fault.NotFound, "No version %d of the %s document %s", version, ref.Scope, ref.Path)
	}
	return v.Content, err
}

// blameLine is one line with its origin.
type blameLine struct {
	Line         string     `json:"line"`
	Version      int        `json:"version" doc:"The version that brought it in."`
	Author       AuthorView `json:"author"`
	Reason       string     `json:"reason,omitempty"`
	At           time.Time  `json:"at"`
	Conversation string     `json:"conversation,omitempty"`
	From         int64      `json:"from,omitempty" doc:"First message of the range that the version came from."`
	To           int64      `json:"to,omitempty"`
	Messages     []int64    `json:"messages,omitempty" nullable:"false" doc:"The messages that the line came from, by their numbers."`
}

type blameView struct {
	Scope memory.Scope `json:"scope"`
	Path  string       `json:"path"`
	Lines []blameLine  `json:"lines"`
}

type blameInput struct {
	rest.AgentParam
	PathParam
	rest.PersonParams
	rest.ScopeParam
	Version int `query:"version" minimum:"0" doc:"Missing: the current one."`
}

func (s *Handlers) fileBlame(ctx context.Context, in *blameInput) (*rest.Reply[blameView], error) {
	id, ref, err := s.historical(ctx, in.AgentParam, in.PathParam, in.PersonParams, in.Scope)
	if err != nil {
		return nil, err
	}
	lines, err := s.Store.Blame(ctx, id, ref, in.Version)
	if errors.Is(err, store.ErrNotFound) {
		err = rest.NoSuchDocument(ref.Path, ref.Scope)
	}
	if err != nil {
		return nil, err
	}
	return rest.OK(blameView{Scope: ref.Scope, Path: ref.Path, Lines: rest.Views(lines, func(l memory.BlameLine) blameLine {
		return blameLine{
			Line: l.Line, Version: l.Version, Author: ViewAuthor(l.Author), Reason: l.Reason, At: l.At,
			Conversation: l.Conversation, From: l.From, To: l.To, Messages: l.Messages,
		}
	})}), nil
}
