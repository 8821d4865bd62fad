package devenv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/nexus/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"google.golang.org/protobuf/types/known/durationpb"
)

// TemporalOptions says where and how a private Temporal dev server runs.
type TemporalOptions struct {
	// Dir is the folder of the server's SQLite file and log. It is created when missing; a second start finds the first
	// one's workflows. Empty means a temporary folder, removed by Stop: as fast as memory, and faster under load.
	Dir string
	// UIAddr is the address of the Web UI, "127.0.0.1:8233"; port 0 takes a free one. Empty means no UI.
	UIAddr string
	// SearchAttributes are custom search attributes, name to type (Keyword, Int, Datetime, …), registered before
	// StartTemporal returns. Attributes of an earlier start stay.
	SearchAttributes map[string]string
	// Namespace is created besides "default" and kept for 14 days; empty means "default".
	Namespace string
	// Progress hears what is going on; nil is silent.
	Progress Progress
	// LogFile is where the server's warnings go; empty means Dir/temporal.log.
	LogFile string
}

// Temporal is a running private dev server.
type Temporal struct {
	// Address is host:port of the frontend, for the SDK's HostPort.
	Address string
	// UIURL is the address of the Web UI; "" without one.
	UIURL string

	options   TemporalOptions
	temporary bool
	program   string
	ports     temporalPorts
	lock      *flock.Flock
	child     *child
}

// temporalPorts are the ports that the server is given. It chooses more of its own for services that talk to each other.
type temporalPorts struct{ frontend, http, metrics int }

// StartTemporal starts a private Temporal dev server and gets the program first where there is none. It returns when the
// server answers for its namespace and the search attributes are registered. ctx bounds the start, not the life of the
// server: that ends with Stop or with this process.
//
// The error is an *InstallError when the program cannot be had, a *PortTakenError when the UI's address is taken, and
// wraps ErrInUse when another process holds the folder.
func StartTemporal(ctx context.Context, o TemporalOptions) (_ *Temporal, err error) {
	t := &Temporal{options: o, temporary: o.Dir == ""}
	if t.options.Namespace == "" {
		t.options.Namespace = "default"
	}
	if t.temporary {
		if t.options.Dir, err = temporaryFolder(ctx); err != nil {
			return nil, err
		}
	}
	if t.options.Dir, err = filepath.Abs(t.options.Dir); err != nil {
		return nil, err
	}
	if t.options.LogFile == "" {
		t.options.LogFile = filepath.Join(t.options.Dir, "temporal.log")
	}
	if t.lock, err = claim(t.options.Dir); err != nil {
		return nil, fmt.Errorf("temporal: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("temporal: %w", err), t.Stop(context.WithoutCancel(ctx)))
		}
	}()
	if t.program, err = temporalProgram(ctx, o.Progress); err != nil {
		return nil, err
	}
	if err := t.endLeftover(ctx); err != nil {
		return nil, err
	}
	if err := t.chooseUI(ctx); err != nil {
		return nil, err
	}
	if err := t.removeHalfMade(); err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		if t.ports, err = t.choosePorts(ctx); err != nil {
			return nil, err
		}
		t.Address = loopback(t.ports.frontend)
		if err = t.start(ctx); err == nil {
			break
		}
		if !errors.Is(err, errPortTaken) || attempt == startAttempts {
			return nil, err
		}
	}
	return t, keepPort(t.options.Dir, "port", t.ports.frontend)
}

// PortTakenError says that an address the caller asked for is taken.
type PortTakenError struct {
	What    string // what was to listen there
	Address string
	Flag    string // the flag of `reverie dev` that changes it
}

func (e *PortTakenError) Error() string {
	return fmt.Sprintf("%s cannot listen on %s: something else does. Choose another address with %s", e.What, e.Address, e.Flag)
}

// chooseUI checks the UI's address before the server is started: it would go down with a stack trace when it is taken.
func (t *Temporal) chooseUI(ctx context.Context) error {
	if t.options.UIAddr == "" {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", t.options.UIAddr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return &PortTakenError{What: "Temporal's Web UI", Address: t.options.UIAddr, Flag: "--temporal-ui"}
	}
	if err != nil {
		return fmt.Errorf("the address %q of Temporal's Web UI (--temporal-ui): %w", t.options.UIAddr, err)
	}
	t.options.UIAddr = listener.Addr().String() // port 0 has become a number
	t.UIURL = "http://" + t.options.UIAddr
	return listener.Close()
}

func (t *Temporal) choosePorts(ctx context.Context) (p temporalPorts, err error) {
	if p.frontend, err = keptPort(ctx, t.options.Dir, "port"); err != nil {
		return p, err
	}
	if p.http, err = freePort(ctx, p.frontend); err != nil {
		return p, err
	}
	p.metrics, err = freePort(ctx, p.frontend, p.http)
	return p, err
}

// file is a file in the server's folder.
func (t *Temporal) file(name string) string { return filepath.Join(t.options.Dir, name) }

// Names in the server's folder.
const (
	temporalData = "temporal.sqlite"
	// temporalReady is made when the server has answered for the first time: its database is complete. The server makes
	// the schema only when the file is missing, and so never finishes one that a kill left half made.
	temporalReady = "ready"
	temporalPid   = "pid"
)

// removeHalfMade removes a database whose making was interrupted. Nobody has used it yet.
func (t *Temporal) removeHalfMade() error {
	if exists(t.file(temporalReady)) {
		return nil
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(t.file(temporalData + suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// dynamicConfig is the server's tuning, the same on every machine.
var dynamicConfig = []string{
	// The dev server has one history shard, polled 20 times a second by default: 50 ms for every step. Production has
	// many shards. Measured: five steps 551 ms before, 112 ms after.
	"history.transferProcessorMaxPollRPS=2000",
	// Priorities, and turns between agents. A queue keeps its order within each partition, of which one is enough here.
	// Others are still read: what a server without this setting has queued there is delivered.
	"matching.useNewMatcher=true",
	"matching.enableFairness=true",
	"matching.numTaskqueueWritePartitions=1",
	// A default of later servers: activities are handed out with the workflow task that scheduled them.
	"system.enableActivityEagerExecution=true",
}

// arguments are the server's command line.
func (t *Temporal) arguments() ([]string, error) {
	args := []string{
		"server", "start-dev", "--ip", "127.0.0.1",
		"--port", strconv.Itoa(t.ports.frontend), "--http-port", strconv.Itoa(t.ports.http), "--metrics-port", strconv.Itoa(t.ports.metrics),
		"--db-filename", t.file(temporalData), "--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=normal",
		"--log-level", "warn", "--log-format", "json",
	}
	if t.options.Namespace != "default" {
		args = append(args, "--namespace", t.options.Namespace)
	}
	for _, setting := range dynamicConfig {
		args = append(args, "--dynamic-config-value", setting)
	}
	for name, kind := range t.options.SearchAttributes {
		args = append(args, "--search-attribute", name+"="+kind)
	}
	if t.options.UIAddr == "" {
		return append(args, "--headless"), nil
	}
	host, port, err := net.SplitHostPort(t.options.UIAddr)
	return append(args, "--ui-ip", host, "--ui-port", port), err
}

// start runs the server and waits until it answers.
func (t *Temporal) start(ctx context.Context) error {
	args, err := t.arguments()
	if err != nil {
		return err
	}
	log, err := openLog(t.options.LogFile)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the server has its own handle
	begin, err := log.Seek(0, 2)
	if err != nil {
		return err
	}
	cmd := exec.Command(t.program, args...) //nolint:gosec,noctx // outlives ctx by intent
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Dir = t.options.Dir
	// The tool takes defaults for its flags from TEMPORAL_* variables that a person may have set for another cluster.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "TEMPORAL_") })
	// SQLite with a write-ahead log loses nothing when the server is killed, and a dead parent cannot wait for its end.
	t.child, err = startChild(cmd, syscall.SIGKILL)
	if err != nil {
		return err
	}
	if err := t.becomeReady(ctx); err != nil {
		_ = t.child.kill(ctx)
		said := readFrom(t.options.LogFile, begin)
		if strings.Contains(said, "address already in use") || strings.Contains(said, "can't set") {
			err = errors.Join(errPortTaken, err)
		}
		return fmt.Errorf("%w; the end of %s:\n%s", err, t.options.LogFile, lastLines(said, 20))
	}
	return nil
}

// readyPatience is how long the server may take to answer; usually it takes a fraction of a second.
const readyPatience = 2 * time.Minute

// becomeReady waits until the server answers and prepares its namespace.
func (t *Temporal) becomeReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	if err := os.WriteFile(t.file(temporalPid), []byte(strconv.Itoa(t.child.cmd.Process.Pid)+"\n"), 0o600); err != nil {
		return err
	}
	begin, reported := time.Now(), time.Now()
	for {
		err := t.prepareNamespace(ctx)
		if err == nil {
			err = t.uiAnswers(ctx)
		}
		if err == nil && !t.child.ended() {
			return os.WriteFile(t.file(temporalReady), nil, 0o600)
		}
		if permanent := (*SearchAttributeError)(nil); errors.As(err, &permanent) {
			return err
		}
		if time.Since(reported) > progressInterval {
			reported = time.Now()
			t.options.Progress.say("temporal", "starting … %s (%v)", time.Since(begin).Round(time.Second), err)
		}
		select {
		case <-t.child.done:
			return fmt.Errorf("the server ended: %w", errors.Join(t.child.err, err))
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w", errors.Join(ctx.Err(), err))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// uiAnswers asks the Web UI for its page, when there is one.
func (t *Temporal) uiAnswers(ctx context.Context) error {
	if t.UIURL == "" {
		return nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.UIURL, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		err = fmt.Errorf("the Web UI answers %s", response.Status)
	}
	return errors.Join(err, response.Body.Close())
}

// Done is closed when the server has ended, asked or not. After Restart it is another one.
func (t *Temporal) Done() <-chan struct{} { return t.child.done }

// Log is the file the server writes its warnings to.
func (t *Temporal) Log() string { return t.options.LogFile }

// Stop shuts the server down; when ctx ends first, it is killed, which loses nothing. Workflows stay, unless the folder
// is a temporary one. A second Stop does nothing.
func (t *Temporal) Stop(ctx context.Context) error {
	var err error
	if t.child != nil {
		if t.temporary {
			err = t.child.kill(ctx) // an orderly end takes a second and would write what is removed
		} else {
			err = t.child.stop(ctx, syscall.SIGINT)
		}
	}
	if t.temporary {
		err = errors.Join(err, os.RemoveAll(t.options.Dir))
	}
	return errors.Join(err, t.lock.Close())
}

// Restart kills the server and starts it on the same ports and file. It returns when the server answers.
func (t *Temporal) Restart(ctx context.Context) error {
	if err := t.child.kill(ctx); err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		err := t.start(ctx)
		if !errors.Is(err, errPortTaken) || attempt == startAttempts {
			return err
		}
		time.Sleep(time.Second) // somebody's passing use of the port
	}
}

// endLeftover kills a server that still runs on the folder after its parent was killed. Only where there is no
// parent-death signal can there be one.
func (t *Temporal) endLeftover(ctx context.Context) error {
	content, err := os.ReadFile(t.file(temporalPid))
	if err != nil {
		return nil //nolint:nilerr // no note, no leftover
	}
	data := t.file(temporalData)
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil || pid <= 0 || !runs(ctx, pid, data) {
		return nil //nolint:nilerr // an unreadable note, or a process that is gone
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	if !waitGone(ctx, pid, data) {
		return fmt.Errorf("process %d still runs on %s and does not end", pid, data)
	}
	return nil
}

// retention is how long closed workflows can be looked at and reset. The dev server's own value is a day; two weeks let a
// person look into a dream of last week.
const retention = 14 * 24 * time.Hour

// silent discards the SDK's messages about a server that is still starting.
var silent = log.NewStructuredLogger(slog.New(slog.DiscardHandler))

// callPatience bounds each call while waiting for the server.
const callPatience = 5 * time.Second

// prepareNamespace connects, sets the namespace's retention and registers the search attributes that it lacks: those of
// a new database are there by the server's flags, but the flags do nothing for an existing one.
func (t *Temporal) prepareNamespace(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	c, err := client.DialContext(ctx, client.Options{HostPort: t.Address, Namespace: t.options.Namespace, Logger: silent})
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.CheckHealth(ctx, &client.CheckHealthRequest{}); err != nil {
		return err
	}
	described, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: t.options.Namespace})
	if err != nil {
		return err
	}
	if described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration() != retention {
		_, err := c.WorkflowService().UpdateNamespace(ctx, &workflowservice.UpdateNamespaceRequest{
			Namespace: t.options.Namespace,
			Config:    &namespace.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(retention)},
		})
		if err != nil {
			return err
		}
	}
	return t.registerSearchAttributes(ctx, c)
}

// SearchAttributeError says that a search attribute is registered already, with another type than asked for.
type SearchAttributeError struct{ Name, Registered, Wanted string }

func (e *SearchAttributeError) Error() string {
	return fmt.Sprintf("the search attribute %s is registered as %s, not as %s; remove Temporal's folder to begin anew", e.Name, e.Registered, e.Wanted)
}

func (t *Temporal) registerSearchAttributes(ctx context.Context, c client.Client) error {
	if len(t.options.SearchAttributes) == 0 {
		return nil
	}
	listed, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: t.options.Namespace})
	if err != nil {
		return err
	}
	missing := map[string]enums.IndexedValueType{}
	for name, kind := range t.options.SearchAttributes {
		wanted, err := enums.IndexedValueTypeFromString(kind)
		if err != nil {
			return &SearchAttributeError{Name: name, Registered: "nothing", Wanted: kind}
		}
		registered, ok := listed.GetCustomAttributes()[name]
		switch {
		case !ok:
			missing[name] = wanted
		case registered != wanted:
			return &SearchAttributeError{Name: name, Registered: registered.String(), Wanted: wanted.String()}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: t.options.Namespace, SearchAttributes: missing,
	})
	if err != nil && strings.Contains(err.Error(), "already exist") {
		return nil // another process that uses the server registered them meanwhile
	}
	return err
}

// EnsureNamespace makes a namespace beside the server's own, as other teams have them, unless it exists, and waits until it can be
// used.
func (t *Temporal) EnsureNamespace(ctx context.Context, name string) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: t.Address, Logger: silent})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(retention),
	})
	var exists *serviceerror.NamespaceAlreadyExists
	if err != nil && !errors.As(err, &exists) {
		return err
	}
	for { // the server's parts learn of it one after the other
		_, err := c.WorkflowService().ListOpenWorkflowExecutions(ctx, &workflowservice.ListOpenWorkflowExecutionsRequest{Namespace: name})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// EnsureNexusEndpoint makes a Nexus endpoint that leads to a task queue of the server's own namespace, unless one of the name exists.
// It is what `temporal operator nexus endpoint create` does.
func (t *Temporal) EnsureNexusEndpoint(ctx context.Context, name, taskQueue string) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: t.Address, Logger: silent})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.OperatorService().CreateNexusEndpoint(ctx, &operatorservice.CreateNexusEndpointRequest{
		Spec: &nexus.EndpointSpec{
			Name: name,
			Target: &nexus.EndpointTarget{Variant: &nexus.EndpointTarget_Worker_{
				Worker: &nexus.EndpointTarget_Worker{Namespace: t.options.Namespace, TaskQueue: taskQueue},
			}},
		},
	})
	if _, ok := errors.AsType[*serviceerror.AlreadyExists](err); ok {
		return nil
	}
	return err
}
