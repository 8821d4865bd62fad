package store

import (
	"math"
	"testing"

	"golang.org/x/sync/errgroup"

	"reverie/search"
	"reverie/search/fuse"
	"reverie/store/indexes"
)

// Questions of several processes add up to the same reputation as in one; it belongs to its space and goes with it.
func TestReputations(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	write(t, s, member("user:7"), replace(personal("MEMORY.md"), 0, "- likes tea\n"))
	space := must[indexes.Space](t)(s.OpenSpace(t.Context(), tender(), worldIdentity("live")))
	other := must[indexes.Space](t)(s.OpenSpace(t.Context(), tender(), worldIdentity("building")))
	vote := fuse.Votes{Text: 1, Noise: 3, Agreement: 1, Sure: .5, Met: true, Kinship: 2}
	var want fuse.Reputation
	var all errgroup.Group
	for range 20 {
		want = want.After(vote)
		all.Go(func() error {
			return s.LearnReputations(t.Context(), member("user:7"), space.ID, map[search.Corpus][]fuse.Votes{search.Memory: {vote}})
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	live := must[indexes.Space](t)(s.LiveSpace(t.Context(), member("user:8")))
	got := live.Reputations[search.Memory]
	if len(live.Reputations) != 1 || math.Abs(got.Kinship-want.Kinship) > 1e-9 || got.Questions != want.Questions || got.Evidence != want.Evidence {
		t.Errorf("%+v, want %+v", live.Reputations, want)
	}
	must[indexes.Space](t)(s.SwitchSpace(t.Context(), tender(), other.ID))
	if live := must[indexes.Space](t)(s.LiveSpace(t.Context(), member("user:8"))); live.ID != other.ID || len(live.Reputations) != 0 {
		t.Errorf("another space: %+v", live)
	}
	for more := true; more; {
		more = must[bool](t)(s.DropSpace(t.Context(), tender(), space.ID, 100))
	}
	votes := map[search.Corpus][]fuse.Votes{search.Memory: {vote}}
	if err := s.LearnReputations(t.Context(), member("user:7"), space.ID, votes); err != nil { // a search that was under way
		t.Error(err)
	}
	if left, err := rawAs(t, s, everything(t, tender()), "select from index_reputations"); err != nil || left != 0 {
		t.Errorf("%d reputations of a dropped space, %v", left, err)
	}
}
