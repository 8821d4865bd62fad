package rank

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"reverie/search"
	"reverie/search/chunk"
	"reverie/search/index"
)

// TestRankRules checks that the standing instruction with most of the words of the question is among the first hits, if an assistant
// takes part, and that one about something else is none.
func TestRankRules(t *testing.T) {
	units := []index.Unit{
		{Group: 1, Seq: 1, Section: int(chunk.Rule)},
		{Group: 1, Seq: 2, Section: int(chunk.Assistant)},
		{Group: 1, Seq: 3, Section: int(chunk.Rule)},
		{Group: 1, Seq: 4, Section: int(chunk.Rule)},
		{Group: 1, Seq: 5},
		{Group: 2, Seq: 1},
	}
	texts := []string{
		"always name the year of books", "well", "always draw boats", "always draw red boats", "red boats sail far",
		"boats sail far and red boats too",
	}
	o := DefaultOptions()
	o.Turns, o.First = Neighbourhood{}, 0
	q, c := collected(search.Sessions, units, texts, "red boats sail far")
	ranked := Rank(q, c, o)
	if diff := gocmp.Diff([]int{4, 5, 3, 2}, places(ranked)); diff != "" {
		t.Error(diff)
	}
	if got := byUnit(ranked); got[3].Rule <= 0 || got[2].Rule != 0 || ranked[2].Score != o.Rule*ranked[0].Score {
		t.Errorf("%+v", ranked)
	}
	o.Depth = 1
	if got := places(Rank(q, c, o)); got[0] != 3 {
		t.Errorf("the rule is not among the hits: %v", got)
	}
	o.Depth = 10
	c.Units[1].Section = int(chunk.Someone)
	if got := byUnit(Rank(q, c, o)); got[3].Rule != 0 {
		t.Errorf("among persons: %+v", got[3])
	}
	q, c = collected(search.Sessions, units, texts, "sail far")
	for _, r := range Rank(q, c, o) {
		if r.Parts.Rule != 0 {
			t.Errorf("about something else: %+v", r)
		}
	}
}
