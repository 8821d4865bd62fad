// Package fuse joins a lexical and a dense ranking.
package fuse

import (
	"cmp"
	"slices"

	"reverie/search/index"
)

// DenseHit is a unit in a ranking by vectors.
type DenseHit struct {
	Unit       index.UnitKey `json:"unit"`
	Similarity float64       `json:"similarity"` // cosine similarity
}

// Dense is a ranking by vectors: the most similar units of a view, best first.
type Dense struct {
	Hits []DenseHit `json:"hits"`
	// Count is the number of units compared, Mean and Deviation the statistics of all their similarities. If Count is 0
	// they are unknown and estimated from the hits.
	Count     int     `json:"count"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// LexicalHit is a unit in a ranking by words.
type LexicalHit struct {
	Unit  index.UnitKey `json:"unit"`
	Score float64       `json:"score"` // positive and unbounded, as in BM25: only ratios to the other hits matter
	// Coverage is the share of the question that the unit contains, weighted by how rare the words are, 0..1.
	Coverage float64 `json:"coverage"`
	// Exact reports that the unit contains a quoted phrase or an identifier of the question literally.
	Exact bool `json:"exact"`
}

// Lexical is a ranking by words, best first.
type Lexical struct {
	Hits []LexicalHit `json:"hits"`
	// Count is the number of units of the view; 0 if unknown.
	Count int `json:"count"`
	// Words is the number of words of the question, without those too common to matter; 0 if unknown.
	Words int `json:"words"`
}

// Options control how two rankings are joined.
type Options struct {
	// VectorWeight and TextWeight are the weights of the two calibrated scores before votes. Only their ratio matters;
	// negative weights count as 0, and if both are 0 they are taken as equal.
	VectorWeight float64
	TextWeight   float64
	// Depth is the number of hits of each list that count.
	Depth int
	// Reputation summarizes earlier questions to the model that made the dense list. The zero value is neutral.
	Reputation Reputation
}

// DefaultOptions weigh vectors 0.7 and words 0.3, over the best 200 of each.
func DefaultOptions() Options {
	return Options{VectorWeight: 0.7, TextWeight: 0.3, Depth: 200}
}

// Fused is a unit with its fused score and all components.
type Fused struct {
	Unit index.UnitKey `json:"unit"`
	// Score is the greatest of Combined, the score of each list alone as far as it is trusted (an exact hit in full),
	// and the score of the next unit. It decreases along the ranking, and no dense list makes it lower than the words
	// alone would. 0..1.
	Score float64 `json:"score"`
	// Rank is the 1-based place in the fused order, which scores alone do not determine: they may be equal.
	Rank int `json:"rank"`
	// Combined is the sum of Text and Vector, weighted by Votes.
	Combined float64 `json:"combined"`
	// Text and Vector are the calibrated scores of the two lists, 0..1; 0 for a unit that is not in a list.
	Text   float64 `json:"text"`
	Vector float64 `json:"vector"`
	// TextRank and VectorRank are the 1-based places in the two lists; 0 if not in the list.
	TextRank   int `json:"textRank,omitempty"`
	VectorRank int `json:"vectorRank,omitempty"`
	// TextScore and Similarity are the scores in the input lists.
	TextScore  float64 `json:"textScore,omitempty"`
	Similarity float64 `json:"similarity,omitempty"`
	// Coverage and Exact are copied from LexicalHit.
	Coverage float64 `json:"coverage,omitempty"`
	Exact    bool    `json:"exact,omitempty"`
	// Reserved reports that the unit was placed because the top of one list must stay in reach, and not by Combined.
	Reserved bool `json:"reserved,omitempty"`
}

// Fusion is the joined ranking.
type Fusion struct {
	Hits  []Fused `json:"hits"` // best first, ties by unit
	Votes Votes   `json:"votes"`
}

// Fuse joins two rankings. The result is never much worse than the better of them, whatever they are: a good and a weak
// one, two good ones, or one that is noise, truncated, inverted, constant or empty.
//
// Each list is judged for the current question (see Votes), its scores are calibrated to 0..1, and units are ordered by
// the weighted sum of both. An uninformative list has no vote, and the other one gets all the weight. The top of a list
// with a vote stays in reach: see reserve. Scores of either list may have any scale and distribution. Fuse is
// deterministic and does not modify its arguments.
func Fuse(l Lexical, d Dense, o Options) Fusion {
	l, d = cleanLexical(l, o.Depth), cleanDense(d, o.Depth)
	units := make([]Fused, 0, len(l.Hits)+len(d.Hits)) // never grows, so that pointers to its elements stay valid
	byUnit := make(map[index.UnitKey]*Fused, cap(units))
	unitOf := func(unit index.UnitKey) *Fused {
		f := byUnit[unit]
		if f == nil {
			units = append(units, Fused{Unit: unit})
			f = &units[len(units)-1]
			byUnit[unit] = f
		}
		return f
	}
	byText, byVector := make([]*Fused, len(l.Hits)), make([]*Fused, len(d.Hits))
	for i, h := range l.Hits {
		f := unitOf(h.Unit)
		f.TextRank, f.TextScore, f.Coverage, f.Exact = i+1, h.Score, h.Coverage, h.Exact
		f.Text = h.Score / l.Hits[0].Score
		byText[i] = f
	}
	for i, h := range d.Hits {
		f := unitOf(h.Unit)
		f.VectorRank, f.Similarity = i+1, h.Similarity
		byVector[i] = f
	}
	b := ballot{lexical: l, dense: d, units: len(units)}
	votes := b.votes(o)
	if votes.TextWeight == 0 && votes.VectorWeight == 0 {
		return Fusion{Hits: []Fused{}, Votes: votes}
	}

	order := make([]*Fused, len(units))
	for i := range units {
		f := &units[i]
		if f.VectorRank > 0 && b.standings != nil {
			f.Vector = votes.vector(b.standings[f.VectorRank-1])
		}
		f.Combined = votes.TextWeight*f.Text + votes.VectorWeight*f.Vector
		order[i] = f
	}
	slices.SortFunc(order, votes.compare)
	fused := reserve(order, byText, byVector, votes)
	for i := len(fused) - 1; i >= 0; i-- {
		f := &fused[i]
		f.Score = max(f.Combined, f.Text*votes.Text, f.Vector*votes.Vector)
		if f.Exact {
			f.Score = max(f.Score, f.Text) // a literal match needs no confirmation
		}
		if i+1 < len(fused) {
			f.Score = max(f.Score, fused[i+1].Score)
		}
	}
	return Fusion{Hits: fused, Votes: votes}
}

// compare orders by Combined, then by the list with the greater weight, then by the other one, then by unit.
func (v Votes) compare(a, b *Fused) int {
	byText, byVector := CompareRanks(a.TextRank, b.TextRank), CompareRanks(a.VectorRank, b.VectorRank)
	if v.VectorWeight > v.TextWeight {
		byText, byVector = byVector, byText
	}
	return cmp.Or(cmp.Compare(b.Combined, a.Combined), byText, byVector, a.Unit.Compare(b.Unit))
}

// CompareRanks orders 1-based ranks; 0, no rank, sorts last.
func CompareRanks(a, b int) int {
	if a == 0 || b == 0 {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

const (
	// textShare and vectorShare are the shares of every prefix of the fused ranking that are reserved for the top of
	// each list, for a vote of 1.
	textShare   = 0.4
	vectorShare = 0.1
)

// reserve ranks units in the given order, changed as little as possible so that for every k, the first k units include the first
// ⌊k·share⌋ of each list. A list with a vote is thus never excluded by the scores of the other, however confident those
// are.
func reserve(order, byText, byVector []*Fused, v Votes) []Fused {
	lists := []reserved{{top: byText}, {top: byVector}}
	if v.TextWeight > 0 {
		lists[0].share = textShare * v.Text
	}
	if v.VectorWeight > 0 {
		lists[1].share = vectorShare * v.Vector
	}
	out := make([]Fused, 0, len(order))
	place := func(f *Fused) {
		f.Rank = len(out) + 1
		out = append(out, *f)
	}
	for _, f := range order {
		for owed := true; owed; {
			owed = false
			for i := range lists {
				if next := lists[i].owed(len(out) + 1); next != nil && next != f {
					next.Reserved, owed = true, true
					place(next)
					break
				}
			}
		}
		if f.Rank == 0 {
			place(f)
		}
	}
	return out
}

// reserved is the top of one list with its share; its first done units are ranked.
type reserved struct {
	top   []*Fused
	share float64
	done  int
}

// owed returns the first unit that is due among the first k and has no rank yet; nil if there is none.
func (r *reserved) owed(k int) *Fused {
	for r.done < len(r.top) && r.top[r.done].Rank > 0 {
		r.done++
	}
	if r.done < min(int(r.share*float64(k)), len(r.top)) {
		return r.top[r.done]
	}
	return nil
}
