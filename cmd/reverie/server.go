package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"reverie/api"
	"reverie/api/rest"
	"reverie/config"
	"reverie/engine"
	"reverie/store"
	"reverie/web"
	"reverie/worker"
)

func apiCommand() *cobra.Command { return serverCommand("api", "Run the HTTP API", runAPI) }

// serverCommand returns the command of a process that needs the database and Temporal.
func serverCommand(use, short string, run func(context.Context, config.Config) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if c.TemporalAddress == "" {
				return errNoTemporal
			}
			return run(cmd.Context(), c)
		},
	}
}

func runAPI(ctx context.Context, c config.Config) error {
	if err := c.CheckExposure(c.Addr); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("%s_ADDR: %w", config.Prefix, err)
	}
	defer listener.Close()
	var p *parts
	var server *web.Browser
	err = while(listener, func() (err error) {
		if p, err = awaitParts(ctx, c, "api", maxWaiting*c.DatabaseConns); err != nil {
			return err
		}
		server, err = newAPI(c, p, c.TemporalUIURL)
		return err
	})
	if p != nil {
		defer p.close()
	}
	if err != nil {
		return unlessStopped(ctx, err)
	}
	keeping := keep(p.namespace, nil)
	defer keeping()
	p.telemetry.Log.Info("API is listening", "addr", listener.Addr().String())
	return server.Serve(ctx, listener)
}

// unlessStopped returns nil for an error of a start that was interrupted.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

// keep keeps the namespace complete in the background until the returned function is called. lost is that of engine.Namespace.Keep.
func keep(n *engine.Namespace, lost func()) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { n.Keep(ctx, lost) })
	return func() {
		cancel()
		running.Wait()
	}
}

// newAPI wires the API server and its pages. webUI is the address of Temporal's Web UI; empty: answers have no links.
func newAPI(c config.Config, p *parts, webUI string) (*web.Browser, error) {
	s, t := p.store, p.telemetry
	searcher, err := newSearcher(c, s, t)
	if err != nil {
		return nil, err
	}
	outside, backend, err := newProviders(c, s, t)
	if err != nil {
		return nil, err
	}
	turns, err := chatOptions(c, t)
	if err != nil {
		return nil, err
	}
	external, err := openBackend(c, t)
	if err != nil {
		return nil, err
	}
	o := api.Options{
		Chat: turns, Approvals: c.Settings.Approval(), Backend: external, Providers: outside, SearchBackend: backend,
		Store: s, Search: searcher, Temporal: p.temporal, PrepareTemporal: p.namespace.Prepare, Timing: c.Settings.Timing(),
		Model:  api.Model{Name: modelName(c), BuiltIn: c.LLMProvider == "", Free: c.Unpriced()},
		Dreams: dreamSettings(c, c.LLMProvider != ""), DreamSchedule: dreamSchedule(c),
		Workspace: c.Workspace, Log: t.Log, Tracers: t.Tracers, Meters: t.Meters, Metrics: t.Metrics,
		DeletionGrace: c.DeletionGrace,
		RateLimit:     c.RateLimit, TrustedProxies: c.TrustedProxies, MetricsNetworks: c.MetricsNetworks, WebhookNetworks: c.WebhookNetworks,
		AuditAdmins: c.Audit == config.AuditAdmins,
		CardsOff:    !c.MorningCard,
		Version:     version, OAuthIssuer: c.OAuthIssuer, PublicURL: strings.TrimSuffix(c.PublicURL, "/"),
	}
	if webUI != "" {
		workflows, err := url.JoinPath(webUI, "namespaces", c.TemporalNamespace, "workflows/")
		if err != nil {
			return nil, fmt.Errorf("%s_TEMPORAL_UI_URL: %w", config.Prefix, err)
		}
		o.WorkflowURL = workflows
	}
	server, err := api.New(o)
	if err != nil {
		return nil, err
	}
	return web.Register(server), nil
}

func workerCommand() *cobra.Command {
	return serverCommand("worker", "Run a worker: the workflows and their steps", runWorker)
}

var errNoTemporal = fmt.Errorf("%s_TEMPORAL_ADDRESS is not set: point it at a Temporal frontend (host:port), or run `reverie dev`, which "+
	"starts one", config.Prefix)

func runWorker(ctx context.Context, c config.Config) (err error) {
	if err := c.CheckExposure(c.WorkerMetricsAddr); err != nil {
		return err
	}
	p, err := startParts(ctx, c, "worker")
	if err != nil {
		return err
	}
	defer p.close()
	var ready readiness
	stopHealth, err := serveHealth(c.WorkerMetricsAddr, &ready, p.telemetry, c.MetricsNetworks)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopHealth()) }()
	if p.store, err = awaitStore(ctx, c, p.telemetry, 0); err != nil {
		return unlessStopped(ctx, err)
	}
	log := p.telemetry.Log
	err = runWorkers(ctx, c, p, func() {
		ready.store.Store(p.store)
		log.Info("worker is polling", "temporal", c.TemporalAddress, "namespace", c.TemporalNamespace, "model", modelName(c))
	})
	log.Info("worker has stopped")
	return unlessStopped(ctx, err)
}

// runWorkers runs a worker until ctx ends. It waits for Temporal, and starts a new worker when Temporal has refused the requests of the
// last one for minutes. polling is called after each start.
func runWorkers(ctx context.Context, c config.Config, p *parts, polling func()) error {
	var current atomic.Pointer[worker.Worker]
	stop := keep(p.namespace, func() {
		if w := current.Load(); w != nil {
			w.Recover()
		}
	})
	defer stop()
	for {
		w, err := await(ctx, p.telemetry.Log, "Temporal", engine.IsAway, func(ctx context.Context) (*worker.Worker, error) {
			if err := p.namespace.Prepare(ctx); err != nil {
				return nil, err
			}
			w, err := newWorker(c, p)
			if err != nil {
				return nil, err
			}
			return w, w.Start()
		})
		if err != nil {
			return err
		}
		current.Store(w)
		polling()
		select {
		case <-ctx.Done():
			w.Stop()
			return nil
		case err := <-w.Failed():
			p.telemetry.Log.Error("Temporal refuses the worker; starting another one", "error", err)
			w.Stop()
		}
	}
}

// serveHealth serves /metrics (with a key, or to this machine and allowed networks), /healthz and /readyz until stop is called; without
// an address nowhere.
func serveHealth(addr string, ready *readiness, t *engine.Telemetry, allowed []netip.Prefix) (stop func() error, err error) {
	if addr == "" || addr == config.Off {
		return func() error { return nil }, nil
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", rest.GuardMetrics(t.Metrics, ready.authenticate, allowed))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("GET /readyz", ready)
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%s_WORKER_METRICS_ADDR: %w", config.Prefix, err)
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), healthGrace)
		defer cancel()
		err := server.Shutdown(ctx)
		if serve := <-ended; !errors.Is(serve, http.ErrServerClosed) {
			err = errors.Join(err, serve)
		}
		return err
	}, nil
}

// healthGrace bounds how long requests to a worker's health server may take when it stops.
const healthGrace = 5 * time.Second

func migrateCommand() *cobra.Command {
	var statusOnly bool
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database's schema and the namespace's search attributes up to date",
		Long: "Bring the database's schema up to date, create the configured workspace and its admin key, and register the search\n" +
			"attributes in the Temporal namespace when REVERIE_TEMPORAL_ADDRESS is set. It is safe to run at any time, and by\n" +
			"several processes at once.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if c.DatabaseURL.Empty() {
				return fmt.Errorf("%s_DATABASE_URL is not set", config.Prefix)
			}
			if statusOnly {
				current, latest, err := store.MigrationStatus(cmd.Context(), c.DatabaseURL.Reveal())
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "schema version %d of %d\n", current, latest)
				return nil
			}
			return migrate(cmd, c)
		},
	}
	c.Flags().BoolVar(&statusOnly, "status", false, "only print the schema's version")
	return c
}

func migrate(cmd *cobra.Command, c config.Config) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	applied, err := store.Migrate(ctx, c.DatabaseURL.Reveal())
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "schema: %d migrations applied\n", applied)
	advice, err := store.LoginAdvice(ctx, c.DatabaseURL.Reveal())
	if err != nil {
		return err
	}
	if advice != "" {
		fmt.Fprintf(out, "logins: %s\n", advice)
	}
	p, err := openParts(ctx, c, "migrate")
	if err != nil {
		return err
	}
	defer p.close()
	fmt.Fprintf(out, "workspace: %s\n", c.Workspace)
	if c.TemporalAddress == "" {
		return nil
	}
	if err := p.namespace.Prepare(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "search attributes: registered in namespace %s\n", c.TemporalNamespace)
	return nil
}

func healthCommand() *cobra.Command {
	var url string
	c := &cobra.Command{
		Use:   "health",
		Short: "Check that a running process is ready, for container health checks",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client := http.Client{Timeout: 5 * time.Second}
			request, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, url, nil)
			if err != nil {
				return err
			}
			answer, err := client.Do(request)
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				return fmt.Errorf("%s answers %s", url, answer.Status)
			}
			fmt.Fprintln(cmd.OutOrStdout(), "ready")
			return nil
		},
	}
	c.Flags().StringVar(&url, "url", "http://127.0.0.1:8080/readyz", "address to check")
	return c
}
