// Package pg runs transactions on behalf of identities: connections, batches, errors and pages. Only the packages of the store
// import it.
package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxvec "github.com/pgvector/pgvector-go/pgx"
)

// AppRole is the role that every connection of the pool takes on. It owns nothing and cannot bypass row-level security. Every
// database login that runs Reverie must be a member of it; `reverie migrate` grants it to its own login.
const AppRole = "reverie_app"

// DefaultConns is the size of the connection pool unless Options set another one.
const DefaultConns = 16

// Options configure a DB; the zero value is usable.
type Options struct {
	MaxConns int32            // connections of the pool; 0: DefaultConns
	Now      func() time.Time // the clock; nil: time.Now
	Tracer   pgx.QueryTracer  // sees every statement; nil: none
	// MemoryOff is the server's default for agents whose settings leave open whether memory is switched on.
	MemoryOff bool
}

// DB is a pool of connections to one database, on which every transaction has an identity. It is safe for concurrent use.
type DB struct {
	Pool      *pgxpool.Pool
	Now       func() time.Time
	memoryOff bool
}

// Connect opens the pool. It does not check the schema.
func Connect(ctx context.Context, url string, o Options) (*DB, error) {
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
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	db := &DB{Pool: pool, Now: o.Now, memoryOff: o.MemoryOff}
	if db.Now == nil {
		db.Now = time.Now
	}
	return db, nil
}

// Close waits for running calls and closes the connections.
func (db *DB) Close() { db.Pool.Close() }

// ErrReadOnly means that the server takes no writes, as a standby does.
var ErrReadOnly = errors.New("the database takes no writes")

// Ping reports whether the database answers and takes writes. If it takes none, connections are made anew: the URL may name several
// hosts, of which another one has become the primary.
func (db *DB) Ping(ctx context.Context) error {
	var readOnly bool
	if err := db.Pool.QueryRow(ctx, "select current_setting('transaction_read_only')::bool").Scan(&readOnly); err != nil {
		return err
	}
	if readOnly {
		db.Pool.Reset()
		return ErrReadOnly
	}
	return nil
}

const sqlSchemaVersion = `select coalesce(max(version_id), 0) from goose_db_version`

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

// becomeAppRole switches a new connection to AppRole, so that row-level security applies whichever login it uses.
func becomeAppRole(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "set role "+AppRole)
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg) && pg.Code == codeInvalidParameter: // there is no such role
		return ErrNotMigrated
	case errors.As(err, &pg) && pg.Code == codeInsufficientPrivilege:
		login := conn.Config().User
		return fmt.Errorf("%w: run `reverie migrate` as %s, or as a role that may: grant %s to %s", ErrNoRole, login, AppRole, login)
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
	// Times are returned in UTC, whatever the zone of the process.
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}
