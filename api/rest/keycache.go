package rest

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/google/uuid"

	"reverie/store"
)

const (
	// keyTTL is how long an authentication holds: a key revoked at another server stops working here within it.
	keyTTL = 5 * time.Second
	// maxCachedKeys bounds the memory that unknown keys can take.
	maxCachedKeys = 10_000
)

// keyCache remembers for a few seconds which secrets are keys and which are not, so that a busy client does not cost a
// query for each request. It holds hashes of secrets, not the secrets.
type keyCache struct {
	now     func() time.Time
	mu      sync.Mutex
	entries map[[sha256.Size]byte]cachedKey
}

type cachedKey struct {
	key     store.Key
	known   bool // false: no such key
	expires time.Time
}

func newKeyCache(now func() time.Time) *keyCache {
	return &keyCache{now: now, entries: map[[sha256.Size]byte]cachedKey{}}
}

// get returns what is remembered about a secret, and whether anything is.
func (c *keyCache) get(secret string) (entry cachedKey, found bool) {
	hash := sha256.Sum256([]byte(secret))
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, found = c.entries[hash]
	return entry, found && c.now().Before(entry.expires)
}

// put remembers a key, or with known false that a secret is none.
func (c *keyCache) put(secret string, key store.Key, known bool) {
	hash := sha256.Sum256([]byte(secret))
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= maxCachedKeys {
		c.makeRoom()
	}
	c.entries[hash] = cachedKey{key: key, known: known, expires: c.now().Add(keyTTL)}
}

// makeRoom drops what has expired, and everything when that is nothing: keys are looked up again.
func (c *keyCache) makeRoom() {
	now := c.now()
	for hash, entry := range c.entries {
		if !now.Before(entry.expires) {
			delete(c.entries, hash)
		}
	}
	if len(c.entries) >= maxCachedKeys {
		clear(c.entries)
	}
}

// Forget drops a key, so that its revocation holds here at once.
func (c *keyCache) Forget(id uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for hash, entry := range c.entries {
		if entry.known && entry.key.ID == id {
			delete(c.entries, hash)
		}
	}
}
