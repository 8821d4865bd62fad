package fuse

import (
	"math"
	"slices"

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

const (
	// even is the logarithm of the odds at which a model that is known and even with the words decides, with the default
	// weights, where they cover a question. It grows by opened with what they leave of it below halfCovered.
	even        = -0.4
	opened      = 8
	halfCovered = 0.5
	// leading is by how much more a model decides for its lead, and at most leadMost; at worst trailMost less. All of that
	// counts from a coverage of leadCovered, below which the words are no measure.
	leading     = 10
	leadMost    = 0.8
	trailMost   = 3
	leadCovered = 0.6
	// settledZero is the standing at which the scores of a model that is known begin: what is a little more similar than
	// the mean may already be what was asked for, since the scores of the words are spread as widely.
	settledZero = 1
)

// settle turns what one question tells into what is known of the model, as far as anything is. The similarities of a model
// that is informed are not measured against noise, but like the scores of the words from the best to those that say
// nothing, and its weight follows its lead.
func (v *Votes) settle(r Reputation, textWeight, vectorWeight float64) {
	known := r.settledness()
	if known == 0 {
		return
	}
	d := DefaultOptions()
	odds := even + opened*max(0, halfCovered-v.Text)
	measure := min(v.Text/leadCovered, 1)
	odds += min(max(leading*r.lead(), -trailMost), leadMost) * measure * measure
	vectorWeight *= v.Vector * math.Exp(odds) * d.TextWeight / d.VectorWeight
	if sum := textWeight + vectorWeight; sum > 0 {
		v.VectorWeight += known * (vectorWeight/sum - v.VectorWeight)
		v.TextWeight = 1 - v.VectorWeight
	}
	v.Zero += known * (min(v.Zero, settledZero, v.Standing-settledZero) - v.Zero)
	v.Top += known * (v.Standing - v.Top)
}

// relation says how the two lists stand to each other, see Votes.
func (b *ballot) relation(n int) (sure float64, isMet bool, kinship float64) {
	words, vectors := b.lexicalUnits(), b.denseUnits()
	sure = firmly(b.lexical)
	isMet = slices.Contains(vectors[:min(len(vectors), agreementDepth)], words[0])
	if len(words) > agreementDepth {
		kinship = highIn(words[agreementDepth:], vectors, n)
	}
	return sure, isMet, kinship
}

// Reputation is what earlier questions told of an embedding model: whether its rankings have more in common with those by
// words than chance, and how good they are next to them. One question tells a model that knows the answer where the words
// do not from one that knows nothing only in part; some dozens tell them apart. It is kept for each space of vectors, and
// may be lost at any time.
type Reputation struct {
	// Evidence is the logarithm of how much likelier the agreements seen are for a model that is informed. It stays within
	// certain, so that a model that changes its ways is found out soon.
	Evidence float64 `json:"evidence"`
	// Sure is the sum of Votes.Sure over the questions and Met the part of it for which Votes.Met was true. Kinship is the
	// sum of Votes.Kinship, Questions their number. All of them fade with each question, so that the last memory ones or so
	// count.
	Sure      float64 `json:"sure"`
	Met       float64 `json:"met"`
	Kinship   float64 `json:"kinship"`
	Questions float64 `json:"questions"`
}

const (
	// certain bounds Evidence, and settled how much of it counts for one question, which thus can still be judged otherwise.
	certain = 20
	settled = 3
	// memory is how many questions the sums remember.
	memory = 50
	// clearly is the Votes.Sure of a first hit from which it is full evidence. That it is met is some twenty times likelier
	// for a model that is informed, and that it is not a little less likely; the logarithms of both are these.
	clearly = 0.2
	metTold = 2.7
	notTold = -0.3
	// expected is the share of sure hits that an even model has among its first ones. It counts as much as expectedSure
	// already seen.
	expected     = 0.53
	expectedSure = 0.5
	// kinshipTold is what one deviation of kinship takes from that share, and kinshipAfter the questions that it needs to
	// be half believed.
	kinshipTold  = 0.12
	kinshipAfter = 5
)

// After is the reputation after one more question. A question that the words found nothing for, or the vectors, tells
// nothing.
func (r Reputation) After(v Votes) Reputation {
	if v.Text == 0 || v.Noise == 0 {
		return r
	}
	// The agreement of a model that knows nothing is normal around 0, that of one that knows something around 1 or more.
	told := min(max(v.Agreement, -1), 3) - 0.5
	met := 0.
	if v.Met {
		met = v.Sure
		told += metTold * min(v.Sure/clearly, 1)
	} else {
		told += notTold * min(v.Sure/clearly, 1)
	}
	const keep = 1 - 1./memory
	return Reputation{
		Evidence:  min(max(r.Evidence+told, -certain), certain),
		Sure:      r.Sure*keep + v.Sure,
		Met:       r.Met*keep + met,
		Kinship:   r.Kinship*keep + v.Kinship,
		Questions: r.Questions*keep + 1,
	}
}

// odds are the logarithm of the odds that a list of the model is informed.
func (r Reputation) odds() float64 { return min(max(r.Evidence/2, -settled), settled) }

// settledness is how far the model is known to be informed, 0..1.
func (r Reputation) settledness() float64 { return min(max(r.Evidence/certain, 0), 1) }

// lead says how good the model is next to the words, about -0.5..0.5; 0: it is even, or nothing is known. A model that
// has what the words are sure of among its first hits is good, unless it owes that to the same words: then what the words
// are not sure of stands high as well.
func (r Reputation) lead() float64 {
	met := (r.Met + expected*expectedSure) / (r.Sure + expectedSure)
	kinship := r.Kinship / (r.Questions + kinshipAfter)
	return met - kinshipTold*kinship - expected
}

// firmly says how sure the first lexical hit is, 0..1: how far it is above the second one, and how much of the question it
// has.
func firmly(l Lexical) float64 {
	if len(l.Hits) == 0 {
		return 0
	}
	firm := math.Pow(min(max(l.Hits[0].Coverage, 0), 1), 2)
	if len(l.Hits) > 1 {
		firm *= 1 - l.Hits[1].Score/l.Hits[0].Score
	}
	return firm
}
