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
	"os"
	"strconv"
	"strings"
	"time"

	"reverie/test/bench/services"
)

func main() {
	b := bench{parallel: levels{1, 4, 16, 64}}
	flag.IntVar(&b.owners, "owners", 200, "owners per speed measurement; fewer at low parallelism")
	flag.Var(&b.parallel, "parallel", "how many dream at once; one measurement per value")
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
	parallel            levels
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
	if _, err := services.TakeSettings(""); err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "reverie-dreams-")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if b.world, err = newWorld(ctx, dir, b.seed, b.delay); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, b.world.close()) }()
	r, err := b.measure(ctx)
	if err != nil {
		return false, err
	}
	return r.passed(), services.Show(w, asJSON, r, r.print)
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

// levels are how many dream at once, as a flag: 1,4,16,64.
type levels []int

func (l *levels) String() string {
	var out []string
	for _, n := range *l {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ",")
}

// Set reads the flag.
func (l *levels) Set(s string) error {
	var out levels
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return errors.New("use whole numbers from 1, such as 1,4,16")
		}
		out = append(out, n)
	}
	*l = out
	return nil
}
