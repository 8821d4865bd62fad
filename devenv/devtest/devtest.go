// Package devtest provides tests with real servers: a separate database in a private PostgreSQL with pgvector, and a
// Temporal dev server. Both start on first use, are shared by the tests of one package, and end with them.
//
// A package that uses it must delegate its TestMain, or nothing would be stopped:
//
//	func TestMain(m *testing.M) { devtest.Main(m) }
//
//	func TestSomething(t *testing.T) {
//		url := devtest.Database(t, migrations.Run)
//		…
//	}
//
// A server that cannot be started fails the test; tests are never skipped.
package devtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"reverie/devenv"
)

// startPatience bounds the start of a server, including installation, download or build.
const startPatience = 25 * time.Minute

// stopPatience bounds the orderly stop of a server; after that it is killed.
const stopPatience = 20 * time.Second

// SearchAttributes are registered with the servers that [Temporal] and [PrivateTemporal] start. A package may set others
// before it calls [Main].
var SearchAttributes = map[string]string{"AgentID": "Keyword", "OwnerKey": "Keyword", "Outcome": "Keyword"}

// running is the state of this process.
var running struct {
	sync.Mutex
	main     bool // Main is running
	stops    []func() error
	postgres once[string] // the URL of the maintenance database
	temporal once[*devenv.Temporal]
}

// once creates a value at the first request. It caches a failure, so that not every test waits for it again.
type once[T any] struct {
	sync.Mutex
	done  bool
	value T
	err   error
}

func (o *once[T]) get(first func() (T, error)) (T, error) {
	o.Lock()
	defer o.Unlock()
	if !o.done {
		o.value, o.err = first()
		o.done = true
	}
	return o.value, o.err
}

// Main is the body of a package's TestMain: it runs the tests, stops everything they started, removes temporary
// files, and exits with the tests' result, or with 1 if something could not be stopped. On SIGINT and SIGTERM, it
// also stops everything.
func Main(m *testing.M) {
	running.Lock()
	running.main = true
	running.Unlock()

	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		_ = stopAll() // the tests fail anyway
		os.Exit(130)
	}()

	code := m.Run()
	if err := stopAll(); err != nil {
		fmt.Fprintln(os.Stderr, "devtest: stop:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// stopAll stops what was started, in reverse order.
func stopAll() error {
	running.Lock()
	defer running.Unlock()
	var err error
	for _, v := range slices.Backward(running.stops) {
		err = errors.Join(err, v())
	}
	running.stops = nil
	return err
}

// AtEnd registers a function for Main to call after the tests, in reverse order.
func AtEnd(stop func() error) {
	running.Lock()
	defer running.Unlock()
	running.stops = append(running.stops, stop)
}

// requireMain fails the test if the package does not use Main: its servers would outlive it.
func requireMain(tb testing.TB) {
	tb.Helper()
	running.Lock()
	defer running.Unlock()
	if !running.main {
		tb.Fatal("devtest: this package needs `func TestMain(m *testing.M) { devtest.Main(m) }`")
	}
}

// progress prints the progress of slow work; `go test` shows it when a test fails, or with -v.
func progress(part, message string) { fmt.Fprintf(os.Stderr, "devtest: %s: %s\n", part, message) }

// stopping wraps a server's Stop in a function without a context.
func stopping(stop func(context.Context) error) func() error {
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
		defer cancel()
		return stop(ctx)
	}
}

// Temporal returns the dev server shared by the tests of this process. Tests must use separate task queues and
// workflow ids, and must not stop or restart it: see [PrivateTemporal]. It ends with the process.
func Temporal(tb testing.TB) *devenv.Temporal {
	tb.Helper()
	requireMain(tb)
	t, err := running.temporal.get(func() (*devenv.Temporal, error) {
		t, err := startTemporal()
		if err == nil {
			AtEnd(stopping(t.Stop))
		}
		return t, err
	})
	if err != nil {
		tb.Fatalf("devtest: %v", err)
	}
	return t
}

// PrivateTemporal returns a dev server that the test may stop and restart. It ends with the test.
func PrivateTemporal(tb testing.TB) *devenv.Temporal {
	tb.Helper()
	requireMain(tb)
	t, err := startTemporal()
	if err != nil {
		tb.Fatalf("devtest: %v", err)
	}
	tb.Cleanup(func() {
		if err := stopping(t.Stop)(); err != nil {
			tb.Errorf("devtest: %v", err)
		}
	})
	return t
}

func startTemporal() (*devenv.Temporal, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startPatience)
	defer cancel()
	return devenv.StartTemporal(ctx, devenv.TemporalOptions{SearchAttributes: SearchAttributes, Progress: progress})
}
