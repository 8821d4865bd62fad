// Package services starts what a benchmark measures: a private PostgreSQL, the real API process, and the worker if it
// is part of the measurement. They end with the benchmark.
package services

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"reverie/devenv"
	"reverie/memory"
	"reverie/search"
	"reverie/store"
	"reverie/test/deployment"
	"reverie/workflows"
)

// Workspace is the workspace of the API process.
const Workspace = "default"

const (
	database     = "bench"
	startTimeout = time.Minute // until the API is ready
	stopTimeout  = time.Minute // per process; then it is killed
)

// Options configures the services.
type Options struct {
	// Dir contains data and logs. It must exist in a folder that everybody may enter: if this process is root, the
	// database server runs as an ordinary user, and its data would otherwise be stored elsewhere and kept
	// (devenv.PostgresOptions).
	Dir string
	// Progress reports what is going on; nil is silent.
	Progress devenv.Progress
}

// Services are the running processes.
type Services struct {
	// DatabaseURL is the migrated database, for its superuser, who bypasses row-level security.
	DatabaseURL string

	options Options
	key     string // admin key of all processes
	program string
	cleanup Cleanup
}

// Start starts PostgreSQL with a migrated database. If it fails, it stops what it has started.
func Start(ctx context.Context, o Options) (_ *Services, err error) {
	s := &Services{options: o, key: rand.Text()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Stop())
		}
	}()
	if err := os.Chmod(o.Dir, 0o711); err != nil { //nolint:gosec // the server's own user must be able to enter it
		return nil, err
	}
	pg, err := devenv.StartPostgres(ctx, devenv.PostgresOptions{Dir: filepath.Join(o.Dir, "postgres"), Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	s.cleanup.Add(func() error { return pg.Stop(context.WithoutCancel(ctx)) })
	if err := pg.EnsureDatabase(ctx, database); err != nil {
		return nil, err
	}
	s.DatabaseURL = pg.URL(database)
	_, err = store.Migrate(ctx, s.DatabaseURL)
	return s, err
}

// StartAPI runs the program as the API and returns a client with an admin key. The API has no Temporal; it still
// stores, indexes and searches. env is added to the inherited environment and overrides it. It may be called several
// times: the processes share the database.
func (s *Services) StartAPI(ctx context.Context, env ...string) (_ *deployment.Client, err error) {
	if s.program == "" {
		if s.program, err = deployment.Build(ctx, s.options.Dir); err != nil {
			return nil, err
		}
	}
	address, err := deployment.FreeAddress()
	if err != nil {
		return nil, err
	}
	nobody, err := deployment.FreeAddress()
	if err != nil {
		return nil, err
	}
	env = append([]string{
		"REVERIE_DATABASE_URL=" + s.DatabaseURL, "REVERIE_TEMPORAL_ADDRESS=" + nobody, "REVERIE_WORKSPACE=" + Workspace,
		"REVERIE_ADMIN_KEY=" + s.key, "REVERIE_ADDR=" + address, "REVERIE_LOG_LEVEL=warn",
	}, env...)
	if err := s.run("api", env); err != nil {
		return nil, err
	}
	api := &deployment.Client{URL: "http://" + address, Key: s.key}
	ready, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := api.WaitReady(ready); err != nil {
		return nil, fmt.Errorf("the API did not become ready: %w\n%s", err, s.logOf("api"))
	}
	return api, nil
}

// StartWorker runs the program as the worker. env must name a Temporal, and overrides the settings of the API.
func (s *Services) StartWorker(env ...string) error {
	return s.run("worker", append([]string{
		"REVERIE_DATABASE_URL=" + s.DatabaseURL, "REVERIE_WORKSPACE=" + Workspace, "REVERIE_ADMIN_KEY=" + s.key,
		"REVERIE_WORKER_METRICS_ADDR=off", "REVERIE_LOG_LEVEL=warn", "REVERIE_IDLE_TURN=0s",
	}, env...))
}

func (s *Services) run(name string, env []string) error {
	p, err := deployment.Start(s.program, env, filepath.Join(s.options.Dir, name+".log"), name)
	if err != nil {
		return err
	}
	s.cleanup.Add(func() error { return p.Stop(stopTimeout) })
	return nil
}

// logOf returns the log of a process, for an error message.
func (s *Services) logOf(name string) string {
	content, err := os.ReadFile(filepath.Join(s.options.Dir, name+".log"))
	if err != nil {
		return err.Error()
	}
	return string(content)
}

// Stop stops everything, in reverse order.
func (s *Services) Stop() error { return s.cleanup.Close() }

// StartTemporal starts a private Temporal dev server and connects to it, until cleanup closes both. The server logs to the given
// file.
func StartTemporal(ctx context.Context, cleanup *Cleanup, log string) (address string, c client.Client, err error) {
	t, err := devenv.StartTemporal(ctx, devenv.TemporalOptions{
		SearchAttributes: workflows.SearchAttributes(), Progress: Say, LogFile: log,
	})
	if err != nil {
		return "", nil, err
	}
	cleanup.Add(func() error { return t.Stop(context.WithoutCancel(ctx)) })
	quiet := sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))
	if c, err = client.Dial(client.Options{HostPort: t.Address, Logger: quiet}); err != nil {
		return "", nil, err
	}
	cleanup.Add(func() error { c.Close(); return nil })
	return t.Address, c, nil
}

// Say prints progress to standard error.
func Say(part, message string) { fmt.Fprintf(os.Stderr, "%s: %s\n", part, message) }

// Search is the body of a search request. It is not synthetic: its use is recorded, like an agent's.
type Search struct {
	Owner      memory.Owner    `json:"owner"`
	Query      string          `json:"query"`
	Corpus     search.Corpus   `json:"corpus"`
	MaxResults int             `json:"maxResults,omitempty"` // 0: the default
	MinScore   *float64        `json:"minScore,omitempty"`   // nil: the default
	Now        string          `json:"now,omitempty"`
	Options    json.RawMessage `json:"options,omitempty"`
}

// Found is the part of the response that benchmarks use.
type Found struct {
	Results []struct {
		MessageIDs []string `json:"messageIds"`
	} `json:"results"`
}

// MessageIDs returns the ids of the messages found, best first. A message found in several parts is repeated.
func (f Found) MessageIDs() []string {
	var ids []string
	for _, result := range f.Results {
		ids = append(ids, result.MessageIDs...)
	}
	return ids
}

// Ask searches an agent and returns the duration from the request to the decoded response.
func Ask(ctx context.Context, api *deployment.Client, agent string, s Search) (Found, time.Duration, error) {
	var found Found
	began := time.Now()
	err := api.Call(ctx, http.MethodPost, "/api/v1/agents/"+agent+"/memory/search", s, &found)
	took := time.Since(began)
	if err != nil {
		return Found{}, 0, fmt.Errorf("search: %w", err)
	}
	return found, took, nil
}
