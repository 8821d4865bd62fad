package pg

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
	"reverie/memory/setting"
)

// Tx is one transaction on behalf of one identity.
//
// Its statements are sent in batches, one round trip each. The first batch starts with BEGIN and the identity, the one sent by
// finish ends with COMMIT. So a read in one batch costs one round trip, and a write that depends on a read costs two.
type Tx struct {
	Settings
	ID   memory.Identity
	Now  time.Time // of the whole transaction, in UTC with the database's microseconds
	Mode string    // how it begins
	// MemoryOff is the default for agents whose settings leave open whether memory is switched on.
	MemoryOff bool
	// Approvals are those for agents without their own settings.
	Approvals setting.ApprovalSettings
	FactsOff  bool // no facts are kept
	// PairsJudged reports whether a model judges pairs of facts.
	PairsJudged bool
	// Deletes lets the transaction write about an owner or agent that is being deleted: it belongs to the deletion.
	Deletes bool
	Conn    *pgx.Conn
	Queued  pgx.Batch // statements that the next batch sends first
	begun   bool
	// committing is true once the commit is sent: without an answer it is unknown whether it took place.
	committing bool
	ended      bool
	broken     bool // the connection was closed when it was given back
}

// How a transaction begins and ends.
const (
	SQLBegin     = `begin`
	SQLBeginRead = `begin read only`
	// All statements see the same moment, so that a row that moves between two of them is not missed.
	sqlBeginSnapshot = `begin isolation level repeatable read read only`
	sqlCommit        = `commit`
	// sqlEnter refuses to write about an owner or agent that is being deleted, and keeps the deletion from starting until the commit.
	sqlEnter = `select reverie_enter($1)`
)

// InTx runs fn as one transaction of id. fn may end it with finish; otherwise it is committed when fn returns nil and rolled back
// when fn returns an error. fn must be safe to run twice (see run).
func InTx[T any](ctx context.Context, db *DB, id memory.Identity, fn func(*Tx) (T, error)) (T, error) {
	return asIdentity(ctx, db, id, SQLBegin, fn)
}

// Read runs fn as one read-only transaction of id.
func Read[T any](ctx context.Context, db *DB, id memory.Identity, fn func(*Tx) (T, error)) (T, error) {
	return asIdentity(ctx, db, id, SQLBeginRead, fn)
}

// Snapshot runs fn as one read-only transaction of id in which all statements see the same moment.
func Snapshot[T any](ctx context.Context, db *DB, id memory.Identity, fn func(*Tx) (T, error)) (T, error) {
	return asIdentity(ctx, db, id, sqlBeginSnapshot, fn)
}

func asIdentity[T any](ctx context.Context, db *DB, id memory.Identity, mode string, fn func(*Tx) (T, error)) (T, error) {
	set, err := SettingsOf(id)
	if err != nil {
		var none T
		return none, err
	}
	return Run(ctx, db, &Tx{Settings: set, ID: id, Mode: mode}, fn)
}

// rollbackPatience bounds the rollback of a failed transaction, whose own context may have ended.
const rollbackPatience = 5 * time.Second

// Run takes a connection and runs fn on it. fn must be safe to run twice: when the connection turns out to be dead before a commit
// was sent, for example because the server was restarted, or its server takes no writes, as after a failover, or has ended the
// transaction because the process was suspended, nothing has happened, and fn runs once more on a new one.
func Run[T any](ctx context.Context, db *DB, t *Tx, fn func(*Tx) (T, error)) (T, error) {
	result, err := attempt(ctx, db, t, fn)
	if err != nil && ctx.Err() == nil && (t.lost() || t.Mode == SQLBegin && neverRan(err)) {
		db.Pool.Reset() // the others are dead as well
		result, err = attempt(ctx, db, t, fn)
	}
	if err == nil {
		db.answered.Store(time.Now().UnixNano())
	}
	return result, Translate(err)
}

// lost reports whether the connection broke before anything could have been committed.
func (t *Tx) lost() bool { return t.broken && (!t.committing || t.Mode != SQLBegin) }

func attempt[T any](ctx context.Context, db *DB, t *Tx, fn func(*Tx) (T, error)) (result T, err error) {
	conn, err := db.acquire(ctx)
	if err != nil {
		t.broken = false
		return result, err
	}
	defer func() {
		t.broken = t.Conn.IsClosed() // before another transaction may get it
		conn.Release()
	}()
	t.Conn, t.Now, t.MemoryOff = conn.Conn(), db.Now().UTC().Truncate(time.Microsecond), db.memoryOff
	t.FactsOff, t.PairsJudged, t.Approvals = db.factsOff, db.judged, db.approvals
	t.begun, t.committing, t.ended, t.Queued = false, false, false, pgx.Batch{}
	// Release closes a connection in the middle of a transaction instead of returning it to the pool. So a failed rollback has no
	// consequences, and neither has a panic in fn.
	result, err = fn(t)
	if err == nil && !t.ended && (t.begun || t.Queued.Len() > 0) {
		err = t.Finish(ctx, &pgx.Batch{})
	}
	if err != nil {
		var none T
		if t.begun && !t.ended && !t.Conn.IsClosed() {
			t.rollback(ctx)
		}
		return none, err
	}
	return result, nil
}

func (t *Tx) rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackPatience)
	defer cancel()
	_, _ = t.Conn.Exec(ctx, "rollback") // if it fails, the connection is closed, which rolls back as well
}

// Send runs the queued statements and those of b in one round trip, and calls their result functions in order, up to the first
// error.
func (t *Tx) Send(ctx context.Context, b *pgx.Batch) error {
	if t.ended {
		return errors.New("the transaction has ended")
	}
	if t.Queued.Len() > 0 {
		b.QueuedQueries = append(t.Queued.QueuedQueries, b.QueuedQueries...)
		t.Queued = pgx.Batch{}
	}
	if !t.begun {
		first := &pgx.Batch{}
		first.Queue(t.Mode)
		first.Queue(SQLIdentity, t.Settings.Args()...)
		if t.Mode == SQLBegin && t.Agent != "" && t.Purpose == "" && !t.Deletes {
			first.Queue(sqlEnter, IDOrNull(t.ID.OwnerID))
		}
		first.QueuedQueries = append(first.QueuedQueries, b.QueuedQueries...)
		b, t.begun = first, true
	}
	return t.Conn.SendBatch(ctx, b).Close()
}

// Finish runs the queued statements and those of b and commits, in one round trip. A statement that fails prevents the commit. An
// error of a result function does not, because the commit is already sent: b must not depend on it.
func (t *Tx) Finish(ctx context.Context, b *pgx.Batch) error {
	t.committing = true
	committed := false
	b.Queue(sqlCommit).Exec(func(tag pgconn.CommandTag) error {
		committed = tag.String() == "COMMIT"
		return nil
	})
	err := t.Send(ctx, b)
	t.ended = committed || t.Conn.PgConn().TxStatus() == 'I'
	if err == nil && !committed {
		return errors.New("the transaction was rolled back") // a statement before had failed
	}
	return err
}

// Args returns the arguments that most statements share, together with more.
func (t *Tx) Args(more pgx.NamedArgs) pgx.NamedArgs {
	all := pgx.NamedArgs{"workspace": t.Workspace, "agent": t.Agent, "owner": t.owner, "now": t.Now}
	maps.Copy(all, more)
	return all
}

const (
	sqlBecomeEraser = `set local role ` + EraserRole
	sqlBecomeApp    = `set local role ` + AppRole
)

// AsEraser runs fn under EraserRole, with the identity of the transaction. Changing the role costs no round trip. After an error the
// transaction must be rolled back.
func (t *Tx) AsEraser(fn func() error) error {
	t.Queued.Queue(sqlBecomeEraser)
	err := fn()
	t.Queued.Queue(sqlBecomeApp)
	return err
}

// SQLSTATE codes that the store distinguishes.
const (
	codeForeignKey            = "23503"
	codeUnique                = "23505"
	codeInvalidParameter      = "22023"
	codeInsufficientPrivilege = "42501"
	codeUndefinedTable        = "42P01"
	codeUndefinedFunction     = "42883"
	codeReadOnly              = "25006"
	codeIdle                  = "25P03"
	codeLockTimeout           = "55P03"
	codeDeadlock              = "40P01"
	codeBeingDeleted          = "RV001" // migrations/0026_deletion.sql raises it
)

// Translate maps errors of the database to those of the store: a row that row-level security rejects is ErrForbidden, and a row
// that refers to a missing agent or workspace is ErrNotFound.
func Translate(err error) error {
	var pg *pgconn.PgError
	if err == nil || !errors.As(err, &pg) {
		return err
	}
	switch {
	case pg.Code == codeBeingDeleted:
		return &ConflictError{Code: CodeBeingDeleted, Message: pg.Message + ": nothing is written about it any more"}
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

// IsUnique reports whether err is a violation of the unique index or key constraint.
func IsUnique(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == codeUnique && pg.ConstraintName == constraint
}

// IsLockTimeout reports whether a transaction has waited for a lock for too long.
func IsLockTimeout(err error) bool {
	refused, is := errors.AsType[*pgconn.PgError](err)
	return is && refused.Code == codeLockTimeout
}

// IsDeadlock reports whether PostgreSQL has ended a transaction because it and others waited for each other.
func IsDeadlock(err error) bool {
	refused, is := errors.AsType[*pgconn.PgError](err)
	return is && refused.Code == codeDeadlock
}

// NewID returns a UUIDv7, so that ids sort by time.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// Everybody reports whether the transaction reads the rows of all owners.
func (t *Tx) Everybody() bool { return t.AnyOwner && t.owner == "" }
