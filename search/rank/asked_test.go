package rank

import (
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"reverie/search"
	"reverie/search/chunk"
	"reverie/search/index"
)

// TestRankQuestions checks that of two questions in one text each has a place among the first hits, however long the other is, unless
// only one has enough words that are known.
func TestRankQuestions(t *testing.T) {
	texts := []string{
		"red oar", "mast deck hull wind sail", "mast deck", "red", "oar", "red", "oar", "red", "oar", "rain",
	}
	q, c := collected(search.Sessions, nil, texts, "red oar mast deck hull wind sail")
	o := only()
	o.Question = .5
	if diff := gocmp.Diff([]int{1, 2, 0}, places(Rank(q, c, o))[:3]); diff != "" {
		t.Fatal(diff)
	}
	q.Questions = 2
	for i := range q.Terms {
		if q.Terms[i].In = 2; i < 2 {
			q.Terms[i].In = 1
		}
	}
	ranked := Rank(q, c, o)
	if diff := gocmp.Diff([]int{1, 0, 2}, places(ranked)[:3]); diff != "" {
		t.Error(diff)
	}
	parts := byUnit(ranked)
	if parts[1].Question != 0 || parts[0].Question <= 0 || parts[3].Question >= parts[0].Question {
		t.Errorf("%+v", ranked)
	}
	if got, want := parts[0].total(), o.Question*(parts[0].Body+parts[1].Body); math.Abs(got-want) > 1e-9 {
		t.Errorf("the best for the short question has %g, want %g", got, want)
	}

	q.Terms[1].Text, q.Terms[1].Forms, c.Body[1] = "oars", []string{"oars"}, nil
	for _, r := range Rank(q, c, o) {
		if r.Parts.Question != 0 {
			t.Errorf("with a single known word: %+v", r)
		}
	}
}

// TestRankPeople checks that turns that name nobody of a dialogue lose the share of turns that name a speaker, unless the speakers
// have their own turns, and that what an assistant said loses nothing.
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
	o.Speaker, o.People = 1, 1
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
		"switched off":     func() { o.People = 0 },
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
