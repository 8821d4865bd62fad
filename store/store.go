// Package store keeps Reverie's memory in PostgreSQL.
//
// Every exported method is one transaction on behalf of a memory.Identity, which the database enforces by row-level security.
// Statements are sent in batches; tx.go describes how many round trips that takes. Every change of a document goes through
// applyChanges in gate.go. Errors are typed (errors.go), and their messages name ids, paths and rules, never contents.
package store

import "context"

// Store is one migrated database with everything that Reverie stores in it. It is safe for concurrent use.
type Store struct {
	db *DB
	*Index
	*Gate
	*Talk
	*Dreaming
	*Transfer
	*Admin
}

// Open connects to the database at url (a postgres:// URL or a key=value string). It fails when the database cannot be reached, when
// migrations are missing (ErrNotMigrated), or when the login may not take on AppRole (ErrNoRole). A connection pooler in between must
// pool sessions, not transactions.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	latest, err := latestMigration()
	if err != nil {
		return nil, err
	}
	db, err := connect(ctx, url, o)
	if err != nil {
		return nil, err
	}
	if err := db.checkMigrated(ctx, latest); err != nil {
		db.Close()
		return nil, err
	}
	return &Store{
		db: db, Index: newIndex(db), Gate: newGate(db), Talk: newTalk(db), Dreaming: newDreaming(db), Transfer: newTransfer(db), Admin: newAdmin(db),
	}, nil
}

// Close waits for running calls and closes the connections.
func (s *Store) Close() { s.db.Close() }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }
