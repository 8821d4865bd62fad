package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/test/bench/services"
)

// rivals are plain ways to search the same texts on the same server, in the same run, in a schema of their own. They are
// asked directly, without an API, an identity or row-level security in between: what they do not do is in their favour.
type rivals struct {
	db *pgx.Conn
}

// openRivals makes the schema, as the database's superuser.
func openRivals(ctx context.Context, url string) (*rivals, error) {
	db, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, `create schema rival; set maintenance_work_mem to '512MB'`); err != nil {
		return nil, errors.Join(err, db.Close(ctx))
	}
	return &rivals{db}, nil
}

// time runs a statement for each question, one after the other, and reads all rows. The first runs are not measured.
func (r *rivals) time(ctx context.Context, sql string, questions []string, args func(question string) []any) (services.Latency, error) {
	took := make([]time.Duration, 0, len(questions))
	warm := min(warmUp, len(questions))
	for i, q := range slices.Concat(questions[:warm], questions) {
		arguments := args(q)
		began := time.Now()
		rows, err := r.db.Query(ctx, sql, arguments...)
		if err != nil {
			return services.Latency{}, err
		}
		found, err := pgx.CollectRows(rows, pgx.RowToMap)
		if err != nil {
			return services.Latency{}, err
		}
		if len(found) == 0 {
			return services.Latency{}, fmt.Errorf("nothing is found for question %d", i+1)
		}
		if i >= warm {
			took = append(took, time.Since(began))
		}
	}
	return services.LatencyOf(took), nil
}
