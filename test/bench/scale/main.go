// Command scale measures the speed of searches and writes with a large index, next to plain ways of doing the same on
// the same server, in the same run.
//
//	go run ./test/bench/scale -chunks 1000000 -agents 200
//
// It starts a private PostgreSQL, generates texts whose words follow Zipf's law, writes them as conversations of many
// agents with the same calls as the API and the worker, starts the real API process, and queries it over HTTP. It
// prints latencies, space on disk, and limits for a machine with two cores, and exits with status 1 if one is
// exceeded.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/store"
	"reverie/test/bench/services"
)

func main() {
	b := bench{}
	flag.IntVar(&b.chunks, "chunks", 1_000_000, "total chunks; one agent has a tenth of them, one a hundredth")
	flag.IntVar(&b.agents, "agents", 200, "agents, at least 3")
	flag.IntVar(&b.dimensions, "dimensions", 1024, "dimensions of a vector")
	flag.IntVar(&b.vectors, "vectors", 100_000, "approximate number of chunks with vectors: those of the middle agent, and others")
	flag.IntVar(&b.queries, "queries", 200, "searches and writes of each kind")
	flag.IntVar(&b.words, "words", 50_000, "size of the vocabulary")
	flag.Float64Var(&b.exponent, "exponent", 1.07, "exponent of Zipf's law, above 1")
	flag.IntVar(&b.turns, "turns", 100, "chunks per conversation")
	flag.IntVar(&b.writers, "writers", 2, "concurrent writers while the database is filled")
	flag.Uint64Var(&b.seed, "seed", 1, "seed of the generated texts")
	flag.BoolVar(&b.rivals, "rivals", true, "also measure plain ways of searching")
	services.Main("scale", b.run)
}

// bench is one run.
type bench struct {
	chunks, agents, dimensions, vectors, queries, words, turns, writers int

	exponent float64
	seed     uint64
	rivals   bool

	vocabulary *vocabulary
	population population
}

// run measures and prints; passed reports whether every figure is within its limit.
func (b *bench) run(ctx context.Context, w io.Writer, asJSON bool) (passed bool, err error) {
	if err := b.prepare(); err != nil {
		return false, err
	}
	err = services.InFolder("scale", func(dir string) (err error) {
		s, err := services.Start(ctx, services.Options{Dir: dir, Progress: services.Say})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Stop()) }()
		r, err := b.measure(ctx, s)
		if err != nil {
			return err
		}
		passed = r.passed()
		return services.Show(w, asJSON, r, r.print)
	})
	return passed, err
}

// prepare checks the flags and computes derived values.
func (b *bench) prepare() error {
	switch {
	case b.agents < 3 || b.chunks < 100*b.agents:
		return errors.New("-agents must be at least 3, and -chunks at least 100 per agent")
	case b.exponent <= 1 || b.words < 2*commonRanks:
		return fmt.Errorf("-exponent must be above 1, and -words at least %d", 2*commonRanks)
	case b.turns < 1 || b.queries < 1 || b.writers < 1 || b.dimensions < 1:
		return errors.New("-turns, -queries, -writers and -dimensions must be at least 1")
	}
	b.vocabulary = newVocabulary(b.words, b.exponent, b.seed)
	b.population = newPopulation(b.chunks, b.agents)
	return nil
}

// measure fills the database and measures.
func (b *bench) measure(ctx context.Context, s *services.Services) (report, error) {
	r := report{Chunks: b.chunks, Agents: b.agents, Dimensions: b.dimensions}
	provider, err := services.StartEmbedder(func(text string) []float32 { return vectorOf(text, b.dimensions) })
	if err != nil {
		return r, err
	}
	defer func() { _ = provider.Close() }() // no more requests
	if r.Load, err = b.fill(ctx, s.DatabaseURL, provider); err != nil {
		return r, err
	}
	db, err := pgx.Connect(ctx, s.DatabaseURL)
	if err != nil {
		return r, err
	}
	defer db.Close(context.WithoutCancel(ctx))
	if r.Disk, err = disk(ctx, db, b.chunks, r.Load.Vectors); err != nil {
		return r, err
	}
	if r.Timings, err = b.ask(ctx, s, provider); err != nil {
		return r, err
	}
	if !b.rivals {
		return r, nil
	}
	others, err := openRivals(ctx, s.DatabaseURL)
	if err != nil {
		return r, err
	}
	defer others.db.Close(context.WithoutCancel(ctx))
	timings, sizes, err := b.measureRivals(ctx, others, r.Load.Vectors)
	r.Timings, r.Disk = append(r.Timings, timings...), append(r.Disk, sizes...)
	return r, err
}

// fill writes all data.
func (b *bench) fill(ctx context.Context, database string, provider *services.Embedder) (loadFigures, error) {
	s, err := store.Open(ctx, database, store.Options{})
	if err != nil {
		return loadFigures{}, err
	}
	defer s.Close()
	services.Say("bench", fmt.Sprintf("writing %d chunks", b.chunks))
	figures, err := b.load(ctx, s)
	if err != nil {
		return figures, err
	}
	services.Say("bench", "storing vectors")
	start := time.Now()
	figures.Vectors, err = b.embed(ctx, s, provider)
	figures.EmbedSeconds = time.Since(start).Seconds()
	return figures, err
}

// ask measures requests to the API, first without an embedding provider, then with one.
func (b *bench) ask(ctx context.Context, s *services.Services, provider *services.Embedder) ([]timing, error) {
	plain, err := s.StartAPI(ctx)
	if err != nil {
		return nil, err
	}
	embedding, err := s.StartAPI(ctx, provider.Env(b.dimensions)...)
	if err != nil {
		return nil, err
	}
	services.Say("bench", "asking")
	var timings []timing
	for _, one := range []func() (timing, error){
		func() (timing, error) { return b.searches(ctx, plain, "lexical search", middleAgent, middleBar) },
		func() (timing, error) { return b.searches(ctx, plain, "lexical search", largeAgent, largeBar) },
		func() (timing, error) { return b.searches(ctx, embedding, "hybrid search", middleAgent, hybridBar) },
		func() (timing, error) { return b.writes(ctx, plain, middleAgent) },
	} {
		t, err := one()
		if err != nil {
			return nil, err
		}
		timings = append(timings, t)
	}
	return timings, nil
}
