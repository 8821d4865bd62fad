package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/config"
	"reverie/devenv"
	"reverie/engine"
	"reverie/store"
	"reverie/web"
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
			c, err := load(cmd.ErrOrStderr())
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
	// Others may pass through the folder: started by root, the database runs as an ordinary user. Key and log are private.
	if err := os.MkdirAll(f.data, 0o711); err != nil { //nolint:gosec // see above
		return err
	}
	// Listen first: a second dev on the same port fails before it starts a database.
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("the API cannot listen on %s: %w (choose another address with --addr)", c.Addr, err)
	}
	defer listener.Close()
	if c.AdminKey, err = devAdminKey(f.data, c.AdminKey); err != nil {
		return err
	}
	if servers := filepath.Join(f.data, "mcp.json"); c.MCPConfig == "" {
		if _, err := os.Stat(servers); err == nil {
			c.MCPConfig = servers
		}
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
	if err := while(listener, func() error { return d.start(ctx) }); err != nil {
		return err
	}
	remove, err := announce(f.data, "http://"+listener.Addr().String())
	if err != nil {
		return err
	}
	d.onStop(remove)
	d.greet()
	return d.serve(ctx)
}

// dev runs everything in one process.
type dev struct {
	config.Config
	flags     devFlags
	console   *console
	telemetry *engine.Telemetry
	listener  net.Listener
	stops     []func(context.Context) error // in the order of the starts
	died      []func() (<-chan struct{}, string)
	api       *web.Browser

	privateTemporal *devenv.Temporal // nil when an existing one is used
	codecURL        string           // of the codec server; empty without encryption keys
}

func (d *dev) onStop(stop func(context.Context) error) { d.stops = append(d.stops, stop) }

// start starts the parts one after the other, and prints a line for each.
func (d *dev) start(ctx context.Context) error {
	d.onStop(d.telemetry.Shutdown)
	d.console.printf("Reverie %s, data in %s\n", version, d.flags.data)
	if err := d.console.part("PostgreSQL", func() (string, error) { return d.startPostgres(ctx) }); err != nil {
		return err
	}
	codec, err := d.listenCodec()
	if err != nil {
		return err
	}
	if err := d.console.part("Temporal", func() (string, error) { return d.startTemporal(ctx) }); err != nil {
		return err
	}
	if codec != nil {
		if err := d.console.part("Codec", func() (string, error) { return d.codecURL, d.startCodec(codec) }); err != nil {
			return err
		}
	}
	if err := d.console.part("Schema", func() (string, error) {
		applied, err := await(ctx, d.telemetry.Log, "PostgreSQL", store.IsAway, func(ctx context.Context) (int, error) {
			return store.Migrate(ctx, d.DatabaseURL.Reveal())
		})
		return fmt.Sprintf("%d migrations applied", applied), err
	}); err != nil {
		return err
	}
	p, err := newParts(d.Config, d.telemetry)
	if err != nil {
		return err
	}
	d.onStop(func(context.Context) error { p.disconnect(); return nil })
	if p.store, err = awaitStore(ctx, d.Config, d.telemetry, 0); err != nil {
		return err
	}
	if err := d.console.part("Worker", func() (string, error) {
		return "task queues " + workflows.TaskQueue + ", " + workflows.ModelQueue, d.startWorker(ctx, p)
	}); err != nil {
		return err
	}
	return d.console.part("API", func() (string, error) {
		d.api, err = newAPI(d.Config, p, d.TemporalUIURL)
		return "http://" + d.listener.Addr().String(), err
	})
}

// startWorker runs workers until stop. It returns when the first one polls.
func (d *dev) startWorker(ctx context.Context, p *parts) error {
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, cancel)() // an interrupted start
	polling, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		ended <- runWorkers(working, d.Config, p, func() {
			select {
			case polling <- struct{}{}:
			default:
			}
		})
	}()
	select {
	case err := <-ended:
		cancel()
		return err
	case <-polling:
	}
	d.onStop(func(context.Context) error {
		cancel()
		return <-ended
	})
	return nil
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
	d.died = append(d.died, func() (<-chan struct{}, string) { return pg.Done(), "PostgreSQL stopped unexpectedly, see " + pg.Log() })
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
		SearchAttributes: workflows.SearchAttributes(), Progress: d.console.progress, CodecEndpoint: d.codecURL,
	})
	if err != nil {
		return "", err
	}
	d.privateTemporal = ts
	d.onStop(ts.Stop)
	d.died = append(d.died, func() (<-chan struct{}, string) { return ts.Done(), "Temporal stopped unexpectedly, see " + ts.Log() })
	d.TemporalAddress, d.TemporalUIURL = ts.Address, ts.UIURL
	return "private, Web UI " + ts.UIURL, nil
}

// serve handles requests until ctx ends or a part fails.
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

// stop stops the parts in the reverse order of their start.
func (d *dev) stop() {
	began := time.Now()
	d.console.printf("\nStopping …\n")
	slices.Reverse(d.stops)
	closeAll(d.telemetry.Log, d.stops...)
	d.console.printf("Stopped in %.1fs. The data stays in %s.\n", time.Since(began).Seconds(), d.flags.data)
}

// devAdminKey returns the admin key of a data folder: the configured one, else that of an earlier start, else a new one. It
// stores the key in <data>/admin-key, readable by the owner only.
func devAdminKey(data string, configured config.Secret) (config.Secret, error) {
	path := filepath.Join(data, session.KeyFile)
	key := configured
	if key.Empty() {
		old, err := os.ReadFile(path)
		switch {
		case err == nil:
			key = config.Secret(strings.TrimSpace(string(old)))
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	if key.Empty() {
		raw := make([]byte, 32)
		if _, err := rand.Read(raw); err != nil {
			return "", err
		}
		key = config.Secret("rv_" + base64.RawURLEncoding.EncodeToString(raw))
	}
	if len(key.Reveal()) < config.MinAdminKey {
		return "", fmt.Errorf("%s: the key has fewer than %d characters: remove the file to get a new one", path, config.MinAdminKey)
	}
	if err := os.WriteFile(path, []byte(key.Reveal()+"\n"), 0o600); err != nil { //nolint:gosec // the folder is the caller's own choice
		return "", err
	}
	return key, os.Chmod(path, 0o600) // an older file may be wider
}

// console prints the progress of the start: one line for each part that is ready, and the steps of long work.
type console struct {
	mu  sync.Mutex
	out io.Writer
}

// progress prints the progress of a part; its type is devenv.Progress.
func (c *console) progress(part, message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, "  … %-12s %s\n", part, message)
}

// part starts one part and prints its name, the time it took, and its address.
func (c *console) part(name string, start func() (where string, err error)) error {
	began := time.Now()
	where, err := start()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		fmt.Fprintf(c.out, "  ✗ %-12s\n", name)
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(c.out, "  ✓ %-12s %5.1fs  %s\n", name, time.Since(began).Seconds(), where)
	return nil
}

func (c *console) printf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, format, args...)
}

// greeting is printed once all parts are ready. Its last block works when pasted into another terminal: it creates an agent,
// adds a conversation, extracts memory from it at once, and shows the file that changed and where each line comes from.
var greeting = template.Must(template.New("greeting").Parse(`
Browser      {{.Link}}{{if .Key}}   signs in once, within ten minutes{{else}}   sign in with the admin key{{end}}
API          {{.URL}}   documentation at {{.URL}}/docs
{{- if .TemporalUI}}
Temporal UI  http://{{.TemporalUI}}
{{- end}}
{{- if .Codec}}
Codec server {{.Codec}}   sign in there with the admin key, to read payloads in the Temporal UI
{{- end}}
Admin key    {{if .Key}}{{.Key}}   also in {{else}}in {{end}}{{.KeyFile}}
Model        {{.Model}}
{{- if .BuiltIn}} (set REVERIE_LLM_PROVIDER to use a model){{end}}

Try it, in another terminal:

  KEY=$(cat {{.KeyFile}}); A={{.URL}}/api/v1
  curl -s $A/agents -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"id":"demo","name":"Demo","timeZone":"Europe/Berlin"}'
  curl -s $A/agents/demo/conversations/first/messages -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{
    "endUserId":"42","triggerSource":"api","turnComplete":true,"messages":[
    {"id":"m1","role":"user","content":"Hi, I am Grace and I work as a nurse in Hamburg."},
    {"id":"m2","role":"assistant","content":"Nice to meet you, Grace!"},
    {"id":"m3","role":"user","content":"We decided to use Postgres for the rota. Please remember that the review is on 3 March 2027."},
    {"id":"m4","role":"assistant","content":"Noted."}]}'
  curl -s -X POST "$A/memory/demo/summarize/first" -H "Authorization: Bearer $KEY"
  curl -s "$A/agents/demo/workspace/files/MEMORY.md?endUserId=42" -H "Authorization: Bearer $KEY"
  curl -s "$A/agents/demo/workspace/blame/MEMORY.md?endUserId=42" -H "Authorization: Bearer $KEY"
  # and talk to it: reverie chat --agent demo --end-user 42 --url {{.URL}} --data {{.Data}}

Ctrl-C stops everything.
`))

func (d *dev) greet() {
	keyFile := filepath.Join(d.flags.data, session.KeyFile)
	if absolute, err := filepath.Abs(keyFile); err == nil {
		keyFile = absolute
	}
	temporalUI := d.flags.temporalUI
	if d.privateTemporal == nil {
		temporalUI = ""
	}
	address := "http://" + d.listener.Addr().String()
	shownKey, link := "", address+"/"
	if output.IsTerminal(d.console.out) { // logs of services are read by others
		shownKey, link = d.AdminKey.Reveal(), address+d.api.Link(d.AdminKey.Reveal())
	}
	var b strings.Builder
	if err := greeting.Execute(&b, map[string]any{
		"URL": address, "Link": link, "TemporalUI": temporalUI, "Codec": d.codecURL, "Key": shownKey, "KeyFile": keyFile,
		"Data": filepath.Dir(keyFile), "Model": modelName(d.Config), "BuiltIn": d.LLMProvider == "",
	}); err != nil {
		panic(err) // the template and its data are above
	}
	d.console.printf("%s", b.String())
}
