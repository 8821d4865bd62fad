package llmtest

import (
	"hash/fnv"
	"math/rand/v2"
)

// Script decides what happens to a request. The zero Reply is an honest answer.
type Script func(Request) Reply

// Always treats every request alike.
func Always(r Reply) Script { return func(Request) Reply { return r } }

// Sequence treats the first request of each key as the first reply says, and so on; those that follow are answered honestly.
func Sequence(replies ...Reply) Script {
	return func(r Request) Reply {
		if r.Attempt > len(replies) {
			return Honest()
		}
		return replies[r.Attempt-1]
	}
}

// Mix is a random mix of faults. Whether a request meets one depends on the seed, its key and how many requests of that
// key came before, and on nothing else: the same seed makes the same faults, however requests overtake each other.
type Mix struct {
	Seed uint64
	// MaxPerKey is how many faults one key meets at most, so that runs finish.
	MaxPerKey int
	Faults    []Chance
}

// Chance is a fault with its share of all requests, between 0 and 1.
type Chance struct {
	Share float64
	Reply Reply
}

// Script is the mix as a script.
func (m Mix) Script() Script {
	return func(r Request) Reply {
		draws := rand.New(rand.NewPCG(m.Seed, hash(r.Key))) //nolint:gosec // the same seed has to make the same faults
		met := 0
		for attempt := 1; ; attempt++ {
			fault, isFault := m.pick(draws.Float64())
			isFault = isFault && met < m.MaxPerKey
			switch {
			case attempt == r.Attempt && isFault:
				return fault
			case attempt == r.Attempt:
				return Honest()
			case isFault:
				met++
			}
		}
	}
}

// pick is the fault that a number between 0 and 1 falls on, if any.
func (m Mix) pick(at float64) (Reply, bool) {
	for _, c := range m.Faults {
		if at < c.Share {
			return c.Reply, true
		}
		at -= c.Share
	}
	return Reply{}, false
}

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // a hash never fails
	return h.Sum64()
}
