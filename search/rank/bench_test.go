package rank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"reverie/language/analysis"
	"reverie/search"
	"reverie/search/index"
)

// BenchmarkRank ranks conversations of 500 turns each, with questions of eight words: four are in half of all turns,
// four are rarer by Zipf's law.
func BenchmarkRank(b *testing.B) {
	for _, units := range []int{10_000, 100_000} {
		for _, corpus := range search.Corpora() {
			q, c := zipfCollection(corpus, units)
			b.Run(fmt.Sprintf("%s/%d", corpus, units), func(b *testing.B) {
				b.ReportAllocs()
				o := DefaultOptions()
				for b.Loop() {
					if len(Rank(q, c, o)) != o.Depth {
						b.Fatal("too little found")
					}
				}
			})
		}
	}
}

// BenchmarkRefine refines 60 texts of 60 words.
func BenchmarkRefine(b *testing.B) {
	q, c := zipfCollection(search.Sessions, 10_000)
	text := ""
	for i := range 60 {
		text += fmt.Sprintf("%s%d ", []string{"wording", "term", "common", "and"}[i%4], i%16)
	}
	hits := Rank(q, c, DefaultOptions())
	b.ReportAllocs()
	for b.Loop() {
		Refine(q, c, hits, func(int) Text { return Text{text, "Ada"} }, DefaultOptions())
	}
}

func zipfCollection(corpus search.Corpus, units int) (analysis.Query, *index.Collection) {
	random := rand.New(rand.NewPCG(1, 2))
	c := &index.Collection{Corpus: corpus, Units: make([]index.Unit, units)}
	for i := range c.Units {
		c.Units[i] = index.Unit{
			Group: int64(i / 500), Seq: int64(i%500 + 1), Length: 5 + int(random.ExpFloat64()*40),
			At: 1_700_000_000 + int64(i)*60,
		}
	}
	q := analysis.Query{Text: "synthetic"}
	for i := range 8 {
		share := .5
		if i >= 4 {
			share = .1 / math.Pow(4, float64(i-4))
		}
		word := fmt.Sprintf("term%d", i)
		q.Terms = append(q.Terms, analysis.QueryTerm{Text: word, Forms: []string{word}})
		var postings []index.Posting
		for unit := range units {
			if random.Float64() < share {
				postings = append(postings, index.Posting{Unit: int32(unit), TF: 1 + int32(random.ExpFloat64())})
			}
		}
		c.Body = append(c.Body, slices.Clip(postings))
		c.Context = append(c.Context, nil)
	}
	return q, c
}
