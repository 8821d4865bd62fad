// Package store keeps Reverie's memory in PostgreSQL.
//
// Every exported method is one transaction on behalf of a memory.Identity, which the database enforces by row-level security.
// Statements are sent in batches; tx.go describes how many round trips that takes. Every change of a document goes through
// applyChanges in gate.go. Errors are typed (errors.go), and their messages name ids, paths and rules, never contents.
package store

import "context"

// Store is one migrated database with everything that Reverie stores in it. It is safe for concurrent use.
type Store struct {
	*DB
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
		DB: db, Index: newIndex(db), Gate: &Gate{db}, Talk: &Talk{db}, Dreaming: &Dreaming{db}, Transfer: &Transfer{db}, Admin: &Admin{db},
	}, nil
}
