package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"reverie/devenv/devtest"
	"reverie/store/pg"
)

func TestMigrateFromNothing(t *testing.T) {
	url := devtest.Database(t, nil)
	current, latest, err := MigrationStatus(t.Context(), url)
	if err != nil || current != 0 || latest < 1 {
		t.Fatalf("before: current %d, latest %d, err %v", current, latest, err)
	}
	if _, err := Open(t.Context(), url, pg.Options{}); !errors.Is(err, pg.ErrNotMigrated) {
		t.Fatalf("open before: %v, want ErrNotMigrated", err)
	}
	if applied := must[int](t)(Migrate(t.Context(), url)); int64(applied) != latest {
		t.Errorf("applied %d, want %d", applied, latest)
	}
	if applied := must[int](t)(Migrate(t.Context(), url)); applied != 0 {
		t.Errorf("second run applied %d, want 0", applied)
	}
	current, latest, err = MigrationStatus(t.Context(), url)
	if err != nil || current != latest {
		t.Errorf("after: current %d, latest %d, err %v", current, latest, err)
	}
	s, err := Open(t.Context(), url, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

func TestMigrateConcurrently(t *testing.T) {
	url := devtest.Database(t, nil)
	_, latest, err := MigrationStatus(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	const migrators = 4
	applied, errs := make([]int, migrators), make([]error, migrators)
	var wg sync.WaitGroup
	for i := range migrators {
		wg.Go(func() { applied[i], errs[i] = Migrate(t.Context(), url) })
	}
	wg.Wait()
	sum := 0
	for _, n := range applied {
		sum += n
	}
	if err := errors.Join(errs...); err != nil || int64(sum) != latest {
		t.Errorf("applied %v in all, want %d; err %v", applied, latest, err)
	}
}

func TestMigrateDownAndUp(t *testing.T) {
	url := devtest.Database(t, migrated)
	var tables []string
	err := withProvider(url, func(_ *sql.DB, p *goose.Provider) error {
		_, err := p.DownTo(t.Context(), 0)
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
select relname::text from pg_class
where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'S') and relname not like 'goose%'
union all
select proname::text from pg_proc where pronamespace = 'public'::regnamespace and proname like 'reverie%'`)
	if err != nil {
		t.Fatal(err)
	}
	if tables, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(tables) > 0 {
		t.Errorf("left behind: %v, %v", tables, err)
	}
	if applied := must[int](t)(Migrate(t.Context(), url)); applied == 0 {
		t.Error("up again applied nothing")
	}
	s, err := Open(t.Context(), url, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// A development version let owners share an id of writes, where the previous release has one per agent.
func TestMigrateSharedIDsOfWrites(t *testing.T) {
	url := devtest.Database(t, nil)
	if err := withProvider(url, func(_ *sql.DB, p *goose.Provider) error {
		_, err := p.UpTo(t.Context(), 17)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, sql := range []string{
		"drop index memory_writes_by_request",
		"create unique index memory_writes_by_request on memory_writes (request_id, workspace_id, agent_id, owner_key)",
		"set session_replication_role = replica", // no keys and agents are needed
		`insert into memory_writes (workspace_id, agent_id, write_id, request_id, request_hash, key_id, owner_key, scope, path, strategy,
    content, reason, outcome, staged_at, due_at)
select 'acme', 'ada', ('00000000-0000-0000-0000-00000000000' || n)::uuid, 'one', sha256(''), gen_random_uuid(), 'user:' || n, 'PERSONAL',
    'a.md', 'append', '', '', 'staged', now(), now()
from generate_series(1, 3) n`,
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	must[int](t)(Migrate(t.Context(), url))
	rows, err := conn.Query(t.Context(), `
select owner_key || ' ' || requested_id || ' ' || (request_id = 'one') from memory_writes order by write_id`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if want := []string{"user:1 one true", "user:2 one false", "user:3 one false"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("writes %q, want %q; %v", got, want, err)
	}
}

// An ordinary login that owns its database migrates and works, as on managed PostgreSQL; any other login gets an error that
// names the missing privilege.
func TestOrdinaryLogin(t *testing.T) {
	root := devtest.Database(t, nil)
	conn, err := pgx.Connect(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	suffix := strings.ReplaceAll(pg.NewID().String(), "-", "")
	owner, stranger := "owner_"+suffix, "stranger_"+suffix
	for _, sql := range []string{
		"do $$ begin create role reverie_app nologin; exception when duplicate_object or unique_violation then null; end $$",
		fmt.Sprintf("create role %s login password 'x'", owner),
		fmt.Sprintf("create role %s login password 'x'", stranger),
		fmt.Sprintf("alter database %s owner to %s", conn.Config().Database, owner),
		fmt.Sprintf("grant all on schema public to %s", owner),
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	t.Cleanup(func() {
		// The test's own context is over here.
		dropRole(t, root, conn.Config().Database, owner)
		dropRole(t, root, conn.Config().Database, stranger)
	})

	if _, err := Migrate(t.Context(), as(t, root, owner)); err == nil || !strings.Contains(err.Error(), "grant reverie_app to "+owner) {
		t.Fatalf("migrate without the role: %v, want the statement that helps", err)
	}
	if _, err := conn.Exec(t.Context(), "grant reverie_app to "+owner); err != nil {
		t.Fatal(err)
	}
	if _, err := Migrate(t.Context(), as(t, root, owner)); err == nil || !strings.Contains(err.Error(), "create extension vector") {
		t.Fatalf("migrate without pgvector: %v, want the statement that helps", err)
	}
	if _, err := conn.Exec(t.Context(), "create extension vector"); err != nil {
		t.Fatal(err)
	}
	must[int](t)(Migrate(t.Context(), as(t, root, owner)))
	s, err := Open(t.Context(), as(t, root, owner), pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	makeAgent(t, s, "acme", "ada")
	s.Close()
	if _, err := Open(t.Context(), as(t, root, stranger), pg.Options{}); !errors.Is(err, pg.ErrNoRole) ||
		!strings.Contains(err.Error(), stranger) {
		t.Errorf("open as a login without the role: %v, want ErrNoRole with its name", err)
	}
}

// as returns the URL for another login.
func as(t *testing.T, database, login string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(login, "x")
	return u.String()
}

func dropRole(t *testing.T, database, name, login string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close(ctx)
	for _, sql := range []string{
		fmt.Sprintf("alter database %s owner to current_user", name),
		"drop owned by " + login + " cascade",
		"drop role " + login,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
