package dreams

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/dreams"
)

const (
	// catchUp limits how far back a stream starts by default; catchUpMost limits it with Last-Event-ID.
	catchUp     = time.Minute
	catchUpMost = 24 * time.Hour
	// commitTime bounds the time from a change's timestamp to its commit. A later change may be committed before it.
	commitTime = 5 * time.Second
)

func (s *Handlers) dreamEventRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "dream-events", Method: http.MethodGet, Path: dreamsPath + "/events", Original: originalPath + "/dream/events",
		Produces: rest.EventStream,
		Tag:      "dreams", Need: memory.RoleViewer, Timeout: rest.FollowTime,
		Summary: "Follow dreams as a stream",
		Doc: "Server-sent events: dream.progress whenever a dream enters another phase, dream.ended with its outcome; ids, times and " +
			"counts, never what was said. Of the owner that is named or that the key is pinned to; naming nobody, of all owners. With " +
			"Last-Event-ID it goes on there, and some events may come twice; else it begins with those of the last minute. A request ends after " +
			"an hour: come back with Last-Event-ID, as browsers do automatically. 429 when too many follow.",
	}, s.followDreams)
}

type dreamEventsInput struct {
	rest.AgentParam
	rest.PersonParams
	LastEventID string `header:"Last-Event-ID" maxLength:"100" doc:"Id of the last event that was received."`
}

// dreamEvent is an event of a dream. It has no contents.
type dreamEvent struct {
	Dream      uuid.UUID           `json:"dream"`
	Owner      memory.Owner        `json:"owner,omitempty"` // for who sees the dreams of all owners whole
	Mode       memory.DreamMode    `json:"mode"`
	Trigger    memory.DreamTrigger `json:"trigger"`
	Night      string              `json:"night,omitempty"`
	DryRun     bool                `json:"dryRun"`
	Phase      memory.DreamPhase   `json:"phase"`
	Outcome    memory.Outcome      `json:"outcome"`
	ReasonCode memory.ReasonCode   `json:"reasonCode,omitempty"`
	Counts     dreams.DreamCounts  `json:"counts"`
	At         time.Time           `json:"at"`
}

// name returns the kind of event.
func (e dreamEvent) name() string {
	if e.Phase == memory.DreamEnded {
		return "dream.ended"
	}
	return "dream.progress"
}

// id names the event to Last-Event-ID.
func (e dreamEvent) id() string {
	return strconv.FormatInt(e.At.UnixMicro(), 10) + "-" + e.Dream.String()
}

func parseEventID(text string) (at time.Time, dream uuid.UUID, err error) {
	micros, id, _ := strings.Cut(text, "-")
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return at, dream, err
	}
	dream, err = uuid.Parse(id)
	return time.UnixMicro(n), dream, err
}

func (s *Handlers) followDreams(ctx context.Context, in *dreamEventsInput) (*rest.Streamed, error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	f := follower{sent: map[uuid.UUID]time.Time{}, since: s.Now().Add(-catchUp)}
	f.id, f.full = rest.AcrossOwners(id)
	if in.LastEventID != "" {
		at, dream, err := parseEventID(in.LastEventID)
		if err != nil {
			return nil, fault.InvalidAt("header.Last-Event-ID", "it is not the id of an event")
		}
		f.sent[dream], f.since = at, at.Add(-commitTime)
		if oldest := s.Now().Add(-catchUpMost); f.since.Before(oldest) {
			f.since = oldest
		}
	}
	feed, release, found := s.followers.Join(ctx, f.id)
	if !found {
		return nil, rest.TooMany(rest.ReconnectAfter)
	}
	f.changed = feed.Wait
	return &rest.Streamed{Body: func(hc huma.Context) {
		defer release()
		s.follow(hc, f)
	}}, nil
}

// follower is a request that follows dreams.
type follower struct {
	id      memory.Identity
	full    bool
	since   time.Time               // what changed before is known
	sent    map[uuid.UUID]time.Time // the last change sent of each dream, if not before since
	changed func() <-chan struct{}  // closed when there is something new
}

// follow streams events to a client until it disconnects, the time limit passes, its key is revoked or the server stops.
func (s *Handlers) follow(hc huma.Context, f follower) {
	ctx := hc.Context()
	write := rest.OpenStream(hc, rest.EventStream)
	err := write(fmt.Sprintf("retry: %d\n\n", rest.ReconnectAfter.Milliseconds()))
	beat, check := time.NewTicker(s.Heartbeat), time.NewTicker(rest.KeyCheck)
	defer beat.Stop()
	defer check.Stop()
	for err == nil {
		wake := f.changed() // before looking, so that nothing is missed between the two
		var text string
		if text, err = s.news(ctx, &f); err != nil {
			break
		}
		if text != "" {
			err = write(text)
			continue // there may be more than one page of it
		}
		for waiting := true; err == nil && waiting; {
			select {
			case <-wake:
				waiting = false
			case <-check.C:
				if s.Revoked(hc) {
					return
				}
			case <-beat.C:
				err = write(": still here\n\n")
			case <-ctx.Done():
				return
			case <-s.Stopping.Done():
				return
			}
		}
	}
	s.Log.DebugContext(ctx, "Somebody follows dreams no more", "error", rest.Loggable(err), "request", rest.RequestID(ctx))
}

// news returns the events that a follower has not been sent yet.
func (s *Handlers) news(ctx context.Context, f *follower) (string, error) {
	changes, err := s.Store.DreamsSince(ctx, f.id, f.since, store.MaxPage)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, c := range changes {
		if !c.ChangedAt.After(f.sent[c.ID]) {
			continue
		}
		f.sent[c.ID] = c.ChangedAt
		e := dreamEvent{
			Dream: c.ID, Mode: c.Mode, Trigger: c.Trigger, Night: c.Night, DryRun: c.DryRun, Phase: c.Phase, Outcome: c.Outcome,
			ReasonCode: c.ReasonCode, Counts: c.Counts, At: c.ChangedAt,
		}
		if f.full && f.id.AnyOwner {
			e.Owner = c.Owner
		}
		data, err := json.Marshal(e)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "id: %s\nevent: %s\ndata: %s\n\n", e.id(), e.name(), data)
	}
	f.forget(changes)
	return out.String(), nil
}

// forget moves since forward and drops what is before it.
func (f *follower) forget(changes []dreams.ChangedDream) {
	if len(changes) == 0 {
		return
	}
	newest := changes[len(changes)-1].ChangedAt
	if len(changes) < store.MaxPage { // all there is, but for what is being committed
		newest = newest.Add(-commitTime)
	}
	if !newest.After(f.since) {
		return
	}
	f.since = newest
	for dream, at := range f.sent {
		if at.Before(f.since) {
			delete(f.sent, dream)
		}
	}
}

// lookForDreams looks for dreams that changed since a minute before it began.
func (s *Handlers) lookForDreams(id memory.Identity) rest.Look {
	var last follower
	last.sent, last.since = map[uuid.UUID]time.Time{}, s.Now().Add(-catchUp)
	return func(ctx context.Context) (bool, error) {
		changes, err := s.Store.DreamsSince(ctx, id, last.since, store.MaxPage)
		return err == nil && last.learn(changes), err
	}
}

// learn notes changes and reports whether any of them is new.
func (f *follower) learn(changes []dreams.ChangedDream) bool {
	learned := false
	for _, c := range changes {
		if c.ChangedAt.After(f.sent[c.ID]) {
			f.sent[c.ID], learned = c.ChangedAt, true
		}
	}
	f.forget(changes)
	return learned
}
