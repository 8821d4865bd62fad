package api_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"reverie/api"
	"reverie/devenv"
	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/admin"
)

// Readiness does not wait behind requests for a connection: all of them are taken, and more requests wait.
func TestReadinessDoesNotQueue(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.post("c0", batch("42", true, "hello")), 202)
	root, err := pgx.Connect(t.Context(), h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close(context.WithoutCancel(t.Context()))
	for _, sql := range []string{"begin", "lock table messages in access exclusive mode"} {
		if _, err := root.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	const clients = 20 // of 4 connections
	var waiting sync.WaitGroup
	statuses := make(chan int, clients)
	for i := range clients {
		waiting.Go(func() { statuses <- h.post(fmt.Sprintf("q%d", i), batch("42", true, "hello again")).status })
	}
	time.Sleep(1500 * time.Millisecond) // longer than an answer is cached
	for range 3 {
		began := time.Now()
		h.want(h.do(request{method: "GET", path: "/readyz"}), 200)
		if took := time.Since(began); took > time.Second+4*time.Second { // it also asks Temporal, which is not there
			t.Errorf("readiness took %s", took)
		}
	}
	if _, err := root.Exec(t.Context(), "rollback"); err != nil {
		t.Fatal(err)
	}
	waiting.Wait()
	close(statuses)
	for status := range statuses {
		if status != 202 {
			t.Errorf("a request that waited got %d", status)
		}
	}
}

// More requests than may wait for a connection are shed at once, and told when to come back. Those that wait are served.
func TestOverloadIsShed(t *testing.T) {
	h := startWith(t, store.Options{MaxConns: 2, MaxWaiting: 3})
	h.agent("ada")
	h.want(h.post("c0", batch("42", true, "hello")), 202)
	root, err := pgx.Connect(t.Context(), h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close(context.WithoutCancel(t.Context()))
	for _, sql := range []string{"begin", "lock table messages in access exclusive mode"} {
		if _, err := root.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	const clients = 12
	answers := make(chan answered, clients)
	for i := range clients {
		go func() { answers <- h.post(fmt.Sprintf("o%d", i), batch("42", true, "hello again")) }()
	}
	for range clients - 5 {
		shed := h.wantError(<-answers, 503, "overloaded")
		if shed.header.Get("Retry-After") == "" {
			t.Error("it does not say when to try again")
		}
	}
	if _, err := root.Exec(t.Context(), "rollback"); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if a := <-answers; a.status != 202 && a.status != 503 {
			t.Errorf("a request that waited got %d", a.status)
		}
	}
	h.want(h.post("after", batch("42", true, "hello")), 202)
}

// A transaction that has been open for long is shown with who has it, and without what it does.
func TestStatusReportsWhatHoldsTheJournal(t *testing.T) {
	h := start(t, func(o *api.Options) { o.Now = func() time.Time { return time.Now().Add(40 * time.Second) } })
	h.agent("ada")
	config, err := pgx.ParseConfig(h.database)
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["application_name"] = "monthly-report"
	root, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close(context.WithoutCancel(t.Context()))
	journal := func() (state, detail string) {
		t.Helper()
		got := as[struct {
			Parts []struct{ Name, State, Detail string }
		}](h, h.want(h.get("/api/v1/status"), 200))
		for _, p := range got.Parts {
			if p.Name == "journal" {
				return p.State, p.Detail
			}
		}
		return "", ""
	}
	if state, detail := journal(); state != "ok" {
		t.Errorf("before: %s %s", state, detail)
	}
	for _, sql := range []string{"begin", "select pg_current_xact_id(), 'private'"} {
		if _, err := root.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	process := fmt.Sprintf("process %d (monthly-report), open for 4", root.PgConn().PID())
	state, detail := journal()
	if state != "degraded" || !strings.Contains(detail, process) || strings.Contains(detail, "private") {
		t.Errorf("%s: %q, want %q", state, detail, process)
	}
	found := as[struct {
		Findings []struct {
			Code     string
			Examples []string
		}
	}](h, h.want(h.get("/api/v1/agents/ada/doctor"), 200))
	if len(found.Findings) != 1 || found.Findings[0].Code != "journal_held" || !strings.Contains(found.Findings[0].Examples[0], process) {
		t.Errorf("the doctor finds %+v", found)
	}
	if _, err := root.Exec(t.Context(), "rollback"); err != nil {
		t.Fatal(err)
	}
	if state, detail := journal(); state != "ok" {
		t.Errorf("afterwards: %s %s", state, detail)
	}
}

// A Temporal that answers and has lost its database is not ok: the status says what is missing, and requests that need it come back later.
func TestTemporalWithoutItsNamespace(t *testing.T) {
	lost, err := client.NewLazyClient(client.Options{
		HostPort: devtest.Temporal(t).Address, Namespace: "lost", Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lost.Close)
	h := start(t, func(o *api.Options) {
		o.Temporal = lost
		o.PrepareTemporal = func(context.Context) error { return errors.New("namespace lost does not exist and cannot be created") }
	})
	h.agent("ada")
	h.want(h.post("c1", batch("42", true, "hello")), 202)
	refused := h.wantError(h.do(request{method: "POST", path: "/api/v1/memory/ada/summarize/c1", key: h.admin}), 503, "workflows_unavailable")
	if refused.header.Get("Retry-After") == "" {
		t.Error("it does not say when to try again")
	}
	got := as[struct {
		State string
		Parts []struct{ Name, State, Detail string }
	}](h, h.want(h.get("/api/v1/status"), 200))
	for _, p := range got.Parts {
		if p.Name == "temporal" && (p.State != "down" || !strings.Contains(p.Detail, "namespace lost does not exist")) || got.State == "ok" {
			t.Errorf("%+v", got)
		}
	}
}

// After a failover the URL's other host takes the writes: requests go there at once, although connections to the former primary, which
// takes none now, are open.
func TestFailover(t *testing.T) {
	former, next := devtest.Postgres(t), devtest.Postgres(t)
	for _, server := range []*devenv.Postgres{former, next} {
		if err := migrate(t.Context(), server.URL("postgres")); err != nil {
			t.Fatal(err)
		}
		asRoot(t, server, "create role same superuser login password 'same'")
	}
	both, err := url.Parse(former.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := url.Parse(next.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	both.User = url.UserPassword("same", "same")
	both.Host += "," + other.Host
	h := startOn(t, both.String())
	h.agent("ada")
	h.want(h.post("c1", batch("42", true, "hello")), 202)

	asRoot(t, former, "alter system set default_transaction_read_only = on", "select pg_reload_conf()")
	// The next one has the same data, here: the workspace, the key and the agent.
	s, err := store.Open(t.Context(), next.URL("postgres"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.EnsureWorkspace(t.Context(), workspace, "Acme"); err != nil {
		t.Fatal(err)
	}
	if err := s.EnsureKey(t.Context(), workspace, "test", h.admin, memory.RoleAdmin); err != nil {
		t.Fatal(err)
	}
	operator := memory.Identity{Workspace: workspace, Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}
	if _, err := s.CreateAgent(t.Context(), operator, admin.NewAgent{ID: "ada", TimeZone: "UTC"}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond) // the server has read its configuration, and no answer is cached
	h.want(h.do(request{method: "GET", path: "/readyz"}), 200)
	for i := range 8 {
		h.want(h.post(fmt.Sprintf("after-%d", i), batch("42", true, "hello")), 202)
	}
	asRoot(t, next, "alter system set default_transaction_read_only = on", "select pg_reload_conf()")
	time.Sleep(1100 * time.Millisecond)
	h.wantError(h.do(request{method: "GET", path: "/readyz"}), 503, "not_ready")
	refused := h.wantError(h.post("none", batch("42", true, "hello")), 503, "store_unavailable")
	if refused.header.Get("Retry-After") == "" {
		t.Error("it does not say when to try again")
	}
}

// asRoot runs statements as the superuser of a server.
func asRoot(t *testing.T, server *devenv.Postgres, statements ...string) {
	t.Helper()
	root, err := pgx.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close(context.WithoutCancel(t.Context()))
	for _, sql := range statements {
		if _, err := root.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}
