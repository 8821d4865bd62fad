// Package pg runs transactions on behalf of identities: connections, batches, errors and pages. Only the packages of the store
// import it.
package pg

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxvec "github.com/pgvector/pgvector-go/pgx"

	"reverie/memory/setting"
)

// AppRole is the role that every connection of the pool takes on. It owns nothing and cannot bypass row-level security. Every
// database login that runs Reverie must be a member of it; `reverie migrate` grants it to its own login.
const AppRole = "reverie_app"

// EraserRole is the role under which words are erased; it may do nothing else. AppRole takes it on for single
// statements (Tx.AsEraser).
const EraserRole = "reverie_eraser"

// DefaultConns is the size of the connection pool unless Options set another one.
const DefaultConns = 16

// idleInTransaction ends transactions whose process has stopped or lost its network: the journal shows no event after an open one.
// Ours pause between statements for milliseconds.
const idleInTransaction = time.Minute

// Options configure a DB; the zero value is usable.
type Options struct {
	MaxConns int32 // connections of the pool; 0: DefaultConns
	// Pool is used instead of a new one, with its number of connections and its tracer. Its owner closes it. See NewPool.
	Pool *pgxpool.Pool
	// MaxWaiting bounds the transactions that wait for a connection; further ones fail with ErrBusy. 0: no limit.
	MaxWaiting int32
	Now        func() time.Time // the clock; nil: time.Now
	Tracer     pgx.QueryTracer  // sees every statement; nil: none
	// MemoryOff is the server's default for agents whose settings leave open whether memory is switched on.
	MemoryOff bool
	// Approvals are the server's settings for agents without their own settings; the zero value: no change needs approval.
	Approvals setting.ApprovalSettings
	// FactsOff stops deriving facts from documents (package facts).
	FactsOff bool
	// PairsJudged has pairs of facts selected that may contradict one another, which a model judges.
	PairsJudged bool
	// Sealer encrypts secrets that have to be read again; nil: they are stored as they are, and only row-level security hides them.
	Sealer Sealer
}

// Sealer encrypts and decrypts. Open also returns what was stored before there was a key, as it is.
type Sealer interface {
	Seal(plain []byte) ([]byte, error)
	Open(sealed []byte) ([]byte, error)
}

// DB is a pool of connections to one database, on which every transaction has an identity. It is safe for concurrent use.
type DB struct {
	Pool       *pgxpool.Pool
	given      bool // the pool is not closed
	Now        func() time.Time
	memoryOff  bool
	approvals  setting.ApprovalSettings
	factsOff   bool
	judged     bool
	sealer     Sealer
	probe      *probe
	maxWaiting int32
	waiting    atomic.Int32
	answered   atomic.Int64 // when a transaction ended without an error, in nanoseconds
}

// NewPool opens a pool of connections for Options, of which it reads MaxConns and Tracer.
func NewPool(ctx context.Context, url string, o Options) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database url: %w", err)
	}
	cfg.MaxConns = o.MaxConns
	if cfg.MaxConns <= 0 {
		cfg.MaxConns = DefaultConns
	}
	cfg.ConnConfig.Tracer = o.Tracer
	if cfg.ConnConfig.RuntimeParams["application_name"] == "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = "reverie"
	}
	cfg.AfterConnect = becomeAppRole
	preferWritable(cfg.ConnConfig)
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	return pool, nil
}

// Connect opens the pool, unless there is one in the options. It does not check the schema.
func Connect(ctx context.Context, url string, o Options) (*DB, error) {
	pool := o.Pool
	if pool == nil {
		var err error
		if pool, err = NewPool(ctx, url, o); err != nil {
			return nil, err
		}
	}
	db := &DB{
		Pool: pool, given: o.Pool != nil, Now: o.Now, memoryOff: o.MemoryOff, approvals: o.Approvals, factsOff: o.FactsOff, judged: o.PairsJudged, sealer: o.Sealer,
		maxWaiting: o.MaxWaiting, probe: &probe{config: pool.Config().ConnConfig},
	}
	if db.Now == nil {
		db.Now = time.Now
	}
	return db, nil
}

// Close waits for running calls and closes the connections, except those of Options.Pool.
func (db *DB) Close() {
	if !db.given {
		db.Pool.Close()
	}
	db.probe.close()
}

// acquire takes a connection from the pool. It returns ErrBusy when too many transactions wait for one.
func (db *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	defer db.waiting.Add(-1)
	if n := db.waiting.Add(1); db.maxWaiting > 0 && n > db.maxWaiting {
		return nil, ErrBusy
	}
	conn, err := db.Pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	return conn, nil
}

// Busy reports whether a transaction that began now would fail with ErrBusy.
func (db *DB) Busy() bool { return db.maxWaiting > 0 && db.waiting.Load() >= db.maxWaiting }

const (
	// Does nothing when the URL or the role sets a limit.
	sqlBoundIdle = `
select set_config('idle_in_transaction_session_timeout', $1, false)
where current_setting('idle_in_transaction_session_timeout') = '0'`

	sqlSchemaVersion = `select coalesce(max(version_id), 0) from goose_db_version`
)

// CheckMigrated refuses a schema older than version latest. A newer one is accepted: it is rolled out before the program.
func (db *DB) CheckMigrated(ctx context.Context, latest int64) error {
	var current int64
	err := db.Pool.QueryRow(ctx, sqlSchemaVersion).Scan(&current)
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg) && (pg.Code == codeUndefinedTable || pg.Code == codeInsufficientPrivilege):
		return ErrNotMigrated
	case err != nil:
		return fmt.Errorf("database: %w", err)
	case current < latest:
		return fmt.Errorf("%w: its schema is at version %d, this program needs %d", ErrNotMigrated, current, latest)
	}
	return nil
}

// Every statement is planned once for each connection. PostgreSQL would plan those with arrays for each execution, which takes longer
// than to run them; the store's tests check plans that are made without knowing the arguments or the contents of tables. To compile one
// (jit) takes longer still.
const planOnce = "set plan_cache_mode = force_generic_plan; set jit = off"

// becomeAppRole switches a new connection to AppRole, so that row-level security applies whichever login it uses.
func becomeAppRole(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "set role "+AppRole+"; "+planOnce)
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg) && pg.Code == codeInvalidParameter: // there is no such role
		return ErrNotMigrated
	case errors.As(err, &pg) && pg.Code == codeInsufficientPrivilege:
		login := conn.Config().User
		return fmt.Errorf("%w: `reverie migrate` grants it, or says what an administrator must run; login %s", ErrNoRole, login)
	case err != nil:
		return fmt.Errorf("set role: %w", err)
	}
	switch err := pgxvec.RegisterTypes(ctx, conn); {
	case err != nil && conn.IsClosed():
		return fmt.Errorf("database: %w", err)
	case err != nil: // the extension comes with the migrations
		return fmt.Errorf("%w: %w", ErrNotMigrated, err)
	}
	// Detect a database that was restored into another cluster before anything is written there. A schema without this function is
	// older than the program, which Open reports.
	if _, err := conn.Exec(ctx, "select reverie_here()"); err != nil && !(errors.As(err, &pg) && pg.Code == codeUndefinedFunction) {
		return fmt.Errorf("database: %w", err)
	}
	if _, err := conn.Exec(ctx, sqlBoundIdle, strconv.FormatInt(idleInTransaction.Milliseconds(), 10)); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	// Times are returned in UTC, whatever the zone of the process.
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}

// FactsOff reports whether no facts are kept.
func (db *DB) FactsOff() bool { return db.factsOff }

// Seal encrypts a secret that has to be read again.
func (db *DB) Seal(plain []byte) ([]byte, error) {
	if db.sealer == nil {
		return plain, nil
	}
	return db.sealer.Seal(plain)
}

// Open is the inverse of Seal.
func (db *DB) Open(sealed []byte) ([]byte, error) {
	if db.sealer == nil {
		return sealed, nil
	}
	return db.sealer.Open(sealed)
}
