package fuse

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/search/index"
)

func unitAt(i int) index.UnitKey { return index.UnitKey{Group: 1, Ordinal: int64(i)} }

// drawLists draws two lists, including invalid input.
func drawLists(t *rapid.T) (Lexical, Dense) {
	number := rapid.OneOf(rapid.Float64Range(-1, 12), rapid.SampledFrom([]float64{0, 1, 1, math.NaN(), math.Inf(1)}))
	var l Lexical
	for range rapid.IntRange(0, 40).Draw(t, "words") {
		l.Hits = append(l.Hits, LexicalHit{
			Unit: unitAt(rapid.IntRange(0, 60).Draw(t, "unit")), Score: number.Draw(t, "score"),
			Coverage: rapid.Float64Range(0, 1).Draw(t, "coverage"), Exact: rapid.Bool().Draw(t, "exact"),
		})
	}
	d := Dense{Count: rapid.IntRange(0, 80).Draw(t, "count"), Mean: number.Draw(t, "mean"), Deviation: number.Draw(t, "deviation")}
	for range rapid.IntRange(0, 40).Draw(t, "vectors") {
		d.Hits = append(d.Hits, DenseHit{unitAt(rapid.IntRange(0, 60).Draw(t, "unit")), number.Draw(t, "similarity")})
	}
	return l, d
}

// TestFuseInvariants checks that a fused ranking has each unit once, decreasing scores between 0 and 1, and weights
// that add up to 1.
func TestFuseInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, d := drawLists(t)
		fusion := Fuse(l, d, DefaultOptions())
		seen, last := map[index.UnitKey]bool{}, 1.
		for _, h := range fusion.Hits {
			if seen[h.Unit] {
				t.Fatalf("%v is there twice", h.Unit)
			}
			seen[h.Unit] = true
			for _, v := range []float64{h.Score, h.Text, h.Vector, h.Combined} {
				if !(v >= 0 && v <= 1) {
					t.Fatalf("%v is not between 0 and 1: %+v", v, h)
				}
			}
			if h.Score > last {
				t.Fatalf("score rises to %v from %v", h.Score, last)
			}
			last = h.Score
		}
		if sum := fusion.Votes.TextWeight + fusion.Votes.VectorWeight; len(fusion.Hits) > 0 && math.Abs(sum-1) > 1e-9 {
			t.Fatalf("weights add up to %v", sum)
		}
		if diff := cmp.Diff(fusion, Fuse(l, d, DefaultOptions())); diff != "" {
			t.Fatal("the same lists are fused otherwise", diff)
		}
	})
}

// TestFuseKeepsExactHits checks that vectors never lower the score of an exact hit below that of the words alone.
func TestFuseKeepsExactHits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, d := drawLists(t)
		scores := map[index.UnitKey]float64{}
		for _, h := range Fuse(l, d, DefaultOptions()).Hits {
			scores[h.Unit] = h.Score
		}
		for _, h := range Fuse(l, Dense{}, DefaultOptions()).Hits {
			if h.Exact && scores[h.Unit] < h.Text {
				t.Fatalf("vectors lower %v from %v to %v", h.Unit, h.Text, scores[h.Unit])
			}
		}
	})
}

func TestFuseOneList(t *testing.T) {
	l := Lexical{Hits: []LexicalHit{{Unit: unitAt(2), Score: 4, Coverage: .8}, {Unit: unitAt(1), Score: 2, Coverage: .4}}}
	d := Dense{Count: 3, Mean: .2, Deviation: .1, Hits: []DenseHit{{unitAt(3), .9}, {unitAt(1), .3}, {unitAt(2), .1}}}
	for name, c := range map[string]struct {
		l                        Lexical
		d                        Dense
		want                     []index.UnitKey
		textWeight, vectorWeight float64
	}{
		"words alone":             {l, Dense{}, []index.UnitKey{unitAt(2), unitAt(1)}, 1, 0},
		"vectors alone":           {Lexical{}, d, []index.UnitKey{unitAt(3), unitAt(1), unitAt(2)}, 0, 1},
		"neither":                 {Lexical{}, Dense{}, nil, 0, 0},
		"vectors that are alike":  {l, Dense{Hits: []DenseHit{{unitAt(1), .5}, {unitAt(2), .5}}}, []index.UnitKey{unitAt(2), unitAt(1)}, 1, 0},
		"vectors without numbers": {l, Dense{Hits: []DenseHit{{unitAt(1), math.NaN()}}}, []index.UnitKey{unitAt(2), unitAt(1)}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			fusion := Fuse(c.l, c.d, DefaultOptions())
			var got []index.UnitKey
			for _, h := range fusion.Hits {
				got = append(got, h.Unit)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error("ranking (-want +got)", diff)
			}
			if v := fusion.Votes; v.TextWeight != c.textWeight || v.VectorWeight != c.vectorWeight {
				t.Errorf("weights %v and %v, want %v and %v", v.TextWeight, v.VectorWeight, c.textWeight, c.vectorWeight)
			}
		})
	}
}
