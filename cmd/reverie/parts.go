package main

import (
	"context"
	"os"

	"go.temporal.io/sdk/client"

	"reverie/config"
	"reverie/engine"
	"reverie/store"
)

// parts are what every process of a deployment works with.
type parts struct {
	telemetry *engine.Telemetry
	store     *store.Store
	temporal  client.Client
}

// openParts connects to the configured database, and to Temporal on first use. Logs go to standard error.
func openParts(ctx context.Context, c config.Config, service string) (*parts, error) {
	t, err := engine.NewTelemetry(ctx, c, service, os.Stderr)
	if err != nil {
		return nil, err
	}
	s, err := openStore(ctx, c, t)
	if err != nil {
		return nil, err
	}
	temporal, err := engine.NewClient(c, t)
	if err != nil {
		s.Close()
		return nil, err
	}
	return &parts{t, s, temporal}, nil
}

// close gives the connections up and sends the last telemetry.
func (p *parts) close() {
	p.temporal.Close()
	p.store.Close()
	closeAll(p.telemetry.Log, p.telemetry.Shutdown)
}
