// Package storetest opens stores for tests. Packages that use it delegate their TestMain to package devtest.
package storetest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"reverie/devenv/devtest"
	"reverie/store"
	"reverie/store/pg"
)

// Database returns the URL of a migrated database for the test alone.
func Database(tb testing.TB) string {
	tb.Helper()
	return devtest.Database(tb, migrate)
}

// Open opens a store on a migrated database for the test alone, and returns its URL as well. The store is closed after
// the test. Unless the options have a number of connections or a tracer, its pool is that of [devtest.Pool].
func Open(tb testing.TB, o store.Options) (s *store.Store, url string) {
	tb.Helper()
	if o.MaxConns == 0 && o.Tracer == nil {
		o.Pool = devtest.Pool(tb, migrate, newPool)
		url = o.Pool.Config().ConnConfig.ConnString()
	} else {
		url = Database(tb)
	}
	s, err := store.Open(tb.Context(), url, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s, url
}

func migrate(ctx context.Context, url string) error {
	_, err := store.Migrate(ctx, url)
	return err
}

func newPool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	return pg.NewPool(ctx, url, pg.Options{})
}
