package rank

import (
	"time"

	"reverie/search"
)

// Options are the parameters of lexical ranking. A weight of zero switches its component off.
//
// Scores are in units of inverse document frequency: a word that occurs once in a unit of average length adds its own.
type Options struct {
	// K1 is how fast further occurrences of a term stop counting.
	K1 float64
	// B is how much long chunks are discounted, TurnB how much long turns are.
	B, TurnB float64
	// StopWeight is what a stop word counts, as a share of another word.
	StopWeight float64
	// ContextWeight is how many occurrences in the body one in the path or the headings is worth. Documents only: the
	// context of a turn is its speaker, who is weighed by Speaker.
	ContextWeight float64
	// Speaker is what it adds that a turn's speaker is named in the question, times 1 + the inverse document frequency of
	// being the speaker: to be named tells most when few turns are theirs.
	Speaker float64
	// SpeakerInBody is what the name of a speaker counts in what is said, as a share of another word: there it is mostly a
	// way to address the other.
	SpeakerInBody float64
	// Turns and Chunks say how much of a word's weight reaches the units before and after the one that has it.
	Turns, Chunks Neighbourhood
	// Pause is the silence that ends a session. Neighbours and enclosing evidence stay within one.
	Pause time.Duration
	// Enclosing weighs how well the whole session, or the whole document, matches.
	Enclosing float64
	// Coverage rewards units that have, or whose neighbours have, more of the different words of the question.
	Coverage float64
	// Period is what it adds to lie in a period that the question names.
	Period float64
	// PeriodTerms is what the words that name a period count themselves, as a share of another word.
	PeriodTerms float64
	// First is what it adds to be the best turn of its session: after one turn of a session is found, the best of another
	// tells more than its second.
	First float64
	// Depth bounds the list.
	Depth int

	// What follows needs the texts, and is done for the first RefineDepth of the list.

	// Phrase is what the words of a quoted phrase or an identifier count more where it stands as it was written, as a share
	// of what they count anyway.
	Phrase float64
	// Closeness is what two words count more that follow each other in the question and in the text, as a share of what the
	// more frequent of them counts; less when words are between them, and half in the other order.
	Closeness float64
	// Asking is the share of its score that a turn loses that only asks: a question seldom answers another.
	Asking float64
	// Answer is the share of what a turn that asks has itself that is added to the turn which follows it.
	Answer float64
	// RefineDepth bounds how many texts are looked at.
	RefineDepth int
}

// Neighbourhood says how much of a word's weight reaches another unit, by distance: the first number is for the
// adjacent one.
type Neighbourhood struct {
	// Onward is for the units that follow the one that has the word: an answer follows its question.
	Onward []float64
	// Backward is for the units that precede it.
	Backward []float64
}

// DefaultOptions are the options of ordinary searches.
//
// K1 and B are the customary ones; TurnB is lower, since what a longer turn says more is seldom about something else. The
// other weights lie on wide plateaus of what was measured on conversations and on documentation: half as much of any of
// them, or half as much again, costs two points of recall at ten at most, except for what reaches the next turn, of which half
// costs four. First is a compromise: less of it finds more turns, more of it more sessions.
func DefaultOptions() Options {
	return Options{
		K1:            1.2,
		B:             .75,
		TurnB:         .4,
		StopWeight:    .1,
		ContextWeight: 1,
		Speaker:       1.25,
		SpeakerInBody: .2,
		Turns:         Neighbourhood{Onward: []float64{.7, .35, .2}, Backward: []float64{.4, .2, .1}},
		Chunks:        Neighbourhood{Onward: []float64{.2}, Backward: []float64{.2}},
		Pause:         4 * time.Hour,
		Enclosing:     .2,
		Coverage:      1,
		Period:        5,
		PeriodTerms:   .5,
		First:         2,
		Depth:         200,
		Phrase:        .5,
		Closeness:     .2,
		Asking:        .4,
		Answer:        .3,
		RefineDepth:   40,
	}
}

// b is the one for a corpus.
func (o Options) b(c search.Corpus) float64 {
	if c == search.Sessions {
		return o.TurnB
	}
	return o.B
}

// neighbourhood is the one for a corpus.
func (o Options) neighbourhood(c search.Corpus) Neighbourhood {
	if c == search.Sessions {
		return o.Turns
	}
	return o.Chunks
}
