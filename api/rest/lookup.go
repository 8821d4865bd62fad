package rest

import (
	"context"
	"sync"
	"time"
)

const (
	// lookupSecrets bounds the secrets of one query. More are refused; that takes more than 10,000 requests a second.
	lookupSecrets = 256
	// lookupPause is the time between two queries, during which secrets gather; lookupTimeout bounds one query.
	lookupPause   = 10 * time.Millisecond
	lookupTimeout = 5 * time.Second
)

// lookup finds valid secrets among guessed ones, so that a client that guesses does not lock out those with a key at the same address. It
// batches: all secrets that arrive within lookupPause share one query, and one query runs at a time. Guesses cost one connection, however
// many there are, and nothing is stored of them.
type lookup struct {
	query func(ctx context.Context, secrets []string) (known map[string]bool, err error)

	running sync.Mutex // held by the batch whose query runs
	mu      sync.Mutex
	next    *lookupBatch // that gathers secrets; nil: none
}

// lookupBatch is one query.
type lookupBatch struct {
	secrets []string
	added   map[string]bool
	done    chan struct{}
	known   map[string]bool // set before done is closed
	err     error
}

// has reports whether a secret is known. A secret that exceeds lookupSecrets is reported as unknown.
func (l *lookup) has(ctx context.Context, secret string) (bool, error) {
	batch := l.join(secret)
	if batch == nil {
		return false, nil
	}
	select {
	case <-batch.done:
		return batch.known[secret], batch.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// join adds a secret to the next batch; nil: the batch is full.
func (l *lookup) join(secret string) *lookupBatch {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next = &lookupBatch{added: map[string]bool{}, done: make(chan struct{})}
		go l.run(l.next)
	}
	if batch := l.next; !batch.added[secret] {
		if len(batch.secrets) >= lookupSecrets {
			return nil
		}
		batch.secrets, batch.added[secret] = append(batch.secrets, secret), true
	}
	return l.next
}

func (l *lookup) run(batch *lookupBatch) {
	defer close(batch.done)
	l.running.Lock()
	defer l.running.Unlock()
	time.Sleep(lookupPause)
	l.mu.Lock()
	l.next = nil
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), lookupTimeout)
	defer cancel()
	batch.known, batch.err = l.query(ctx, batch.secrets)
}
