package files

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
)

// lookForEvents looks for events behind those that there were when it began. Its first look always finds something: what happened
// between that of a follower and its own would be told to nobody.
func (s *fileRoom) lookForEvents(id memory.Identity) rest.Look {
	var filter store.JournalFilter
	begun := false
	return func(ctx context.Context) (found bool, err error) {
		if !begun {
			if filter.After, err = s.Store.JournalEnd(ctx, id); err == nil {
				begun = true
			}
			return begun, err
		}
		part, err := s.Store.Journal(ctx, id, filter)
		if err == nil {
			found, filter.After = len(part.Events) > 0, part.Next
		}
		return found, err
	}
}

type eventStreamInput struct {
	EventParams
	LastEventID string `header:"Last-Event-ID" maxLength:"50" doc:"Id of the last event that was received; it counts instead of cursor."`
}

func (s *fileRoom) followEvents(ctx context.Context, in *eventStreamInput) (*rest.Streamed, error) {
	if in.LastEventID != "" {
		in.Cursor = in.LastEventID
	}
	id, filter, err := s.chosen(ctx, in.EventParams)
	if err != nil {
		return nil, err
	}
	if in.Cursor == "" && in.After == "" {
		if filter.After, err = s.Store.JournalEnd(ctx, id); err != nil {
			return nil, err
		}
	}
	feed, release, found := s.followers.Join(id)
	if !found {
		return nil, rest.TooMany(rest.ReconnectAfter)
	}
	wake := feed.Wait() // before looking, so that nothing is missed between the two
	first, err := s.Store.Journal(ctx, id, filter)
	if err != nil { // what is wrong is answered as an error
		release()
		return nil, err
	}
	return &rest.Streamed{Body: func(hc huma.Context) {
		defer release()
		s.tellEvents(hc, id, filter, first, feed, wake)
	}}, nil
}

// tellEvents tells a client what happens until it goes, the time is over, its key is revoked or the server stops.
func (s *fileRoom) tellEvents(hc huma.Context, id memory.Identity, filter store.JournalFilter, part store.JournalPage, told *rest.Feed, wake <-chan struct{}) {
	ctx := hc.Context()
	write := rest.OpenStream(hc, rest.EventStream)
	// Who comes back goes on behind this place, also when nothing has happened until then.
	err := write(fmt.Sprintf("retry: %d\nid: %s\n\n", rest.ReconnectAfter.Milliseconds(), filter.After))
	beat := time.NewTicker(s.Heartbeat)
	defer beat.Stop()
	for err == nil {
		var text string
		if text, err = eventFrames(part); err == nil && text != "" {
			err = write(text)
		}
		filter.After = part.Next
		for waiting := !part.More; err == nil && waiting; {
			select {
			case <-wake:
				waiting = false
			case <-beat.C:
				if _, err = s.KeyOf(hc); err == nil {
					err = write(fmt.Sprintf(": still here\nid: %s\n\n", filter.After))
				}
			case <-ctx.Done():
				return
			case <-s.Stopping.Done():
				return
			}
		}
		if err == nil {
			wake = told.Wait()
			part, err = s.Store.Journal(ctx, id, filter)
		}
	}
	s.Log.DebugContext(ctx, "Somebody follows events no more", "error", rest.Loggable(err), "request", rest.RequestID(ctx))
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
