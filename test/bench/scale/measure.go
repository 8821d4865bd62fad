package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"reverie/search"
	"reverie/test/bench/services"
	"reverie/test/deployment"
)

const (
	results = 10 // requested per search
	warmUp  = 20 // questions or writes before the measurement, to warm caches
	// rivalQuestions is the number of questions for the rivals; some take a second each.
	rivalQuestions = 50
)

// questions returns questions about chunks of an agent, including some to warm up.
func (b *bench) questions(agent int) []string {
	w := b.vocabulary.writer(streamOfQuestions + uint64(agent))
	out := make([]string, warmUp+b.queries)
	for i := range out {
		out[i] = w.question(b.vocabulary.chunk(agent, w.rng.IntN(b.population.sizes[agent])))
	}
	return out
}

// searches sends the questions about an agent to the API, one after the other.
func (b *bench) searches(ctx context.Context, api *deployment.Client, name string, agent int, bar float64) (timing, error) {
	t := timing{Name: name, Chunks: b.population.sizes[agent], Bar: bar}
	var took []time.Duration
	for i, q := range b.questions(agent) {
		found, one, err := services.Ask(ctx, api, b.population.name(agent), services.Search{
			Owner: owner, Query: q, Corpus: search.Sessions, MaxResults: results, MinScore: new(0.0),
		})
		if err != nil {
			return t, err
		}
		if len(found.Results) == 0 {
			return t, fmt.Errorf("%s: question %d has no results", name, i+1)
		}
		if i >= warmUp {
			took = append(took, one)
		}
	}
	t.Latency = services.LatencyOf(took)
	return t, nil
}

// noteBytes is the size of a written note.
const noteBytes = 4 << 10

// writes adds new notes of 4 KB to the memory of an agent's owner, one after the other, each measured until the
// response.
func (b *bench) writes(ctx context.Context, api *deployment.Client, agent int) (timing, error) {
	t := timing{Name: "write of a 4 KB note", Chunks: b.population.sizes[agent], Bar: writeBar}
	w := b.vocabulary.writer(streamOfNotes)
	var took []time.Duration
	for i := range warmUp + b.queries {
		path := fmt.Sprintf("/api/v1/agents/%s/workspace/files/memory/%s-note-%d.md?owner=%s",
			b.population.name(agent), began.AddDate(0, 0, i).Format(time.DateOnly), i, owner)
		body := map[string]string{"content": w.note()}
		start := time.Now()
		if err := api.Call(ctx, http.MethodPut, path, body, nil); err != nil {
			return t, fmt.Errorf("write a note: %w", err)
		}
		if i >= warmUp {
			took = append(took, time.Since(start))
		}
	}
	t.Latency = services.LatencyOf(took)
	return t, nil
}

// note returns a document with headings and paragraphs.
func (w *writer) note() string {
	text := "# " + w.text(3) + "\n"
	for i := 0; len(text) < noteBytes; i++ {
		if i%4 == 0 {
			text += "\n## " + w.text(4) + "\n"
		}
		text += "\n" + w.text(minWords) + "\n"
	}
	return text[:noteBytes]
}

// Limits of p95, in milliseconds, on two cores with a million chunks.
const (
	middleBar = 30
	largeBar  = 120
	hybridBar = 60
	writeBar  = 20
)

// measureRivals loads the rivals and asks them the same questions.
func (b *bench) measureRivals(ctx context.Context, r *rivals, vectors int) (timings []timing, disk []diskFigure, err error) {
	middle, large := b.population.name(middleAgent), b.population.name(largeAgent)
	of := func(agent int) []string { return b.questions(agent)[warmUp:][:min(b.queries, rivalQuestions)] }
	add := func(name string, agent int, l services.Latency) {
		timings = append(timings, timing{Name: name, Chunks: b.population.sizes[agent], Latency: l})
	}
	measured := b.population.sizes[middleAgent] + b.population.sizes[largeAgent]
	for _, rival := range []struct {
		name, table string
		items       int
		load        func() error
		search      func(agent string, questions []string) (services.Latency, error)
		agents      []int
	}{
		{
			"rival: ts_rank over GIN", "chunk", b.chunks,
			func() error { return r.loadText(ctx) },
			func(agent string, q []string) (services.Latency, error) { return r.searchText(ctx, agent, q) },
			[]int{middleAgent, largeAgent},
		},
		{
			"rival: BM25 over a postings table", "posting", measured,
			func() error { return r.loadPostings(ctx, middle, large) },
			func(agent string, q []string) (services.Latency, error) { return r.searchPostings(ctx, agent, q) },
			[]int{middleAgent, largeAgent},
		},
		{
			"rival: exact scan of vectors", "vector", vectors,
			func() error { return r.loadVectors(ctx) },
			func(agent string, q []string) (services.Latency, error) {
				return r.searchVectors(ctx, agent, q, b.dimensions)
			},
			[]int{middleAgent},
		},
	} {
		services.Say("bench", "loading "+rival.name)
		if err := rival.load(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", rival.name, err)
		}
		for _, agent := range rival.agents {
			latency, err := rival.search(b.population.name(agent), of(agent))
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", rival.name, err)
			}
			add(rival.name, agent, latency)
		}
		figure, err := rivalDisk(ctx, r.db, rival.name, rival.table, rival.items)
		if err != nil {
			return nil, nil, err
		}
		disk = append(disk, figure)
	}
	return timings, disk, nil
}
