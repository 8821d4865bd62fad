package rest

import (
	"context"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"reverie/memory"
	"reverie/store/gate"
)

// Follow streams the events after filter.After that the identity sees, as server-sent events that frames writes, until the client
// disconnects, the time limit passes, ended reports that its key or session is no longer valid, or the server stops. It returns a 429 when
// too many follow, and the errors of the first look at the journal.
func (s *Server) Follow(
	ctx context.Context,
	id memory.Identity,
	filter gate.JournalFilter,
	frames func(gate.JournalPage) (string, error),
	ended func(huma.Context) bool,
) (*Streamed, error) {
	feed, release, found := s.Events.Join(ctx, id)
	if !found {
		return nil, TooMany(ReconnectAfter)
	}
	wake := feed.Wait() // before looking, so that nothing is missed between the two
	first, err := s.Store.Journal(ctx, id, filter)
	if err != nil {
		release()
		return nil, err
	}
	return &Streamed{Body: func(hc huma.Context) {
		defer release()
		err := s.follow(hc, id, filter, first, feed, wake, frames, ended)
		if err != nil {
			s.Log.DebugContext(ctx, "Somebody follows events no more", "error", Loggable(err), "request", RequestID(ctx))
		}
	}}, nil
}

func (s *Server) follow(
	hc huma.Context,
	id memory.Identity,
	filter gate.JournalFilter,
	part gate.JournalPage,
	feed *Feed,
	wake <-chan struct{},
	frames func(gate.JournalPage) (string, error),
	ended func(huma.Context) bool,
) error {
	ctx := hc.Context()
	write := OpenStream(hc, EventStream)
	// A client that reconnects continues after this place, even if nothing has happened until then.
	err := write(fmt.Sprintf("retry: %d\nid: %s\n\n", ReconnectAfter.Milliseconds(), filter.After))
	beat, check := time.NewTicker(s.Heartbeat), time.NewTicker(KeyCheck)
	defer beat.Stop()
	defer check.Stop()
	for err == nil {
		var text string
		if text, err = frames(part); err == nil && text != "" {
			err = write(text)
		}
		filter.After = part.Next
		for waiting := !part.More; err == nil && waiting; {
			select {
			case <-wake:
				waiting = false
			case <-check.C:
				if ended(hc) {
					return nil
				}
			case <-beat.C:
				err = write(fmt.Sprintf(": still here\nid: %s\n\n", filter.After))
			case <-ctx.Done():
				return nil
			case <-s.Stopping.Done():
				return nil
			}
		}
		if err == nil {
			wake = feed.Wait()
			part, err = s.Store.Journal(ctx, id, filter)
		}
	}
	return err
}
