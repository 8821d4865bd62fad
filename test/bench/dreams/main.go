// Command dreams measures three things: how fast owners dream, compared with workflows of empty steps and with the
// same steps without Temporal, on the same servers in the same run; whether a night of many agents costs in
// proportion to the news; and what one dream costs in model tokens, history bytes, and database rows and bytes.
//
//	go run ./test/bench/dreams
//
// It starts a private PostgreSQL and a private Temporal dev server, generates owners with a week of notes and
// conversations, and runs the worker in its own process. It prints figures, ratios and limits, and exits with status
// 1 if a limit is exceeded.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"reverie/test/bench/services"
)

func main() {
	b := bench{parallel: []int{1, 4, 16, 64}}
	flag.IntVar(&b.owners, "owners", 200, "owners per speed measurement; fewer at low parallelism")
	flag.Var(services.Numbers(&b.parallel, 1, false), "parallel", "how many dream at once; one measurement per value")
	flag.IntVar(&b.rounds, "rounds", 1, "rounds of all measurements; the median counts")
	flag.DurationVar(&b.delay, "delay", 300*time.Millisecond, "response time of the model")
	flag.IntVar(&b.agents, "agents", 1000, "agents in the measurement of nights; 0: skip it")
	flag.IntVar(&b.each, "each", 10, "owners per agent")
	flag.Float64Var(&b.share, "share", .05, "share of owners with news")
	flag.IntVar(&b.sized, "sized", 40, "dreams per size; 0: skip the measurement of sizes")
	flag.Uint64Var(&b.seed, "seed", 1, "seed of the generated texts")
	services.Main("dreams", b.run)
}

// bench is one run.
type bench struct {
	owners, rounds      int
	parallel            []int
	delay               time.Duration
	agents, each, sized int
	share               float64
	seed                uint64

	world *world
}

// run measures and prints; passed reports whether every figure is within its limit.
func (b *bench) run(ctx context.Context, w io.Writer, asJSON bool) (passed bool, err error) {
	if err := b.check(); err != nil {
		return false, err
	}
	err = services.InFolder("dreams", func(dir string) (err error) {
		if b.world, err = newWorld(ctx, dir, b.seed, b.delay); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.world.Close()) }()
		r, err := b.measure(ctx)
		if err != nil {
			return err
		}
		passed = r.passed()
		return services.Show(w, asJSON, r, r.print)
	})
	return passed, err
}

func (b *bench) check() error {
	switch {
	case b.rounds < 0 || b.rounds > 0 && b.owners < 1:
		return errors.New("-owners must be at least 1")
	case b.agents > 0 && (b.each < 1 || b.share <= 0 || b.share > 1):
		return errors.New("-each must be at least 1, and -share above 0 and at most 1")
	}
	return nil
}

// measure runs the measurements one after the other.
func (b *bench) measure(ctx context.Context) (report, error) {
	r := report{Delay: b.delay.Seconds()}
	var err error
	if b.sized > 0 {
		if r.Sizes, err = b.sizes(ctx); err != nil {
			return r, fmt.Errorf("sizes: %w", err)
		}
	}
	if b.rounds > 0 {
		if r.Speeds, err = b.speeds(ctx); err != nil {
			return r, fmt.Errorf("speed: %w", err)
		}
	}
	if b.agents > 0 {
		if r.Nights, err = b.nights(ctx); err != nil {
			return r, fmt.Errorf("nights: %w", err)
		}
	}
	return r, nil
}
