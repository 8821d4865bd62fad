package devtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"reverie/devenv"
)

// serverVariable names an environment variable with a server to use instead of a private one: the URL of any database
// on it, for a role that may create databases and pgvector.
const serverVariable = "REVERIE_TEST_DATABASE_URL"

// templates are the prepared databases of this process, by the address of the prepare function.
var templates struct {
	sync.Mutex
	byFunction map[uintptr]*once[*template]
}

// templateOf returns the template of a prepare function. Functions are identified by their code address, which
// closures of one literal share: they must not differ in what they prepare.
func templateOf(prepare func(ctx context.Context, url string) error) *once[*template] {
	templates.Lock()
	defer templates.Unlock()
	if templates.byFunction == nil {
		templates.byFunction = map[uintptr]*once[*template]{}
	}
	address := reflect.ValueOf(prepare).Pointer()
	if templates.byFunction[address] == nil {
		templates.byFunction[address] = &once[*template]{}
	}
	return templates.byFunction[address]
}

// counter numbers the databases of this process.
var counter atomic.Int64

// Database returns the URL of a database for the test alone, as prepare leaves an empty one; nil leaves it empty. After
// the test, its connections are ended.
//
// prepare (such as the migrations) runs once per process on a template, and tests get copies of that. A copy that a
// test leaves is emptied for the next one, unless the test changed more than rows of tables. Two calls share a template
// if they pass the same function. prepare must close all its connections before it returns.
func Database(tb testing.TB, prepare func(ctx context.Context, url string) error) string {
	tb.Helper()
	return database(tb, prepare).url()
}

// database returns a database for the test alone.
func database(tb testing.TB, prepare func(ctx context.Context, url string) error) *copied {
	tb.Helper()
	requireMain(tb)
	server, err := running.postgres.get(startPostgres)
	if err != nil {
		tb.Fatalf("devtest: %v", err)
	}
	ctx := context.Background()
	source := &template{server: server}
	if prepare != nil {
		source, err = templateOf(prepare).get(func() (*template, error) { return makeTemplate(ctx, server, prepare) })
		if err != nil {
			tb.Fatalf("devtest: prepare the template: %v", err)
		}
	}
	c, err := source.take(ctx)
	if err != nil {
		tb.Fatalf("devtest: create database: %v", err)
	}
	tb.Cleanup(func() {
		if err := c.giveBack(ctx, prepare == nil || tb.Failed()); err != nil {
			tb.Errorf("devtest: %v", err)
		}
	})
	return c
}

// Pool returns a pool of connections to a [Database]. It stays open for the next tests that get this database, because
// each new connection reads the definitions of all tables that it uses: a small test takes the server 26 ms of processor
// time instead of 78. So open must always open the same kind of pool, and tests must neither close it nor change
// settings of sessions.
func Pool(
	tb testing.TB, prepare func(ctx context.Context, url string) error, open func(ctx context.Context, url string) (*pgxpool.Pool, error),
) *pgxpool.Pool {
	tb.Helper()
	c := database(tb, prepare)
	if c.pool == nil {
		pool, err := open(context.Background(), c.url())
		if err != nil {
			tb.Fatalf("devtest: open a pool: %v", err)
		}
		c.pool = pool
	}
	return c.pool
}

// Postgres returns a private server that the test may stop and restart. It ends with the test.
func Postgres(tb testing.TB) *devenv.Postgres {
	tb.Helper()
	requireMain(tb)
	ctx, cancel := context.WithTimeout(context.Background(), startPatience)
	defer cancel()
	p, err := devenv.StartPostgres(ctx, devenv.PostgresOptions{Ephemeral: true, Progress: progress})
	if err != nil {
		tb.Fatalf("devtest: %v", err)
	}
	tb.Cleanup(func() {
		if err := stopping(p.Stop)(); err != nil {
			tb.Errorf("devtest: %v", err)
		}
	})
	return p
}

// startPostgres returns a URL on the server shared by the tests of this process.
func startPostgres() (string, error) {
	if given := os.Getenv(serverVariable); given != "" {
		if _, err := url.Parse(given); err != nil {
			return "", fmt.Errorf("%s: %w", serverVariable, err)
		}
		return given, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), startPatience)
	defer cancel()
	p, err := devenv.StartPostgres(ctx, devenv.PostgresOptions{Ephemeral: true, Progress: progress})
	if err != nil {
		return "", err
	}
	AtEnd(stopping(p.Stop))
	return p.URL("postgres"), nil
}

// databaseName returns a name that no other process on the same server uses.
func databaseName(kind string) string {
	host, _ := os.Hostname() // only distinguishes machines that share a server
	host = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(host))
	return fmt.Sprintf("reverie_%s_%.16s_%d_%d", kind, host, os.Getpid(), counter.Add(1))
}

// onServer returns the URL of another database on the same server.
func onServer(server, database string) string {
	address, err := url.Parse(server)
	if err != nil {
		panic(err) // it was parsed before
	}
	address.Path = "/" + database
	return address.String()
}
