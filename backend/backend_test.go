package backend_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reverie/backend"
	"reverie/backend/backendtest"
)

// TestMain is also the program that a configuration with transport stdio starts.
func TestMain(m *testing.M) {
	switch os.Getenv("BACKENDTEST") {
	case "serve":
		s := backendtest.New()
		number := int64(7)
		s.Put(backendtest.Row{Content: "owner " + os.Getenv("OWNER"), Chat: &number})
		s.Put(backendtest.Row{Content: fmt.Sprintf("secrets %q", os.Getenv("REVERIE_ADMIN_KEY"))})
		if err := s.MCP().Run(context.Background(), &mcp.StdioTransport{}); err != nil && !errors.Is(err, io.EOF) {
			os.Exit(1)
		}
		os.Exit(0)
	case "die":
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// patience is the time-out of calls that must not time out.
const patience = 30 * time.Second

func open(t *testing.T, o backend.Options, servers ...backend.Server) *backend.Backend {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	for i := range servers {
		if servers[i].Timeout == 0 {
			servers[i].Timeout = patience
		}
		if servers[i].Name == "" {
			servers[i].Name = "test"
		}
		if servers[i].Workspace == "" {
			servers[i].Workspace = "acme"
		}
		if servers[i].Transport == "" {
			servers[i].Transport = backend.StreamableHTTP
		}
	}
	b := backend.Open(backend.Config{Servers: servers}, o)
	t.Cleanup(b.Close)
	return b
}

// person returns an owner with a number.
func person(n int64) backend.Owner {
	return backend.Owner{Workspace: "acme", Agent: "ada", Key: fmt.Sprintf("user:%d", n), Number: n}
}

func kindOf(err error) backend.Kind {
	if f, is := errors.AsType[*backend.Failure](err); is {
		return f.Kind
	}
	if err != nil {
		return backend.Kind("no failure: " + err.Error())
	}
	return ""
}

// Each fault is reported as such, and neither the failure nor the log repeats what the server or the configuration say.
func TestFaults(t *testing.T) {
	for fault, want := range map[backendtest.Fault]backend.Kind{
		backendtest.None: "", backendtest.Prose: "",
		backendtest.Hang: backend.Timeout, backendtest.Disconnect: backend.Transport, backendtest.Broken: backend.Transport,
		backendtest.Malformed: backend.InvalidPayload, backendtest.Page: backend.InvalidPayload, backendtest.Giant: backend.InvalidPayload,
		backendtest.Schema: backend.InvalidPayload, backendtest.Empty: backend.InvalidPayload, backendtest.Nameless: backend.InvalidPayload,
		backendtest.ErrorText: backend.Refused, backendtest.Forbidden: backend.Refused, backendtest.Redirect: backend.Refused,
		backendtest.Leaky: "",
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			s := backendtest.Start(t)
			one, two := int64(1), int64(2)
			s.Put(backendtest.Row{Chat: &one, Content: "one"})
			s.Put(backendtest.Row{Chat: &two, Content: "two"})
			timeout := patience
			if fault == backendtest.Hang {
				timeout = 300 * time.Millisecond
			}
			var log bytes.Buffer
			b := open(t, backend.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, backend.Server{
				Endpoint: s.URL + "?password=SECRET", Headers: map[string]string{"Authorization": "Bearer SECRET"}, Timeout: timeout,
			})
			s.Set(fault)
			rows, name, err := b.Query(t.Context(), person(1), backend.Query{Op: backend.List})
			if kindOf(err) != want || name != "test" {
				t.Fatalf("%v of %s, want %q", err, name, want)
			}
			if want == "" && (len(rows) != 1 || rows[0].Content != "one" || rows[0].ID != 1 || rows[0].Category != "KNOWLEDGE" || rows[0].Confidence != .8) {
				t.Errorf("%+v", rows)
			}
			if text := fmt.Sprintf("%v %+v %s", err, b.Status(), log.String()); strings.Contains(text, "SECRET") {
				t.Errorf("it tells secrets: %s", text)
			}
			s.Set(backendtest.None)
			if fault == backendtest.Hang {
				return // one more call may be as slow
			}
			if rows, _, err := b.Query(t.Context(), person(1), backend.Query{Op: backend.List}); err != nil || len(rows) != 1 {
				t.Errorf("it does not recover: %v %v", rows, err)
			}
		})
	}
}

// The header of the configuration goes to its server only.
func TestRedirectsAreNotFollowed(t *testing.T) {
	from, to := backendtest.Start(t), backendtest.Start(t)
	b := open(t, backend.Options{}, backend.Server{Endpoint: from.URL, Owner: "user:1", Agent: "ada"})
	from.Set(backendtest.Redirect)
	if _, _, err := b.Query(t.Context(), person(1), backend.Query{Op: backend.List}); kindOf(err) != backend.Refused {
		t.Errorf("%v", err)
	}
	if len(to.Calls()) > 0 {
		t.Error("it was followed")
	}
}

// A server that is away is not asked for a while, then once, and used again when it is back. Other owners' refusals do not count.
func TestCircuit(t *testing.T) {
	s := backendtest.Start(t)
	pause := 300 * time.Millisecond
	b := open(t, backend.Options{Pause: pause}, backend.Server{Endpoint: s.URL})
	query := func(n int64) backend.Kind {
		_, _, err := b.Query(t.Context(), person(n), backend.Query{Op: backend.List})
		return kindOf(err)
	}
	state := func() backend.State { return b.Status()[0].State }
	if state() != backend.Unused || query(1) != "" || state() != backend.Serving {
		t.Fatalf("%+v", b.Status())
	}
	s.Set(backendtest.Forbidden)
	for range 10 {
		if kind := query(2); kind != backend.Refused {
			t.Fatal(kind)
		}
	}
	if state() != backend.Serving {
		t.Errorf("refusals count: %+v", b.Status())
	}
	s.Set(backendtest.Broken)
	for range 3 {
		if kind := query(1); kind != backend.Transport {
			t.Fatal(kind)
		}
	}
	st := b.Status()[0]
	if st.State != backend.Paused || st.Failures != 3 || st.Last.Kind != backend.Transport || st.Last.Status != 500 || st.RetryAt.IsZero() {
		t.Errorf("%+v", st)
	}
	asked := len(s.Calls())
	s.Set(backendtest.None)
	if kind := query(1); kind != backend.CircuitOpen {
		t.Errorf("%v", kind)
	}
	if len(s.Calls()) != asked {
		t.Error("it was asked")
	}
	for deadline := time.Now().Add(patience); query(1) != ""; time.Sleep(pause / 10) {
		if time.Now().After(deadline) {
			t.Fatalf("it stays open: %+v", b.Status())
		}
	}
	if st := b.Status()[0]; st.State != backend.Serving || st.Failures != 0 {
		t.Errorf("%+v", st)
	}
}

// A caller that gives up neither counts nor breaks what others do.
func TestGivingUp(t *testing.T) {
	s := backendtest.Start(t)
	b := open(t, backend.Options{}, backend.Server{Endpoint: s.URL})
	s.Set(backendtest.Hang)
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		calls := len(s.Calls())
		done := make(chan error, 1)
		go func() {
			_, _, err := b.Query(ctx, person(1), backend.Query{Op: backend.List})
			done <- err
		}()
		for len(s.Calls()) == calls {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	s.Set(backendtest.None)
	if _, _, err := b.Query(t.Context(), person(1), backend.Query{Op: backend.List}); err != nil {
		t.Error(err)
	}
	if st := b.Status()[0]; st.Failures != 0 {
		t.Errorf("%+v", st)
	}
}

// Time is left for the built-in memory.
func TestTimeIsLeft(t *testing.T) {
	s := backendtest.Start(t)
	b := open(t, backend.Options{}, backend.Server{Endpoint: s.URL})
	s.Set(backendtest.Hang)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, _, err := b.Query(ctx, person(1), backend.Query{Op: backend.List}); kindOf(err) != backend.Timeout || ctx.Err() != nil {
		t.Errorf("%v, and the request: %v", err, ctx.Err())
	}
}

// Changes take the operations and fields of MicroClaw, and go to the owner's own statements only.
func TestChanges(t *testing.T) {
	s := backendtest.Start(t)
	b := open(t, backend.Options{}, backend.Server{Endpoint: s.URL})
	ctx := t.Context()
	apply := func(n int64, c backend.Change) (int64, backend.Kind) {
		id, _, err := b.Apply(ctx, person(n), c)
		return id, kindOf(err)
	}
	id, kind := apply(1, backend.Change{Op: backend.Insert, Content: "tea", Category: "PROFILE", Source: "user", Key: "k1"})
	if id != 1 || kind != "" {
		t.Fatal(id, kind)
	}
	last := s.Calls()[len(s.Calls())-1]
	if last.Meta["reverie/idempotencyKey"] != "k1" || fmt.Sprint(last.Args["chat_id"]) != "1" || last.Args["category"] != "PROFILE" {
		t.Errorf("%+v", last)
	}
	for _, op := range []backend.Op{backend.Update, backend.Archive, backend.Touch, backend.Supersede} {
		before := s.Rows()
		if _, kind := apply(2, backend.Change{Op: op, ID: id, Content: "coffee"}); kind != backend.NotTheirs {
			t.Errorf("%s of another owner's: %q", op, kind)
		}
		if fmt.Sprint(before) != fmt.Sprint(s.Rows()) {
			t.Errorf("%s changed another owner's", op)
		}
	}
	if got, kind := apply(1, backend.Change{Op: backend.Update, ID: id, Content: "green tea"}); got != id || kind != "" || s.Rows()[0].Content != "green tea" {
		t.Error(got, kind, s.Rows())
	}
	if got, kind := apply(1, backend.Change{Op: backend.Supersede, ID: id, Content: "coffee", Reason: "changed"}); got != 2 || kind != "" {
		t.Error(got, kind)
	}
	if _, kind := apply(1, backend.Change{Op: backend.Archive, ID: 99}); kind != backend.NotTheirs {
		t.Error(kind)
	}
	if _, kind := apply(0, backend.Change{Op: backend.Insert, Content: "x"}); kind != backend.Absent {
		t.Errorf("an owner without a number: %q", kind)
	}
	if _, _, err := b.Query(ctx, backend.Owner{Workspace: "globex", Agent: "ada", Key: "user:1", Number: 1}, backend.Query{Op: backend.List}); kindOf(err) != backend.Absent {
		t.Errorf("another workspace: %v", err)
	}
}

// Many owners at once: each sees their own, in sessions of their own, and is named by headers from the configuration.
func TestOwnersAreApart(t *testing.T) {
	for name, headers := range map[string]map[string]string{"chat_id": nil, "headers": {"X-Owner": "{agent}/{owner}"}} {
		t.Run(name, func(t *testing.T) {
			s := backendtest.Start(t)
			b := open(t, backend.Options{}, backend.Server{Endpoint: s.URL, Headers: headers})
			var all sync.WaitGroup
			for n := int64(1); n <= 12; n++ {
				all.Go(func() {
					said := fmt.Sprintf("statement of %d.", n)
					if _, _, err := b.Apply(t.Context(), person(n), backend.Change{Op: backend.Insert, Content: said, Chat: &n}); err != nil {
						t.Error(err)
					}
					for range 5 {
						rows, _, err := b.Query(t.Context(), person(n), backend.Query{Op: backend.List, Chat: &n})
						if err != nil || len(rows) != 1 || rows[0].Content != said {
							t.Errorf("%d: %v %v", n, rows, err)
						}
					}
				})
			}
			all.Wait()
			if mixed := s.Mixed(); len(mixed) > 0 {
				t.Errorf("sessions of several owners: %v", mixed)
			}
			for _, c := range s.Calls() {
				if owner := c.Headers.Get("X-Owner"); headers != nil && !strings.HasPrefix(owner, "ada/user:") {
					t.Fatalf("header %q", owner)
				}
			}
		})
	}
}

// An owner's key stays in its place of the address and of the headers, whatever is in it.
func TestMarksAreEscaped(t *testing.T) {
	s := backendtest.Start(t)
	b := open(t, backend.Options{}, backend.Server{
		Endpoint: s.URL + "/?agent={agent}&owner={owner}&x=1", Headers: map[string]string{"X-Owner": "{agent}/{owner}"},
	})
	for _, key := range []string{"user:1", "user:a&owner=user:b", "user:{agent}", "user:é 漢%2F#?", "user:x\r\nEvil: 1", "user:+ +"} {
		who := backend.Owner{Workspace: "acme", Agent: "ada", Key: key, Number: 1}
		if _, _, err := b.Query(t.Context(), who, backend.Query{Op: backend.List}); err != nil {
			t.Fatalf("%q: %v", key, err)
		}
		got := s.Queries()[len(s.Queries())-1]
		if len(got) != 3 || len(got["owner"]) != 1 || got.Get("owner") != key || got.Get("agent") != "ada" {
			t.Errorf("%q: %v", key, got)
		}
		header := s.Calls()[len(s.Calls())-1].Headers
		if said, err := url.PathUnescape(header.Get("X-Owner")); err != nil || said != "ada/"+key || header.Get("Evil") != "" {
			t.Errorf("%q: %v", key, header)
		}
	}
}

// The first server with both tools is used. One without them is passed over, one that is away is not.
func TestTheFirstServerWithBothTools(t *testing.T) {
	lacking, first, second := backendtest.Start(t), backendtest.Start(t), backendtest.Start(t)
	lacking.Lack()
	b := open(t, backend.Options{},
		backend.Server{Name: "a", Endpoint: lacking.URL}, backend.Server{Name: "b", Endpoint: first.URL}, backend.Server{Name: "c", Endpoint: second.URL})
	first.Set(backendtest.Broken)
	for _, want := range []backend.Kind{backend.Transport, ""} {
		_, name, err := b.Query(t.Context(), person(1), backend.Query{Op: backend.List})
		if kindOf(err) != want || name != "b" {
			t.Errorf("%v of %s", err, name)
		}
		first.Set(backendtest.None)
	}
	if len(lacking.Calls())+len(second.Calls()) > 0 {
		t.Error("others were asked")
	}
	if st := b.Status(); st[0].State != backend.Lacking || st[1].State != backend.Serving || st[2].State != backend.Unused {
		t.Errorf("%+v", st)
	}
}

// Servers of every version of the protocol are understood, also when an older one is asked for.
func TestProtocolVersions(t *testing.T) {
	for _, version := range append(mcp.SupportedProtocolVersions(), "") {
		s := backendtest.Start(t)
		b := backend.Open(backend.Config{Version: version, Servers: []backend.Server{{
			Name: "test", Workspace: "acme", Transport: backend.StreamableHTTP, Endpoint: s.URL, Timeout: patience,
		}}}, backend.Options{Log: slog.New(slog.DiscardHandler)})
		t.Cleanup(b.Close)
		if _, _, err := b.Apply(t.Context(), person(1), backend.Change{Op: backend.Insert, Content: "tea"}); err != nil {
			t.Errorf("%s: %v", version, err)
		}
		if rows, _, err := b.Query(t.Context(), person(1), backend.Query{Op: backend.List}); err != nil || len(rows) != 1 {
			t.Errorf("%s: %v %v", version, rows, err)
		}
	}
}

// A probe shows the condition of servers that need no owner for it.
func TestProbe(t *testing.T) {
	s := backendtest.Start(t)
	b := open(t, backend.Options{},
		backend.Server{Name: "a", Endpoint: s.URL}, backend.Server{Name: "b", Endpoint: "http://127.0.0.1:1/"},
		backend.Server{Name: "c", Endpoint: s.URL + "?a={agent}&o={owner}"})
	b.Probe(t.Context())
	if st := b.Status(); st[0].State != backend.Serving || st[1].State != backend.Failing || st[2].State != backend.Unused {
		t.Errorf("%+v", st)
	}
	if len(s.Calls()) > 0 {
		t.Error("a probe calls a tool")
	}
}

// A program gets the owner and what the configuration gives it, and none of this process's secrets. One that ends is started again.
func TestProgram(t *testing.T) {
	t.Setenv("REVERIE_ADMIN_KEY", "SECRET")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, backend.Options{}, backend.Server{
		Transport: backend.Stdio, Command: program, Env: map[string]string{"BACKENDTEST": "serve", "OWNER": "{agent}/{owner}"},
	})
	for n := int64(1); n <= 2; n++ {
		chat := int64(7)
		rows, _, err := b.Query(t.Context(), person(n), backend.Query{Op: backend.List, Chat: &chat})
		if want := fmt.Sprintf("owner ada/user:%d", n); err != nil || len(rows) != 1 || rows[0].Content != want {
			t.Errorf("%v %v", rows, err)
		}
	}
	rows, _, err := b.Query(t.Context(), person(1), backend.Query{Op: backend.List})
	if err != nil || len(rows) != 1 || rows[0].Content != `secrets ""` {
		t.Errorf("%v %v", rows, err)
	}
	dead := open(t, backend.Options{}, backend.Server{
		Transport: backend.Stdio, Command: program, Env: map[string]string{"BACKENDTEST": "die"}, Owner: "user:1", Agent: "ada",
	})
	if _, _, err := dead.Query(t.Context(), person(1), backend.Query{Op: backend.List}); kindOf(err) != backend.Transport {
		t.Errorf("%v", err)
	}
}

// What hangs does not keep the server from stopping.
func TestClose(t *testing.T) {
	s := backendtest.Start(t)
	b := backend.Open(backend.Config{Servers: []backend.Server{{
		Name: "test", Workspace: "acme", Transport: backend.StreamableHTTP, Endpoint: s.URL, Timeout: patience,
	}}}, backend.Options{Log: slog.New(slog.DiscardHandler)})
	s.Set(backendtest.Hang)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _, _ = b.Query(t.Context(), person(1), backend.Query{Op: backend.List})
	}()
	for len(s.Calls()) == 0 {
		time.Sleep(time.Millisecond)
	}
	b.Close()
	s.Set(backendtest.None)
	<-done
	if _, _, err := b.Query(t.Context(), person(1), backend.Query{Op: backend.List}); kindOf(err) != backend.Absent {
		t.Errorf("%v", err)
	}
}
