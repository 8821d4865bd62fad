// Package store keeps Reverie's memory in PostgreSQL: one file for each aggregate, and documents.go is the one gate through
// which every change to memory goes.
//
// Every exported method is one transaction on behalf of a memory.Identity, which the database enforces by row-level
// security; its unexported twin does the work on a transaction and composes. Errors are typed (errors.go) and their
// messages name ids, paths and rules, never contents.
package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// AppRole is the role that every connection of the pool takes on. It owns nothing and cannot bypass row-level security.
const AppRole = "reverie_app"

// Options are what a Store can be opened with; the zero value is usable.
type Options struct {
	MaxConns int32            // connections of the pool; 0: 16
	Now      func() time.Time // the clock; nil: time.Now
	Tracer   pgx.QueryTracer  // told about every statement; nil: none
}

// Store is a pool of connections to one migrated database. It is safe for concurrent use.
type Store struct {
	pool *pgxpool.Pool
	now  func() time.Time
}

// Open connects to the database at url (a postgres:// URL or a key=value string). It fails when the database cannot be
// reached, when migrations are missing (ErrNotMigrated), or when the login may not take on AppRole (ErrNoRole); the
// errors say what an operator has to do.
func Open(ctx context.Context, url string, o Options) (*Store, error) { panic("signature") }

// Close waits for running calls and closes the connections.
func (s *Store) Close() { s.pool.Close() }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// Migrate brings the schema of the database at url to the newest version and says how many migrations that took. Several
// processes may call it at once: one works, the others wait for it and apply 0.
func Migrate(ctx context.Context, url string) (applied int, err error) { panic("signature") }

// MigrationStatus tells the version of the schema at url, 0 for an empty database, and the newest one known.
func MigrationStatus(ctx context.Context, url string) (current, latest int64, err error) {
	panic("signature")
}
