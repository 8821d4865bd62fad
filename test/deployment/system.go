package deployment

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/proto"

	"reverie/devenv"
	"reverie/devenv/devtest"
	"reverie/llm/llmtest"
)

const (
	// Agent is the only agent of a system.
	Agent    = "ada"
	adminKey = "admin-key-of-a-test-on-loopback"
	database = "reverie"
)

// System is a whole deployment: API and worker as separate processes, a private PostgreSQL and Temporal, and a
// scripted model if requested.
type System struct {
	API      *Client
	Model    *llmtest.Server // nil: the built-in engine
	Postgres *devenv.Postgres
	Temporal *devenv.Temporal

	dir, program string
	env          []string
	mu           sync.Mutex
	processes    map[string]*Process // by name: "api", "worker", and "api-2" and so on
	own          map[string][]string // environment of single processes, by name
	programs     map[string]string   // of processes that run another program, by name

	queries sync.Mutex
	conn    *pgx.Conn // for Query; nil: none yet
}

// Options configures a system.
type Options struct {
	// Model scripts a model; nil extracts with the built-in engine.
	Model *llmtest.Options
	// TemporalDir is the folder of Temporal's data, for a test that changes it while the server is stopped; empty: a temporary one.
	TemporalDir string
	// Env is added to the environment of the processes and overrides it.
	Env []string
	// Program is the path of the program; empty: it is built from the sources.
	Program string
}

// StartSystem starts a deployment with one agent, and stops it when the test ends. Timers and heartbeats are short.
func StartSystem(ctx context.Context, t *testing.T, o Options) *System {
	t.Helper()
	s := &System{
		dir: t.TempDir(), program: o.Program, processes: map[string]*Process{}, own: map[string][]string{}, programs: map[string]string{},
		Postgres: devtest.Postgres(t),
	}
	t.Cleanup(func() {
		if t.Failed() {
			s.showErrors(t)
		}
	})
	if o.TemporalDir == "" {
		s.Temporal = devtest.PrivateTemporal(t)
	} else {
		s.StartTemporal(ctx, t, o.TemporalDir)
	}
	address, err := FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	s.env = []string{
		"REVERIE_DATABASE_URL=" + s.as(t, AppLogin), "REVERIE_TEMPORAL_ADDRESS=" + s.Temporal.Address,
		"REVERIE_ADMIN_KEY=" + adminKey, "REVERIE_ADDR=" + address, "REVERIE_WORKER_METRICS_ADDR=off",
		"REVERIE_QUIET_PERIOD=100ms", "REVERIE_COOLDOWN=200ms", "REVERIE_SWEEP_INTERVAL=1s",
	}
	if o.Model != nil {
		s.Model = llmtest.New(t, *o.Model)
		s.env = append(s.env, "REVERIE_LLM_PROVIDER=openai", "REVERIE_LLM_MODEL=scripted", "REVERIE_LLM_API_KEY=sk-of-a-scripted-server",
			"REVERIE_LLM_BASE_URL="+s.Model.URL+"/v1", "REVERIE_LLM_HEARTBEAT=2s", "REVERIE_LLM_TIMEOUT=10s")
	}
	s.env = append(s.env, o.Env...)
	if s.program == "" {
		if s.program, err = built(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Postgres.EnsureDatabase(ctx, database); err != nil {
		t.Fatal(err)
	}
	s.keepCommits(ctx, t)
	s.makeLogins(ctx, t)
	s.Migrate(t, s.program)
	t.Cleanup(func() { s.Stop(t) })
	s.Run(t, "api")
	s.Run(t, "worker")
	s.API = &Client{URL: "http://" + address, Key: adminKey, HTTP: http.Client{Timeout: time.Minute}}
	ready, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := s.API.WaitReady(ready); err != nil {
		t.Fatalf("the API did not become ready: %v; logs are in %s", err, s.dir)
	}
	if err := s.API.Call(ctx, http.MethodPost, "/api/v1/agents", map[string]string{"id": Agent, "name": "Ada", "timeZone": "UTC"},
		nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// built compiles the program once for all systems of a package.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "reverie-t-program-")
	if err != nil {
		return "", err
	}
	devtest.AtEnd(func() error { return os.RemoveAll(dir) })
	return Build(context.Background(), dir)
})

// StartTemporal starts a server on a folder that another one used before it was stopped, on the same address. The server ends with the
// test.
func (s *System) StartTemporal(ctx context.Context, t *testing.T, dir string) {
	t.Helper()
	server, err := devenv.StartTemporal(ctx, devenv.TemporalOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s.Temporal = server
	t.Cleanup(func() {
		if err := server.Stop(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
	})
}

// keepCommits makes the private server, which is otherwise fast and unsafe, flush each commit before confirming it,
// because a test may crash it.
func (s *System) keepCommits(ctx context.Context, t *testing.T) {
	t.Helper()
	conn, err := pgx.Connect(ctx, s.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "alter database "+database+" set synchronous_commit = on"); err != nil {
		t.Fatal(err)
	}
}

// Logins of a deployment, as docs/deployment.md makes them: one owns the tables and migrates, one is that of API and worker.
const (
	OwnerLogin = "reverie_owner"
	AppLogin   = "reverie_app"
	LoginWord  = "password-of-a-test"
)

// as returns the URL of the database for a login.
func (s *System) as(t *testing.T, login string) string {
	t.Helper()
	address, err := url.Parse(s.Database())
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword(login, LoginWord)
	return address.String()
}

// makeLogins makes the logins as an administrator of the server.
func (s *System) makeLogins(ctx context.Context, t *testing.T) {
	t.Helper()
	conn, err := pgx.Connect(ctx, s.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, sql := range []string{
		"create role " + OwnerLogin + " login password '" + LoginWord + "'",
		"create role " + AppLogin + " login nosuperuser nocreatedb nocreaterole nobypassrls noinherit password '" + LoginWord + "'",
		"grant " + AppLogin + " to " + OwnerLogin,
		"create role reverie_eraser nologin", "grant reverie_eraser to " + AppLogin,
		"alter database " + database + " owner to " + OwnerLogin,
		"create extension if not exists vector",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
}

// Migrate runs a program's migrations as the owner of the tables.
func (s *System) Migrate(t *testing.T, program string) {
	t.Helper()
	migrate, err := Start(program, append(slices.Clone(s.env), "REVERIE_DATABASE_URL="+s.as(t, OwnerLogin)), s.log("migrate"), "migrate")
	if err != nil {
		t.Fatal(err)
	}
	<-migrate.Done()
	if !migrate.cmd.ProcessState.Success() {
		output, err := os.ReadFile(s.log("migrate"))
		t.Fatalf("migrate: %v: %s %v", migrate.cmd.ProcessState, output, err)
	}
}

// shownErrors bounds the errors of a process that a failed test shows.
const shownErrors = 20

// showErrors logs the last errors of each process and of PostgreSQL: their files are removed with the test.
func (s *System) showErrors(t *testing.T) {
	t.Helper()
	logs, err := filepath.Glob(s.log("*"))
	if err != nil {
		t.Error(err)
	}
	for _, log := range append(logs, s.Postgres.Log()) {
		content, err := os.ReadFile(log)
		if err != nil {
			t.Error(err)
			continue
		}
		var failures []string
		for line := range strings.Lines(string(content)) {
			if strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, "ERROR:") {
				failures = append(failures, line)
			}
		}
		failures = failures[max(0, len(failures)-shownErrors):]
		t.Logf("the last %d errors in %s:\n%s", len(failures), filepath.Base(log), strings.Join(failures, ""))
	}
}

func (s *System) log(name string) string { return filepath.Join(s.dir, name+".log") }

// AddAPI starts another API that shares everything with the first, under a name such as "api-2", and returns its
// client.
func (s *System) AddAPI(ctx context.Context, t *testing.T, name string) *Client {
	t.Helper()
	address, err := FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.own[name] = []string{"REVERIE_ADDR=" + address}
	s.mu.Unlock()
	s.Run(t, name)
	client := &Client{URL: "http://" + address, Key: adminKey, HTTP: http.Client{Timeout: time.Minute}}
	ready, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := client.WaitReady(ready); err != nil {
		t.Fatalf("%s did not become ready: %v; logs are in %s", name, err, s.dir)
	}
	return client
}

// Run starts a process by its name: "api", "worker", or that of an added API.
func (s *System) Run(t *testing.T, name string) {
	t.Helper()
	s.mu.Lock()
	env, program := slices.Concat(s.env, s.own[name]), cmp.Or(s.programs[name], s.program)
	s.mu.Unlock()
	command, _, _ := strings.Cut(name, "-")
	p, err := Start(program, env, s.log(name), command)
	if err != nil {
		t.Error(err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.processes[name] = p
}

// Use makes a process that is started under a name run another program.
func (s *System) Use(name, program string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.programs[name] = program
}

// End stops one process in order.
func (s *System) End(t *testing.T, name string) {
	t.Helper()
	s.mu.Lock()
	p := s.processes[name]
	delete(s.processes, name)
	s.mu.Unlock()
	if err := p.Stop(time.Minute); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// SetEnv adds to the environment of processes started from now on, overriding it.
func (s *System) SetEnv(env ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.env = append(s.env, env...)
}

// Kill ends a process with SIGKILL.
func (s *System) Kill(name string) {
	s.mu.Lock()
	p := s.processes[name]
	s.mu.Unlock()
	p.Kill()
}

// Suspend stops a process with SIGSTOP until Resume.
func (s *System) Suspend(name string) error { return s.signal(name, syscall.SIGSTOP) }

// Resume continues a suspended process.
func (s *System) Resume(name string) error { return s.signal(name, syscall.SIGCONT) }

func (s *System) signal(name string, signal syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.processes[name].cmd.Process.Signal(signal)
}

// Ensure restarts processes that were killed or ended because something they need was unavailable.
func (s *System) Ensure(t *testing.T) {
	t.Helper()
	for _, name := range s.Ended() {
		s.Run(t, name)
	}
}

// Ended returns the names of processes that have ended.
func (s *System) Ended() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, p := range s.processes {
		select {
		case <-p.Done():
			names = append(names, name)
		default:
		}
	}
	return names
}

// PeakMemory returns the maximum resident memory of a process so far, in bytes.
func (s *System) PeakMemory(name string) (int64, error) {
	s.mu.Lock()
	p := s.processes[name]
	s.mu.Unlock()
	return p.PeakMemory()
}

// Stop ends the processes in order.
func (s *System) Stop(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, p := range s.processes {
		if err := p.Stop(time.Minute); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		delete(s.processes, name)
	}
}

// Database returns the URL of the database, for its superuser.
func (s *System) Database() string { return s.Postgres.URL(database) }

// Logs returns the folder of the processes' logs.
func (s *System) Logs() string { return s.dir }

// Query queries the database as its superuser, bypassing row-level security; it waits while the server restarts.
func Query[T any](ctx context.Context, s *System, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	var last error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		out, err := queryOnce(ctx, s, scan, sql, args...)
		if err == nil {
			return out, nil
		}
		last = err
	}
	return nil, errors.Join(errors.New("the database did not answer"), last)
}

// queryOnce uses one connection for all queries, since tests look for changes all the time. A lost one is replaced.
func queryOnce[T any](ctx context.Context, s *System, scan pgx.RowToFunc[T], sql string, args ...any) (out []T, err error) {
	s.queries.Lock()
	defer s.queries.Unlock()
	if s.conn == nil || s.conn.IsClosed() {
		if s.conn, err = pgx.Connect(ctx, s.Database()); err != nil {
			return nil, err
		}
	}
	rows, err := s.conn.Query(ctx, sql, args...)
	if err == nil {
		out, err = pgx.CollectRows(rows, scan)
	}
	if err != nil { // its statements may belong to a schema that was replaced
		_ = s.conn.Close(context.WithoutCancel(ctx))
	}
	return out, err
}

// HistoriesMention returns the ids of all workflows whose histories contain one of the words in clear text.
func (s *System) HistoriesMention(ctx context.Context, t *testing.T, words ...string) []string {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: s.Temporal.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.GetExecutions()) == 0 {
		t.Fatal("no workflows found")
	}
	var found []string
	for _, w := range list.GetExecutions() {
		events := c.GetWorkflowHistory(ctx, w.GetExecution().GetWorkflowId(), w.GetExecution().GetRunId(), false,
			enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			if err != nil {
				t.Fatal(err)
			}
			raw, err := proto.Marshal(event) // JSON would hide the payloads in base64
			if err != nil {
				t.Fatal(err)
			}
			if mentions(string(raw), words) {
				found = append(found, w.GetExecution().GetWorkflowId())
				break
			}
		}
	}
	return found
}

func mentions(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
