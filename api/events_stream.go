package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"reverie/memory"
	"reverie/store"
)

// eventFollowers counts the requests that follow events: each holds a connection and looks once a second.
type eventFollowers struct{ count atomic.Int64 }

// join reports whether one more may follow; then leave must be called.
func (f *eventFollowers) join() bool {
	if f.count.Add(1) > maxFollowers {
		f.leave()
		return false
	}
	return true
}

func (f *eventFollowers) leave() { f.count.Add(-1) }

type eventStreamInput struct {
	EventParams
	LastEventID string `header:"Last-Event-ID" maxLength:"50" doc:"Id of the last event that was received; it counts instead of after."`
}

func (s *Server) followEvents(ctx context.Context, in *eventStreamInput) (*streamed, error) {
	if in.LastEventID != "" {
		in.After = in.LastEventID
	}
	id, filter, err := s.chosen(ctx, in.EventParams)
	if err != nil {
		return nil, err
	}
	if in.After == "" {
		if filter.After, err = s.Store.JournalEnd(ctx, id); err != nil {
			return nil, err
		}
	}
	first, err := s.Store.Journal(ctx, id, filter) // so that what is wrong is answered as an error
	if err != nil {
		return nil, err
	}
	if !s.eventFollowers.join() {
		return nil, tooMany(reconnectAfter)
	}
	return &streamed{Body: func(hc huma.Context) {
		defer s.eventFollowers.leave()
		s.tellEvents(hc, id, filter, first)
	}}, nil
}

// tellEvents tells a client what happens until it goes, the time is over, its key is revoked or the server stops.
func (s *Server) tellEvents(hc huma.Context, id memory.Identity, filter store.JournalFilter, part store.JournalPage) {
	ctx := hc.Context()
	write := openStream(hc, "text/event-stream")
	err := write(fmt.Sprintf("retry: %d\n\n", reconnectAfter.Milliseconds()))
	look, beat := time.NewTicker(followPause), time.NewTicker(s.followers.heartbeat)
	defer look.Stop()
	defer beat.Stop()
	for err == nil {
		var text string
		if text, err = eventFrames(part); err == nil && text != "" {
			err = write(text)
		}
		filter.After = part.Next
		for waiting := !part.More; err == nil && waiting; {
			select {
			case <-look.C:
				waiting = false
			case <-beat.C:
				if _, err = s.keyOf(hc); err == nil {
					err = write(": still here\n\n")
				}
			case <-ctx.Done():
				return
			case <-s.stopping.Done():
				return
			}
		}
		if err == nil {
			part, err = s.Store.Journal(ctx, id, filter)
		}
	}
	s.Log.DebugContext(ctx, "Somebody follows events no more", "error", loggable(err), "request", requestID(ctx))
}

// eventFrames is a part of the journal as server-sent events.
func eventFrames(part store.JournalPage) (string, error) {
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
