package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"reverie/test/bench/services"
)

// report is the outcome of a run; it is also the JSON output.
type report struct {
	Latencies []latency `json:"latencies,omitempty"`
	Spending  *spending `json:"spending,omitempty"`
}

// Bars.
const (
	// latencyBar is the 95th percentile of a context in milliseconds, for conversations of any length.
	latencyBar = 50
	// spendingBar is what ours may cost in tokens next to sending everything.
	spendingBar = .9
	// anewBar is what ours may cost next to summarising from the beginning: all of it, and the summaries alone.
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

// passed says that no bar is missed.
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
		fmt.Fprintf(t, "everything\t%d\t%d\t%d\t%.2f\t\t\n", s.Everything.Prompts, s.Everything.Summaries, s.Everything.Largest, s.Everything.Ratio)
		fmt.Fprintf(t, "from the beginning\t%d\t%d\t%d\t%.2f\t%.3f\t\n", s.Anew.Prompts, s.Anew.Summaries, s.Anew.Largest, s.Anew.Ratio, s.PrefixAnew)
		fmt.Fprintf(t, "ours with recall first\t\t\t\t\t%.3f\t\n", s.PrefixEarly)
		fmt.Fprintf(t, "\n%d summaries; memory saved by %d requests of %d tokens, which the others do without\n", s.Compactions, s.Flushed, s.Flushes)
	}
	fmt.Fprintln(t)
	services.PrintBars(t, r.bars())
	return t.Flush()
}
