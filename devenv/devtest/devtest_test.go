package devtest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"

	"reverie/devenv/devtest"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// prepare replaces the migrations.
func prepare(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, `create extension vector; create table note (text text, place halfvec(3), number int generated always as identity);
		create table kind (name text); insert into kind values ('letter')`)
	return err
}

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := pgx.Connect(t.Context(), devtest.Database(t, prepare))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close(context.Background()) }()
			var notes int
			if err := conn.QueryRow(t.Context(), "select count(*) from note").Scan(&notes); err != nil || notes != 0 {
				t.Fatalf("%d notes, error %v; want the prepared table, empty", notes, err)
			}
			if _, err := conn.Exec(t.Context(), "insert into note values ('mine', '[1,2,3]')"); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A test leaves its database to the next one as prepare made it.
func TestDatabasesAreReused(t *testing.T) {
	const insert = "insert into note (text, place) values ('mine', '[1,2,3]')"
	last := ""
	for _, test := range []struct {
		leaves string
		reused bool
	}{
		{leaves: "select"},
		{leaves: insert + "; " + insert, reused: true},
		{leaves: "alter table note add written date", reused: true},
		{leaves: "insert into kind values ('card')"},
		{leaves: "create function one() returns int language sql return 1"},
		{leaves: "insert into note (text) select md5(n::text) from generate_series(1, 500000) n"},
		{leaves: "begin; lock table note"},
		{leaves: "select", reused: true},
	} {
		t.Run(test.leaves, func(t *testing.T) {
			url := devtest.Database(t, prepare)
			if reused := url == last; reused != test.reused {
				t.Errorf("reused: %v", reused)
			}
			last = url
			conn, err := pgx.Connect(t.Context(), url) // devtest ends it
			if err != nil {
				t.Fatal(err)
			}
			var notes, number, kinds, columns int
			if err := conn.QueryRow(t.Context(), `select (select count(*) from note), nextval(pg_get_serial_sequence('note', 'number')),
				(select count(*) from kind), (select count(*) from information_schema.columns where table_name = 'note')`,
			).Scan(&notes, &number, &kinds, &columns); err != nil {
				t.Fatal(err)
			}
			if notes != 0 || number != 1 || kinds != 1 || columns != 3 {
				t.Errorf("%d notes, next has number %d, %d kinds, %d columns", notes, number, kinds, columns)
			}
			if _, err := conn.Exec(t.Context(), test.leaves); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A pool's connections serve one test after the other, unless one keeps a connection.
func TestPoolsStayOpen(t *testing.T) {
	var last uint32
	for _, test := range []struct {
		name          string
		keeps, reused bool
	}{
		{name: "first"},
		{name: "second", reused: true},
		{name: "keeps a connection", reused: true, keeps: true},
		{name: "last"},
	} {
		t.Run(test.name, func(t *testing.T) {
			pool := devtest.Pool(t, prepare, pgxpool.New)
			conn, err := pool.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !test.keeps {
				defer conn.Release()
			}
			process := conn.Conn().PgConn().PID()
			if reused := process == last; reused != test.reused {
				t.Errorf("reused: %v", reused)
			}
			last = process
			var notes int
			if err := conn.QueryRow(t.Context(), "with new as (insert into note values ('mine')) select count(*) from note").Scan(&notes); err != nil ||
				notes != 0 {
				t.Errorf("%d notes, error %v", notes, err)
			}
		})
	}
}

// A connection that a test's pool was still opening does not reach the next test dead.
func TestPoolsThatAreConnecting(t *testing.T) {
	for i := range 40 {
		t.Run("", func(t *testing.T) {
			pool := devtest.Pool(t, prepare, pgxpool.New)
			if _, err := pool.Exec(t.Context(), "select"); err != nil {
				t.Fatal(err)
			}
			conn, err := pool.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Release()
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*250*time.Microsecond)
			defer cancel()
			if second, err := pool.Acquire(ctx); err == nil {
				second.Conn().Close(t.Context())
				second.Release()
			}
		})
	}
}

func TestTemporalAnswers(t *testing.T) {
	server := devtest.Temporal(t)
	if again := devtest.Temporal(t); again != server {
		t.Error("a second call started a second server")
	}
	c, err := client.Dial(client.Options{HostPort: server.Address})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestPrivateServers(t *testing.T) {
	p := devtest.Postgres(t)
	if err := p.Restart(t.Context()); err != nil {
		t.Error(err)
	}
	server := devtest.PrivateTemporal(t)
	if server == devtest.Temporal(t) {
		t.Error("the private server is the shared one")
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Error(err)
	}
}

// A configured server is used instead of a private one; here, a private server plays that role.
func TestGivenServer(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		return
	}
	p := devtest.Postgres(t)
	tests := exec.CommandContext(t.Context(), os.Args[0], "-test.run=TestEachTestHasItsOwnDatabase")
	tests.Env = append(os.Environ(), childVariable+"=1", "REVERIE_TEST_DATABASE_URL="+p.URL("postgres"))
	if output, err := tests.CombinedOutput(); err != nil || strings.Contains(string(output), "making a cluster") {
		t.Fatalf("%v\n%s", err, output)
	}
	conn, err := pgx.Connect(t.Context(), p.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var left int
	if err := conn.QueryRow(t.Context(), "select count(*) from pg_database where datname like 'reverie%'").Scan(&left); err != nil ||
		left != 0 {
		t.Errorf("%d databases left, error %v", left, err)
	}
}

// childVariable marks the run of this test binary that the test below starts.
const childVariable = "REVERIE_DEVTEST_CHILD"

// Whatever the tests of a package start ends with their process, and its folders are removed.
func TestNothingIsLeft(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		return
	}
	for name, arguments := range map[string][]string{
		"after success": {"-test.run=TestEachTestHasItsOwnDatabase|TestTemporalAnswers|TestPrivateServers"},
		"after failure": {"-test.run=TestEachTestHasItsOwnDatabase|TestFailsInTheChild"},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			// As root, the database server's own user must be able to enter it.
			for _, folder := range []string{base, filepath.Dir(base)} {
				if err := os.Chmod(folder, 0o711); err != nil {
					t.Fatal(err)
				}
			}
			tests := exec.CommandContext(t.Context(), os.Args[0], append(arguments, "-test.v")...)
			tests.Env = append(os.Environ(), childVariable+"=1", "TMPDIR="+base)
			output, err := tests.CombinedOutput()
			if (err != nil) != (name == "after failure") || strings.Count(string(output), "--- PASS: TestEachTestHasItsOwnDatabase") == 0 {
				t.Fatalf("%v\n%s", err, output)
			}
			if left, err := os.ReadDir(base); err != nil || len(left) != 0 {
				t.Errorf("left in %s: %v, %v", base, left, err)
			}
			processes, err := filepath.Glob("/proc/[0-9]*/cmdline") // Linux only; elsewhere the folders tell
			if err != nil {
				t.Fatal(err)
			}
			for _, process := range processes {
				if line, err := os.ReadFile(process); err == nil && strings.Contains(string(line), base) {
					t.Errorf("left: %q", line)
				}
			}
		})
	}
}

func TestFailsInTheChild(t *testing.T) {
	if os.Getenv(childVariable) != "" && strings.Contains(strings.Join(os.Args, " "), "TestFailsInTheChild") {
		t.Fatal("on purpose")
	}
}
