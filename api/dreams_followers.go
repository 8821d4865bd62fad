package api

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/store"
)

// followers are the requests that follow dreams. Those that follow the same share one look at the database a second.
type followers struct {
	server    *Server
	heartbeat time.Duration

	mu    sync.Mutex
	count int
	feeds map[feedKey]*feed
}

func newFollowers(s *Server) *followers {
	return &followers{server: s, heartbeat: heartbeat, feeds: map[feedKey]*feed{}}
}

// feedKey is whose dreams are followed.
type feedKey struct {
	workspace, agent string
	owner            memory.Owner
	any              bool
}

// feed wakes those who follow the same when there is something new.
type feed struct {
	count int // of followers
	stop  context.CancelFunc

	mu   sync.Mutex
	wake chan struct{}
}

// wait returns a channel that is closed at the next change.
func (f *feed) wait() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wake
}

func (f *feed) tell() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.wake)
	f.wake = make(chan struct{})
}

// join finds the feed of an identity, until release is called. It reports false when too many follow already.
func (f *followers) join(id memory.Identity) (_ *feed, release func(), found bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count >= maxFollowers {
		return nil, nil, false
	}
	f.count++
	key := feedKey{id.Workspace, id.Agent, id.Owner, id.AnyOwner}
	joined, found := f.feeds[key]
	if !found {
		ctx, cancel := context.WithCancel(f.server.stopping)
		joined = &feed{stop: cancel, wake: make(chan struct{})}
		f.feeds[key] = joined
		go f.watch(ctx, joined, id)
	}
	joined.count++
	return joined, sync.OnceFunc(func() { f.leave(key, joined) }), true
}

func (f *followers) leave(key feedKey, left *feed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count--
	if left.count--; left.count == 0 {
		left.stop()
		delete(f.feeds, key)
	}
}

// watch looks for changes and tells of them. While the database is away it keeps trying: those who follow find out themselves.
func (f *followers) watch(ctx context.Context, told *feed, id memory.Identity) {
	pause := time.NewTicker(followPause)
	defer pause.Stop()
	var last follower
	last.sent, last.since = map[uuid.UUID]time.Time{}, f.server.Now().Add(-catchUp)
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		changes, err := f.server.Store.DreamsSince(ctx, id, last.since, store.MaxPage)
		if err != nil {
			f.server.Log.DebugContext(ctx, "Dreams cannot be followed", "error", loggable(err))
			continue
		}
		if last.learn(changes) {
			told.tell()
		}
	}
}

// learn notes changes and reports whether any of them is new.
func (f *follower) learn(changes []store.ChangedDream) bool {
	learned := false
	for _, c := range changes {
		if c.ChangedAt.After(f.sent[c.ID]) {
			f.sent[c.ID], learned = c.ChangedAt, true
		}
	}
	f.forget(changes)
	return learned
}
