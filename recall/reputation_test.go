package recall

import (
	"testing"

	"reverie/search"
	"reverie/search/fuse"
)

// The reputation learned from one question is available to the next one, but not to other spaces or corpora.
func TestReputations(t *testing.T) {
	t.Parallel()
	r := NewReputations()
	key := reputationKey{7, search.Memory}
	agrees := fuse.Votes{Text: 1, Noise: 3, Agreement: 3}
	for range 5 {
		r.learn(key, agrees)
	}
	if known := r.of(key); known.Evidence <= 0 {
		t.Errorf("after five questions: %+v", known)
	}
	for _, other := range []reputationKey{{7, search.Sessions}, {8, search.Memory}} {
		if known := r.of(other); known != (fuse.Reputation{}) {
			t.Errorf("of %+v is known %+v", other, known)
		}
	}
	var none *Reputations
	none.learn(key, agrees)
	if known := none.of(key); known != (fuse.Reputation{}) {
		t.Errorf("without reputations: %+v", known)
	}
}
