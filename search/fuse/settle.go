package fuse

import (
	"math"
	"slices"
)

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
