package rank

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"reverie/search"
	"reverie/search/chunk"
	"reverie/search/index"
)

// TestRankBalance checks that of two questions in one text the short one has as much weight as the long one, unless it is small talk
// of common words.
func TestRankBalance(t *testing.T) {
	texts := []string{
		"red oar", "mast deck hull wind", "mast deck hull", "red", "oar", "red", "oar", "red", "oar", "rain",
	}
	q, c := collected(search.Sessions, nil, texts, "red oar mast deck hull wind")
	if diff := gocmp.Diff([]int{1, 2, 0}, places(Rank(q, c, only()))[:3]); diff != "" {
		t.Fatal(diff)
	}
	q.Questions = 2
	for i := range q.Terms {
		if q.Terms[i].In = 2; i < 2 {
			q.Terms[i].In = 1
		}
	}
	factors := balanceOf(q, c)
	if factors[0] <= 1 || factors[0] > mostBalanced || factors[1] != 1 {
		t.Errorf("factors %v", factors)
	}
	if diff := gocmp.Diff([]int{0, 1, 2}, places(Rank(q, c, only()))[:3]); diff != "" {
		t.Error(diff)
	}

	q.Terms[1].Text, q.Terms[1].Forms, c.Body[1] = "oars", []string{"oars"}, nil
	if factors := balanceOf(q, c); factors != nil {
		t.Errorf("with a single known word: %v", factors)
	}
}

// TestRankPeople checks that turns that name nobody of a dialogue lose the share of turns that name a speaker, unless the speakers
// have turns of their own, and that what an assistant said loses nothing.
func TestRankPeople(t *testing.T) {
	units := []index.Unit{
		{Group: 1, Seq: 1},
		{Group: 2, Seq: 1},
		{Group: 3, Seq: 1},
		{Group: 4, Seq: 1},
		{Group: 5, Seq: 1, Section: int(chunk.Assistant)},
	}
	texts := []string{"eve won the boat race", "ada won a race", "ada sings", "cleo won a race", "the boat race"}
	q, c := collected(search.Sessions, units, texts, "ada cleo boat race")
	o := only()
	o.Speaker = 1
	q.Speakers = []string{"ada", "ben"}
	q.Terms[1].Sound = "kl"
	parts := byUnit(Rank(q, c, o))
	if eve := parts[0]; eve.Speaker != -.5*eve.Body {
		t.Errorf("two of four turns name a speaker: %+v", eve)
	}
	if parts[1].Speaker != 0 || parts[3].Speaker != 0 || parts[4].Speaker != 0 {
		t.Errorf("named %+v, mentioned %+v, assistant %+v", parts[1], parts[3], parts[4])
	}
	for name, change := range map[string]func(){
		"no dialogue":     func() { q.Speakers = nil },
		"nobody is known": func() { q.Speakers = []string{"ben"} },
		"with turns": func() {
			c.Context = slices.Clone(c.Context)
			c.Context[0] = []index.Posting{{Unit: 3, TF: 1}}
		},
		"in documents":     func() { c.Corpus = search.Memory },
		"without speakers": func() { o.Speaker = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			question, collection, options := q, *c, o
			defer func() { q, *c, o = question, collection, options }()
			change()
			if got := byUnit(Rank(q, c, o))[0].Speaker; got != 0 {
				t.Errorf("%g", got)
			}
		})
	}
}
