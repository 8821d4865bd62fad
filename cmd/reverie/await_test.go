package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"reverie/config"
	"reverie/devenv/devtest"
	"reverie/store/storetest"
	"reverie/test/deployment"
)

// leadTo makes an address that nobody listened on lead to a server.
func leadTo(t *testing.T, address, target string) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", target)
			if err != nil {
				_ = in.Close()
				continue
			}
			pipe(in, out)
		}
	}()
}

// pipe joins two connections until one of them ends.
func pipe(in, out net.Conn) {
	go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
	go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
}

// away returns an address that nobody listens on.
func away(t *testing.T) string {
	t.Helper()
	address, err := deployment.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// answer returns the status of a GET, 0 without one, and its Retry-After.
func answer(t *testing.T, address, path string) (status int, retryAfter string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+testKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	return response.StatusCode, response.Header.Get("Retry-After")
}

// wantAnswer waits for a status.
func wantAnswer(t *testing.T, address, path string, want int) {
	t.Helper()
	status := 0
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if status, _ = answer(t, address, path); status == want {
			return
		}
	}
	t.Fatalf("%s answers %d, want %d", path, status, want)
}

// absent configures servers that are not there yet. The functions start them.
func absent(t *testing.T) (c config.Config, startPostgres, startTemporal func()) {
	t.Helper()
	c, err := config.Load()
	if err != nil {
		t.Fatal(err)
	}
	database, err := url.Parse(storetest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	postgres, temporal := database.Host, devtest.Temporal(t).Address
	database.Host = away(t)
	c.DatabaseURL, c.TemporalAddress, c.AdminKey = config.Secret(database.String()), away(t), testKey
	c.Addr, c.WorkerMetricsAddr = away(t), away(t)
	return c, func() { leadTo(t, database.Host, postgres) }, func() { leadTo(t, c.TemporalAddress, temporal) }
}

// runs runs a process of the program until the test ends, and expects it to end without an error.
func runs(t *testing.T, run func(context.Context, config.Config) error, c config.Config) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, c) }()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the process ended with %v", err)
			}
		case <-time.After(time.Minute):
			t.Error("the process does not end")
		}
	})
}

// An API that starts before PostgreSQL is alive and not ready, and begins to work by itself. It does not need Temporal.
func TestAPIWaitsForPostgres(t *testing.T) {
	c, startPostgres, _ := absent(t)
	runs(t, runAPI, c)
	wantAnswer(t, c.Addr, "/healthz", http.StatusOK)
	for _, path := range []string{"/readyz", "/api/v1/agents"} {
		if status, retryAfter := answer(t, c.Addr, path); status != http.StatusServiceUnavailable || retryAfter == "" {
			t.Errorf("%s answers %d, Retry-After %q", path, status, retryAfter)
		}
	}
	startPostgres()
	wantAnswer(t, c.Addr, "/readyz", http.StatusOK)
	wantAnswer(t, c.Addr, "/api/v1/agents", http.StatusOK)
}

// A worker waits for both.
func TestWorkerWaitsForPostgresAndTemporal(t *testing.T) {
	c, startPostgres, startTemporal := absent(t)
	runs(t, runWorker, c)
	wantAnswer(t, c.WorkerMetricsAddr, "/healthz", http.StatusOK)
	wantAnswer(t, c.WorkerMetricsAddr, "/readyz", http.StatusServiceUnavailable)
	startPostgres()
	time.Sleep(2 * time.Second)
	wantAnswer(t, c.WorkerMetricsAddr, "/readyz", http.StatusServiceUnavailable)
	startTemporal()
	wantAnswer(t, c.WorkerMetricsAddr, "/readyz", http.StatusOK)
}

// A process that is stopped while it waits ends in order.
func TestWaitingProcessesStop(t *testing.T) {
	c, _, _ := absent(t)
	runs(t, runAPI, c)
	runs(t, runWorker, c)
	wantAnswer(t, c.Addr, "/healthz", http.StatusOK)
	wantAnswer(t, c.WorkerMetricsAddr, "/healthz", http.StatusOK)
}

// What waiting does not change is an error at once.
func TestWrongConfigurationIsNotWaitedFor(t *testing.T) {
	c, _, _ := absent(t)
	database, err := url.Parse(storetest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*url.URL){
		"login":    func(u *url.URL) { u.User = url.UserPassword("nobody-of-that-name", "x") },
		"database": func(u *url.URL) { u.Path = "/no-such-database" },
	} {
		wrong := *database
		change(&wrong)
		c.DatabaseURL = config.Secret(wrong.String())
		for process, run := range map[string]func(context.Context, config.Config) error{"api": runAPI, "worker": runWorker} {
			if err := run(t.Context(), c); err == nil || strings.Contains(err.Error(), "context") {
				t.Errorf("%s with a wrong %s: %v", process, name, err)
			}
		}
	}
}
