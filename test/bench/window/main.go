// Command window measures the context window: how long assembling one takes by the length of the conversation, next to a plain
// read of the same messages; what a conversation of many turns costs in tokens, next to sending everything and to summarising
// from the beginning at each overflow; and how much of a prompt stays the same from one turn to the next, which is what a
// provider can cache.
//
//	go run ./test/bench/window
//
// It starts a private PostgreSQL, a private Temporal dev server, a scripted model, and the program's own API and worker. It
// prints figures and ratios, and whether the bars are passed; it ends with status 1 when one is missed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"reverie/test/bench/services"
)

func main() {
	b := bench{lengths: lengths{10, 100, 1000, 10_000}}
	flag.Var(&b.lengths, "lengths", "messages of the conversations whose contexts are timed, one measurement for each; empty: none")
	flag.IntVar(&b.asks, "asks", 200, "contexts of one measurement")
	flag.IntVar(&b.turns, "turns", 100, "of the conversation whose tokens are counted; 0: none is")
	flag.IntVar(&b.window, "window", 16_000, "tokens of its window")
	flag.Uint64Var(&b.seed, "seed", 1, "other texts for another number")
	services.Main("window", b.run)
}

// bench is one run.
type bench struct {
	lengths       lengths
	asks          int
	turns, window int
	seed          uint64

	world *world
}

// run measures and prints; passed says that no bar is missed.
func (b *bench) run(ctx context.Context, w io.Writer, asJSON bool) (passed bool, err error) {
	if b.asks < 1 || b.turns < 0 || b.window < 2000 {
		return false, errors.New("ask at least once, for turns that are not negative, in a window of at least 2,000 tokens")
	}
	if _, err := services.TakeSettings(""); err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "reverie-window-")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if b.world, err = newWorld(ctx, dir); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, b.world.close()) }()
	var r report
	for _, n := range b.lengths {
		l, err := b.latency(ctx, n)
		if err != nil {
			return false, fmt.Errorf("contexts of %d messages: %w", n, err)
		}
		r.Latencies = append(r.Latencies, l)
	}
	if b.turns > 0 {
		if r.Spending, err = b.spend(ctx); err != nil {
			return false, fmt.Errorf("tokens of %d turns: %w", b.turns, err)
		}
	}
	return r.passed(), services.Show(w, asJSON, r, r.print)
}
