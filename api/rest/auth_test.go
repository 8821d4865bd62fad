package rest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/store"
	"reverie/store/gate"
)

// Caches that clients can fill are bounded.
func TestMemoryForClientsIsBounded(t *testing.T) {
	now := time.Now()
	clock := func() time.Time { return now }
	cache := newKeyCache(clock)
	for i := range maxCachedKeys + 10 {
		cache.put(fmt.Sprint("key ", i), gate.Key{}, store.ErrUnauthorized)
	}
	if n := len(cache.entries); n > maxCachedKeys {
		t.Errorf("%d cached keys", n)
	}
	limits := newLimiter(1, 2, clock)
	for i := range maxBuckets + 10 {
		limits.take(fmt.Sprint("name ", i))
	}
	if n := len(limits.buckets); n > maxBuckets {
		t.Errorf("%d buckets", n)
	}
}

// Eviction keeps entries that still count while others can be removed.
func TestRoomIsMadeByWhatHasExpired(t *testing.T) {
	now := time.Now()
	clock := func() time.Time { return now }
	cache := newKeyCache(clock)
	for i := range maxCachedKeys - 1 {
		cache.put(fmt.Sprint("old ", i), gate.Key{}, store.ErrUnauthorized)
	}
	now = now.Add(keyTTL - time.Second)
	known := gate.Key{ID: uuid.New()}
	cache.put("mine", known, nil)
	now = now.Add(time.Second)
	cache.put("one more", gate.Key{}, store.ErrUnauthorized)
	if entry, found := cache.get("mine"); !found || entry.key.ID != known.ID {
		t.Errorf("a key in use was forgotten: %+v", entry)
	}
	if _, found := cache.get("old 1"); found {
		t.Error("an expired entry is still used")
	}

	limits := newLimiter(1, 2, clock)
	for i := range maxBuckets - 1 {
		limits.take(fmt.Sprint("idle ", i))
	}
	now = now.Add(time.Hour)
	limits.take("busy")
	limits.take("busy")
	limits.take("one more")
	if _, allowed := limits.take("busy"); allowed {
		t.Error("a busy client was forgotten and may go on")
	}
}

func TestALimiterRefills(t *testing.T) {
	now := time.Now()
	limits := newLimiter(2, 4, func() time.Time { return now })
	for range 4 {
		if _, allowed := limits.take("a"); !allowed {
			t.Fatal("the burst is not allowed")
		}
	}
	wait, allowed := limits.take("a")
	if allowed || wait != 500*time.Millisecond {
		t.Errorf("allowed %v, wait %s", allowed, wait)
	}
	now = now.Add(wait)
	if _, allowed := limits.take("a"); !allowed {
		t.Error("not allowed after the wait")
	}
	if none := newLimiter(0, 0, func() time.Time { return now }); func() bool { _, ok := none.take("a"); return !ok }() {
		t.Error("no limit limits")
	}
}
