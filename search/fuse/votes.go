package fuse

import (
	"math"
	"slices"

	"reverie/search/index"
)

// Votes hold the weight of each of the two lists for one question, and the reasons. The numbers have the same scale for
// any scores: none of them depends on the unit of a list's scores.
type Votes struct {
	// Text is the share of the question that the words cover, 0..1, of what a passage can cover: the best of the first
	// hits. It is one half if coverage is unknown, and 0 for an empty list.
	Text float64 `json:"text"`
	// Vector is the probability that the dense list is about the question, 0..1.
	Vector float64 `json:"vector"`
	// TextWeight and VectorWeight are the weights of the calibrated scores; they add up to 1. The words decide what
	// they cover, the vectors decide the rest: TextWeight·Text of the options against VectorWeight·Vector·(1 −
	// 0.6·Text), adjusted by settle for a known model.
	TextWeight   float64 `json:"textWeight"`
	VectorWeight float64 `json:"vectorWeight"`
	// Agreement is the overlap of the lists, in deviations above that of two independent lists.
	Agreement float64 `json:"agreement"`
	// Standing is the number of deviations by which the most similar unit exceeds the mean of all, Noise the value expected for the
	// best of as many noise units.
	Standing float64 `json:"standing"`
	Noise    float64 `json:"noise"`
	// Zero is the standing at which a calibrated vector score begins: Noise, lowered as the words decide less and as
	// more is known of the model. Top is the standing from which the score is 1.
	Zero float64 `json:"zero"`
	Top  float64 `json:"-"`
	// Reputation is the evidence of earlier questions about the model, in log odds; 0 if there is none.
	Reputation float64 `json:"reputation"`
	// Sure, Met and Kinship are the evidence that the question adds for later ones: how sure the first lexical hit is,
	// 0..1; whether it is among the first dense ones; and how much higher the lexical hits after the first are ranked
	// in the dense list than by chance, in deviations.
	Sure    float64 `json:"-"`
	Met     bool    `json:"-"`
	Kinship float64 `json:"-"`
}

const (
	// informed and informedSpread describe the agreement of two lists that are both about the question: a broad guess.
	// That of independent lists is 0 with a spread of 1 by construction.
	informed       = 3.5
	informedSpread = 2
	// outstanding is the number of deviations above noise at which the first dense hit alone is evidence for the list.
	outstanding = 1.5
	// full is the number of deviations above noise at which a vector score is 1.
	full = 2
	// deepest is the maximum distance below Noise at which a vector score may begin if the vectors decide alone.
	deepest = 3
	// restKept is the part of the vectors' vote that remains if the words cover the question.
	restKept = 0.4
)

// ballot holds the evidence for judging two lists.
type ballot struct {
	lexical   Lexical
	dense     Dense
	units     int       // number of units in both lists
	standings []float64 // standings of the dense hits; nil if they carry no information
}

// votes judges the lists.
func (b *ballot) votes(o Options) Votes {
	n := max(b.dense.Count, b.lexical.Count, b.units)
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
		v.TextWeight = 1 - v.VectorWeight // not forText / sum, which may make both add up to slightly more than 1
	}
	v.Top = v.Noise + full
	if b.standings != nil && len(b.lexical.Hits) > 0 {
		v.Sure, v.Met, v.Kinship = b.relation(n)
		if len(b.standings) > tailTo { // a shorter list does not show where it becomes uninformative
			v.settle(o.Reputation, textWeight, vectorWeight)
		}
	}
	return v
}

// trust returns the probability that a dense list is about the question. It starts with the reputation of the model.
// Agreement with the words is the strongest evidence; a lack of it counts less, the less of the question the words
// cover. A first hit that clearly stands out is evidence too, if the list is long enough, and enough is known of the
// rest, to show which other units are similar. The lack of one is not evidence, since good models are often unsure.
func (v Votes) trust(isSure bool) float64 {
	a := max(v.Agreement, 0)
	// Log likelihood ratio of the agreement: informed list against independent list.
	odds := a*a/2 - (a-informed)*(a-informed)/(2*informedSpread*informedSpread) - math.Log(informedSpread)
	if odds < 0 {
		odds *= math.Sqrt(v.Text)
	}
	if isSure {
		odds += 2 * max(0, v.Standing-v.Noise-outstanding)
	}
	return 1 / (1 + math.Exp(-odds-v.Reputation))
}

// coverage returns the best coverage of the first three hits of a lexical list.
func coverage(l Lexical) float64 {
	known, best := false, 0.
	for i, h := range l.Hits {
		known = known || h.Coverage > 0
		if i < 3 {
			best = max(best, l.covered(h))
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

// vector returns the calibrated score of a dense hit with the given standing.
func (v Votes) vector(standing float64) float64 {
	return min(max((standing-v.Zero)/(v.Top-v.Zero), 0), 1)
}

const (
	// even is the log odds at which a known model that is as good as the words decides, with the default weights, where
	// the words cover a question. It grows by opened with the uncovered part below halfCovered.
	even        = -0.4
	opened      = 8
	halfCovered = 0.5
	// leading scales a model's lead into its log odds, limited to leadMost above and trailMost below. It counts in full
	// from a coverage of leadCovered, below which the words are not a measure.
	leading     = 10
	leadMost    = 0.8
	trailMost   = 3
	leadCovered = 0.6
	// settledZero is the standing at which the scores of a known model begin: a unit slightly more similar than the
	// mean may already be relevant, since the scores of the words are spread as widely.
	settledZero = 1
)

// settle shifts the votes from the evidence of one question to the known model, as far as it is known. The similarities
// of an informed model are not measured against noise but, like the scores of the words, from the best to the
// uninformative ones, and its weight follows its lead.
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

// relation measures how the two lists relate, see Votes.
func (b *ballot) relation(n int) (sure float64, isMet bool, kinship float64) {
	words, vectors := b.lexicalUnits(), b.denseUnits()
	sure = firmly(b.lexical)
	isMet = slices.Contains(vectors[:min(len(vectors), agreementDepth)], words[0])
	if len(words) > agreementDepth {
		kinship = highIn(words[agreementDepth:], vectors, n)
	}
	return sure, isMet, kinship
}

// Reputation summarizes earlier questions to an embedding model: whether its rankings agree with those by words more
// than by chance, and how good they are in comparison. A single question only partly distinguishes a model that knows
// the answer where the words do not from one that knows nothing; some dozens do. It is kept per vector space and corpus,
// and may be lost at any time.
type Reputation struct {
	// Evidence is the log likelihood ratio that the model is informed, given the agreements seen. It is clamped to
	// ±certain, so that a change of the model is detected soon.
	Evidence float64 `json:"evidence"`
	// Sure is the sum of Votes.Sure over the questions, Met the part of it for which Votes.Met was true, Kinship the
	// sum of Votes.Kinship, and Questions their number. All decay with each question, so that about the last memory
	// questions count.
	Sure      float64 `json:"sure"`
	Met       float64 `json:"met"`
	Kinship   float64 `json:"kinship"`
	Questions float64 `json:"questions"`
}

const (
	// certain bounds Evidence, and settled the part of it that counts for one question, which can thus still be judged
	// differently.
	certain = 20
	settled = 3
	// memory is the number of questions that the sums cover.
	memory = 50
	// clearly is the Votes.Sure from which a first hit is full evidence. metTold and notTold are the log likelihood
	// ratios of an informed model for meeting such a hit (some fifteen times likelier) and for missing it.
	clearly = 0.2
	metTold = 2.7
	notTold = -0.3
	// expected is the share of sure hits that a model as good as the words has among its first ones. It weighs as much
	// as expectedSure observations.
	expected     = 0.53
	expectedSure = 0.5
	// kinshipTold is the amount that one deviation of kinship takes from that share, and kinshipAfter the number of
	// questions until it counts half.
	kinshipTold  = 0.12
	kinshipAfter = 5
)

// After returns the reputation after one more question. A question without lexical or without dense hits changes
// nothing.
func (r Reputation) After(v Votes) Reputation {
	if v.Text == 0 || v.Noise == 0 {
		return r
	}
	// The agreement of an uninformed model is normal around 0, that of an informed one around 1 or more.
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

// odds returns the log odds that a list of the model is informed.
func (r Reputation) odds() float64 { return min(max(r.Evidence/2, -settled), settled) }

// settledness returns how certain it is that the model is informed, 0..1.
func (r Reputation) settledness() float64 { return min(max(r.Evidence/certain, 0), 1) }

// lead returns how good the model is compared with the words, about -0.5..0.5; 0 if it is even or unknown. A model that
// ranks the sure hits of the words high is good, unless that is because it matches the same words: then it also ranks
// their unsure hits high.
func (r Reputation) lead() float64 {
	met := (r.Met + expected*expectedSure) / (r.Sure + expectedSure)
	kinship := r.Kinship / (r.Questions + kinshipAfter)
	return met - kinshipTold*kinship - expected
}

// firmly returns how sure the first lexical hit is, 0..1: its distance to the second, and its coverage of the question.
func firmly(l Lexical) float64 {
	if len(l.Hits) == 0 {
		return 0
	}
	firm := math.Pow(l.covered(l.Hits[0]), 2)
	if len(l.Hits) > 1 {
		firm *= 1 - l.Hits[1].Score/l.Hits[0].Score
	}
	return firm
}
