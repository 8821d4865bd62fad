package store

import (
	"database/sql"
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

// A transaction that uses one table after the other goes on while migrations want all of them, and they are applied after it.
func TestMigrateGivesWay(t *testing.T) {
	t.Parallel()
	url := devtest.Database(t, migrated)
	const before = 34 // 35 alters the policies of every table
	err := withProvider(url, func(_ *sql.DB, p *goose.Provider) error {
		_, err := p.DownTo(t.Context(), before)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `
select relname::text from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'goose%' order by relname desc`)
	if err != nil {
		t.Fatal(err)
	}
	tables := must[[]string](t)(pgx.CollectRows(rows, pgx.RowTo[string]))
	if len(tables) < 50 {
		t.Fatalf("%d tables", len(tables))
	}
	tx := must[pgx.Tx](t)(conn.Begin(t.Context()))
	defer tx.Rollback(t.Context()) //nolint:errcheck // after a commit it does nothing
	type migration struct {
		applied int
		err     error
	}
	done := make(chan migration, 1)
	use := func(table string) {
		if _, err := tx.Exec(t.Context(), "select from "+pgx.Identifier{table}.Sanitize()+" limit 1"); err != nil {
			t.Fatalf("while migrating, reading %s: %v", table, err)
		}
	}
	use(tables[0])
	go func() {
		applied, err := Migrate(t.Context(), url)
		done <- migration{applied, err}
	}()
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
