package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"reverie/test/bench/services"
)

// report is the outcome of a run; it is also the JSON output.
type report struct {
	Chunks     int          `json:"chunks"`
	Agents     int          `json:"agents"`
	Dimensions int          `json:"dimensions"`
	Load       loadFigures  `json:"load"`
	Timings    []timing     `json:"timings"`
	Disk       []diskFigure `json:"disk"`
}

// loadFigures say how long it took to fill the database.
type loadFigures struct {
	WriteSeconds float64 `json:"writeSeconds"` // messages with their lexical index
	PackSeconds  float64 `json:"packSeconds"`  // merging of the index
	EmbedSeconds float64 `json:"embedSeconds"` // making up vectors and storing them
	Vectors      int     `json:"vectors"`
}

// timing is how long one thing took.
type timing struct {
	Name    string           `json:"name"`
	Chunks  int              `json:"chunks"` // of the agent
	Latency services.Latency `json:"latency"`
	Bar     float64          `json:"barP95Ms,omitempty"` // what p95 may be; 0: it is a rival, and has none
}

// passed says that a timing is within its bar, or has none.
func (t timing) passed() bool { return t.Bar == 0 || t.Latency.P95 <= t.Bar }

// passed says that nothing misses its bar.
func (r report) passed() bool {
	for _, t := range r.Timings {
		if !t.passed() {
			return false
		}
	}
	for _, d := range r.Disk {
		if !d.passed() {
			return false
		}
	}
	return true
}

func (r report) print(w io.Writer) error {
	fmt.Fprintf(w, "%d chunks over %d agents, %d vectors of %d dimensions\n", r.Chunks, r.Agents, r.Load.Vectors, r.Dimensions)
	fmt.Fprintf(w, "written and indexed in %.0f s, index merged in %.0f s, vectors made up and stored in %.0f s\n\n",
		r.Load.WriteSeconds, r.Load.PackSeconds, r.Load.EmbedSeconds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "milliseconds\tchunks\ttimes\tp50\tp95\tlongest\tp95 wanted\t\t")
	for _, one := range r.Timings {
		l := one.Latency
		fmt.Fprintf(t, "%s\t%d\t%d\t%.1f\t%.1f\t%.1f\t%s\t\n", one.Name, one.Chunks, l.Count, l.P50, l.P95, l.Max, verdict(one.Bar, one.passed()))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "disk, with indexes\tMB\tfor\tbytes of each\twanted below\t\t")
	for _, d := range r.Disk {
		fmt.Fprintf(t, "%s\t%.1f\t%d\t%.0f\t%s\t\n", d.Name, float64(d.Bytes)/1e6, d.Items, d.Each, verdict(d.Bar, d.passed()))
	}
	return t.Flush()
}

// verdict is the last two cells of a row.
func verdict(bar float64, passed bool) string {
	switch {
	case bar == 0:
		return "\t"
	case passed:
		return fmt.Sprintf("%.0f\tpassed", bar)
	default:
		return fmt.Sprintf("%.0f\tmissed", bar)
	}
}
