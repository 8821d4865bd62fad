package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// one queues reading the row of a statement into to. found reports whether there was one; without it, to stays as it is.
func one[T any](q *pgx.QueuedQuery, found *bool, to *T, scan pgx.RowToFunc[T]) {
	q.Query(func(rows pgx.Rows) error {
		row, err := pgx.CollectOneRow(rows, scan)
		if *found = err == nil; *found {
			*to = row
		}
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
}

// columns queues reading the columns of a statement's row into to. found reports whether there was one.
func columns(q *pgx.QueuedQuery, found *bool, to ...any) {
	withRow(q, found, func(row pgx.CollectableRow) error { return row.Scan(to...) })
}

// withRow queues calling scan for each row of a statement. found reports whether there was one.
func withRow(q *pgx.QueuedQuery, found *bool, scan func(pgx.CollectableRow) error) {
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

// all queues appending the rows of a statement to to.
func all[T any](q *pgx.QueuedQuery, to *[]T, scan pgx.RowToFunc[T]) {
	q.Query(func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, scan)
		*to = append(*to, found...)
		return err
	})
}

// timeOf returns the time of a nullable column, zero for null.
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

// textsOf returns values for a text[] column. It is never nil, which would be null.
func textsOf[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}

// scanMessage scans a message without its tool calls.
func scanMessage(row pgx.CollectableRow) (m memory.Message, err error) {
	err = row.Scan(&m.Seq, &m.ID, &m.Role, &m.Name, &m.Content, &m.FinishReason, &m.CreatedAt)
	return m, err
}

// readAll reads the rows of one statement in a transaction of id.
func readAll[T any](ctx context.Context, db *DB, id memory.Identity, sql string, args pgx.NamedArgs, scan pgx.RowToFunc[T]) ([]T, error) {
	return read(ctx, db, id, func(t *tx) (rows []T, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sql, t.args(args)), &rows, scan)
		err = t.finish(ctx, b)
		return rows, err
	})
}

// readOne reads the row of one statement in a transaction of id, or returns missing when there is none.
func readOne[T any](
	ctx context.Context, db *DB, id memory.Identity, sql string, args pgx.NamedArgs, scan pgx.RowToFunc[T], missing error,
) (T, error) {
	return read(ctx, db, id, func(t *tx) (row T, err error) {
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sql, t.args(args)), &found, &row, scan)
		if err := t.finish(ctx, b); err != nil {
			return row, err
		}
		if !found {
			return row, missing
		}
		return row, nil
	})
}

// sweepAll reads the rows of one statement over all workspaces. It returns references only, and takes no identity, because sweeps
// work for the deployment.
func sweepAll[T any](ctx context.Context, db *DB, sql string, args pgx.NamedArgs, scan pgx.RowToFunc[T]) ([]T, error) {
	sweep := &tx{settings: settings{purpose: purposeSweep}, mode: sqlBeginRead}
	return run(ctx, db, sweep, func(t *tx) (rows []T, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sql, args), &rows, scan)
		err = t.finish(ctx, b)
		return rows, err
	})
}

// readPage reads one part of a list of the identity's agent. query returns the statement and its arguments for the rows behind from;
// it takes @limit, and at returns the place of a row in its order.
func readPage[T any](
	ctx context.Context, db *DB, id memory.Identity, p Page, query func(t *tx, from cursor) (sql string, args pgx.NamedArgs),
	scan pgx.RowToFunc[T], at func(T) cursor,
) (Listed[T], error) {
	if err := requireAgent(id); err != nil {
		return Listed[T]{}, err
	}
	from, err := parseCursor(p.Cursor)
	if err != nil {
		return Listed[T]{}, err
	}
	limit := limitOf(p.Limit)
	return read(ctx, db, id, func(t *tx) (Listed[T], error) {
		sql, args := query(t, from)
		args["limit"] = limit + 1
		var rows []T
		b := &pgx.Batch{}
		all(b.Queue(sql, t.args(args)), &rows, scan)
		if err := t.finish(ctx, b); err != nil {
			return Listed[T]{}, err
		}
		return listed(rows, limit, at), nil
	})
}
