package main

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// diskFigure is how much space something takes, with its indexes.
type diskFigure struct {
	Name  string  `json:"name"`
	Bytes int64   `json:"bytes"`
	Items int     `json:"items"`       // that share it
	Each  float64 `json:"bytesOfEach"` // of them
	Bar   float64 `json:"bar,omitempty"`
}

// passed says that a figure is below its bar, or has none.
func (d diskFigure) passed() bool { return d.Bar == 0 || d.Each < d.Bar }

// diskBar is what a plain table of postings takes for a chunk of 49 distinct words: 1,036 MB for 199,860 chunks.
const diskBar = 5200

// sizeOf adds up tables by patterns of their names (SQL's like).
const sizeOf = `
select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relkind = 'r' and c.relname like any ($2::text[]) and not c.relname like any ($3::text[])`

// parts of the schema, by the names of their tables.
var diskParts = []struct {
	name          string
	schema        string
	like, notLike []string
	perVector     bool
	bar           float64
}{
	{name: "lexical index", schema: "public", like: []string{"index\\_%"}, notLike: []string{"index\\_vectors%", "index\\_spaces", "index\\_progress"}, bar: diskBar},
	{name: "texts", schema: "public", like: []string{"messages", "conversations"}},
	{name: "vectors", schema: "public", like: []string{"index\\_vectors%", "index\\_spaces", "index\\_progress"}, perVector: true},
	{name: "cache of vectors", schema: "public", like: []string{"embedding\\_cache"}, perVector: true},
}

// disk measures the parts after a vacuum. chunks and vectors are how many there are.
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

// rivalDisk is what a table of a rival takes, its indexes included.
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
