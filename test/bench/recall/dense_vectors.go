package main

import (
	"fmt"
	"math"
	"strings"

	"reverie/store"
)

// frozenVectors are vectors whose cosine similarities are those of a frozen ranking, up to one factor for all: each question
// has a dimension of its own, in which a turn has its similarity to the question, and one more dimension gives all turns
// the same length. So a ranking goes through the real index and the real search.
type frozenVectors struct {
	dimensions int
	questions  map[string][]float32 // by the question's text
	turns      map[string][]float32 // by what is said
	stranger   []float32            // of texts that the ranking does not know
}

// newFrozenVectors lays a ranking out. It fails when there are more questions than a vector may have dimensions.
func newFrozenVectors(f frozen, dialogues []dialogue) (*frozenVectors, error) {
	v := &frozenVectors{dimensions: 1, questions: map[string][]float32{}, turns: map[string][]float32{}}
	for _, d := range dialogues {
		v.dimensions += len(d.questions)
	}
	if v.dimensions > store.MaxDimensions {
		return nil, fmt.Errorf("a frozen ranking of %d questions does not fit into vectors of %d dimensions: use fewer -dialogues", v.dimensions-1, store.MaxDimensions)
	}
	dimension := 0
	for i, d := range dialogues {
		texts := map[string]string{}
		for _, s := range d.sessions {
			for _, t := range s.turns {
				texts[t.id] = t.text
				v.vector(v.turns, t.text)
			}
		}
		for j, q := range d.questions {
			v.vector(v.questions, q.text)[dimension] = 1
			for id, similarity := range f.similarity[i][j] {
				if text, ok := texts[id]; ok {
					turn := v.turns[text]
					turn[dimension] = max(turn[dimension], float32(similarity)) // the same may be said twice
				}
			}
			dimension++
		}
	}
	v.sameLength()
	return v, nil
}

// vector is the vector of a text, made when there is none.
func (v *frozenVectors) vector(of map[string][]float32, text string) []float32 {
	if of[text] == nil {
		of[text] = make([]float32, v.dimensions)
	}
	return of[text]
}

// sameLength fills the last dimension of the turns.
func (v *frozenVectors) sameLength() {
	square := func(vector []float32) (sum float64) {
		for _, x := range vector {
			sum += float64(x) * float64(x)
		}
		return sum
	}
	longest := 1e-3 // all may be zero
	for _, turn := range v.turns {
		longest = max(longest, square(turn))
	}
	for _, turn := range v.turns {
		turn[v.dimensions-1] = float32(math.Sqrt(longest - square(turn)))
	}
	v.stranger = make([]float32, v.dimensions)
	v.stranger[v.dimensions-1] = 1
}

// of is the vector of a text as the program sends it: a question as it is, a turn behind a line with its speaker. A part
// of a turn that was cut has the vector of the whole.
func (v *frozenVectors) of(text string) []float32 {
	if question, ok := v.questions[text]; ok {
		return question
	}
	for _, candidate := range []string{text, afterLine(text)} {
		if turn, ok := v.turns[candidate]; ok {
			return turn
		}
	}
	part := afterLine(text)
	for whole, turn := range v.turns {
		if part != "" && strings.Contains(whole, part) {
			return turn
		}
	}
	return v.stranger
}

// afterLine is what follows the first line.
func afterLine(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}
