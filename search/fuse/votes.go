package fuse

import (
	"math"

	"reverie/search/index"
)

// Votes say how much each of two lists has to say on one question, and why. Numbers that lie on the same scale for any
// scores: nothing in them depends on the unit in which a list measures.
type Votes struct {
	// Text is how much of what the question asks for the words found, 0..1: the best coverage of the first hits. It is one
	// half when the list does not know coverage, and 0 when it is empty.
	Text float64 `json:"text"`
	// Vector is how likely the dense list is to be about the question at all, 0..1.
	Vector float64 `json:"vector"`
	// TextWeight and VectorWeight are the weights that the calibrated scores get, and add up to 1. What the words cover,
	// the words decide; what they leave open, the vectors decide: it is TextWeight·Text of the options against
	// VectorWeight·Vector·(1 − 0.6·Text), and of a model that is known what settle says.
	TextWeight   float64 `json:"textWeight"`
	VectorWeight float64 `json:"vectorWeight"`
	// Agreement is how much the lists have in common, in deviations above what two lists have that know nothing of each
	// other.
	Agreement float64 `json:"agreement"`
	// Standing is how many deviations the most similar unit stands above the mean of all, Noise where the best of as many
	// units of noise would.
	Standing float64 `json:"standing"`
	Noise    float64 `json:"noise"`
	// Zero is the standing at which a calibrated vector score begins. It is Noise, and lower the less the words decide, and
	// the more is known of the model. Top is the one from which it is 1.
	Zero float64 `json:"zero"`
	Top  float64 `json:"-"`
	// Reputation is what earlier questions said about the model, as the logarithm of odds; 0: they said nothing.
	Reputation float64 `json:"reputation"`
	// Sure, Met and Kinship are what the question tells of the model for later ones: how sure the first lexical hit is,
	// 0..1; whether it is among the first dense ones; and how much higher the lexical hits after the first ones stand in
	// the dense list than by chance, in deviations.
	Sure    float64 `json:"-"`
	Met     bool    `json:"-"`
	Kinship float64 `json:"-"`
}

const (
	// informed and informedSpread are the agreement of lists of which both are about the question: a broad guess. That of
	// lists that know nothing of each other is 0 with a spread of 1 by construction.
	informed       = 3.5
	informedSpread = 2
	// outstanding is by how many deviations the first dense hit must stand above noise to speak for the list by itself.
	outstanding = 1.5
	// full is how many deviations above noise a hit has a vector score of 1.
	full = 2
	// deepest is how far below Noise a vector score may begin, when the vectors decide alone.
	deepest = 3
	// restKept is the part of the vote of vectors that remains when the words cover the question.
	restKept = 0.4
)

// ballot is what two lists are judged by.
type ballot struct {
	lexical   Lexical
	dense     Dense
	units     map[index.UnitKey]bool // of both
	standings []float64              // of the dense hits; nil when they say nothing
}

// votes judges the lists.
func (b *ballot) votes(o Options) Votes {
	n := max(b.dense.Count, b.lexical.Count, len(b.units))
	v := Votes{Text: coverage(b.lexical), Reputation: o.Reputation.odds()}
	b.standings = standings(b.dense, n)
	if b.standings != nil {
		v.Agreement = agreement(b.lexicalUnits(), b.denseUnits(), n)
		v.Standing, v.Noise = b.standings[0], noiseAt(1, n)
		v.Vector = v.trust(b.dense.Deviation > 0 && len(b.dense.Hits) >= tailSure)
	}
	open := 1 - v.Text
	v.Zero = v.Noise - deepest*v.Vector*open*open
	textWeight, vectorWeight := max(o.TextWeight, 0), max(o.VectorWeight, 0)
	if textWeight == 0 && vectorWeight == 0 {
		textWeight, vectorWeight = 1, 1
	}
	forText, forVector := textWeight*v.Text, vectorWeight*v.Vector*(1-(1-restKept)*v.Text)
	if sum := forText + forVector; sum > 0 {
		v.VectorWeight = forVector / sum
		v.TextWeight = 1 - v.VectorWeight // not forText / sum, which may make both add up to a little more
	}
	v.Top = v.Noise + full
	if b.standings != nil && len(b.lexical.Hits) > 0 {
		v.Sure, v.Met, v.Kinship = b.relation(n)
		if len(b.standings) > tailTo { // a shorter list does not show from where on it says nothing
			v.settle(o.Reputation, textWeight, vectorWeight)
		}
	}
	return v
}

// trust is the chance that a dense list is about the question. It starts with what is known of the model. Agreement with
// the words tells most; that there is none tells the less, the less of the question the words found. A first hit that stands
// out clearly tells something by itself, if the list is long enough, and enough is known of the rest, to show what else it
// takes for similar; that there is none tells nothing, since good models are often unsure.
func (v Votes) trust(isSure bool) float64 {
	a := max(v.Agreement, 0)
	// The logarithm of how much likelier the agreement is for an informed list than for one that knows nothing.
	odds := a*a/2 - (a-informed)*(a-informed)/(2*informedSpread*informedSpread) - math.Log(informedSpread)
	if odds < 0 {
		odds *= math.Sqrt(v.Text)
	}
	if isSure {
		odds += 2 * max(0, v.Standing-v.Noise-outstanding)
	}
	return 1 / (1 + math.Exp(-odds-v.Reputation))
}

// coverage is how much of the question the first three hits of a lexical list have at best.
func coverage(l Lexical) float64 {
	known, best := false, 0.
	for i, h := range l.Hits {
		known = known || h.Coverage > 0
		if i < 3 {
			best = max(best, min(h.Coverage, 1))
		}
	}
	switch {
	case len(l.Hits) == 0:
		return 0
	case !known:
		return 0.5
	}
	return best
}

func (b *ballot) lexicalUnits() []index.UnitKey {
	units := make([]index.UnitKey, len(b.lexical.Hits))
	for i, h := range b.lexical.Hits {
		units[i] = h.Unit
	}
	return units
}

func (b *ballot) denseUnits() []index.UnitKey {
	units := make([]index.UnitKey, len(b.dense.Hits))
	for i, h := range b.dense.Hits {
		units[i] = h.Unit
	}
	return units
}

// vector is the calibrated score of a dense hit with a standing.
func (v Votes) vector(standing float64) float64 {
	return min(max((standing-v.Zero)/(v.Top-v.Zero), 0), 1)
}
