// Command window measures three things about the context window: the latency of building one by length of the
// conversation, next to a plain read of the same messages; the token cost of a long conversation, next to sending
// everything and to summarising from the beginning at each overflow; and how much of a prompt stays the same from one
// turn to the next, which providers can cache.
//
//	go run ./test/bench/window
//
// It starts a private PostgreSQL, a private Temporal dev server, a scripted model, and the program's own API and
// worker. It prints figures, ratios and limits, and exits with status 1 if a limit is exceeded.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"text/tabwriter"

	"reverie/test/bench/services"
)

func main() {
	b := bench{lengths: []int{10, 100, 1000, 10_000}}
	flag.Var(services.Numbers(&b.lengths, 2, true), "lengths", "messages of the conversations whose contexts are timed; empty: skip it")
	flag.IntVar(&b.asks, "asks", 200, "contexts per measurement")
	flag.IntVar(&b.turns, "turns", 100, "turns of the conversation whose tokens are counted; 0: skip it")
	flag.IntVar(&b.window, "window", 16_000, "size of its window in tokens")
	flag.Uint64Var(&b.seed, "seed", 1, "seed of the generated texts")
	services.Main("window", b.run)
}

// bench is one run.
type bench struct {
	lengths       []int
	asks          int
	turns, window int
	seed          uint64

	world *world
}

// run measures and prints; passed reports whether every figure is within its limit.
func (b *bench) run(ctx context.Context, w io.Writer, asJSON bool) (passed bool, err error) {
	if b.asks < 1 || b.turns < 0 || b.window < 2000 {
		return false, errors.New("-asks must be at least 1, -turns at least 0, and -window at least 2000")
	}
	err = services.InFolder("window", func(dir string) error {
		r, err := b.measure(ctx, dir)
		if err != nil {
			return err
		}
		passed = r.passed()
		return services.Show(w, asJSON, r, r.print)
	})
	return passed, err
}

// measure runs the measurements one after the other.
func (b *bench) measure(ctx context.Context, dir string) (r report, err error) {
	if b.world, err = newWorld(ctx, dir); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, b.world.Close()) }()
	for _, n := range b.lengths {
		l, err := b.latency(ctx, n)
		if err != nil {
			return r, fmt.Errorf("contexts of %d messages: %w", n, err)
		}
		r.Latencies = append(r.Latencies, l)
	}
	if b.turns > 0 {
		if r.Spending, err = b.spend(ctx); err != nil {
			return r, fmt.Errorf("tokens of %d turns: %w", b.turns, err)
		}
	}
	return r, nil
}

// report is the result of a run, also as JSON.
type report struct {
	Latencies []latency `json:"latencies,omitempty"`
	Spending  *spending `json:"spending,omitempty"`
}

// Limits.
const (
	// latencyBar limits p95 of a context in milliseconds, for conversations of any length.
	latencyBar = 50
	// spendingBar limits the tokens relative to sending everything.
	spendingBar = .9
	// anewBar limits the tokens relative to summarising from the beginning, and summaryBar those of the summaries
	// alone.
	anewBar, summaryBar = 1, .75
)

func (r report) bars() []services.Bar {
	var out []services.Bar
	for _, l := range r.Latencies {
		out = append(out, services.Bar{Name: fmt.Sprintf("context of %d messages, p95 in ms", l.Messages), Got: l.Context.P95, Most: latencyBar})
	}
	if s := r.Spending; s != nil {
		out = append(out,
			services.Bar{Name: "tokens to sending everything", Got: s.Everything.Ratio, Most: spendingBar},
			services.Bar{Name: "tokens to summarising from the beginning", Got: s.Anew.Ratio, Most: anewBar},
			services.Bar{Name: "summaries alone to those from the beginning", Got: s.summaryRatio(), Most: summaryBar},
			services.Bar{Name: "largest context to the window", Got: float64(s.Largest) / float64(s.Window), Most: 1},
			services.Bar{Name: "changing bytes to those with recall first", Got: (1 - s.Prefix) / (1 - s.PrefixEarly), Most: 1},
		)
	}
	return out
}

// passed reports whether all limits are met.
func (r report) passed() bool {
	return services.Passed(r.bars())
}

func (r report) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(r.Latencies) > 0 {
		fmt.Fprintln(t, "messages\tsent\ttokens\tcontext p50\tp95\tread p50\tp95\tratio\t")
	}
	for _, l := range r.Latencies {
		fmt.Fprintf(t, "%d\t%d\t%d\t%.1f ms\t%.1f ms\t%.1f ms\t%.1f ms\t%.1f\t\n", l.Messages, l.Sent, l.Tokens,
			l.Context.P50, l.Context.P95, l.Read.P50, l.Read.P95, l.Ratio)
	}
	if s := r.Spending; s != nil {
		fmt.Fprintf(t, "\n%d turns, window %d\tprompts\tsummaries\tlargest\tours to it\tsame prefix\t\n", s.Turns, s.Window)
		fmt.Fprintf(t, "ours\t%d\t%d\t%d\t\t%.3f\t\n", s.Prompts, s.Summaries, s.Largest, s.Prefix)
		fmt.Fprintf(t, "everything\t%d\t%d\t%d\t%.2f\t\t\n", s.Everything.Prompts, s.Everything.Summaries, s.Everything.Largest,
			s.Everything.Ratio)
		fmt.Fprintf(t, "from the beginning\t%d\t%d\t%d\t%.2f\t%.3f\t\n", s.Anew.Prompts, s.Anew.Summaries, s.Anew.Largest, s.Anew.Ratio,
			s.PrefixAnew)
		fmt.Fprintf(t, "ours with recall first\t\t\t\t\t%.3f\t\n", s.PrefixEarly)
		fmt.Fprintf(t, "\n%d summaries; memory saved by %d requests of %d tokens, which the others do without\n", s.Compactions, s.Flushed,
			s.Flushes)
	}
	fmt.Fprintln(t)
	services.PrintBars(t, r.bars())
	return t.Flush()
}
