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

	"reverie/devenv"
)

// serverVariable names an environment variable with a server to use instead of a private one: the URL of any database
// on it, for a role that may create databases and pgvector.
const serverVariable = "REVERIE_TEST_DATABASE_URL"

// templates are the prepared databases of this process, by the address of the prepare function.
var templates struct {
	sync.Mutex
	byFunction map[uintptr]*once[string]
}

// templateOf returns the template of a prepare function. Functions are identified by their code address, which
// closures of one literal share: they must not differ in what they prepare.
func templateOf(prepare func(ctx context.Context, url string) error) *once[string] {
	templates.Lock()
	defer templates.Unlock()
	if templates.byFunction == nil {
		templates.byFunction = map[uintptr]*once[string]{}
	}
	address := reflect.ValueOf(prepare).Pointer()
	if templates.byFunction[address] == nil {
		templates.byFunction[address] = &once[string]{}
	}
	return templates.byFunction[address]
}

// counter numbers the databases of this process.
var counter atomic.Int64

// Database returns the URL of a new database for the test alone. It is dropped after the test, even with open
// connections.
//
// prepare (such as the migrations) runs once per process on a template, and every test gets a copy of that, which
// takes some tens of milliseconds. Two calls share a template if they pass the same function; nil gives an empty
// database. prepare must close all its connections before it returns.
func Database(tb testing.TB, prepare func(ctx context.Context, url string) error) string {
	tb.Helper()
	requireMain(tb)
	server, err := running.postgres.get(startPostgres)
	if err != nil {
		tb.Fatalf("devtest: %v", err)
	}
	ctx := context.Background()
	template := ""
	if prepare != nil {
		template, err = templateOf(prepare).get(func() (string, error) { return makeTemplate(ctx, server, prepare) })
		if err != nil {
			tb.Fatalf("devtest: prepare the template: %v", err)
		}
	}
	name := databaseName("test")
	if err := devenv.CreateDatabase(ctx, server, name, template); err != nil {
		tb.Fatalf("devtest: create database: %v", err)
	}
	tb.Cleanup(func() {
		if err := devenv.DropDatabase(ctx, server, name); err != nil {
			tb.Errorf("devtest: drop database: %v", err)
		}
	})
	return onServer(server, name)
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

// makeTemplate creates and prepares a database.
func makeTemplate(ctx context.Context, server string, prepare func(ctx context.Context, url string) error) (string, error) {
	name := databaseName("template")
	if err := devenv.CreateDatabase(ctx, server, name, ""); err != nil {
		return "", err
	}
	AtEnd(func() error { return devenv.DropDatabase(ctx, server, name) })
	return name, prepare(ctx, onServer(server, name))
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
