package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/session"
	"reverie/foldersync"
	"reverie/memory"
	"reverie/scan"
)

// folderRemote is the server's side of a synced folder. It implements foldersync.Remote.
type folderRemote struct {
	session *session.Session
	client  *wire.Client
	poll    time.Duration
	agent   string // the agent's id; known after identity
	person  bool   // the folder has the documents of an owner
	journal journalFollower

	mu     sync.Mutex
	listed string // digest of the latest List
}

// remote returns the server's side of a folder. Its client does not retry: the folder decides when.
func (s commands) remote(poll time.Duration) (*folderRemote, error) {
	client, err := s.AgentClient(wire.Retries(0))
	return &folderRemote{session: s.Session, client: client, poll: poll}, err
}

// away marks an error as one that the server is unavailable. Its text is that of the cause.
type away struct{ error }

// Is matches foldersync.ErrAway.
func (away) Is(target error) bool { return target == foldersync.ErrAway }

func (e away) Unwrap() error { return e.error }

// orAway marks errors of requests that may succeed later.
func orAway(ctx context.Context, err error) error {
	refused, is := errors.AsType[*wire.Error](err)
	switch {
	case err == nil, ctx.Err() != nil:
		return err
	case !is || refused.Name == "":
		return away{err}
	case refused.Busy(), refused.Status >= http.StatusInternalServerError, refused.Status == http.StatusRequestTimeout:
		return away{errors.New(refused.Message)}
	}
	return err
}

// identity returns the agent and owner to which the folder is bound.
func (r *folderRemote) identity(ctx context.Context) (foldersync.Identity, error) {
	s := r.session
	id := foldersync.Identity{Agent: s.Agent}
	found, err := r.client.GetAgent(ctx, s.Agent)
	if err != nil {
		return id, err
	}
	r.agent = found.Data.ID
	id.Agent, id.Made, id.Asked = found.Data.ID, found.Data.CreatedAt, s.OwnerQuery()
	if id.Personal, err = s.HasOwner(ctx); err != nil || !id.Personal {
		return id, err
	}
	r.person = true
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
	entries, digest, err := r.list(ctx)
	if err == nil {
		r.mu.Lock()
		r.listed = digest
		r.mu.Unlock()
	}
	return entries, err
}

// list lists the documents, and returns a digest of the list.
func (r *folderRemote) list(ctx context.Context) (entries []foldersync.Entry, digest string, err error) {
	found, err := r.client.ListFiles(ctx, r.session.Agent, wire.ListFilesParams{Person: r.session.Person()})
	if err != nil {
		return nil, "", orAway(ctx, err)
	}
	items := found.Data.Items
	slices.SortFunc(items, func(a, b wire.FileEntry) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Path, b.Path))
	})
	for _, e := range items {
		if e.Agent != "" && e.Agent != r.agent {
			continue // of the leader of its team, who changes it
		}
		entries = append(entries, entry(e))
		digest += e.Scope + e.Path + e.Etag + "\n"
	}
	return entries, digest, nil
}

func entry(e wire.FileEntry) foldersync.Entry {
	return foldersync.Entry{
		Ref: memory.Ref{Scope: memory.Scope(e.Scope), Path: e.Path}, Owner: memory.Owner(e.Owner),
		Sum: foldersync.Sum(e.Sha256), ETag: e.Etag, Version: e.Version, Bytes: e.Bytes,
	}
}

// Read reads a document.
func (r *folderRemote) Read(ctx context.Context, ref memory.Ref) (foldersync.Document, error) {
	params := wire.ReadFileParams{Person: r.session.Person(), Scope: string(ref.Scope)}
	found, err := r.client.ReadFile(ctx, r.session.Agent, ref.Path, params)
	if err != nil {
		return foldersync.Document{}, folderError(orAway(ctx, err))
	}
	f := found.Data
	return foldersync.Document{
		Entry: foldersync.Entry{
			Ref: memory.Ref{Scope: memory.Scope(f.Scope), Path: f.Path}, Owner: memory.Owner(f.Owner),
			Sum: foldersync.Sum(f.Sha256), ETag: f.Etag, Version: f.Version, Bytes: f.Bytes,
		},
		Content: f.Content,
	}, nil
}

// writeReason is stored in the history of documents that a folder sends.
const writeReason = "edited in a synced folder"

// Write writes a document.
func (r *folderRemote) Write(ctx context.Context, w foldersync.Write) (foldersync.Receipt, error) {
	params := wire.WriteFileParams{Person: r.session.Person(), Scope: string(w.Ref.Scope), IdempotencyKey: w.Key, IfMatch: w.Match}
	if w.Match == "" {
		params.IfNoneMatch = "*"
	}
	done, err := r.client.WriteFile(ctx, r.session.Agent, w.Ref.Path, params, wire.WriteFileBody{Content: w.Content, Reason: writeReason})
	if err != nil {
		return foldersync.Receipt{}, folderError(orAway(ctx, err))
	}
	if len(done.Data.Changes) != 1 {
		return foldersync.Receipt{}, errors.New("the server's receipt does not name one document")
	}
	c := done.Data.Changes[0]
	return foldersync.Receipt{
		Sum: foldersync.Sum(c.Sha256), ETag: done.Data.Etag, Version: c.Version, Added: c.Added, Removed: c.Removed,
		Merged: c.Merged, Redacted: c.Verdict == string(scan.VerdictRedact),
	}, nil
}

// Delete deletes a document.
func (r *folderRemote) Delete(ctx context.Context, ref memory.Ref, match, key string) error {
	_, err := r.client.DeleteFile(ctx, r.session.Agent, ref.Path, wire.DeleteFileParams{
		Person: r.session.Person(), Scope: string(ref.Scope), IdempotencyKey: key, IfMatch: match, Reason: writeReason,
	})
	if err = folderError(orAway(ctx, err)); errors.Is(err, foldersync.ErrGone) {
		return nil
	}
	return err
}

// teamMember is the name of the refusal of a write by a team's member.
const teamMember = "team_member"

// folderError translates a refusal for the folder.
func folderError(err error) error {
	refused, is := errors.AsType[*wire.Error](err)
	if !is || errors.Is(err, foldersync.ErrAway) {
		return err
	}
	switch refused.Status {
	case http.StatusNotFound:
		return foldersync.ErrGone
	case http.StatusPreconditionFailed, http.StatusPreconditionRequired:
		return foldersync.ErrStale
	case http.StatusUnauthorized:
		return err
	case http.StatusForbidden:
		return &foldersync.Refusal{Reason: refused.Message, Everywhere: true}
	case http.StatusConflict:
		if refused.Name == "stale_base" {
			return foldersync.ErrStale
		}
		return &foldersync.Refusal{Reason: refused.Message, Everywhere: refused.Name == teamMember}
	}
	return &foldersync.Refusal{Reason: refused.Message}
}

// journalFollower is the state of Wait between calls. Only Wait uses it.
type journalFollower struct {
	stream *wire.Stream // nil: there is none
	cursor string       // id of the latest event; empty: unknown
	again  time.Time    // no stream is requested before: the server has none to give
}

// listWhile bounds the polling of the list, before following the journal is tried again.
const listWhile = 30 * time.Second

// followedKinds are the kinds of events that change the list of documents.
var followedKinds = []string{"document.written", "document.deleted", "document.undeleted"}

// Wait follows the agent's journal until an event may concern the folder, or until events before the start of the stream may
// have been missed. With a server that has no stream to give (it is older, or has too many followers) it polls the list.
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
				return nil // an earlier list may be out of date
			}
		}
		concerned, err := r.next()
		if err == nil && concerned {
			return nil
		}
		if err != nil {
			f.stream.Close()
			if !f.stream.Started() { // a proxy accepts streams and passes nothing on
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

// follow opens the stream after the cursor. It reports false when the server answers without a stream.
func (r *folderRemote) follow(ctx context.Context) (bool, error) {
	stream, err := r.client.EventsStream(ctx, r.session.Agent, wire.EventsStreamParams{
		Person: r.session.Person(), Kind: followedKinds, LastEventID: r.journal.cursor,
	})
	if err == nil {
		r.journal.stream = stream
		return true, nil
	}
	refused, is := errors.AsType[*wire.Error](err)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case is && refused.Status == http.StatusUnprocessableEntity:
		r.journal.cursor = "" // the cursor belongs to another database
		return false, nil
	case is && refused.Name != "" && refused.Status < http.StatusInternalServerError, errors.Is(err, wire.ErrForeign):
		return false, nil
	}
	return false, away{err}
}

// next waits for an event of the stream, and reports whether it concerns the folder.
func (r *folderRemote) next() (bool, error) {
	sent, err := r.journal.stream.Next()
	if err != nil {
		return false, err
	}
	if sent.ID != "" {
		r.journal.cursor = sent.ID
	}
	if sent.Name == "" {
		return false, nil
	}
	var e wire.Event
	if err := json.Unmarshal(sent.Data, &e); err != nil {
		return false, fmt.Errorf("cannot read an event: %w", err)
	}
	return e.Scope != string(memory.ScopePersonal) || r.person, nil
}

// watchList polls the list until it differs from the latest List, or until the limit.
func (r *folderRemote) watchList(ctx context.Context, limit time.Time) (changed bool, err error) {
	for !changed && time.Now().Before(limit) {
		if err := session.Sleep(ctx, r.poll); err != nil {
			return false, err
		}
		_, digest, err := r.list(ctx)
		if err != nil {
			return false, err
		}
		r.mu.Lock()
		changed = digest != r.listed
		r.mu.Unlock()
	}
	return changed, nil
}
