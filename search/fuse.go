package search

import (
	"cmp"
	"math"
	"slices"
)

// DenseHit is a unit in a ranking by vectors.
type DenseHit struct {
	Unit       UnitKey `json:"unit"`
	Similarity float64 `json:"similarity"` // cosine similarity
}

// Dense is a ranking by vectors: the most similar units of a view, best first.
type Dense struct {
	Hits []DenseHit `json:"hits"`
	// Count is how many units of the view were compared, Mean and Deviation those of all their similarities. With Count 0
	// they are not known, and what they would say is estimated from the hits.
	Count     int     `json:"count"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// LexicalHit is a unit in a ranking by words.
type LexicalHit struct {
	Unit  UnitKey `json:"unit"`
	Score float64 `json:"score"` // without bound, as of BM25; only relations to the other hits mean something
	// Coverage is the share of what the question asks for that the unit has, words weighing by how rare they are, 0..1.
	Coverage float64 `json:"coverage"`
	// Exact says that the unit has a quoted phrase or an identifier of the question literally.
	Exact bool `json:"exact"`
}

// Lexical is a ranking by words, best first.
type Lexical struct {
	Hits []LexicalHit `json:"hits"`
	// Count is how many units the view has; 0: not known.
	Count int `json:"count"`
}

// FuseOptions say how two rankings become one.
type FuseOptions struct {
	// VectorWeight and TextWeight are the weights of the two calibrated scores. Only their relation matters; below 0 counts
	// as 0, and when both are 0 they are taken as equal.
	VectorWeight float64
	TextWeight   float64
	// Depth is how many hits of each list count.
	Depth int
}

// DefaultFuseOptions weigh vectors 0.7 and words 0.3, over the best 200 of each.
func DefaultFuseOptions() FuseOptions {
	return FuseOptions{VectorWeight: 0.7, TextWeight: 0.3, Depth: 200}
}

// Fused is a unit with its fused score and everything that made it.
type Fused struct {
	Unit  UnitKey `json:"unit"`
	Score float64 `json:"score"` // 0..1
	// Text and Vector are the calibrated scores of the two lists, 0..1.
	Text   float64 `json:"text"`
	Vector float64 `json:"vector"`
	// TextRank and VectorRank are the places in the two lists, from 1; 0: not in it.
	TextRank   int  `json:"textRank,omitempty"`
	VectorRank int  `json:"vectorRank,omitempty"`
	Exact      bool `json:"exact,omitempty"`
}

// Fuse makes one ranking of two.
func Fuse(l Lexical, d Dense, o FuseOptions) []Fused {
	lexical := l.Hits[:min(len(l.Hits), max(o.Depth, 0))]
	dense := d.Hits[:min(len(d.Hits), max(o.Depth, 0))]
	byUnit := map[UnitKey]*Fused{}
	at := func(u UnitKey) *Fused {
		f, ok := byUnit[u]
		if !ok {
			f = &Fused{Unit: u}
			byUnit[u] = f
		}
		return f
	}
	for i, h := range lexical {
		f := at(h.Unit)
		f.TextRank, f.Exact = i+1, h.Exact
		f.Text = h.Score / lexical[0].Score * math.Sqrt(lexical[0].Coverage)
	}
	for i, h := range dense {
		f := at(h.Unit)
		f.VectorRank = i + 1
		f.Vector = min(max(h.Similarity, 0), 1)
	}
	fused := make([]Fused, 0, len(byUnit))
	for _, f := range byUnit {
		f.Score = (o.VectorWeight*f.Vector + o.TextWeight*f.Text) / (o.VectorWeight + o.TextWeight)
		fused = append(fused, *f)
	}
	slices.SortFunc(fused, func(a, b Fused) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), a.Unit.Compare(b.Unit))
	})
	return fused
}
