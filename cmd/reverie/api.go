package main

import (
	"context"
	"fmt"
	"net"
	"net/url"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"reverie/api"
	"reverie/config"
	"reverie/engine"
	"reverie/store"
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

// newAPI wires the server; webUI is the address of Temporal's Web UI, empty when there is none.
func newAPI(c config.Config, s *store.Store, temporal client.Client, t *engine.Telemetry, webUI string) (*api.Server, error) {
	searcher, err := newSearcher(c, s, t)
	if err != nil {
		return nil, err
	}
	turns, err := chats(c, t)
	if err != nil {
		return nil, err
	}
	o := api.Options{
		Chat:  turns,
		Store: s, Search: searcher, Temporal: temporal, Timing: timing(c),
		Model:  api.Model{Name: modelName(c), BuiltIn: c.LLMProvider == ""},
		Dreams: dreamSettings(c, c.LLMProvider != ""), DreamSchedule: dreamSchedule(c),
		Workspace: c.Workspace, Log: t.Log, Tracers: t.Tracers, Meters: t.Meters, Metrics: t.Metrics,
		RateLimit: c.RateLimit, Version: version,
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
