package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"reverie/api/fault"
	"reverie/config"
	"reverie/engine"
	"reverie/store"
	"reverie/store/gate"
)

const (
	// firstRetry and lastRetry bound the pause between two attempts to reach a server at start; it doubles from one to the other.
	firstRetry, lastRetry = 500 * time.Millisecond, 15 * time.Second
	// attemptTimeout bounds one attempt.
	attemptTimeout = 20 * time.Second
)

// await repeats attempt until it succeeds, with growing pauses, while its error says that the server is away. Other errors, such as a
// login that is refused, end it. what names the server in the log.
func await[T any](
	ctx context.Context, log *slog.Logger, what string, away func(error) bool, attempt func(context.Context) (T, error),
) (T, error) {
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		result, err := within(ctx, attempt)
		if err == nil || ctx.Err() != nil || !away(err) {
			return result, err
		}
		log.Warn("a server does not answer; waiting for it", "server", what, "next", pause, "error", err)
		select {
		case <-ctx.Done():
			return result, ctx.Err()
		case <-time.After(pause):
		}
	}
}

func within[T any](ctx context.Context, attempt func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	return attempt(ctx)
}

// awaitParts is openParts for a process that keeps running: it waits for PostgreSQL. waiting is that of openStore.
func awaitParts(ctx context.Context, c config.Config, service string, waiting int32) (*parts, error) {
	p, err := startParts(ctx, c, service)
	if err != nil {
		return nil, err
	}
	if p.store, err = awaitStore(ctx, c, p.telemetry, waiting); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// awaitStore waits for PostgreSQL and opens the store with the configured workspace.
func awaitStore(ctx context.Context, c config.Config, t *engine.Telemetry, waiting int32) (*store.Store, error) {
	return await(ctx, t.Log, "PostgreSQL", store.IsAway, func(ctx context.Context) (*store.Store, error) {
		return openWorkspace(ctx, c, t, waiting)
	})
}

// openWorkspace opens the store and creates the configured workspace.
func openWorkspace(ctx context.Context, c config.Config, t *engine.Telemetry, waiting int32) (*store.Store, error) {
	s, err := openStore(ctx, c, t, waiting)
	if err != nil {
		return nil, err
	}
	if err := ensureWorkspace(ctx, s, c); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// while answers requests on l during work: /healthz with 200, everything else with 503. It leaves l open, with new connections in its
// queue.
func while(l net.Listener, work func() error) error {
	server := &http.Server{Handler: http.HandlerFunc(starting), ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(lent{l}) }()
	err := work()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if stop := server.Shutdown(ctx); stop != nil {
		err = errors.Join(err, server.Close())
	}
	if serve := <-ended; !errors.Is(serve, http.ErrServerClosed) {
		err = errors.Join(err, serve)
	}
	return errors.Join(err, interruptible(l).SetDeadline(time.Time{}))
}

// lent is a listener whose Close interrupts Accept and leaves the listener open.
type lent struct{ net.Listener }

func (l lent) Close() error { return interruptible(l.Listener).SetDeadline(time.Now()) }

// interruptible returns a TCP listener as something whose Accept can be interrupted.
func interruptible(l net.Listener) interface{ SetDeadline(time.Time) error } {
	return l.(*net.TCPListener) //nolint:forcetypeassert // net.Listen made it for tcp
}

// starting answers requests while the process waits for a database.
func starting(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" {
		fmt.Fprintln(w, `{"code":200,"msg":"ok","data":{"state":"ok"}}`)
		return
	}
	name := fault.StoreUnavailable
	if r.URL.Path == "/readyz" {
		name = fault.NotReady
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", "2")
	w.Header().Set("Connection", "close") // the next request is answered by the server that is being started
	w.WriteHeader(http.StatusServiceUnavailable)
	fmt.Fprintf(w, `{"code":503,"msg":"The process is starting: it waits for PostgreSQL or Temporal","error":%q,"data":null}`+"\n", name)
}

// readiness is the answer to /readyz of a worker process. The zero value: it is starting.
type readiness struct{ store atomic.Pointer[store.Store] }

func (r *readiness) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	s := r.store.Load()
	if s == nil {
		http.Error(w, "the process is starting: it waits for PostgreSQL or Temporal", http.StatusServiceUnavailable)
		return
	}
	ctx, cancel := context.WithTimeout(request.Context(), pingTimeout)
	defer cancel()
	switch err := s.Ping(ctx); {
	case errors.Is(err, store.ErrReadOnly):
		http.Error(w, "the database takes no writes", http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
	default:
		fmt.Fprintln(w, "ready")
	}
}

// authenticate returns the key of a secret, or store.ErrBusy while the process is starting.
func (r *readiness) authenticate(ctx context.Context, secret string) (gate.Key, error) {
	s := r.store.Load()
	if s == nil {
		return gate.Key{}, store.ErrBusy
	}
	return s.Authenticate(ctx, secret)
}

// pingTimeout bounds how long the database may take to answer a check of readiness.
const pingTimeout = 2 * time.Second
