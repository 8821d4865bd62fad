package devenv

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// startTemporal starts a server that is stopped with the test.
func startTemporal(t *testing.T, o TemporalOptions) *Temporal {
	t.Helper()
	server, err := StartTemporal(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopTemporal(t, server) })
	return server
}

func stopTemporal(t *testing.T, server *Temporal) {
	t.Helper()
	if err := server.Stop(context.Background()); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func dial(t *testing.T, server *Temporal) client.Client {
	t.Helper()
	c, err := client.DialContext(t.Context(), client.Options{HostPort: server.Address, Namespace: server.options.Namespace, Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// attributes returns the custom search attributes that the server knows.
func attributes(t *testing.T, server *Temporal) map[string]enums.IndexedValueType {
	t.Helper()
	listed, err := dial(t, server).OperatorService().ListSearchAttributes(t.Context(),
		&operatorservice.ListSearchAttributesRequest{Namespace: server.options.Namespace})
	if err != nil {
		t.Fatal(err)
	}
	return listed.GetCustomAttributes()
}

func TestTemporalSecondStartFindsItsWorkflows(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first := startTemporal(t, TemporalOptions{Dir: dir, SearchAttributes: map[string]string{"AgentID": "Keyword"}})
	run, err := dial(t, first).ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: "waits for a worker", TaskQueue: "nobody",
		SearchAttributes: map[string]any{"AgentID": "ada"}, //nolint:staticcheck // the shortest form
	}, "Unknown")
	if err != nil {
		t.Fatal(err)
	}
	stopTemporal(t, first)

	// An attribute more: the server's own flags register attributes in a new database only.
	second := startTemporal(t, TemporalOptions{Dir: dir, SearchAttributes: map[string]string{"AgentID": "Keyword", "Score": "Double"}})
	if second.Address != first.Address {
		t.Errorf("the server moved from %s to %s", first.Address, second.Address)
	}
	described, err := dial(t, second).DescribeWorkflowExecution(t.Context(), run.GetID(), run.GetRunID())
	if err != nil {
		t.Fatal(err)
	}
	if got := string(described.GetWorkflowExecutionInfo().GetSearchAttributes().GetIndexedFields()["AgentID"].GetData()); got != `"ada"` {
		t.Errorf("the workflow's attribute is %s", got)
	}
	registered := attributes(t, second)
	if registered["AgentID"] != enums.INDEXED_VALUE_TYPE_KEYWORD || registered["Score"] != enums.INDEXED_VALUE_TYPE_DOUBLE {
		t.Errorf("search attributes %v", registered)
	}
	stopTemporal(t, second)

	_, err = StartTemporal(t.Context(), TemporalOptions{Dir: dir, SearchAttributes: map[string]string{"Score": "Keyword"}})
	var conflict *SearchAttributeError
	if !errors.As(err, &conflict) || conflict.Name != "Score" {
		t.Errorf("an attribute of another type: %v", err)
	}
}

func TestTemporalRestart(t *testing.T) {
	t.Parallel()
	server := startTemporal(t, TemporalOptions{UIAddr: "127.0.0.1:0"})
	c := dial(t, server)
	address, ui := server.Address, server.UIURL
	if _, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "waits", TaskQueue: "nobody"}, "Unknown"); err != nil {
		t.Fatal(err)
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if server.Address != address || server.UIURL != ui {
		t.Errorf("the server moved from %s, %s to %s, %s", address, ui, server.Address, server.UIURL)
	}
	// The earlier client reconnects to the server.
	if _, err := c.DescribeWorkflowExecution(t.Context(), "waits", ""); err != nil {
		t.Errorf("the workflow after the restart: %v", err)
	}
}

func TestTemporalIsPrivateAndShowsItsUI(t *testing.T) {
	t.Parallel()
	server := startTemporal(t, TemporalOptions{UIAddr: "127.0.0.1:0", Namespace: "reverie"})
	requireLoopback(t, server.child.cmd.Process.Pid, 4)

	response, err := http.Get(server.UIURL)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK || !strings.Contains(strings.ToLower(string(page)), "<html") {
		t.Errorf("the UI answers %s: %.100s", response.Status, page)
	}

	described, err := dial(t, server).WorkflowService().DescribeNamespace(t.Context(),
		&workflowservice.DescribeNamespaceRequest{Namespace: "reverie"})
	if err != nil {
		t.Fatal(err)
	}
	if got := described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(); got != retention {
		t.Errorf("closed workflows are kept for %s; want %s", got, retention)
	}
	for _, suffix := range dataSuffixes[:3] {
		info, err := os.Stat(server.file(temporalData + suffix))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s may be read by others: %s", info.Name(), info.Mode())
		}
	}
}

func TestTemporalPortOfTheUITaken(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, err = StartTemporal(t.Context(), TemporalOptions{UIAddr: listener.Addr().String()})
	var taken *PortTakenError
	if !errors.As(err, &taken) || !strings.Contains(err.Error(), "--temporal-ui") {
		t.Errorf("got %v; want a *PortTakenError that names the flag", err)
	}
}

func TestTemporalMovesWhenItsPortIsTaken(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first := startTemporal(t, TemporalOptions{Dir: dir})
	stopTemporal(t, first)
	listener, err := net.Listen("tcp", first.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	second := startTemporal(t, TemporalOptions{Dir: dir})
	if second.Address == first.Address {
		t.Fatal("the server claims a port that somebody else has")
	}
	c := dial(t, second)
	w := worker.New(c, "moved", worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context) error { return workflow.Sleep(ctx, time.Millisecond) },
		workflow.RegisterOptions{Name: "Sleep"})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: "moved"}, "Sleep")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Get(t.Context(), nil); err != nil {
		t.Errorf("a workflow on the moved server: %v", err)
	}
}

func TestTemporalFolderBelongsToOneProcess(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	startTemporal(t, TemporalOptions{Dir: dir})
	if _, err := StartTemporal(t.Context(), TemporalOptions{Dir: dir}); !errors.Is(err, ErrInUse) {
		t.Errorf("a second server on one folder: %v; want ErrInUse", err)
	}
}

// The server makes its schema in a file that is missing, and never completes one.
func TestTemporalHalfMadeDatabase(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	if err := os.WriteFile(filepath.Join(dir, temporalData), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	startTemporal(t, TemporalOptions{Dir: dir})
}

func TestTemporalTemporaryFolderIsRemoved(t *testing.T) {
	base := folder(t)
	t.Setenv("TMPDIR", base)
	stopTemporal(t, startTemporal(t, TemporalOptions{}))
	if left, err := os.ReadDir(base); err != nil || len(left) != 0 {
		t.Errorf("left in %s: %v, %v", base, left, err)
	}
}

// Variables that are set for another cluster must not reach the server's tool.
func TestTemporalIgnoresTheEnvironmentOfItsTool(t *testing.T) {
	t.Setenv("TEMPORAL_NAMESPACE", "elsewhere")
	t.Setenv("TEMPORAL_ADDRESS", "192.0.2.1:7233")
	startTemporal(t, TemporalOptions{})
}
