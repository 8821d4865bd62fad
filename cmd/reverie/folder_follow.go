package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"reverie/memory"
	"reverie/store"
)

// journalFollower is what Wait keeps from one call to the next. Only Wait uses it.
type journalFollower struct {
	stream *journalStream // nil: there is none
	cursor string         // behind what was taken note of; empty: nothing is known
	again  time.Time      // until then nobody asks for a stream: the server has none to give
}

// journalStream is the journal as it is told.
type journalStream struct {
	reader eventReader
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
	path, err := r.session.agentPath("events", "stream")
	if err != nil {
		return false, err
	}
	q := apiRequest{method: http.MethodGet, path: path, query: r.session.ownerQuery()}
	q.query.Set("kind", told)
	if r.journal.cursor != "" {
		q.headers = map[string]string{"Last-Event-ID": r.journal.cursor}
	}
	limited, cancel := context.WithCancel(ctx)
	alarm := time.AfterFunc(silence, cancel)
	response, err := r.client.open(limited, q) //nolint:bodyclose // by end
	if err != nil {
		alarm.Stop()
		cancel()
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		refused, is := errors.AsType[*apiError](err)
		switch {
		case is && refused.Status == http.StatusUnprocessableEntity:
			r.journal.cursor = "" // it is of another database
			return false, nil
		case is && refused.Status < http.StatusInternalServerError, errors.Is(err, errForeign):
			return false, nil
		}
		return false, away{err}
	}
	stream := &journalStream{end: func() {
		alarm.Stop()
		cancel()
		_ = response.Body.Close()
	}}
	stream.reader = readEvents(response.Body, func() {
		stream.spoke = true
		alarm.Reset(silence)
	})
	r.journal.stream = stream
	return true, nil
}

// next waits for an event of the stream, and reports whether the folder is concerned.
func (r *folderRemote) next() (bool, error) {
	sent, err := r.journal.stream.reader.next()
	if err != nil {
		return false, err
	}
	if sent.id != "" {
		r.journal.cursor = sent.id
	}
	if sent.name == "" {
		return false, nil
	}
	var e journalEvent
	if err := json.Unmarshal([]byte(sent.data), &e); err != nil {
		return false, fmt.Errorf("an event cannot be read: %w", err)
	}
	return e.Scope != memory.ScopePersonal || r.person, nil
}

// watchList looks at the list until it says something else than the latest List, or the time is over.
func (r *folderRemote) watchList(ctx context.Context, limit time.Time) (changed bool, err error) {
	for !changed && time.Now().Before(limit) {
		if err := sleepFor(ctx, r.poll); err != nil {
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
