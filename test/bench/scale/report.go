package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/jackc/pgx/v5"

	"reverie/test/bench/services"
)

// report is the result of a run, also as JSON.
type report struct {
	Chunks     int          `json:"chunks"`
	Agents     int          `json:"agents"`
	Dimensions int          `json:"dimensions"`
	Load       loadFigures  `json:"load"`
	Timings    []timing     `json:"timings"`
	Disk       []diskFigure `json:"disk"`
}

// loadFigures are the durations of filling the database.
type loadFigures struct {
	WriteSeconds float64 `json:"writeSeconds"` // messages with their lexical index
	PackSeconds  float64 `json:"packSeconds"`  // merging of the index
	EmbedSeconds float64 `json:"embedSeconds"` // generating and storing vectors
	Vectors      int     `json:"vectors"`
}

// timing is the latency of one kind of operation.
type timing struct {
	Name    string           `json:"name"`
	Chunks  int              `json:"chunks"` // of the agent
	Latency services.Latency `json:"latency"`
	Bar     float64          `json:"barP95Ms,omitempty"` // limit of p95; 0: none, as for rivals
}

// passed reports whether a timing is within its limit or has none.
func (t timing) passed() bool { return t.Bar == 0 || t.Latency.P95 <= t.Bar }

// passed reports whether all limits are met.
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
	fmt.Fprintln(t, "milliseconds\tchunks\ttimes\tp50\tp95\tlongest\tp95 limit\t\t")
	for _, one := range r.Timings {
		l := one.Latency
		fmt.Fprintf(t, "%s\t%d\t%d\t%.1f\t%.1f\t%.1f\t%s\t\n", one.Name, one.Chunks, l.Count, l.P50, l.P95, l.Max, verdict(one.Bar, one.passed()))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "disk, with indexes\tMB\tfor\tbytes of each\tlimit\t\t")
	for _, d := range r.Disk {
		fmt.Fprintf(t, "%s\t%.1f\t%d\t%.0f\t%s\t\n", d.Name, float64(d.Bytes)/1e6, d.Items, d.Each, verdict(d.Bar, d.passed()))
	}
	return t.Flush()
}

// verdict returns the last two cells of a row.
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

// diskFigure is the space that something takes, including its indexes.
type diskFigure struct {
	Name  string  `json:"name"`
	Bytes int64   `json:"bytes"`
	Items int     `json:"items"`       // number of items in it
	Each  float64 `json:"bytesOfEach"` // per item
	Bar   float64 `json:"bar,omitempty"`
}

// passed reports whether a figure is below its limit or has none.
func (d diskFigure) passed() bool { return d.Bar == 0 || d.Each < d.Bar }

// diskBar is the space of a plain postings table per chunk of 49 distinct words: 1,036 MB for 199,860 chunks.
const diskBar = 5200

// sizeOf sums the sizes of tables by patterns of their names (SQL's like).
const sizeOf = `
select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relkind = 'r' and c.relname like any ($2::text[]) and not c.relname like any ($3::text[])`

// diskParts are the parts of the schema, by the names of their tables.
var diskParts = []struct {
	name          string
	schema        string
	like, notLike []string
	perVector     bool
	bar           float64
}{
	{
		name: "lexical index", schema: "public", like: []string{"index\\_%"},
		notLike: []string{"index\\_vectors%", "index\\_spaces", "index\\_progress"}, bar: diskBar,
	},
	{name: "texts", schema: "public", like: []string{"messages", "conversations"}},
	{name: "vectors", schema: "public", like: []string{"index\\_vectors%", "index\\_spaces", "index\\_progress"}, perVector: true},
	{name: "cache of vectors", schema: "public", like: []string{"embedding\\_cache"}, perVector: true},
}

// disk measures the parts after a vacuum. chunks and vectors are the numbers of items.
func disk(ctx context.Context, db *pgx.Conn, chunks, vectors int) ([]diskFigure, error) {
	if _, err := db.Exec(ctx, "vacuum analyze"); err != nil {
		return nil, err
	}
	var figures []diskFigure
	for _, part := range diskParts {
		figure := diskFigure{Name: part.name, Items: chunks, Bar: part.bar}
		if part.perVector {
			figure.Items = vectors
		}
		if err := db.QueryRow(ctx, sizeOf, part.schema, part.like, append([]string{""}, part.notLike...)).Scan(&figure.Bytes); err != nil {
			return nil, err
		}
		figures = append(figures, figure.shared())
	}
	total := diskFigure{Name: "whole database", Items: chunks}
	err := db.QueryRow(ctx, "select pg_database_size(current_database())").Scan(&total.Bytes)
	return append(figures, total.shared()), err
}

// rivalDisk returns the space of a rival's table, including its indexes.
func rivalDisk(ctx context.Context, db *pgx.Conn, name, table string, items int) (diskFigure, error) {
	figure := diskFigure{Name: name, Items: items}
	err := db.QueryRow(ctx, "select pg_total_relation_size($1::regclass)", "rival."+table).Scan(&figure.Bytes)
	return figure.shared(), err
}

func (d diskFigure) shared() diskFigure {
	if d.Items > 0 {
		d.Each = float64(d.Bytes) / float64(d.Items)
	}
	return d
}
