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

// TemporalOptions configures a private Temporal dev server.
type TemporalOptions struct {
	// Dir is the folder of the server's SQLite file and log. It is created if missing; a second start finds the
	// existing workflows. Empty means a temporary folder, removed by Stop: as fast as memory, and faster under load.
	Dir string
	// UIAddr is the address of the Web UI, "127.0.0.1:8233"; port 0 chooses a free one. Empty means no UI.
	UIAddr string
	// CodecEndpoint is the address of the codec server that the Web UI uses; empty means none.
	CodecEndpoint string
	// SearchAttributes are custom search attributes, name to type (Keyword, Int, Datetime, …), registered before
	// StartTemporal returns. Attributes of an earlier start stay.
	SearchAttributes map[string]string
	// Namespace is created in addition to "default", with a retention of 14 days; empty means "default".
	Namespace string
	// Progress reports what is going on; nil is silent.
	Progress Progress
	// LogFile receives the server's warnings; empty means Dir/temporal.log.
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

// temporalPorts are the ports assigned to the server. It chooses further ports for its internal services.
type temporalPorts struct{ frontend, http, metrics int }

// StartTemporal starts a private Temporal dev server and installs the program if necessary. It returns when the
// server answers for its namespace and the search attributes are registered. ctx bounds the start, not the life of
// the server: that ends with Stop or with this process.
//
// The error is an *InstallError if the program cannot be installed, a *PortTakenError if the UI's address is taken,
// and wraps ErrInUse if another process uses the folder.
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

// PortTakenError means that a requested address is taken.
type PortTakenError struct {
	What    string // what should listen there
	Address string
	Flag    string // the flag of `reverie dev` that changes it
}

func (e *PortTakenError) Error() string {
	return fmt.Sprintf("%s cannot listen on %s: the address is in use. Choose another one with %s", e.What, e.Address, e.Flag)
}

// chooseUI checks the UI's address before the server is started, which would otherwise end with a stack trace if it
// is taken.
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
	t.options.UIAddr = listener.Addr().String() // port 0 has been replaced by a number
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

// file returns the path of a file in the server's folder.
func (t *Temporal) file(name string) string { return filepath.Join(t.options.Dir, name) }

// Names of files in the server's folder.
const (
	temporalData = "temporal.sqlite"
	// temporalReady is created when the server has answered for the first time, so its database is complete. The
	// server creates the schema only if the file is missing, and never completes an interrupted creation.
	temporalReady = "ready"
	temporalPid   = "pid"
)

// chmodData sets who may read the files of the database.
func (t *Temporal) chmodData(mode fs.FileMode) error {
	for _, suffix := range dataSuffixes {
		if err := os.Chmod(t.file(temporalData+suffix), mode); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// dataSuffixes are the endings of the files that make up the database.
var dataSuffixes = []string{"", "-wal", "-shm", "-journal"}

// removeHalfMade removes a database whose creation was interrupted, before anybody has used it.
func (t *Temporal) removeHalfMade() error {
	if exists(t.file(temporalReady)) {
		return nil
	}
	for _, suffix := range dataSuffixes {
		if err := os.Remove(t.file(temporalData + suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// dynamicConfig is the server's tuning, the same on every machine.
var dynamicConfig = []string{
	// The dev server has one history shard, polled 20 times a second by default: 50 ms for every step. Production has
	// many shards. Measured: five steps took 551 ms before, 112 ms after.
	"history.transferProcessorMaxPollRPS=2000",
	// Priorities and fairness between workspaces. A queue keeps its order within each partition, and its rate is divided
	// by the partitions that are read, so there is one.
	"matching.useNewMatcher=true",
	"matching.enableFairness=true",
	"matching.numTaskqueueWritePartitions=1",
	"matching.numTaskqueueReadPartitions=1",
	// A default of later servers: activities are dispatched together with the workflow task that scheduled them.
	"system.enableActivityEagerExecution=true",
}

// arguments returns the server's command line.
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
	if t.options.CodecEndpoint != "" {
		args = append(args, "--ui-codec-endpoint", t.options.CodecEndpoint)
	}
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
	// The tool reads defaults of its flags from TEMPORAL_* variables, which may be set for another cluster.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "TEMPORAL_") })
	// SQLite with a write-ahead log loses nothing if the server is killed, and a dead parent cannot wait for its end.
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
		return fmt.Errorf("%w; end of %s:\n%s", err, t.options.LogFile, lastLines(said, 20))
	}
	return nil
}

// readyPatience bounds the time until the server answers; usually it takes a fraction of a second.
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
			// The tool creates them for everybody to read.
			if err := t.chmodData(0o600); err != nil {
				return err
			}
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
			return fmt.Errorf("the server did not answer: %w", errors.Join(ctx.Err(), err))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// uiAnswers requests a page of the Web UI, if there is one.
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
		err = fmt.Errorf("the Web UI responded with %s", response.Status)
	}
	return errors.Join(err, response.Body.Close())
}

// Done returns a channel that is closed when the server has ended for any reason. Restart replaces it.
func (t *Temporal) Done() <-chan struct{} { return t.child.done }

// Log returns the path of the log with the server's warnings.
func (t *Temporal) Log() string { return t.options.LogFile }

// Stop shuts the server down; if ctx ends first, it is killed, which loses nothing. Workflows stay, unless the folder
// is temporary. A second Stop does nothing.
func (t *Temporal) Stop(ctx context.Context) error {
	var err error
	if t.child != nil {
		if t.temporary {
			err = t.child.kill(ctx) // an orderly stop takes a second and writes data that is removed
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
		time.Sleep(time.Second) // another process may use the port briefly
	}
}

// endLeftover kills a server that still runs on the folder after its parent was killed. This only happens without a
// parent-death signal.
func (t *Temporal) endLeftover(ctx context.Context) error {
	content, err := os.ReadFile(t.file(temporalPid))
	if err != nil {
		return nil //nolint:nilerr // without a pid file there is no leftover
	}
	data := t.file(temporalData)
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil || pid <= 0 || !runs(ctx, pid, data) {
		return nil //nolint:nilerr // an unreadable pid file, or a process that is gone
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	if !waitGone(ctx, pid, data) {
		return fmt.Errorf("process %d still runs on %s and could not be stopped", pid, data)
	}
	return nil
}

// retention is the time for which closed workflows can be inspected and reset. The dev server's default is one day;
// two weeks cover a dream of last week.
const retention = 14 * 24 * time.Hour

// silent discards the SDK's messages about a server that is still starting.
var silent = log.NewStructuredLogger(slog.New(slog.DiscardHandler))

// callPatience bounds each call while waiting for the server.
const callPatience = 5 * time.Second

// prepareNamespace connects, sets the namespace's retention and registers missing search attributes: the server's
// flags create them only in a new database.
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

// SearchAttributeError means that a search attribute is registered with another type than requested.
type SearchAttributeError struct{ Name, Registered, Wanted string }

func (e *SearchAttributeError) Error() string {
	return fmt.Sprintf("the search attribute %s is registered as %s, not as %s; remove Temporal's folder to start afresh", e.Name,
		e.Registered, e.Wanted)
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
		return nil // another process has registered them
	}
	return err
}

// EnsureNamespace creates another namespace, such as other teams have, if it does not exist, and waits until it can
// be used.
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
	for { // the server's components learn of it one after the other
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

// EnsureNexusEndpoint creates a Nexus endpoint for a task queue of the server's own namespace, if it does not exist.
// It corresponds to `temporal operator nexus endpoint create`.
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
