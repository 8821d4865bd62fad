package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"reverie/config"
	"reverie/engine"
	"reverie/store"
	"reverie/workflows"
)

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

var errNoTemporal = fmt.Errorf("%s_TEMPORAL_ADDRESS is not set: point it at a Temporal frontend (host:port), or run `reverie dev`, which starts one", config.Prefix)

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
	err = serveHealth(ctx, c.WorkerMetricsAddr, p.store, p.telemetry)
	log.Info("worker is stopping")
	w.Stop()
	return err
}

// serveHealth answers /metrics, /healthz and /readyz until ctx ends; without an address it only waits.
func serveHealth(ctx context.Context, addr string, s *store.Store, t *engine.Telemetry) error {
	if addr == "" || addr == config.Off {
		<-ctx.Done()
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", t.Metrics)
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
