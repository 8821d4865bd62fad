// Package store keeps Reverie's memory in PostgreSQL: one file for each aggregate, and documents.go is the one gate through
// which every change to memory goes.
//
// Every exported method is one transaction on behalf of a memory.Identity, which the database enforces by row-level
// security. Statements are sent in batches: transactions.go says how many round trips that takes. Errors are typed
// (errors.go) and their messages name ids, paths and rules, never contents.
package store

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

// AppRole is the role that every connection of the pool takes on. It owns nothing and cannot bypass row-level security.
// Every database login that runs Reverie must be a member of it; `reverie migrate` sees to that for its own login.
const AppRole = "reverie_app"

// DefaultConns is the size of the pool when Options do not say.
const DefaultConns = 16

// Options are what a Store can be opened with; the zero value is usable.
type Options struct {
	MaxConns int32            // connections of the pool; 0: DefaultConns
	Now      func() time.Time // the clock; nil: time.Now
	Tracer   pgx.QueryTracer  // told about every statement; nil: none
	// MemoryOff is the server's default for agents that do not say whether memory is switched on.
	MemoryOff bool
}

// Store is a pool of connections to one migrated database. It is safe for concurrent use.
type Store struct {
	pool     *pgxpool.Pool
	now      func() time.Time
	segments *segmentCache
	// exactUnits is ExactUnits, but in tests.
	exactUnits int64
	memoryOff  bool
}

// Open connects to the database at url (a postgres:// URL or a key=value string). It fails when the database cannot be
// reached, when migrations are missing (ErrNotMigrated), or when the login may not take on AppRole (ErrNoRole); the
// errors say what an operator has to do. A connection pooler in between must pool sessions, not transactions.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
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
	s := &Store{pool: pool, now: o.Now, segments: newSegmentCache(), exactUnits: ExactUnits, memoryOff: o.MemoryOff}
	if s.now == nil {
		s.now = time.Now
	}
	if err := s.checkMigrated(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

// Close waits for running calls and closes the connections.
func (s *Store) Close() { s.pool.Close() }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// becomeAppRole makes a new connection one that row-level security holds for, whoever logged in.
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
	// A database that was restored into another cluster is noticed before anything is written there. A schema that lacks this is
	// older than the program, which Open says.
	if _, err := conn.Exec(ctx, "select reverie_here()"); err != nil && !(errors.As(err, &pg) && pg.Code == codeUndefinedFunction) {
		return fmt.Errorf("database: %w", err)
	}
	// Times are returned in UTC, whatever the zone of the process.
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}

const sqlSchemaVersion = `select coalesce(max(version_id), 0) from goose_db_version`

// checkMigrated refuses a schema older than this program. A newer one is accepted: it is rolled out before the program.
func (s *Store) checkMigrated(ctx context.Context) error {
	latest, err := latestMigration()
	if err != nil {
		return err
	}
	var current int64
	err = s.pool.QueryRow(ctx, sqlSchemaVersion).Scan(&current)
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
