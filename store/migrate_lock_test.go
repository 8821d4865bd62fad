package store

import (
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"reverie/devenv/devtest"
)

func TestLocking(t *testing.T) {
	t.Parallel()
	const comment = "-- +goose Up\n-- About agents.\nalter table documents add column x int; -- like facts\n-- +goose Down\ndrop table owners;\n"
	got, err := locking(comment)
	if err != nil || !strings.Contains(got, "string_to_array('alter,table,documents,add,column,x,int',") || !strings.HasSuffix(got, comment[len(upMark):]) {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := locking("-- +goose Up\nselect from pg_policies;\n"); err != nil || !strings.Contains(got, "string_to_array('',") {
		t.Errorf("a migration that finds its tables: %v\n%s", err, got)
	}
	for _, refused := range []string{"alter table documents;\n", "-- +goose NO TRANSACTION\n-- +goose Up\n"} {
		if got, err := locking(refused); err == nil {
			t.Errorf("%q became %q", refused, got)
		}
	}
}

// migratedTo returns the URL of a database with the schema of a version.
func migratedTo(t *testing.T, version int64) string {
	t.Helper()
	url := devtest.Database(t, migrated)
	err := withProvider(url, func(_ *sql.DB, p *goose.Provider) error {
		_, err := p.DownTo(t.Context(), version)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// firstColumn returns the values of a query of one column.
func firstColumn[T any](t *testing.T, conn *pgx.Conn, query string) []T {
	t.Helper()
	return must[[]T](t)(pgx.CollectRows(must[pgx.Rows](t)(conn.Query(t.Context(), query)), pgx.RowTo[T]))
}

// beforePolicies is the version before a migration that alters api_keys, and then the policies of every table.
const beforePolicies = 34

type migration struct {
	applied int
	err     error
}

// migrating applies all migrations in the background.
func migrating(t *testing.T, url string) <-chan migration {
	t.Helper()
	done := make(chan migration, 1)
	go func() {
		applied, err := Migrate(t.Context(), url)
		done <- migration{applied, err}
	}()
	return done
}

// A transaction that uses one table after the other goes on while migrations want all of them, and they are applied after it.
func TestMigrateGivesWay(t *testing.T) {
	t.Parallel()
	url := migratedTo(t, beforePolicies)
	conn := must[*pgx.Conn](t)(pgx.Connect(t.Context(), url))
	defer conn.Close(t.Context())
	tables := firstColumn[string](t, conn, `
select relname::text from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'goose%' order by relname desc`)
	if len(tables) < 50 {
		t.Fatalf("%d tables", len(tables))
	}
	tx := must[pgx.Tx](t)(conn.Begin(t.Context()))
	defer tx.Rollback(t.Context()) //nolint:errcheck // after a commit it does nothing
	use := func(table string) {
		if _, err := tx.Exec(t.Context(), "select from "+pgx.Identifier{table}.Sanitize()+" limit 1"); err != nil {
			t.Fatalf("while migrating, reading %s: %v", table, err)
		}
	}
	use(tables[0])
	done := migrating(t, url)
	for _, table := range tables[1:] {
		time.Sleep(20 * time.Millisecond)
		use(table)
	}
	select {
	case m := <-done:
		t.Fatalf("%+v while a transaction used every table", m)
	default:
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m := <-done; m.err != nil || m.applied == 0 {
		t.Errorf("%+v", m)
	}
}

// A program waits for a table that a migration has taken, while the migration waits for tables of other programs, one after the other,
// and last for one of the first program: PostgreSQL must not end the program's work as a deadlock. Without taking all tables at once it
// does, as no wait of the migration takes as long as its lock_timeout, but all together take longer than the program's deadlock_timeout.
func TestMigrateEndsNoProgram(t *testing.T) {
	t.Parallel()
	url := migratedTo(t, beforePolicies)
	conns := make([]*pgx.Conn, 4) // the last one only looks
	for n := range conns {
		conns[n] = must[*pgx.Conn](t)(pgx.Connect(t.Context(), url))
		defer conns[n].Close(t.Context())
	}
	watcher := conns[3]
	// In the order in which the migration alters them. All are taken after api_keys where they are taken by name.
	var tables []string
	for _, table := range firstColumn[string](t, watcher, "select tablename::text from pg_policies where schemaname = current_schema()") {
		if table > "api_keys" && !slices.Contains(tables, table) {
			tables = append(tables, table)
		}
	}
	inUse := make([]pgx.Tx, 3)
	for n := range inUse {
		tx := must[pgx.Tx](t)(conns[n].Begin(t.Context()))
		defer tx.Rollback(t.Context()) //nolint:errcheck // after a commit it does nothing
		if _, err := tx.Exec(t.Context(), "select from "+pgx.Identifier{tables[n]}.Sanitize()+" limit 1"); err != nil {
			t.Fatal(err)
		}
		inUse[n] = tx
	}
	done := migrating(t, url)
	taken := `select count(*) from pg_locks where relation = 'api_keys'::regclass and mode = 'AccessExclusiveLock' and granted`
	for firstColumn[int](t, watcher, taken)[0] == 0 {
		select {
		case m := <-done:
			t.Fatalf("%+v while transactions used its tables", m)
		case <-time.After(5 * time.Millisecond):
		}
	}
	read := make(chan error, 1)
	go func() {
		_, err := inUse[2].Exec(t.Context(), "select from api_keys limit 1")
		read <- err
	}()
	for _, other := range inUse[:2] {
		time.Sleep(400 * time.Millisecond)
		if err := other.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-read; err != nil {
		t.Fatalf("a program, while migrating: %v", err)
	}
	if err := inUse[2].Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m := <-done; m.err != nil || m.applied == 0 {
		t.Errorf("%+v", m)
	}
}
