package store

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// one calls scan for the row of a statement and reports whether there was one.
func one(q *pgx.QueuedQuery, found *bool, scan func(pgx.CollectableRow) error) {
	q.Query(func(rows pgx.Rows) error {
		*found = false
		for rows.Next() {
			*found = true
			if err := scan(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// all appends what scan makes of each row of a statement.
func all[T any](q *pgx.QueuedQuery, to *[]T, scan pgx.RowToFunc[T]) {
	q.Query(func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, scan)
		*to = append(*to, found...)
		return err
	})
}

// timeOf is a time that may be missing.
func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// timeOrNull is the inverse of timeOf.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func idOrNull(id uuid.UUID) uuid.NullUUID { return uuid.NullUUID{UUID: id, Valid: id != uuid.Nil} }

// textsOf are the values of a column of texts; never nil, which would be null.
func textsOf[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}
