package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
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

// bar is one that is held.
type bar struct {
	name      string
	got, most float64
}

func (b bar) passed() bool { return b.got <= b.most }

func (r report) bars() []bar {
	var out []bar
	for _, l := range r.Latencies {
		out = append(out, bar{fmt.Sprintf("context of %d messages, p95 in ms", l.Messages), l.Context.P95, latencyBar})
	}
	if s := r.Spending; s != nil {
		out = append(out,
			bar{"tokens to sending everything", s.Everything.Ratio, spendingBar},
			bar{"tokens to summarising from the beginning", s.Anew.Ratio, anewBar},
			bar{"summaries alone to those from the beginning", s.summaryRatio(), summaryBar},
			bar{"largest context to the window", float64(s.Largest) / float64(s.Window), 1},
			bar{"changing bytes to those with recall first", (1 - s.Prefix) / (1 - s.PrefixEarly), 1},
		)
	}
	return out
}

// passed says that no bar is missed.
func (r report) passed() bool {
	return !slices.ContainsFunc(r.bars(), func(b bar) bool { return !b.passed() })
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
	fmt.Fprintln(t, "\nbars\tmeasured\tat most\t\t")
	for _, b := range r.bars() {
		verdict := "passed"
		if !b.passed() {
			verdict = "MISSED"
		}
		fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%s\t\n", b.name, b.got, b.most, verdict)
	}
	return t.Flush()
}
