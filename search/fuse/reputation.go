package fuse

import "math"

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
