package store

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/store/admin"
	"reverie/store/pg"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// migrated prepares a database for devtest.Database.
func migrated(ctx context.Context, url string) error {
	_, err := Migrate(ctx, url)
	return err
}

// newPool opens connections for devtest.Pool.
func newPool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	return pg.NewPool(ctx, url, pg.Options{})
}

// testClock is the first time of tests: in the middle of a day, with microseconds as the database stores them.
var testClock = time.Date(2026, 11, 21, 10, 0, 0, 123456000, time.UTC)

// openStore opens a store on a new database with a workspace "acme" and an agent "ada".
func openStore(tb testing.TB, options ...func(*pg.Options)) *Store {
	tb.Helper()
	o := pg.Options{}
	for _, option := range options {
		option(&o)
	}
	url := ""
	if o.MaxConns == 0 && o.Tracer == nil {
		o.Pool = devtest.Pool(tb, migrated, newPool)
	} else {
		url = devtest.Database(tb, migrated)
	}
	s, err := Open(tb.Context(), url, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	makeAgent(tb, s, "acme", "ada")
	return s
}

// ownConnections opens connections whose sessions the test may change.
func ownConnections(o *pg.Options) { o.MaxConns = pg.DefaultConns }

// at sets the store's clock.
func at(now func() time.Time) func(*pg.Options) { return func(o *pg.Options) { o.Now = now } }

// makeAgent makes a workspace and an agent in it.
func makeAgent(tb testing.TB, s *Store, workspace, agent string) {
	tb.Helper()
	if err := s.EnsureWorkspace(tb.Context(), workspace, workspace); err != nil {
		tb.Fatal(err)
	}
	if _, err := s.CreateAgent(tb.Context(), adminOf(workspace), admin.NewAgent{ID: agent, TimeZone: "Europe/Berlin"}); err != nil {
		tb.Fatal(err)
	}
}

func adminOf(workspace string) memory.Identity {
	return memory.Identity{Workspace: workspace, Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}
}

// member returns a person who uses agent ada of acme.
func member(owner memory.Owner) memory.Identity {
	return memory.Identity{
		Workspace: "acme", Agent: "ada", Owner: owner, Role: memory.RoleMember,
		Author: memory.Author{Kind: memory.AuthorUser, ID: "key-" + string(owner)},
	}
}

// workflow returns a workflow's run that works for owner.
func workflow(owner memory.Owner, run string) memory.Identity {
	id := member(owner)
	id.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin", WorkflowID: "extract/" + run, RunID: run}
	return id
}

// tester is a test, also one of rapid.
type tester interface {
	Context() context.Context
	Helper()
	Fatal(args ...any)
}

// must returns the value of a call that is not expected to fail.
func must[T any](tb tester) func(T, error) T {
	return func(value T, err error) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return value
	}
}

// everything returns the settings of an identity, for raw SQL.
func everything(t tester, id memory.Identity) pg.Settings {
	t.Helper()
	return must[pg.Settings](t)(pg.SettingsOf(id))
}

// rawAs runs one statement as the pool's role with an identity, past every method of the store.
func rawAs(t tester, s *Store, set pg.Settings, sql string, args ...any) (rows int64, err error) {
	t.Helper()
	ctx := t.Context()
	return pg.Run(ctx, s.db, &pg.Tx{Settings: set, Mode: pg.SQLBegin}, func(t *pg.Tx) (int64, error) {
		if err := t.Send(ctx, &pgx.Batch{}); err != nil {
			return 0, err
		}
		tag, err := t.Conn.Exec(ctx, sql, args...)
		return tag.RowsAffected(), err
	})
}

// query runs one query as rawAs does and returns its only column.
func query[T any](t tester, s *Store, id memory.Identity, sql string, args ...any) []T {
	t.Helper()
	ctx := t.Context()
	values, err := pg.Run(ctx, s.db, &pg.Tx{Settings: everything(t, id), Mode: pg.SQLBeginRead}, func(t *pg.Tx) (values []T, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sql, args...), &values, pgx.RowTo[T])
		err = t.Finish(ctx, b)
		return values, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// collect reads rows into structs by position.
func collect[T any](rows pgx.Rows) ([]T, error) {
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}

// collectMaps reads rows of one JSON object each.
func collectMaps(rows pgx.Rows) ([]map[string]any, error) {
	return pgx.CollectRows(rows, pgx.RowTo[map[string]any])
}
