package pg

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// One queues reading the row of a statement into to. found reports whether there was one; without it, to stays as it is.
func One[T any](q *pgx.QueuedQuery, found *bool, to *T, scan pgx.RowToFunc[T]) {
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

// Columns queues reading the columns of a statement's row into to. found reports whether there was one.
func Columns(q *pgx.QueuedQuery, found *bool, to ...any) {
	WithRow(q, found, func(row pgx.CollectableRow) error { return row.Scan(to...) })
}

// WithRow queues calling scan for each row of a statement. found reports whether there was one.
func WithRow(q *pgx.QueuedQuery, found *bool, scan func(pgx.CollectableRow) error) {
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

// All queues appending the rows of a statement to to.
func All[T any](q *pgx.QueuedQuery, to *[]T, scan pgx.RowToFunc[T]) {
	q.Query(func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, scan)
		*to = append(*to, found...)
		return err
	})
}

// TimeOf returns the time of a nullable column, zero for null.
func TimeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// TimeOrNull is the inverse of TimeOf.
func TimeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// IDOrNull returns an id for a nullable column; the zero id is null.
func IDOrNull(id uuid.UUID) uuid.NullUUID { return uuid.NullUUID{UUID: id, Valid: id != uuid.Nil} }

// TextsOf returns values for a text[] column. It is never nil, which would be null.
func TextsOf[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}

// ScanMessage scans a message without its tool calls.
func ScanMessage(row pgx.CollectableRow) (m memory.Message, err error) {
	err = row.Scan(&m.Seq, &m.ID, &m.Role, &m.Name, &m.Content, &m.FinishReason, &m.CreatedAt)
	return m, err
}

// ReadAll reads the rows of one statement in a transaction of id.
func ReadAll[T any](ctx context.Context, db *DB, id memory.Identity, sql string, args pgx.NamedArgs, scan pgx.RowToFunc[T]) ([]T, error) {
	return Read(ctx, db, id, func(t *Tx) (rows []T, err error) {
		b := &pgx.Batch{}
		All(b.Queue(sql, t.Args(args)), &rows, scan)
		err = t.Finish(ctx, b)
		return rows, err
	})
}

// ReadOne reads the row of one statement in a transaction of id, or returns missing when there is none.
func ReadOne[T any](
	ctx context.Context, db *DB, id memory.Identity, sql string, args pgx.NamedArgs, scan pgx.RowToFunc[T], missing error,
) (T, error) {
	return Read(ctx, db, id, func(t *Tx) (row T, err error) {
		found := false
		b := &pgx.Batch{}
		One(b.Queue(sql, t.Args(args)), &found, &row, scan)
		if err := t.Finish(ctx, b); err != nil {
			return row, err
		}
		if !found {
			return row, missing
		}
		return row, nil
	})
}

// SweepAll reads the rows of one statement over all workspaces. It returns references only, and takes no identity, because sweeps
// work for the deployment.
func SweepAll[T any](ctx context.Context, db *DB, sql string, args pgx.NamedArgs, scan pgx.RowToFunc[T]) ([]T, error) {
	sweep := &Tx{Settings: Settings{Purpose: PurposeSweep}, Mode: SQLBeginRead}
	return Run(ctx, db, sweep, func(t *Tx) (rows []T, err error) {
		b := &pgx.Batch{}
		All(b.Queue(sql, args), &rows, scan)
		err = t.Finish(ctx, b)
		return rows, err
	})
}

// Lease takes work for a sweep. The same work is not returned again before Until, unless it has ended; with a zero Until it is only
// looked at.
type Lease struct {
	Before time.Time // when the work began to wait, or its last lease ended
	Until  time.Time
	Limit  int
}

func (l Lease) args() pgx.NamedArgs {
	return pgx.NamedArgs{"before": l.Before, "until": TimeOrNull(l.Until), "limit": LimitOf(l.Limit)}
}

// LeaseAll takes the rows of statements over all workspaces, one after the other in one transaction, as SweepAll. Each statement
// takes @before, @until and @limit, and passes over rows that another transaction is taking.
func LeaseAll[T any](ctx context.Context, db *DB, l Lease, scan pgx.RowToFunc[T], statements ...string) ([]T, error) {
	sweep := &Tx{Settings: Settings{Purpose: PurposeSweep}, Mode: SQLBegin}
	return Run(ctx, db, sweep, func(t *Tx) (rows []T, err error) {
		b := &pgx.Batch{}
		for _, sql := range statements {
			All(b.Queue(sql, l.args()), &rows, scan)
		}
		err = t.Finish(ctx, b)
		return rows, err
	})
}

// ReadPage reads one part of a list of the identity's agent. query returns the statement and its arguments for the rows after from;
// it takes @limit, and at returns the place of a row in its order.
func ReadPage[T any](
	ctx context.Context, db *DB, id memory.Identity, p Page, query func(t *Tx, from Cursor) (sql string, args pgx.NamedArgs),
	scan pgx.RowToFunc[T], at func(T) Cursor,
) (Listed[T], error) {
	if err := RequireAgent(id); err != nil {
		return Listed[T]{}, err
	}
	from, err := ParseCursor(p.Cursor)
	if err != nil {
		return Listed[T]{}, err
	}
	limit := LimitOf(p.Limit)
	return Read(ctx, db, id, func(t *Tx) (Listed[T], error) {
		sql, args := query(t, from)
		args["limit"] = limit + 1
		var rows []T
		b := &pgx.Batch{}
		All(b.Queue(sql, t.Args(args)), &rows, scan)
		if err := t.Finish(ctx, b); err != nil {
			return Listed[T]{}, err
		}
		return NewListed(rows, limit, at), nil
	})
}
