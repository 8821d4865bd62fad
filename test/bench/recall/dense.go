package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"reverie/config"
	"reverie/llm/embed"
	"reverie/memory"
	"reverie/store"
	"reverie/store/indexes"
	"reverie/test/bench/services"
)

// vectorSource makes the vectors of a run: a configured embedding provider, or a frozen ranking.
type vectorSource struct {
	name   string
	frozen *frozen // nil: vectors of a model
	model  embed.Embedder
	env    []string // of the API process, which embeds the questions
	close  func() error
}

// openVectors opens the source chosen by flags and environment; nil: the ranking is lexical.
func (b *bench) openVectors(dialogues []dialogue) (*vectorSource, error) {
	switch {
	case b.dense != "":
		return openFrozenVectors(b.dense, dialogues)
	case os.Getenv(config.Prefix+"_EMBEDDING_PROVIDER") != "":
		return openProvider()
	}
	return nil, nil
}

func openFrozenVectors(name string, dialogues []dialogue) (*vectorSource, error) {
	f, err := openFrozen(name, dialogues)
	if err != nil {
		return nil, err
	}
	v, err := newFrozenVectors(f, dialogues)
	if err != nil {
		return nil, err
	}
	e, err := services.StartEmbedder(v.of)
	if err != nil {
		return nil, err
	}
	model, err := e.Open(v.dimensions)
	return &vectorSource{name: "words and frozen vectors: " + f.name, frozen: &f, model: model, env: e.Env(v.dimensions), close: e.Close}, err
}

// openProvider opens the configured provider as the program does.
func openProvider() (*vectorSource, error) {
	c, err := config.Load()
	if err != nil {
		return nil, err
	}
	model, err := embed.Open(embed.Config{
		Provider: c.EmbeddingProvider, Model: c.EmbeddingModel, APIKey: c.EmbeddingAPIKey.Reveal(), BaseURL: c.EmbeddingBaseURL,
		Dimensions: c.EmbeddingDimensions, BatchSize: c.EmbeddingBatch, Timeout: c.EmbeddingTimeout,
		QueryTimeout: c.EmbeddingQueryTimeout, Concurrency: c.EmbeddingConcurrency,
	})
	if err != nil {
		return nil, err
	}
	env, err := services.TakeSettings("EMBEDDING_")
	return &vectorSource{
		name: "words and vectors of " + c.EmbeddingProvider + "/" + c.EmbeddingModel, model: model, env: env,
		close: func() error { return nil },
	}, err
}

// embed stores a vector for every message of the dialogues.
func (v *vectorSource) embed(ctx context.Context, database string, dialogues []dialogue) error {
	s, err := store.Open(ctx, database, store.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	of, err := v.model.Probe(ctx)
	if err != nil {
		return fmt.Errorf("embedding model: %w", err)
	}
	agents := make([]memory.Identity, len(dialogues))
	for i, d := range dialogues {
		agents[i] = services.Tending(d.agent)
	}
	vectors, err := services.Embed(ctx, s, agents, of, func(ctx context.Context, texts []string) ([][]float32, error) {
		made, err := v.model.Embed(ctx, embed.Document, texts)
		return made.Vectors, err
	})
	services.Say("recall", fmt.Sprintf("%d vectors of %s", vectors, of))
	return err
}

// environment returns the environment with which the API process embeds questions; none for a nil source.
func (v *vectorSource) environment() []string {
	if v == nil {
		return nil
	}
	return v.env
}

// lexical names the ranking without vectors.
const lexical = "lexical"

// ranking names the measured ranking.
func (v *vectorSource) ranking() string {
	if v == nil {
		return lexical
	}
	return v.name
}

// frozen is a dense ranking that does not come from a model: the similarity of turns to each question, from a file or
// generated. Generated ones show how fusion handles a dense ranking that is good, useless or misleading.
type frozen struct {
	name string
	// similarity[agent][question] contains the turns that the ranking knows; all others have no similarity.
	similarity map[string][]map[string]float64
}

// frozenLine is a line of a file of dense rankings: the similarities to one question of a dialogue.
type frozenLine struct {
	Sample     string             `json:"sample_id"`
	Question   int                `json:"question"`   // index in the dialogue's list, from 0
	Similarity map[string]float64 `json:"similarity"` // by dia_id, not negative
}

// readFrozen reads a file of JSON lines.
func readFrozen(r io.Reader, name string, dialogues []dialogue) (frozen, error) {
	f := frozen{name: name, similarity: map[string][]map[string]float64{}}
	agents := map[string]string{}
	for _, d := range dialogues {
		agents[d.id] = d.agent
		f.similarity[d.agent] = make([]map[string]float64, len(d.questions))
	}
	decoder := json.NewDecoder(r)
	for n := 1; decoder.More(); n++ {
		var line frozenLine
		if err := decoder.Decode(&line); err != nil {
			return f, fmt.Errorf("ranking %d: %w", n, err)
		}
		agent, known := agents[line.Sample]
		if !known {
			continue // left out by -dialogues
		}
		if line.Question < 0 || line.Question >= len(f.similarity[agent]) {
			return f, fmt.Errorf("ranking %d: dialogue %s has no question %d", n, line.Sample, line.Question)
		}
		for id, s := range line.Similarity {
			if s < 0 || math.IsNaN(s) || math.IsInf(s, 0) {
				return f, fmt.Errorf("ranking %d: the similarity of %s is %v", n, id, s)
			}
		}
		f.similarity[agent][line.Question] = line.Similarity
	}
	return f, nil
}

// madeUp are the generated dense rankings, by name. evidence means that the turn is evidence for the question, and
// chance is between 0 and 1, constant for a question and turn.
var madeUp = map[string]func(evidence bool, chance float64) float64{
	// All evidence first.
	"perfect": func(evidence bool, chance float64) float64 { return bonus(evidence) + 0.4*chance },
	// Three quarters of the evidence first, and the rest close behind.
	"good": func(evidence bool, chance float64) float64 { return 0.5*bonus(evidence) + 0.4*chance },
	// A fifth of the evidence first, and the rest anywhere.
	"weak": func(evidence bool, chance float64) float64 { return 2.0/15*bonus(evidence) + 0.4*chance },
	// Random.
	"noise": func(_ bool, chance float64) float64 { return 0.4 * chance },
	// All evidence last.
	"inverted": func(evidence bool, chance float64) float64 { return 0.6 - bonus(evidence) + 0.4*chance },
	// All equal.
	"constant": func(bool, float64) float64 { return 0.5 },
}

func bonus(evidence bool) float64 {
	if evidence {
		return 0.6
	}
	return 0
}

// openFrozen generates a ranking or reads a file.
func openFrozen(name string, dialogues []dialogue) (frozen, error) {
	rule, ok := madeUp[name]
	if !ok {
		file, err := os.Open(name)
		if err != nil {
			return frozen{}, fmt.Errorf("-dense must be a file or one of %q: %w", sortedNames(madeUp), err)
		}
		defer func() { _ = file.Close() }() // read-only
		return readFrozen(file, name, dialogues)
	}
	f := frozen{name: name, similarity: map[string][]map[string]float64{}}
	for _, d := range dialogues {
		for _, q := range d.questions {
			similarity := map[string]float64{}
			for _, s := range d.sessions {
				for _, t := range s.turns {
					similarity[t.id] = rule(slices.Contains(q.evidence, t.id), chanceOf(q.text, t.id))
				}
			}
			f.similarity[d.agent] = append(f.similarity[d.agent], similarity)
		}
	}
	return f, nil
}

// rank ranks the turns of a dialogue for one of its questions: most similar first, ties in order of time, without
// turns that have no similarity.
func (f frozen) rank(d dialogue, question int) []string {
	similarity := f.similarity[d.agent][question]
	var ids []string
	for _, s := range d.sessions {
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
	_, _ = h.Write([]byte(question + "\x00" + turn))     // a hash never fails
	return rand.New(rand.NewPCG(h.Sum64(), 0)).Float64() //nolint:gosec // it must be reproducible
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// frozenVectors are vectors whose cosine similarities equal those of a frozen ranking, up to a common factor: each
// question has its own dimension, in which a turn has its similarity to the question, and one more dimension gives
// all turns the same length. So a ranking passes through the real index and the real search.
type frozenVectors struct {
	dimensions int
	questions  map[string][]float32 // by text
	turns      map[string][]float32 // by text
	stranger   []float32            // for texts that the ranking does not know
}

// newFrozenVectors creates the vectors of a ranking. It fails if there are more questions than a vector may have
// dimensions.
func newFrozenVectors(f frozen, dialogues []dialogue) (*frozenVectors, error) {
	v := &frozenVectors{dimensions: 1, questions: map[string][]float32{}, turns: map[string][]float32{}}
	for _, d := range dialogues {
		v.dimensions += len(d.questions)
	}
	if v.dimensions > indexes.MaxDimensions {
		return nil, fmt.Errorf("a frozen ranking of %d questions does not fit into vectors of %d dimensions: use fewer -dialogues",
			v.dimensions-1, indexes.MaxDimensions)
	}
	dimension := 0
	for _, d := range dialogues {
		texts := map[string]string{}
		for _, s := range d.sessions {
			for _, t := range s.turns {
				texts[t.id] = t.text
				v.vector(v.turns, t.text)
			}
		}
		for j, q := range d.questions {
			v.vector(v.questions, q.text)[dimension] = 1
			for id, similarity := range f.similarity[d.agent][j] {
				if text, ok := texts[id]; ok {
					turn := v.turns[text]
					turn[dimension] = max(turn[dimension], float32(similarity)) // several turns may have the same text
				}
			}
			dimension++
		}
	}
	v.sameLength()
	return v, nil
}

// vector returns the vector of a text, created if necessary.
func (v *frozenVectors) vector(of map[string][]float32, text string) []float32 {
	if of[text] == nil {
		of[text] = make([]float32, v.dimensions)
	}
	return of[text]
}

// sameLength sets the last dimension of the turns.
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

// of returns the vector of a text as the program sends it: a question verbatim, a turn after a line with its speaker.
// A part of a turn has the vector of the whole turn.
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

// afterLine returns the text after the first line.
func afterLine(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}
