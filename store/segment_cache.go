package store

import (
	"maps"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"reverie/search/index"
)

const (
	// cachedUnits is how many units of segments one process keeps, about 90 bytes each.
	cachedUnits = 500_000
	// worthCaching is from how many units on a segment is kept: smaller ones are read as quickly.
	worthCaching = 1000
)

// segmentCache keeps the units of segments, which never change, by agent. It decides nothing about who may see them: the
// database says which segments a search has, in every search.
type segmentCache struct {
	mu     sync.Mutex
	agents *simplelru.LRU[agentKey, segmentUnits]
	total  int
}

type agentKey struct{ workspace, agent string }

// segmentUnits are units by segment. Once it is in the cache it is not changed any more.
type segmentUnits map[int64][]index.Unit

func (u segmentUnits) count() int {
	n := 0
	for _, units := range u {
		n += len(units)
	}
	return n
}

func newSegmentCache() *segmentCache {
	c := &segmentCache{}
	// Its only error is a size that is not positive.
	c.agents, _ = simplelru.NewLRU(cachedUnits/worthCaching, func(_ agentKey, u segmentUnits) { c.total -= u.count() })
	return c
}

// of are the segments of an agent that are kept.
func (c *segmentCache) of(key agentKey) segmentUnits {
	c.mu.Lock()
	defer c.mu.Unlock()
	units, _ := c.agents.Get(key)
	return units
}

// add keeps more segments of an agent, at the cost of agents that were not searched for longer.
func (c *segmentCache) add(key agentKey, more segmentUnits) {
	maps.DeleteFunc(more, func(_ int64, units []index.Unit) bool { return len(units) < worthCaching })
	if len(more) == 0 || more.count() > cachedUnits {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.agents.Peek(key); ok {
		if old.count()+more.count() <= cachedUnits {
			maps.Copy(more, old)
		}
		c.agents.Remove(key)
	}
	c.agents.Add(key, more)
	c.total += more.count()
	for c.total > cachedUnits {
		c.agents.RemoveOldest()
	}
}
