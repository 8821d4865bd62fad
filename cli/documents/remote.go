package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"reverie/cli/session"
	"reverie/foldersync"
	"reverie/memory"
	"reverie/store"
)

// folderRemote is the server's side of a synced folder, over the API.
type folderRemote struct {
	session *session.Session
	client  *session.Client
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
func (s commands) remote(poll time.Duration) (*folderRemote, error) {
	if _, err := s.AgentPath(); err != nil {
		return nil, err
	}
	client, err := s.Client()
	return &folderRemote{session: s.Session, client: client, poll: poll}, err
}

// call makes a request and tells what a folder has to know about its failure.
func (r *folderRemote) call(ctx context.Context, q session.Request) (*http.Response, error) {
	answer, err := r.client.Once().Call(ctx, q)
	refused, is := errors.AsType[*session.Error](err)
	switch {
	case err == nil, ctx.Err() != nil:
		return answer, err
	case !is:
		return answer, away{err}
	case refused.Busy(), refused.Status >= http.StatusInternalServerError, refused.Status == http.StatusRequestTimeout:
		return answer, away{errors.New(refused.Msg)}
	}
	return answer, err
}

// away is an error that means that the server is away, and says only what is wrong.
type away struct{ error }

// Is has errors.Is find foldersync.ErrAway.
func (away) Is(target error) bool { return target == foldersync.ErrAway }

func (e away) Unwrap() error { return e.error }

func (r *folderRemote) identity(cmd *cobra.Command) (foldersync.Identity, error) {
	ctx := cmd.Context()
	id := foldersync.Identity{Agent: r.session.Agent}
	path, err := r.session.AgentPath()
	if err != nil {
		return id, err
	}
	found, _, err := session.DataOf[struct {
		ID        string    `json:"id"`
		CreatedAt time.Time `json:"createdAt"`
	}](r.call(ctx, session.Request{Method: http.MethodGet, Path: path}))
	if err != nil {
		return id, err
	}
	r.agent = found.ID
	id.Agent, id.Made, id.Asked = found.ID, found.CreatedAt, r.session.OwnerQuery().Encode()
	id.Personal, err = r.session.HasOwner(cmd)
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
	path, err := r.session.AgentPath("workspace", "files")
	if err != nil {
		return nil, "", err
	}
	q := session.Request{Method: http.MethodGet, Path: path, Query: r.session.OwnerQuery()}
	found, _, err := session.DataOf[session.List[fileEntry]](r.call(ctx, q))
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
func (r *folderRemote) file(method string, ref memory.Ref) (session.Request, error) {
	path, err := r.session.AgentPath("workspace", "files")
	if err != nil {
		return session.Request{}, err
	}
	query := r.session.OwnerQuery()
	query.Set("scope", string(ref.Scope))
	return session.Request{Method: method, Path: path + session.DocumentPath(ref.Path), Query: query}, nil
}

// Read reads a document.
func (r *folderRemote) Read(ctx context.Context, ref memory.Ref) (foldersync.Document, error) {
	q, err := r.file(http.MethodGet, ref)
	if err != nil {
		return foldersync.Document{}, err
	}
	found, _, err := session.DataOf[wholeFile](r.call(ctx, q))
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
	q.Body = map[string]string{"content": w.Content, "reason": writeReason}
	q.Headers = map[string]string{"Idempotency-Key": w.Key}
	if w.Match != "" {
		q.Headers["If-Match"] = w.Match
	} else {
		q.Headers["If-None-Match"] = "*"
	}
	done, _, err := session.DataOf[fileReceipt](r.call(ctx, q))
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
	q.Query.Set("reason", writeReason)
	q.Headers = map[string]string{"If-Match": match, "Idempotency-Key": key}
	_, err = r.call(ctx, q)
	if err = folderError(err, ref); errors.Is(err, foldersync.ErrGone) {
		return nil
	}
	return err
}

// folderError tells what a refusal means for the file.
func folderError(err error, ref memory.Ref) error {
	refused, is := errors.AsType[*session.Error](err)
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

// journalFollower is what Wait keeps from one call to the next. Only Wait uses it.
type journalFollower struct {
	stream *journalStream // nil: there is none
	cursor string         // behind what was taken note of; empty: nothing is known
	again  time.Time      // until then nobody asks for a stream: the server has none to give
}

// journalStream is the journal as it is told.
type journalStream struct {
	reader session.EventReader
	end    func()
	spoke  bool // something was told, if only that nothing has happened
}

// listWhile is how long the list is asked when the journal cannot be followed, before that is tried again.
const listWhile = 30 * time.Second

// told are the kinds of events that change what a list of documents says.
var told = strings.Join([]string{string(store.EventDocumentWritten), string(store.EventDocumentDeleted), string(store.EventDocumentUndeleted)}, ",")

// Wait follows the agent's journal until it tells of a document that the folder may have, or until it cannot be known what
// happened before it could be followed. A server that has no stream to give (it is older, or too many follow) is asked for the
// list again and again for a while.
func (r *folderRemote) Wait(ctx context.Context) error {
	f := &r.journal
	for {
		if f.stream == nil && time.Now().Before(f.again) {
			if changed, err := r.watchList(ctx, f.again); changed || err != nil {
				return err
			}
			continue
		}
		if f.stream == nil {
			found, err := r.follow(ctx)
			if err != nil {
				return err
			}
			if !found {
				f.again = time.Now().Add(listWhile)
				continue
			}
			if f.cursor == "" {
				return nil // a list that was made before may be behind it
			}
		}
		concerned, err := r.next()
		if err == nil && concerned {
			return nil
		}
		if err != nil {
			f.stream.end()
			if !f.stream.spoke { // something in between takes streams and passes nothing on
				f.again = time.Now().Add(listWhile)
			}
			f.stream = nil
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return away{err}
		}
	}
}

// follow opens the stream behind the cursor. It reports false when the server is there and gives none.
func (r *folderRemote) follow(ctx context.Context) (bool, error) {
	path, err := r.session.AgentPath("events", "stream")
	if err != nil {
		return false, err
	}
	q := session.Request{Method: http.MethodGet, Path: path, Query: r.session.OwnerQuery()}
	q.Query.Set("kind", told)
	if r.journal.cursor != "" {
		q.Headers = map[string]string{"Last-Event-ID": r.journal.cursor}
	}
	limited, cancel := context.WithCancel(ctx)
	alarm := time.AfterFunc(session.Silence, cancel)
	response, err := r.client.Call(session.Streaming(limited), q) //nolint:bodyclose // by end
	if err != nil {
		alarm.Stop()
		cancel()
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		refused, is := errors.AsType[*session.Error](err)
		switch {
		case is && refused.Status == http.StatusUnprocessableEntity:
			r.journal.cursor = "" // it is of another database
			return false, nil
		case is && refused.Status < http.StatusInternalServerError, errors.Is(err, session.ErrForeign):
			return false, nil
		}
		return false, away{err}
	}
	stream := &journalStream{end: func() {
		alarm.Stop()
		cancel()
		_ = response.Body.Close()
	}}
	stream.reader = session.ReadEvents(response.Body, func() {
		stream.spoke = true
		alarm.Reset(session.Silence)
	})
	r.journal.stream = stream
	return true, nil
}

// next waits for an event of the stream, and reports whether the folder is concerned.
func (r *folderRemote) next() (bool, error) {
	sent, err := r.journal.stream.reader.Next()
	if err != nil {
		return false, err
	}
	if sent.ID != "" {
		r.journal.cursor = sent.ID
	}
	if sent.Name == "" {
		return false, nil
	}
	var e struct {
		Scope memory.Scope `json:"scope"`
	}
	if err := json.Unmarshal([]byte(sent.Data), &e); err != nil {
		return false, fmt.Errorf("an event cannot be read: %w", err)
	}
	return e.Scope != memory.ScopePersonal || r.person, nil
}

// watchList looks at the list until it says something else than the latest List, or the time is over.
func (r *folderRemote) watchList(ctx context.Context, limit time.Time) (changed bool, err error) {
	for !changed && time.Now().Before(limit) {
		if err := session.Sleep(ctx, r.poll); err != nil {
			return false, err
		}
		_, short, err := r.list(ctx)
		if err != nil {
			return false, err
		}
		r.mu.Lock()
		changed = short != r.listed
		r.mu.Unlock()
	}
	return changed, nil
}
