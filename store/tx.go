package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"reverie/memory"
)

// tx is one transaction on behalf of one identity.
//
// Its statements are sent in batches, one round trip each. The first batch starts with BEGIN and the identity, the one sent by
// finish ends with COMMIT. So a read in one batch costs one round trip, and a write that depends on a read costs two.
type tx struct {
	settings
	id   memory.Identity
	now  time.Time // of the whole transaction, in UTC with the database's microseconds
	mode string    // how it begins
	// memoryOff is the default for agents whose settings leave open whether memory is switched on.
	memoryOff bool
	conn      *pgx.Conn
	queued    pgx.Batch // statements that the next batch sends in front of its own
	begun     bool
	// committing is true once the commit is sent: without an answer it is unknown whether it took place.
	committing bool
	ended      bool
	broken     bool // the connection was closed when it was given back
}

const (
	sqlBegin     = `begin`
	sqlBeginRead = `begin read only`
	// All statements see the same moment, so that a row that moves between two of them is not missed.
	sqlBeginSnapshot = `begin isolation level repeatable read read only`
	sqlCommit        = `commit`
)

// inTx runs fn as one transaction of id. fn may end it with finish; otherwise it is committed when fn returns nil and rolled back
// when fn returns an error. fn must be safe to run twice (see run).
func inTx[T any](ctx context.Context, db *DB, id memory.Identity, fn func(*tx) (T, error)) (T, error) {
	return asIdentity(ctx, db, id, sqlBegin, fn)
}

// read runs fn as one read-only transaction of id.
func read[T any](ctx context.Context, db *DB, id memory.Identity, fn func(*tx) (T, error)) (T, error) {
	return asIdentity(ctx, db, id, sqlBeginRead, fn)
}

// snapshot runs fn as one read-only transaction of id in which all statements see the same moment.
func snapshot[T any](ctx context.Context, db *DB, id memory.Identity, fn func(*tx) (T, error)) (T, error) {
	return asIdentity(ctx, db, id, sqlBeginSnapshot, fn)
}

func asIdentity[T any](ctx context.Context, db *DB, id memory.Identity, mode string, fn func(*tx) (T, error)) (T, error) {
	set, err := settingsOf(id)
	if err != nil {
		var none T
		return none, err
	}
	return run(ctx, db, &tx{settings: set, id: id, mode: mode}, fn)
}

// rollbackPatience bounds the rollback of a failed transaction, whose own context may have ended.
const rollbackPatience = 5 * time.Second

// run takes a connection and runs fn on it. fn must be safe to run twice: when the connection turns out to be dead before a commit
// was sent, for example because the server was restarted, nothing has happened, and fn runs once more on a new one.
func run[T any](ctx context.Context, db *DB, t *tx, fn func(*tx) (T, error)) (T, error) {
	result, err := attempt(ctx, db, t, fn)
	if err != nil && ctx.Err() == nil && t.lost() {
		db.pool.Reset() // the others are dead as well
		result, err = attempt(ctx, db, t, fn)
	}
	return result, translate(err)
}

// lost reports whether the connection broke before anything could have been committed.
func (t *tx) lost() bool { return t.broken && (!t.committing || t.mode != sqlBegin) }

func attempt[T any](ctx context.Context, db *DB, t *tx, fn func(*tx) (T, error)) (result T, err error) {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		t.broken = false
		return result, fmt.Errorf("database: %w", err)
	}
	defer func() {
		t.broken = t.conn.IsClosed() // before another transaction may get it
		conn.Release()
	}()
	t.conn, t.now, t.memoryOff = conn.Conn(), db.now().UTC().Truncate(time.Microsecond), db.memoryOff
	t.begun, t.committing, t.ended, t.queued = false, false, false, pgx.Batch{}
	// Release closes a connection in the middle of a transaction instead of returning it to the pool. So a failed rollback has no
	// consequences, and neither has a panic in fn.
	result, err = fn(t)
	if err == nil && !t.ended && (t.begun || t.queued.Len() > 0) {
		err = t.finish(ctx, &pgx.Batch{})
	}
	if err != nil {
		var none T
		if t.begun && !t.ended && !t.conn.IsClosed() {
			t.rollback(ctx)
		}
		return none, err
	}
	return result, nil
}

func (t *tx) rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackPatience)
	defer cancel()
	_, _ = t.conn.Exec(ctx, "rollback") // if it fails, the connection is closed, which rolls back as well
}

// send runs the queued statements and those of b in one round trip, and calls their result functions in order, up to the first
// error.
func (t *tx) send(ctx context.Context, b *pgx.Batch) error {
	if t.ended {
		return errors.New("the transaction has ended")
	}
	if t.queued.Len() > 0 {
		b.QueuedQueries = append(t.queued.QueuedQueries, b.QueuedQueries...)
		t.queued = pgx.Batch{}
	}
	if !t.begun {
		first := &pgx.Batch{}
		first.Queue(t.mode)
		first.Queue(sqlIdentity, t.settings.args()...)
		first.QueuedQueries = append(first.QueuedQueries, b.QueuedQueries...)
		b, t.begun = first, true
	}
	return t.conn.SendBatch(ctx, b).Close()
}

// finish runs the queued statements and those of b and commits, in one round trip. A statement that fails prevents the commit. An
// error of a result function does not, because the commit is already sent: b must not depend on it.
func (t *tx) finish(ctx context.Context, b *pgx.Batch) error {
	t.committing = true
	committed := false
	b.Queue(sqlCommit).Exec(func(tag pgconn.CommandTag) error {
		committed = tag.String() == "COMMIT"
		return nil
	})
	err := t.send(ctx, b)
	t.ended = committed || t.conn.PgConn().TxStatus() == 'I'
	if err == nil && !committed {
		return errors.New("the transaction was rolled back") // a statement before had failed
	}
	return err
}

// args returns the arguments that most statements share, together with more.
func (t *tx) args(more pgx.NamedArgs) pgx.NamedArgs {
	all := pgx.NamedArgs{"workspace": t.workspace, "agent": t.agent, "owner": t.owner, "now": t.now}
	maps.Copy(all, more)
	return all
}

// SQLSTATE codes that the store distinguishes.
const (
	codeForeignKey            = "23503"
	codeUnique                = "23505"
	codeInvalidParameter      = "22023"
	codeInsufficientPrivilege = "42501"
	codeUndefinedTable        = "42P01"
	codeUndefinedFunction     = "42883"
)

// translate maps errors of the database to those of the store: a row that row-level security rejects is ErrForbidden, and a row
// that refers to a missing agent or workspace is ErrNotFound.
func translate(err error) error {
	var pg *pgconn.PgError
	if err == nil || !errors.As(err, &pg) {
		return err
	}
	switch {
	case pg.Code == codeInsufficientPrivilege:
		return fmt.Errorf("%w: %w", ErrForbidden, err)
	case pg.Code == codeForeignKey && pg.ConstraintName == "owners_workspace_id_agent_id_fkey",
		pg.Code == codeForeignKey && pg.ConstraintName == "memory_writes_workspace_id_agent_id_fkey":
		return fmt.Errorf("agent: %w", ErrNotFound)
	case pg.Code == codeForeignKey && pg.ConstraintName == "agents_workspace_id_fkey",
		pg.Code == codeForeignKey && pg.ConstraintName == "api_keys_workspace_id_fkey",
		pg.Code == codeForeignKey && pg.ConstraintName == "documents_workspace_id_fkey":
		return fmt.Errorf("workspace: %w", ErrNotFound)
	}
	return err
}

// isUnique reports whether err is a violation of the unique index or key constraint.
func isUnique(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == codeUnique && pg.ConstraintName == constraint
}

// newID returns a UUIDv7, so that ids sort by time.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// everybody reports whether the transaction reads the rows of all owners.
func (t *tx) everybody() bool { return t.anyOwner && t.owner == "" }
