// Package store keeps Reverie's memory in PostgreSQL.
//
// Every exported method is one transaction on behalf of a memory.Identity, which the database enforces by row-level security.
// Statements are sent in batches; package pg describes how many round trips that takes. Every change of a document goes through
// gate.ApplyChanges. Errors are typed (errors.go), and their messages name ids, paths and rules, never contents.
package store

import (
	"context"

	"reverie/store/admin"
	"reverie/store/approvals"
	"reverie/store/deletion"
	"reverie/store/dreams"
	"reverie/store/facts"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/pg"
	"reverie/store/revocation"
	"reverie/store/talk"
	"reverie/store/transfer"
	"reverie/store/webhooks"
)

// Store is one migrated database with everything that Reverie stores in it. It is safe for concurrent use.
type Store struct {
	db *pg.DB
	*indexes.Index
	*facts.Facts
	*gate.Gate
	*talk.Talk
	*dreams.Dreaming
	*transfer.Transfer
	*admin.Admin
	*deletion.Deleting
	*webhooks.Notifying
	*revocation.Revoking
	*approvals.Approving
}

// Open connects to the database at url (a postgres:// URL or a key=value string). It fails when the database cannot be reached, when
// migrations are missing (ErrNotMigrated), or when the login may not take on AppRole (ErrNoRole). A connection pooler in between must
// pool sessions, not transactions.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	latest, err := latestMigration()
	if err != nil {
		return nil, err
	}
	db, err := pg.Connect(ctx, url, o)
	if err != nil {
		return nil, err
	}
	if err := db.CheckMigrated(ctx, latest); err != nil {
		db.Close()
		return nil, err
	}
	dreaming := dreams.New(db)
	return &Store{
		db: db, Index: indexes.New(db), Facts: facts.New(db), Gate: gate.New(db), Talk: talk.New(db),
		Dreaming: dreaming, Transfer: transfer.New(db), Admin: admin.New(db), Deleting: deletion.New(db),
		Revoking: revocation.New(db, dreaming), Notifying: webhooks.New(db), Approving: approvals.New(db),
	}, nil
}

// Close waits for running calls and closes the connections.
func (s *Store) Close() { s.db.Close() }

// Ping reports whether the database answers and takes writes (ErrReadOnly). It does not wait for a connection of the pool.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Busy reports whether so many transactions wait for a connection that a further one fails with ErrBusy.
func (s *Store) Busy() bool { return s.db.Busy() }
