package transfer

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"reverie/api/rest"
)

// archivePatience bounds how long a request waits for its turn to read an archive. A small archive may take seconds of CPU.
const archivePatience = 30 * time.Second

// turns bounds the archives that are read at the same time: one of each key, and as many as half of the CPUs.
type turns struct {
	all *semaphore.Weighted

	mu   sync.Mutex
	keys map[uuid.UUID]*keyTurn
}

// keyTurn lets the requests of one key wait for each other.
type keyTurn struct {
	one   *semaphore.Weighted
	users int // that wait or work
}

func newTurns() *turns {
	return &turns{all: semaphore.NewWeighted(int64(max(1, runtime.GOMAXPROCS(0)/2))), keys: map[uuid.UUID]*keyTurn{}}
}

// take waits for a turn of the key of ctx, at most for patience. It returns 429 when others take too long.
func (t *turns) take(ctx context.Context, patience time.Duration) (release func(), _ error) {
	key := rest.CallerOf(ctx).ID
	mine := t.join(key)
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := mine.one.Acquire(waiting, 1); err != nil {
		t.leave(key, mine)
		return nil, rest.TooMany(archivePatience)
	}
	if err := t.all.Acquire(waiting, 1); err != nil {
		mine.one.Release(1)
		t.leave(key, mine)
		return nil, rest.TooMany(archivePatience)
	}
	return func() {
		t.all.Release(1)
		mine.one.Release(1)
		t.leave(key, mine)
	}, nil
}

func (t *turns) join(key uuid.UUID) *keyTurn {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine, found := t.keys[key]
	if !found {
		mine = &keyTurn{one: semaphore.NewWeighted(1)}
		t.keys[key] = mine
	}
	mine.users++
	return mine
}

func (t *turns) leave(key uuid.UUID, mine *keyTurn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(t.keys, key)
	}
}
