package web

import (
	"errors"
	"fmt"
	"slices"

	"github.com/a-h/templ"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/gate"
	"reverie/web/view"
)

func (b *Browser) liveRoutes() {
	b.page(rest.Route{
		ID: "page-live", Path: base + "/live", Summary: "Follow what changes", Need: memory.RoleViewer, Timeout: rest.FollowTime,
	}, (*request).live)
}

// live streams server-sent events: one "change" for each group of events of the memory. They have cursors as ids and no contents: the page
// that follows asks for itself again and shows the difference, so that nothing is shown twice or left out.
func (q *request) live() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	id, full := rest.AcrossOwners(q.id)
	if !full {
		return nil, fault.New(fault.NotFound, "Choose whose memory to follow")
	}
	cursor := q.r.Header.Get("Last-Event-ID")
	if cursor == "" {
		cursor = q.r.URL.Query().Get("cursor")
	}
	after, err := gate.ParseJournalCursor(cursor)
	if err != nil {
		return nil, err
	}
	if cursor == "" {
		if after, err = q.Store.JournalEnd(q.Context, id); err != nil {
			return nil, err
		}
	}
	changes := gate.JournalFilter{After: after, Kinds: shownKinds, Limit: store.MaxPage}
	stream, err := q.Follow(q.Context, id, changes, changeFrame, q.sessionEnded)
	if err != nil {
		return nil, err
	}
	stream.Body(q.hc)
	return nil, nil
}

// changeFrame returns the event for a part of the journal; empty: nothing happened.
func changeFrame(part gate.JournalPage) (string, error) {
	if len(part.Events) == 0 {
		return "", nil
	}
	return fmt.Sprintf("id: %s\nevent: change\ndata: %d\n\n", part.Next, len(part.Events)), nil
}

// shownKinds are the events after which a page may show something else. A turn alone changes no memory.
var shownKinds = slices.DeleteFunc(slices.Clone(gate.EventKinds), func(kind gate.EventKind) bool {
	return kind == gate.EventTurnStarted || kind == gate.EventTurnCompleted
})

// sessionEnded reports whether the session of a request has ended or its key was revoked. While the store cannot be asked, it is not.
func (b *Browser) sessionEnded(hc huma.Context) bool {
	r, _ := humago.Unwrap(hc)
	_, err := b.Store.SessionKey(hc.Context(), rest.SessionToken(r))
	return errors.Is(err, store.ErrUnauthorized)
}

// follow makes a page follow what changes after enterLive.
func (q *request) follow(f view.Frame) view.Frame {
	if _, full := rest.AcrossOwners(q.id); full {
		f.Cursor = q.end.String()
	}
	return f
}
