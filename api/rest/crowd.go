package rest

import (
	"context"
	"sync"
	"time"
)

const (
	// crowdMost bounds the secrets of one look at the database. One more finds no place: that takes more than 10,000 requests a second.
	crowdMost = 256
	// crowdPause is the time between two looks, crowdPatience bounds one.
	crowdPause    = 10 * time.Millisecond
	crowdPatience = 5 * time.Second
)

// crowd tells valid secrets from guessed ones where many are guessed, so that who guesses shuts out nobody with a key at the same address.
// All secrets that arrive meanwhile share one look at the database, and one look runs at a time: however many are guessed,
// they cost one connection, and of a guessed one nothing is remembered.
type crowd struct {
	known func(ctx context.Context, secrets []string) (map[string]bool, error)

	looking sync.Mutex // held by the look that runs
	mu      sync.Mutex
	next    *crowdLook // that gathers; nil: none
}

// crowdLook is one look for several secrets.
type crowdLook struct {
	secrets []string
	asked   map[string]bool
	done    chan struct{}
	known   map[string]bool // set before done is closed
	err     error
}

// has reports whether a secret is known.
func (c *crowd) has(ctx context.Context, secret string) (bool, error) {
	look := c.join(secret)
	if look == nil {
		return false, nil
	}
	select {
	case <-look.done:
		return look.known[secret], look.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// join adds a secret to the next look; nil: it has no place.
func (c *crowd) join(secret string) *crowdLook {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = &crowdLook{asked: map[string]bool{}, done: make(chan struct{})}
		go c.look(c.next)
	}
	if look := c.next; !look.asked[secret] {
		if len(look.secrets) >= crowdMost {
			return nil
		}
		look.secrets, look.asked[secret] = append(look.secrets, secret), true
	}
	return c.next
}

func (c *crowd) look(l *crowdLook) {
	defer close(l.done)
	c.looking.Lock()
	defer c.looking.Unlock()
	time.Sleep(crowdPause)
	c.mu.Lock()
	c.next = nil
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), crowdPatience)
	defer cancel()
	l.known, l.err = c.known(ctx, l.secrets)
}
