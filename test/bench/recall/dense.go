package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
)

// frozen is a dense ranking that does not come from a model: the similarity of turns to each question, from a file or made
// up. The ones that are made up show what fusion does with a dense ranking that is good, useless or misleading.
type frozen struct {
	name string
	// similarity[dialogue][question] has the turns that the ranking knows; the others are not similar at all.
	similarity [][]map[string]float64
}

// frozenLine is a line of a file of dense rankings: what one question of a dialogue is similar to.
type frozenLine struct {
	Sample     string             `json:"sample_id"`
	Question   int                `json:"question"`   // its place in the dialogue's list, from 0
	Similarity map[string]float64 `json:"similarity"` // by dia_id, not negative
}

// readFrozen reads a file of JSON lines.
func readFrozen(r io.Reader, name string, dialogues []dialogue) (frozen, error) {
	f := frozen{name: name, similarity: make([][]map[string]float64, len(dialogues))}
	at := map[string]int{}
	for i, d := range dialogues {
		at[d.id] = i
		f.similarity[i] = make([]map[string]float64, len(d.questions))
	}
	decoder := json.NewDecoder(r)
	for n := 1; decoder.More(); n++ {
		var line frozenLine
		if err := decoder.Decode(&line); err != nil {
			return f, fmt.Errorf("ranking %d: %w", n, err)
		}
		i, known := at[line.Sample]
		if !known {
			continue // -dialogues may have left it out
		}
		if line.Question < 0 || line.Question >= len(f.similarity[i]) {
			return f, fmt.Errorf("ranking %d: dialogue %s has no question %d", n, line.Sample, line.Question)
		}
		for id, s := range line.Similarity {
			if s < 0 || math.IsNaN(s) || math.IsInf(s, 0) {
				return f, fmt.Errorf("ranking %d: the similarity of %s is %v", n, id, s)
			}
		}
		f.similarity[i][line.Question] = line.Similarity
	}
	return f, nil
}

// madeUp are the dense rankings that need no file, by name. evidence says whether the turn is evidence for the question,
// and chance is between 0 and 1, the same for the same question and turn.
var madeUp = map[string]func(evidence bool, chance float64) float64{
	// The evidence before all else.
	"perfect": func(evidence bool, chance float64) float64 { return bonus(evidence) + 0.4*chance },
	// Three quarters of the evidence before all else, and the rest not far behind.
	"good": func(evidence bool, chance float64) float64 { return 0.5*bonus(evidence) + 0.4*chance },
	// A fifth of the evidence before all else, and the rest anywhere.
	"weak": func(evidence bool, chance float64) float64 { return 2.0/15*bonus(evidence) + 0.4*chance },
	// Nothing but chance.
	"noise": func(_ bool, chance float64) float64 { return 0.4 * chance },
	// The evidence behind all else.
	"inverted": func(evidence bool, chance float64) float64 { return 0.6 - bonus(evidence) + 0.4*chance },
	// All alike.
	"constant": func(bool, float64) float64 { return 0.5 },
}

func bonus(evidence bool) float64 {
	if evidence {
		return 0.6
	}
	return 0
}

// openFrozen makes a ranking up, or reads it.
func openFrozen(name string, dialogues []dialogue) (frozen, error) {
	rule, ok := madeUp[name]
	if !ok {
		file, err := os.Open(name)
		if err != nil {
			return frozen{}, fmt.Errorf("-dense names no file and is none of %q: %w", sortedNames(madeUp), err)
		}
		defer func() { _ = file.Close() }() // it was only read
		return readFrozen(file, name, dialogues)
	}
	f := frozen{name: name, similarity: make([][]map[string]float64, len(dialogues))}
	for i, d := range dialogues {
		for _, q := range d.questions {
			similarity := map[string]float64{}
			for _, s := range d.sessions {
				for _, t := range s.turns {
					similarity[t.id] = rule(slices.Contains(q.evidence, t.id), chanceOf(q.text, t.id))
				}
			}
			f.similarity[i] = append(f.similarity[i], similarity)
		}
	}
	return f, nil
}

// rank is the ranking of a dialogue's turns for one of its questions, as it is: most similar first, ties in the order of
// what was said, without the turns that are not similar at all.
func (f frozen) rank(dialogues []dialogue, dialogue, question int) []string {
	similarity := f.similarity[dialogue][question]
	var ids []string
	for _, s := range dialogues[dialogue].sessions {
		for _, t := range s.turns {
			if similarity[t.id] > 0 {
				ids = append(ids, t.id)
			}
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(similarity[b], similarity[a]) })
	return ids
}

func chanceOf(question, turn string) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(question + "\x00" + turn))     // a hash takes everything
	return rand.New(rand.NewPCG(h.Sum64(), 0)).Float64() //nolint:gosec // it must be repeatable
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
