package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"reverie/test/bench/services"
)

// print writes the report as tables.
func (r report) print(w io.Writer) error {
	l := r.Loaded
	fmt.Fprintf(w, "%s, ranking: %s\n", r.File, r.Ranking)
	fmt.Fprintf(w, "%d dialogues, %d sessions, %d turns, stored and searchable in %.1f s\n", l.Dialogues, l.Sessions, l.Turns, l.Seconds)
	fmt.Fprintf(w, "%d questions asked; %d skipped because nothing resolves their evidence; %d malformed references left out\n\n",
		r.Overall.Questions, l.SkippedQuestions, l.MalformedReferences)

	t := newTable(w)
	t.head("", "questions", "recall of turns", "recall of sessions", r.Overall.Recall)
	for _, f := range r.ByKind {
		t.figures(f)
	}
	t.figures(r.Without5)
	t.figures(r.Overall)
	for _, f := range r.Dialogues {
		t.figures(f)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nlatency of a search over HTTP: %s\n", latency(r.Latency))
	if err := printAblations(w, "by itself", r.Inputs); err != nil {
		return err
	}
	if err := printAblations(w, "ablation", r.Ablations); err != nil {
		return err
	}
	for i, b := range r.Bars {
		if i == 0 {
			fmt.Fprintln(w)
		}
		verdict := "missed"
		if b.Passed {
			verdict = "passed"
		}
		why := b.Why
		if why != "" {
			why = " (" + why + ")"
		}
		fmt.Fprintf(w, "%s: %s R@%d %.1f, at least %.1f is wanted%s\n", verdict, b.Level, b.K, percent(b.Got), percent(b.Least), why)
	}
	return nil
}

func printAblations(w io.Writer, title string, ablations []ablated) error {
	if len(ablations) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := newTable(w)
	t.head(title, "p95 ms", "turns, difference in points", "sessions, difference in points", ablations[0].Recall)
	for _, a := range ablations {
		cells := []string{a.Name, fmt.Sprintf("%.1f", a.Latency.P95)}
		for i, d := range a.Difference {
			cells = append(cells, fmt.Sprintf("%.1f %+.1f", percent(a.Recall[i].Turn), percent(d.Turn)))
		}
		for i, d := range a.Difference {
			cells = append(cells, fmt.Sprintf("%.1f %+.1f", percent(a.Recall[i].Session), percent(d.Session)))
		}
		t.row(cells)
	}
	return t.Flush()
}

// table aligns columns.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer) table {
	return table{tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
}

func (t table) row(cells []string) { fmt.Fprintln(t, strings.Join(cells, "\t")+"\t") }

// head writes the column titles: two lines, because the two levels have a column for every k.
func (t table) head(name, count, turns, sessions string, ks []recallAt) {
	above, below := []string{"", ""}, []string{name, count}
	for _, title := range []string{turns, sessions} {
		for i, k := range ks {
			if i > 0 {
				title = ""
			}
			above = append(above, title)
			below = append(below, fmt.Sprintf("R@%d", k.K))
		}
	}
	t.row(above)
	t.row(below)
}

func (t table) figures(f figures) {
	cells := []string{f.Name, fmt.Sprint(f.Questions)}
	for _, r := range f.Recall {
		cells = append(cells, fmt.Sprintf("%.1f", percent(r.Turn)))
	}
	for _, r := range f.Recall {
		cells = append(cells, fmt.Sprintf("%.1f", percent(r.Session)))
	}
	t.row(cells)
}

func percent(share float64) float64 { return 100 * share }

func latency(l services.Latency) string {
	return fmt.Sprintf("p50 %.1f ms, p95 %.1f ms, longest %.1f ms (%d searches, one at a time)", l.P50, l.P95, l.Max, l.Count)
}
