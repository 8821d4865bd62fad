package files

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/gate"
)

const eventsPath = "/api/v1/agents/{agent}/events"

func (s *Handlers) eventRoutes() {
	const what = "What was written, deleted, refused, recalled, promoted and dreamed: ids, paths, counts and hashes, never what was said. " +
		"Covers the owner named in the request or pinned to the key, and shared memory; an admin key that names no owner sees the events " +
		"of all owners. "
	rest.Register(s.Server, rest.Route{
		ID: "events", Method: http.MethodGet, Path: eventsPath, Tag: "events", Need: memory.RoleViewer,
		Summary: "List the events of an agent's memory, oldest first",
		Doc: what + "Read on with cursor=next, as often as you like: nothing is added before it later. An event is shown as soon as " +
			"all transactions that ran beside its own have ended, as a rule at once. With Accept: application/x-ndjson it is the download of " +
			"events-jsonl.",
	}, s.listEvents)
	rest.Register(s.Server, rest.Route{
		ID: "events-jsonl", Method: http.MethodGet, Path: eventsPath + ".jsonl", Produces: rest.LinesOfJSON, Tag: "events",
		Need: memory.RoleViewer, Timeout: rest.FollowTime,
		Summary: "Download events as lines of JSON",
		Doc:     what + "One event a line, from after to the last one there is now.",
	}, s.downloadEvents)
	rest.Register(s.Server, rest.Route{
		ID: "events-stream", Method: http.MethodGet, Path: eventsPath + "/stream", Produces: rest.EventStream, Tag: "events",
		Need: memory.RoleViewer, Timeout: rest.FollowTime,
		Summary: "Follow events as a stream",
		Doc: what + "Server-sent events whose ids are cursors: with Last-Event-ID, or cursor, it goes on after that event and " +
			"leaves none out; else it begins now. A request ends after an hour: come back with Last-Event-ID, as browsers do automatically. 429 " +
			"when too many follow.",
	}, s.followEvents)
}

// EventParams choose events.
type EventParams struct {
	rest.AgentParam
	rest.PersonParams
	Cursor string           `query:"cursor" maxLength:"50" doc:"The value of next on the previous page, or the id of an event; missing: from the first event."`
	After  string           `query:"after" maxLength:"50" deprecated:"true" doc:"Same as cursor."`
	Kinds  []gate.EventKind `query:"kind" maxItems:"20" doc:"Only events of these kinds, such as document.written,memory.dream.completed."`
	Path   string           `query:"path" maxLength:"255" doc:"Only events about the document at this path."`
}

// chosen returns the identity that reads the events, and the filter of the request. sent is the parameter that says where to read on.
func (s *Handlers) chosen(ctx context.Context, p EventParams, sent string) (memory.Identity, gate.JournalFilter, error) {
	id, _, err := s.Enter(ctx, p.Agent, p.Person())
	if err != nil {
		return id, gate.JournalFilter{}, err
	}
	if id.Owner == memory.NoOwner && id.Role.Includes(memory.RoleAdmin) {
		id.AnyOwner = true
	}
	if err := gate.CheckKinds("query.kind", p.Kinds); err != nil {
		return id, gate.JournalFilter{}, err
	}
	after, err := gate.ParseJournalCursor(cmp.Or(p.Cursor, p.After))
	return id, gate.JournalFilter{After: after, Kinds: p.Kinds, Path: p.Path, Limit: store.MaxPage}, located(err, sent)
}

// sent names the parameter that says where to read on.
func (p EventParams) sent() string {
	if p.Cursor == "" {
		return "query.after"
	}
	return "query.cursor"
}

// located names the parameter that was sent in an error about where to read on.
func located(err error, sent string) error {
	if invalid, is := errors.AsType[*store.InvalidError](err); is {
		return fault.InvalidAt(sent, "%s", invalid.Problem)
	}
	return err
}

// eventView is one event. It has no contents.
type eventView struct {
	ID       string          `json:"id" doc:"Position of the event: send it as cursor to read the events after it."`
	Kind     gate.EventKind  `json:"kind" example:"document.written"`
	Scope    memory.Scope    `json:"scope,omitempty" doc:"Who reads it; missing: admins."`
	Owner    memory.Owner    `json:"owner,omitempty"`
	Document *uuid.UUID      `json:"document,omitempty"`
	Path     string          `json:"path,omitempty"`
	Version  int             `json:"version,omitempty" doc:"Version that the change made."`
	Author   AuthorView      `json:"author"`
	Detail   json.RawMessage `json:"detail" doc:"By the kind: verdicts, counts, hashes and reasons."`
	At       time.Time       `json:"at"`
}

func viewEvent(e gate.Event) eventView {
	v := eventView{
		ID: e.Cursor().String(), Kind: e.Kind, Scope: e.Scope, Owner: e.Owner, Path: e.Path, Version: e.Version,
		Author: ViewAuthor(e.Author), Detail: e.Detail, At: e.At,
	}
	if e.Document != uuid.Nil {
		v.Document = &e.Document
	}
	return v
}

// eventsView is a part of the journal.
type eventsView struct {
	Items  []eventView `json:"items"`
	Next   string      `json:"next" doc:"Send it as cursor to read on, now or later; it is present even when nothing is new."`
	More   bool        `json:"more" doc:"There may be more already."`
	Events []eventView `json:"events" deprecated:"true" doc:"Same as items."`
}

type eventsInput struct {
	EventParams
	Limit int `query:"limit" minimum:"1" maximum:"500" default:"50"`
}

func (s *Handlers) listEvents(ctx context.Context, in *eventsInput) (*rest.Reply[eventsView], error) {
	id, filter, err := s.chosen(ctx, in.EventParams, in.sent())
	if err != nil {
		return nil, err
	}
	filter.Limit = in.Limit
	part, err := s.Store.Journal(ctx, id, filter)
	if err != nil {
		return nil, located(err, in.sent())
	}
	items := rest.Views(part.Events, viewEvent)
	return rest.OK(eventsView{Items: items, Next: part.Next.String(), More: part.More, Events: items}), nil
}

func (s *Handlers) downloadEvents(ctx context.Context, in *EventParams) (*rest.Streamed, error) {
	id, filter, err := s.chosen(ctx, *in, in.sent())
	if err != nil {
		return nil, err
	}
	part, err := s.Store.Journal(ctx, id, filter) // so that what is wrong is answered as an error
	if err != nil {
		return nil, located(err, in.sent())
	}
	return &rest.Streamed{Body: func(hc huma.Context) {
		write := rest.OpenStream(hc, rest.LinesOfJSON)
		for {
			var out strings.Builder
			lines := json.NewEncoder(&out)
			for _, e := range part.Events {
				if err = lines.Encode(viewEvent(e)); err != nil {
					break
				}
			}
			if err == nil {
				err = write(out.String())
			}
			if err != nil || !part.More {
				break
			}
			filter.After = part.Next
			if part, err = s.Store.Journal(hc.Context(), id, filter); err != nil {
				break
			}
		}
		if err != nil {
			s.Log.DebugContext(ctx, "A download of events broke off", "error", rest.Loggable(err), "request", rest.RequestID(ctx))
			panic(http.ErrAbortHandler) // a client must not take what it has for everything
		}
	}}, nil
}

type eventStreamInput struct {
	EventParams
	LastEventID string `header:"Last-Event-ID" maxLength:"50" doc:"Id of the last event that was received; it counts instead of cursor."`
}

func (s *Handlers) followEvents(ctx context.Context, in *eventStreamInput) (*rest.Streamed, error) {
	sent := in.sent()
	if in.LastEventID != "" {
		in.Cursor, sent = in.LastEventID, "header.Last-Event-ID"
	}
	id, filter, err := s.chosen(ctx, in.EventParams, sent)
	if err != nil {
		return nil, err
	}
	if in.Cursor == "" && in.After == "" {
		if filter.After, err = s.Store.JournalEnd(ctx, id); err != nil {
			return nil, err
		}
	}
	stream, err := s.Follow(ctx, id, filter, eventFrames, s.Revoked)
	return stream, located(err, sent)
}

// eventFrames returns a part of the journal as server-sent events.
func eventFrames(part gate.JournalPage) (string, error) {
	var out strings.Builder
	for _, e := range part.Events {
		v := viewEvent(e)
		data, err := json.Marshal(v)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "id: %s\nevent: %s\ndata: %s\n\n", v.ID, v.Kind, data)
	}
	return out.String(), nil
}
