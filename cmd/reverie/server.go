package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"go.temporal.io/sdk/client"

	"reverie/api"
	"reverie/api/rest"
	"reverie/config"
	"reverie/engine"
	"reverie/store"
	"reverie/workflows"
)

func apiCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "api",
		Short: "Run the HTTP API",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.Load()
			if err != nil {
				return err
			}
			if c.TemporalAddress == "" {
				return errNoTemporal
			}
			return runAPI(cmd.Context(), c)
		},
	}
}

func runAPI(ctx context.Context, c config.Config) error {
	if err := c.CheckExposure(c.Addr); err != nil {
		return err
	}
	p, err := openParts(ctx, c, "api")
	if err != nil {
		return err
	}
	defer p.close()
	if err := ensureWorkspace(ctx, p.store, c); err != nil {
		return err
	}
	server, err := newAPI(c, p.store, p.temporal, p.telemetry, c.TemporalUIURL)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("%s_ADDR: %w", config.Prefix, err)
	}
	p.telemetry.Log.Info("API is listening", "addr", listener.Addr().String())
	return server.Serve(ctx, listener)
}

// newAPI wires the API server. webUI is the address of Temporal's Web UI; empty: answers have no links.
func newAPI(c config.Config, s *store.Store, temporal client.Client, t *engine.Telemetry, webUI string) (*api.Server, error) {
	searcher, err := newSearcher(c, s, t)
	if err != nil {
		return nil, err
	}
	turns, err := chatOptions(c, t)
	if err != nil {
		return nil, err
	}
	o := api.Options{
		Chat:  turns,
		Store: s, Search: searcher, Temporal: temporal, Timing: c.Settings.Timing(),
		Model:  api.Model{Name: modelName(c), BuiltIn: c.LLMProvider == ""},
		Dreams: dreamSettings(c, c.LLMProvider != ""), DreamSchedule: dreamSchedule(c),
		Workspace: c.Workspace, Log: t.Log, Tracers: t.Tracers, Meters: t.Meters, Metrics: t.Metrics,
		RateLimit: c.RateLimit, TrustedProxies: c.TrustedProxies, MetricsNetworks: c.MetricsNetworks, AuditAdmins: c.Audit == config.AuditAdmins,
		Version: version,
	}
	if webUI != "" {
		workflows, err := url.JoinPath(webUI, "namespaces", c.TemporalNamespace, "workflows/")
		if err != nil {
			return nil, fmt.Errorf("%s_TEMPORAL_UI_URL: %w", config.Prefix, err)
		}
		o.WorkflowURL = workflows
	}
	return api.New(o)
}

func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "worker",
		Short: "Run a worker: the workflows and their steps",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.Load()
			if err != nil {
				return err
			}
			if c.TemporalAddress == "" {
				return errNoTemporal
			}
			return runWorker(cmd.Context(), c)
		},
	}
}

var errNoTemporal = fmt.Errorf("%s_TEMPORAL_ADDRESS is not set: point it at a Temporal frontend (host:port), or run `reverie dev`, which "+
	"starts one", config.Prefix)

func runWorker(ctx context.Context, c config.Config) error {
	if err := c.CheckExposure(c.WorkerMetricsAddr); err != nil {
		return err
	}
	p, err := openParts(ctx, c, "worker")
	if err != nil {
		return err
	}
	defer p.close()
	if err := engine.RegisterSearchAttributes(ctx, p.temporal, c.TemporalNamespace, workflows.SearchAttributes()); err != nil {
		return err
	}
	w, err := newWorker(c, p.store, p.temporal, p.telemetry)
	if err != nil {
		return err
	}
	if err := w.Start(); err != nil {
		return err
	}
	log := p.telemetry.Log
	log.Info("worker is polling", "temporal", c.TemporalAddress, "namespace", c.TemporalNamespace, "model", modelName(c))
	err = serveHealth(ctx, c.WorkerMetricsAddr, p.store, p.telemetry, c.MetricsNetworks)
	log.Info("worker is stopping")
	w.Stop()
	return err
}

// serveHealth serves /metrics (with a key, or to this machine and allowed networks), /healthz and /readyz until ctx ends. Without an address it only waits.
func serveHealth(ctx context.Context, addr string, s *store.Store, t *engine.Telemetry, allowed []netip.Prefix) error {
	if addr == "" || addr == config.Off {
		<-ctx.Done()
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", rest.GuardMetrics(t.Metrics, s.Authenticate, allowed))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := s.Ping(r.Context()); err != nil {
			http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("%s_WORKER_METRICS_ADDR: %w", config.Prefix, err)
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() { stopped <- server.Shutdown(context.WithoutCancel(ctx)) })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

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
			c, err := config.Load()
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
	p, err := openParts(ctx, c, "migrate")
	if err != nil {
		return err
	}
	defer p.close()
	if err := ensureWorkspace(ctx, p.store, c); err != nil {
		return err
	}
	fmt.Fprintf(out, "workspace: %s\n", c.Workspace)
	if c.TemporalAddress == "" {
		return nil
	}
	if err := engine.RegisterSearchAttributes(ctx, p.temporal, c.TemporalNamespace, workflows.SearchAttributes()); err != nil {
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
