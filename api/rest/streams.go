package rest

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"reverie/memory"
)

const (
	// MaxFollowers bounds the streams of one kind on one server: each holds a connection.
	MaxFollowers = 256
	// MaxFollowersOfKey bounds those of one key, so that a few keys do not take all.
	MaxFollowersOfKey = 32
	// KeyCheck is the interval at which a stream looks whether its key is still valid.
	KeyCheck = 500 * time.Millisecond
	// FollowTime bounds one stream: clients reconnect with Last-Event-ID.
	FollowTime = time.Hour
	// followPause is the interval of looking for changes, once for all followers of the same feed.
	followPause = time.Second
	// heartbeat is the interval of signs of life on idle streams, so that proxies keep the connection open.
	heartbeat = 15 * time.Second
	// FollowWrite bounds one write to a client.
	FollowWrite = 30 * time.Second
	// ReconnectAfter is the pause before a client reconnects.
	ReconnectAfter = 2 * time.Second
)

// Media types of answers that are written bit by bit.
const (
	LinesOfJSON = "application/x-ndjson"
	EventStream = "text/event-stream"
)

// Streamed is an answer that is written bit by bit.
type Streamed struct {
	Body func(huma.Context)
}

// OpenStream begins an answer that is written bit by bit.
func OpenStream(hc huma.Context, contentType string) (write func(text string) error) {
	_, w := humago.Unwrap(hc)
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Accel-Buffering", "no") // proxies pass it on at once
	w.WriteHeader(http.StatusOK)
	if record := trailOf(hc.Context()).record; record != nil {
		record()
	}
	out := http.NewResponseController(w)
	return func(text string) error {
		if err := out.SetWriteDeadline(time.Now().Add(FollowWrite)); err != nil {
			return err
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return err
		}
		return out.Flush()
	}
}

// StreamWriter returns a writer for a stream that a library writes: a write must end within FollowWrite, and the request is recorded
// with the first one. beat writes a sign of life between two writes.
func StreamWriter(hc huma.Context) (w http.ResponseWriter, beat func() error) {
	_, inner := humago.Unwrap(hc)
	inner.Header().Set("X-Accel-Buffering", "no") // proxies pass it on at once
	s := &streamWriter{ResponseWriter: inner, record: trailOf(hc.Context()).record}
	return s, func() error {
		if _, err := s.Write([]byte(": still here\n\n")); err != nil {
			return err
		}
		return http.NewResponseController(s).Flush()
	}
}

type streamWriter struct {
	http.ResponseWriter

	mu     sync.Mutex
	record func() // nil: none is kept
}

// Unwrap returns the writer below, for http.ResponseController.
func (s *streamWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Write writes one event.
func (s *streamWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := http.NewResponseController(s.ResponseWriter).SetWriteDeadline(time.Now().Add(FollowWrite)); err != nil {
		return 0, err
	}
	n, err := s.ResponseWriter.Write(p)
	if s.record != nil {
		s.record()
	}
	return n, err
}

// eventsAsLines routes requests for events as lines of JSON to the download.
func eventsAsLines(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		agent, isAgent := strings.CutPrefix(r.URL.Path, "/api/v1/agents/")
		_, rest, _ := strings.Cut(agent, "/")
		if isAgent && rest == "events" && r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), LinesOfJSON) {
			r.URL.Path += ".jsonl"
			if r.URL.RawPath != "" {
				r.URL.RawPath += ".jsonl"
			}
		}
		return next(c)
	}
}

// Followers are the requests that follow dreams, or events. Those that follow the same share one look at the database a second.
type Followers struct {
	server *Server
	what   string // is followed
	begin  func(id memory.Identity) Look

	mu    sync.Mutex
	count int
	keys  map[uuid.UUID]int // streams of each key
	feeds map[feedKey]*Feed
}

// Look reports whether there is something that it has not seen before.
type Look func(ctx context.Context) (bool, error)

// NewFollowers returns the followers of one kind of feed, such as dreams; begin makes the look for changes of one feed.
func NewFollowers(s *Server, what string, begin func(memory.Identity) Look) *Followers {
	return &Followers{server: s, what: what, begin: begin, keys: map[uuid.UUID]int{}, feeds: map[feedKey]*Feed{}}
}

// feedKey identifies a feed: followers with the same key see the same events.
type feedKey struct {
	workspace, agent string
	owner            memory.Owner
	any              bool
	role             memory.Role
}

// Feed wakes those who follow the same when there is something new.
type Feed struct {
	count int // of followers
	stop  context.CancelFunc

	mu   sync.Mutex
	wake chan struct{}
}

// Wait returns a channel that is closed at the next change.
func (f *Feed) Wait() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wake
}

func (f *Feed) notify() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.wake)
	f.wake = make(chan struct{})
}

// Join finds the feed of an identity, until release is called. It reports false when too many follow already, or too many with the
// key of ctx.
func (f *Followers) Join(ctx context.Context, id memory.Identity) (_ *Feed, release func(), found bool) {
	caller := CallerOf(ctx).ID
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count >= MaxFollowers || f.keys[caller] >= MaxFollowersOfKey {
		return nil, nil, false
	}
	f.count++
	f.keys[caller]++
	key := feedKey{id.Workspace, id.Agent, id.Owner, id.AnyOwner, id.Role}
	joined, found := f.feeds[key]
	if !found {
		ctx, cancel := context.WithCancel(f.server.Stopping)
		joined = &Feed{stop: cancel, wake: make(chan struct{})}
		f.feeds[key] = joined
		go f.watch(ctx, joined, id)
	}
	joined.count++
	return joined, sync.OnceFunc(func() { f.leave(caller, key, joined) }), true
}

func (f *Followers) leave(caller uuid.UUID, key feedKey, left *Feed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count--
	if f.keys[caller]--; f.keys[caller] == 0 {
		delete(f.keys, caller)
	}
	if left.count--; left.count == 0 {
		left.stop()
		delete(f.feeds, key)
	}
}

// watch polls for changes and publishes them. While the database is unreachable it keeps trying: followers notice without being told.
func (f *Followers) watch(ctx context.Context, followed *Feed, id memory.Identity) {
	pause := time.NewTicker(followPause)
	defer pause.Stop()
	changed := f.begin(id)
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		found, err := changed(ctx)
		if err != nil {
			f.server.Log.DebugContext(ctx, "Nothing can be followed", "what", f.what, "error", Loggable(err))
			continue
		}
		if found {
			followed.notify()
		}
	}
}

// Following returns the number of requests that follow.
func (f *Followers) Following() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}
