package llmtest

import (
	"hash/fnv"
	"math/rand/v2"
)

// Script chooses the reply to a request.
type Script func(Request) Reply

// Always gives every request the same reply.
func Always(r Reply) Script { return func(Request) Reply { return r } }

// Sequence gives the first request of each key the first reply, and so on; the requests after that get valid answers.
func Sequence(replies ...Reply) Script {
	return func(r Request) Reply {
		if r.Attempt > len(replies) {
			return Honest()
		}
		return replies[r.Attempt-1]
	}
}

// Mix is a random mix of faults. They depend only on the seed, the key of a request and its number among those of that key, so the
// same seed gives the same faults in any order of concurrent requests.
type Mix struct {
	Seed uint64
	// MaxPerKey bounds the faults per key, so that runs finish.
	MaxPerKey int
	Faults    []Chance
}

// Chance is a fault with its share of the requests, between 0 and 1.
type Chance struct {
	Share float64
	Reply Reply
}

// Script returns the mix as a script.
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

// pick returns the fault for a number between 0 and 1, if any.
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
