package recall

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"reverie/search"
	"reverie/search/fuse"
)

// knownSpaces is of how many spaces the reputation is kept; the others begin again.
const knownSpaces = 10_000

// Reputations are what this process has learned of the spaces of vectors from the questions that it answered: whether what is
// near to a question has to do with it. They say something about the model and nothing about anybody. An answer tells with
// which reputation it was made, since the same question may be answered a little differently once more is known.
type Reputations struct {
	mu   sync.Mutex
	kept *lru.Cache[reputationKey, fuse.Reputation]
}

type reputationKey struct {
	space  int64
	corpus search.Corpus
}

// NewReputations knows nothing yet.
func NewReputations() *Reputations {
	// Its only error is a size that is not positive.
	kept, _ := lru.New[reputationKey, fuse.Reputation](knownSpaces)
	return &Reputations{kept: kept}
}

// of is what is known so far; nothing of a space that is new.
func (r *Reputations) of(key reputationKey) fuse.Reputation {
	if r == nil {
		return fuse.Reputation{}
	}
	known, _ := r.kept.Get(key)
	return known
}

// learn takes one more question in.
func (r *Reputations) learn(key reputationKey, v fuse.Votes) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept.Add(key, r.of(key).After(v))
}
