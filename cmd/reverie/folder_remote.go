package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"reverie/foldersync"
	"reverie/memory"
)

// folderRemote is the server's side of a synced folder, over the API.
type folderRemote struct {
	session *session
	client  *apiClient
	poll    time.Duration
	agent   string // as the server names it; known once identity was asked for
	person  bool   // the documents of an owner are among those of the folder
	journal journalFollower

	mu     sync.Mutex
	listed string // what the latest list says, in short
}

// fileEntry is a document in a list, with what a folder needs to know.
type fileEntry struct {
	Scope   memory.Scope `json:"scope"`
	Agent   string       `json:"agent"`
	Owner   memory.Owner `json:"owner"`
	Path    string       `json:"path"`
	Version int          `json:"version"`
	ETag    string       `json:"etag"`
	Bytes   int          `json:"bytes"`
	SHA256  string       `json:"sha256"`
}

func (e fileEntry) entry() foldersync.Entry {
	return foldersync.Entry{
		Ref: memory.Ref{Scope: e.Scope, Path: e.Path}, Owner: e.Owner,
		Sum: foldersync.Sum(e.SHA256), ETag: e.ETag, Version: e.Version, Bytes: e.Bytes,
	}
}

// wholeFile is a document with its text.
type wholeFile struct {
	fileEntry
	Content string `json:"content"`
}

// fileReceipt is the answer to a write of a document.
type fileReceipt struct {
	ETag    string                 `json:"etag"`
	Changes []memory.ChangeReceipt `json:"changes"`
}

// remote is the server's side for this session.
func (s *session) remote(poll time.Duration) (*folderRemote, error) {
	if _, err := s.agentPath(); err != nil {
		return nil, err
	}
	client, err := s.client()
	return &folderRemote{session: s, client: client, poll: poll}, err
}

// call makes a request and tells what a folder has to know about its failure.
func (r *folderRemote) call(ctx context.Context, q apiRequest) (apiAnswer, error) {
	answer, err := r.client.once(ctx, q)
	refused, is := errors.AsType[*apiError](err)
	switch {
	case err == nil, ctx.Err() != nil:
		return answer, err
	case !is:
		return answer, away{err}
	case refused.busy(), refused.Status >= http.StatusInternalServerError, refused.Status == http.StatusRequestTimeout:
		return answer, away{errors.New(refused.Msg)}
	}
	return answer, err
}

// away is an error that means that the server is away, and says only what is wrong.
type away struct{ error }

// Is has errors.Is find foldersync.ErrAway.
func (away) Is(target error) bool { return target == foldersync.ErrAway }

func (e away) Unwrap() error { return e.error }

func (r *folderRemote) identity(ctx context.Context) (foldersync.Identity, error) {
	id := foldersync.Identity{Agent: r.session.agent}
	path, err := r.session.agentPath()
	if err != nil {
		return id, err
	}
	found, _, err := dataOf[agent](r.call(ctx, apiRequest{method: http.MethodGet, path: path}))
	if err != nil {
		return id, err
	}
	r.agent = found.ID
	id.Agent, id.Made, id.Asked = found.ID, found.CreatedAt, r.session.ownerQuery().Encode()
	id.Personal, err = r.hasOwner(ctx)
	r.person = id.Personal
	if err != nil || !id.Personal {
		return id, err
	}
	entries, err := r.List(ctx)
	for _, e := range entries {
		if e.Ref.Scope == memory.ScopePersonal {
			id.Owner = e.Owner
		}
	}
	return id, err
}

// hasOwner asks whether the requests are about an owner: flags may name one, or the key may be pinned to one.
func (r *folderRemote) hasOwner(ctx context.Context) (bool, error) {
	q, err := r.file(http.MethodGet, memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath})
	if err != nil {
		return false, err
	}
	_, err = r.call(ctx, q)
	refused, is := errors.AsType[*apiError](err)
	switch {
	case is && refused.Name == "owner_required":
		return false, nil
	case is && refused.Status == http.StatusNotFound:
		return true, nil
	}
	return err == nil, err
}

// List lists the documents.
func (r *folderRemote) List(ctx context.Context) ([]foldersync.Entry, error) {
	entries, short, err := r.list(ctx)
	if err == nil {
		r.mu.Lock()
		r.listed = short
		r.mu.Unlock()
	}
	return entries, err
}

// list lists the documents, and says the same in short.
func (r *folderRemote) list(ctx context.Context) (entries []foldersync.Entry, short string, err error) {
	path, err := r.session.agentPath("workspace", "files")
	if err != nil {
		return nil, "", err
	}
	q := apiRequest{method: http.MethodGet, path: path, query: r.session.ownerQuery()}
	found, _, err := dataOf[listed[fileEntry]](r.call(ctx, q))
	if err != nil {
		return nil, "", err
	}
	slices.SortFunc(found.Items, func(a, b fileEntry) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Path, b.Path))
	})
	for _, e := range found.Items {
		if e.Agent != "" && e.Agent != r.agent {
			continue // of the leader of its team: it is that agent's to change
		}
		entries = append(entries, e.entry())
		short += string(e.Scope) + e.Path + e.ETag + "\n"
	}
	return entries, short, nil
}

// file is a request about one document.
func (r *folderRemote) file(method string, ref memory.Ref) (apiRequest, error) {
	path, err := r.session.agentPath("workspace", "files")
	if err != nil {
		return apiRequest{}, err
	}
	query := r.session.ownerQuery()
	query.Set("scope", string(ref.Scope))
	return apiRequest{method: method, path: path + documentPath(ref.Path), query: query}, nil
}

// Read reads a document.
func (r *folderRemote) Read(ctx context.Context, ref memory.Ref) (foldersync.Document, error) {
	q, err := r.file(http.MethodGet, ref)
	if err != nil {
		return foldersync.Document{}, err
	}
	found, _, err := dataOf[wholeFile](r.call(ctx, q))
	if err != nil {
		return foldersync.Document{}, folderError(err, ref)
	}
	return foldersync.Document{Entry: found.entry(), Content: found.Content}, nil
}

// writeReason stands in the history of what a folder sends.
const writeReason = "edited in a synced folder"

// Write writes a document.
func (r *folderRemote) Write(ctx context.Context, w foldersync.Write) (foldersync.Receipt, error) {
	q, err := r.file(http.MethodPut, w.Ref)
	if err != nil {
		return foldersync.Receipt{}, err
	}
	q.body = map[string]string{"content": w.Content, "reason": writeReason}
	q.headers = map[string]string{"Idempotency-Key": w.Key}
	if w.Match != "" {
		q.headers["If-Match"] = w.Match
	} else {
		q.headers["If-None-Match"] = "*"
	}
	done, _, err := dataOf[fileReceipt](r.call(ctx, q))
	if err != nil {
		return foldersync.Receipt{}, folderError(err, w.Ref)
	}
	if len(done.Changes) != 1 {
		return foldersync.Receipt{}, errors.New("the server's receipt is not about one document")
	}
	c := done.Changes[0]
	return foldersync.Receipt{
		Sum: foldersync.Sum(c.SHA256), ETag: done.ETag, Version: c.Version, Added: c.Added, Removed: c.Removed,
		Merged: c.Merged, Redacted: c.Verdict == memory.VerdictRedact,
	}, nil
}

// Delete deletes a document.
func (r *folderRemote) Delete(ctx context.Context, ref memory.Ref, match, key string) error {
	q, err := r.file(http.MethodDelete, ref)
	if err != nil {
		return err
	}
	q.query.Set("reason", writeReason)
	q.headers = map[string]string{"If-Match": match, "Idempotency-Key": key}
	_, err = r.call(ctx, q)
	if err = folderError(err, ref); errors.Is(err, foldersync.ErrGone) {
		return nil
	}
	return err
}

// folderError tells what a refusal means for the file.
func folderError(err error, ref memory.Ref) error {
	refused, is := errors.AsType[*apiError](err)
	if !is {
		return err
	}
	switch refused.Status {
	case http.StatusNotFound:
		return foldersync.ErrGone
	case http.StatusPreconditionFailed, http.StatusPreconditionRequired:
		return foldersync.ErrStale
	case http.StatusUnauthorized:
		return refused
	case http.StatusForbidden:
		return &foldersync.Refusal{Reason: refused.Msg, Everywhere: true}
	case http.StatusConflict:
		if refused.Name == "stale_base" {
			return foldersync.ErrStale
		}
		return &foldersync.Refusal{Reason: refused.Msg, Everywhere: refused.Name == teamMember}
	}
	return &foldersync.Refusal{Reason: refused.Msg}
}

// teamMember is the name of the answer to a write of a team's member.
const teamMember = "team_member"
