package api

import (
	"context"
	"sync"
	"time"

	"reverie/memory"
)

// followers are the requests that follow dreams, or events. Those that follow the same share one look at the database a second.
type followers struct {
	server *kernel
	what   string // is followed
	begin  func(id memory.Identity) look

	mu    sync.Mutex
	count int
	feeds map[feedKey]*feed
}

// look reports whether there is something that it has not seen before.
type look func(ctx context.Context) (bool, error)

func newFollowers(s *kernel, what string, begin func(memory.Identity) look) *followers {
	return &followers{server: s, what: what, begin: begin, feeds: map[feedKey]*feed{}}
}

// feedKey is what is followed: two with the same key see the same.
type feedKey struct {
	workspace, agent string
	owner            memory.Owner
	any              bool
	role             memory.Role
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
	key := feedKey{id.Workspace, id.Agent, id.Owner, id.AnyOwner, id.Role}
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
	changed := f.begin(id)
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		found, err := changed(ctx)
		if err != nil {
			f.server.Log.DebugContext(ctx, "Nothing can be followed", "what", f.what, "error", loggable(err))
			continue
		}
		if found {
			told.tell()
		}
	}
}

// following returns the number of requests that follow.
func (f *followers) following() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}
