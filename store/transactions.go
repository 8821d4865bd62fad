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
// Its statements go out in batches, one round trip each. The first batch carries BEGIN and the identity in front, the one
// sent by finish carries COMMIT behind: what reads with one batch costs one round trip, what writes after a look costs two.
type tx struct {
	settings
	id   memory.Identity
	now  time.Time // of the whole transaction, in UTC with the database's microseconds
	mode string    // how it begins
	// memoryOff: memory is switched off for agents that do not say.
	memoryOff bool
	conn      *pgx.Conn
	queued    pgx.Batch // statements that the next batch sends in front of its own
	begun     bool
	// committing is true from the moment at which the commit is sent: whether it took place is not known without an answer.
	committing bool
	ended      bool
	broken     bool // the connection was closed when it was given back
}

const (
	sqlBegin     = `begin`
	sqlBeginRead = `begin read only`
	// All statements see the same moment: what one of them finds moved is not missed by another one.
	sqlBeginSnapshot = `begin isolation level repeatable read read only`
	sqlCommit        = `commit`
)

// inTx runs fn as one transaction of id. fn may end it with finish; otherwise it is committed when fn returns nil, and
// rolled back when it returns an error.
func inTx[T any](ctx context.Context, s *Store, id memory.Identity, fn func(*tx) (T, error)) (T, error) {
	return asIdentity(ctx, s, id, sqlBegin, fn)
}

// read runs fn as one transaction of id that cannot write.
func read[T any](ctx context.Context, s *Store, id memory.Identity, fn func(*tx) (T, error)) (T, error) {
	return asIdentity(ctx, s, id, sqlBeginRead, fn)
}

// snapshot is read of one moment, for statements that belong together.
func snapshot[T any](ctx context.Context, s *Store, id memory.Identity, fn func(*tx) (T, error)) (T, error) {
	return asIdentity(ctx, s, id, sqlBeginSnapshot, fn)
}

func asIdentity[T any](ctx context.Context, s *Store, id memory.Identity, mode string, fn func(*tx) (T, error)) (T, error) {
	set, err := settingsOf(id)
	if err != nil {
		var none T
		return none, err
	}
	return run(ctx, s, &tx{settings: set, id: id, mode: mode}, fn)
}

// rollbackPatience bounds the end of a failed transaction, whose own context may be over.
const rollbackPatience = 5 * time.Second

// run takes a connection and runs fn on it. When the connection turns out to be dead (the server was restarted) before
// a commit was sent, nothing has happened, and fn runs once more on a new one: it must not mind.
func run[T any](ctx context.Context, s *Store, t *tx, fn func(*tx) (T, error)) (T, error) {
	result, err := attempt(ctx, s, t, fn)
	if err != nil && ctx.Err() == nil && t.lost() {
		s.pool.Reset() // the others are dead as well
		result, err = attempt(ctx, s, t, fn)
	}
	return result, translate(err)
}

// lost reports whether the connection broke while there was nothing that could have been committed.
func (t *tx) lost() bool { return t.broken && (!t.committing || t.mode != sqlBegin) }

func attempt[T any](ctx context.Context, s *Store, t *tx, fn func(*tx) (T, error)) (result T, err error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		t.broken = false
		return result, fmt.Errorf("database: %w", err)
	}
	defer func() {
		t.broken = t.conn.IsClosed() // afterwards it is somebody else's
		conn.Release()
	}()
	t.conn, t.now, t.memoryOff = conn.Conn(), s.now().UTC().Truncate(time.Microsecond), s.memoryOff
	t.begun, t.committing, t.ended, t.queued = false, false, false, pgx.Batch{}
	// A connection in the middle of a transaction is not given back to the pool: Release closes it. So a rollback that
	// does not come through has no consequences, and neither has a panic in fn.
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

// send runs the statements of b in one round trip and calls what is to be done with their results, in order, up to the
// first error.
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

// finish runs the statements of b and commits, in one round trip. A statement that fails prevents the commit; what is
// done with a result in Go does not, because the commit is on its way already: b must not depend on it.
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

// args are the arguments that most statements share, and more.
func (t *tx) args(more pgx.NamedArgs) pgx.NamedArgs {
	all := pgx.NamedArgs{"workspace": t.workspace, "agent": t.agent, "owner": t.owner, "now": t.now}
	maps.Copy(all, more)
	return all
}

// SQLSTATE codes that are told apart.
const (
	codeForeignKey            = "23503"
	codeUnique                = "23505"
	codeInvalidParameter      = "22023"
	codeInsufficientPrivilege = "42501"
	codeUndefinedTable        = "42P01"
	codeUndefinedFunction     = "42883"
)

// translate gives the database's refusals the meaning that they have everywhere: what row-level security rejects is
// forbidden, and a row that refers to an agent or workspace that does not exist is about something not found.
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

// isUnique reports whether err is the violation of a unique index or key.
func isUnique(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == codeUnique && pg.ConstraintName == constraint
}

// newID makes an id whose order is that of time.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
