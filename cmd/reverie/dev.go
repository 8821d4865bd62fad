package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"reverie/api"
	"reverie/config"
	"reverie/devenv"
	"reverie/engine"
	"reverie/store"
	"reverie/worker"
	"reverie/workflows"
)

type devFlags struct{ data, addr, temporalUI string }

func devCommand() *cobra.Command {
	var f devFlags
	c := &cobra.Command{
		Use:   "dev",
		Short: "Run everything on this machine: PostgreSQL, Temporal, worker and API",
		Long: "Run everything on this machine, on loopback: a private PostgreSQL with pgvector and a private Temporal with its Web UI\n" +
			"(unless REVERIE_DATABASE_URL or REVERIE_TEMPORAL_ADDRESS point elsewhere), migrations, worker and API.\n" +
			"Ctrl-C stops all of it; the next start finds the data again.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.Load()
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("addr") || os.Getenv(config.Prefix+"_ADDR") == "" {
				c.Addr = f.addr
			}
			return runDev(cmd.Context(), c, f, cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&f.data, "data", "./.reverie", "folder of the private PostgreSQL, Temporal, logs and the admin key")
	c.Flags().StringVar(&f.addr, "addr", "127.0.0.1:8080", "where the API listens")
	c.Flags().StringVar(&f.temporalUI, "temporal-ui", "127.0.0.1:8233", "where Temporal's Web UI listens")
	return c
}

func runDev(ctx context.Context, c config.Config, f devFlags, out io.Writer) (err error) {
	if err := c.CheckExposure(c.Addr, f.temporalUI); err != nil {
		return err
	}
	// Others may pass through it: started by root, the database runs as an ordinary user. The key and the log are the owner's.
	if err := os.MkdirAll(f.data, 0o711); err != nil { //nolint:gosec // see above
		return err
	}
	// The port is taken first: a second dev on the same port should not start a database before it finds out.
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("the API cannot listen on %s: %w (choose another address with --addr)", c.Addr, err)
	}
	defer listener.Close()
	if c.AdminKey, err = devAdminKey(f.data, c.AdminKey); err != nil {
		return err
	}
	logFile, err := os.OpenFile(filepath.Join(f.data, "reverie.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, logFile.Close()) }()
	t, err := engine.NewTelemetry(ctx, c, "dev", logFile)
	if err != nil {
		return err
	}
	d := dev{Config: c, flags: f, console: &console{out: out}, telemetry: t, listener: listener}
	defer func() { d.stop() }()
	if err := d.start(ctx); err != nil {
		return err
	}
	d.greet()
	return d.serve(ctx)
}

// dev is everything that runs in one process.
type dev struct {
	config.Config
	flags     devFlags
	console   *console
	telemetry *engine.Telemetry
	listener  net.Listener
	stops     []func(context.Context) error // in the order of starting
	died      []func() (<-chan struct{}, string)
	api       *api.Server

	privateTemporal *devenv.Temporal // nil when an existing one is used
}

func (d *dev) onStop(stop func(context.Context) error) { d.stops = append(d.stops, stop) }

// start brings the parts up, one after the other, each with its line.
func (d *dev) start(ctx context.Context) error {
	d.onStop(d.telemetry.Shutdown)
	d.console.printf("Reverie %s, data in %s\n", version, d.flags.data)
	if err := d.console.part("PostgreSQL", func() (string, error) { return d.startPostgres(ctx) }); err != nil {
		return err
	}
	if err := d.console.part("Temporal", func() (string, error) { return d.startTemporal(ctx) }); err != nil {
		return err
	}
	if err := d.console.part("Schema", func() (string, error) {
		applied, err := store.Migrate(ctx, d.DatabaseURL.Reveal())
		return fmt.Sprintf("%d migrations applied", applied), err
	}); err != nil {
		return err
	}
	s, err := openStore(ctx, d.Config, d.telemetry)
	if err != nil {
		return err
	}
	d.onStop(func(context.Context) error { s.Close(); return nil })
	if err := ensureWorkspace(ctx, s, d.Config); err != nil {
		return err
	}
	temporal, err := engine.NewClient(d.Config, d.telemetry)
	if err != nil {
		return err
	}
	d.onStop(func(context.Context) error { temporal.Close(); return nil })
	if err := engine.RegisterSearchAttributes(ctx, temporal, d.TemporalNamespace, workflows.SearchAttributes()); err != nil {
		return err
	}
	if err := d.console.part("Worker", func() (string, error) {
		var w *worker.Worker
		if w, err = newWorker(d.Config, s, temporal, d.telemetry); err != nil {
			return "", err
		}
		if err := w.Start(); err != nil {
			return "", err
		}
		d.onStop(func(context.Context) error { w.Stop(); return nil })
		return "task queues " + workflows.TaskQueue + ", " + workflows.ModelQueue, nil
	}); err != nil {
		return err
	}
	return d.console.part("API", func() (string, error) {
		d.api, err = newAPI(d.Config, s, temporal, d.telemetry, d.TemporalUIURL)
		return "http://" + d.listener.Addr().String(), err
	})
}

func (d *dev) startPostgres(ctx context.Context) (string, error) {
	if !d.DatabaseURL.Empty() {
		return "REVERIE_DATABASE_URL", nil
	}
	pg, err := devenv.StartPostgres(ctx, devenv.PostgresOptions{Dir: filepath.Join(d.flags.data, "postgres"), Progress: d.console.progress})
	if err != nil {
		return "", err
	}
	d.onStop(pg.Stop)
	d.died = append(d.died, func() (<-chan struct{}, string) { return pg.Done(), "PostgreSQL ended by itself, see " + pg.Log() })
	const database = "reverie"
	if err := pg.EnsureDatabase(ctx, database); err != nil {
		return "", err
	}
	d.DatabaseURL = config.Secret(pg.URL(database))
	return "private, with pgvector", nil
}

func (d *dev) startTemporal(ctx context.Context) (string, error) {
	if d.TemporalAddress != "" {
		return d.TemporalAddress, nil
	}
	ts, err := devenv.StartTemporal(ctx, devenv.TemporalOptions{
		Dir: filepath.Join(d.flags.data, "temporal"), UIAddr: d.flags.temporalUI, Namespace: d.TemporalNamespace,
		SearchAttributes: workflows.SearchAttributes(), Progress: d.console.progress,
	})
	if err != nil {
		return "", err
	}
	d.privateTemporal = ts
	d.onStop(ts.Stop)
	d.died = append(d.died, func() (<-chan struct{}, string) { return ts.Done(), "Temporal ended by itself, see " + ts.Log() })
	d.TemporalAddress, d.TemporalUIURL = ts.Address, ts.UIURL
	return "private, Web UI " + ts.UIURL, nil
}

// serve answers requests until ctx ends or a part dies.
func (d *dev) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	died := make(chan string, len(d.died))
	for _, part := range d.died {
		done, message := part()
		go func() {
			select {
			case <-done:
				died <- message
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	err := d.api.Serve(ctx, d.listener)
	select {
	case message := <-died:
		return errors.Join(errors.New(message), err)
	default:
		return err
	}
}

// stop ends the parts in the reverse order of their start.
func (d *dev) stop() {
	began := time.Now()
	d.console.printf("\nStopping …\n")
	slices.Reverse(d.stops)
	closeAll(d.telemetry.Log, d.stops...)
	d.console.printf("Stopped in %.1fs. The data stays in %s.\n", time.Since(began).Seconds(), d.flags.data)
}
