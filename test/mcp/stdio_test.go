package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/api/mcp/stdio"
	"reverie/store/admin"
	"reverie/test/deployment"
	"reverie/toolbox"
)

// slowly returns the address of a proxy that takes some time for each call of a tool.
func slowly(t *testing.T, address string, pause time.Duration) string {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.FlushInterval = -1
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if strings.Contains(string(body), `"tools/call"`) {
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
				return
			}
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// serve runs a session of standard input and output, and returns its input, its lines and its end.
func serve(t *testing.T, address, key string) (in *io.PipeWriter, lines <-chan string, ended <-chan error) {
	t.Helper()
	reader, in := io.Pipe()
	out, writer := io.Pipe()
	over, told := make(chan error, 1), make(chan string, 1000)
	go func() {
		over <- stdio.Serve(t.Context(), stdio.Options{
			URL: address, Key: key, Query: url.Values{"agent": {"ada"}, "owner": {"user:1"}}, Version: "test", Log: slog.New(slog.DiscardHandler),
		}, reader, writer)
		_ = writer.Close()
	}()
	go func() {
		defer close(told)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			told <- scanner.Text()
		}
	}()
	return in, told, over
}

func say(t *testing.T, in io.Writer, format string, args ...any) {
	t.Helper()
	if _, err := fmt.Fprintf(in, format+"\n", args...); err != nil {
		t.Fatal(err)
	}
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}`

// A program that writes requests and closes its end gets all answers, those of slow calls too.
func TestRequestsInFlightAreAnswered(t *testing.T) {
	s := start(t)
	in, lines, ended := serve(t, slowly(t, s.url, time.Second), s.key)
	say(t, in, "%s", hello)
	const calls = 20
	for i := range calls {
		say(t, in, `{"jsonrpc":"2.0","id":"call %d","method":"tools/call","params":{"name":%q,"arguments":{}}}`, i, toolbox.ListFiles)
	}
	say(t, in, `{"jsonrpc":"2.0", "id": 77, "method":"resources/list"}`)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	answered := map[string]bool{}
	for line := range lines {
		var answer struct {
			ID     any
			Result *struct{}
			Error  any
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if answer.ID == nil {
			continue
		}
		if answer.Result == nil {
			t.Errorf("%v: %v", answer.ID, answer.Error)
		}
		answered[fmt.Sprint(answer.ID)] = true
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(answered) != calls+2 || !answered["77"] {
		t.Errorf("%d of %d were answered: %v", len(answered), calls+2, answered)
	}
}

// A line that is not a message is answered with an error, and loses no answer to others.
func TestLinesThatAreNoMessages(t *testing.T) {
	s := start(t)
	in, lines, ended := serve(t, slowly(t, s.url, time.Second/2), s.key)
	say(t, in, "%s", hello)
	say(t, in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, toolbox.ListFiles)
	for _, line := range []string{"oops", `{"jsonrpc":"2.0",`, "", `{} {}`, "\x00", "7", `{"id":5}`, `{"jsonrpc":"1.0","id":6,"method":"ping"}`} {
		say(t, in, "%s", line)
	}
	say(t, in, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	codes, answered := map[int]int{}, map[any]bool{}
	for line := range lines {
		var answer struct {
			ID     any
			Result *struct{}
			Error  struct{ Code int }
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if answer.Result == nil {
			codes[answer.Error.Code]++
		} else {
			answered[answer.ID] = true
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if codes[-32700] != 4 || codes[-32600] != 3 || !answered[1.] || !answered[2.] {
		t.Errorf("errors %v, answered %v", codes, answered)
	}
}

// Errors over standard input and output have the words and codes that the server answers with over HTTP.
func TestErrorsAreTheServersOwn(t *testing.T) {
	s := start(t)
	requests := []string{
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"memory:///none.md"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"none"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"none","arguments":{}}}`,
	}
	type answer struct {
		ID    any
		Error struct {
			Code    int
			Message string
		}
	}
	want := map[any]answer{}
	for _, request := range requests {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mcp?agent=ada&owner=user:1", strings.NewReader(request))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.key)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var a answer
		if err := errors.Join(json.NewDecoder(got.Body).Decode(&a), got.Body.Close()); err != nil || a.Error.Message == "" {
			t.Fatalf("%s: %+v, %v", request, a, err)
		}
		want[a.ID] = a
	}
	in, lines, ended := serve(t, s.url, s.key)
	say(t, in, "%s", hello+"\n"+strings.Join(requests, "\n"))
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for line := range lines {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if w, asked := want[a.ID]; asked && a != w {
			t.Errorf("%+v, over HTTP %+v", a, w)
		}
		delete(want, a.ID)
	}
	if err := <-ended; err != nil || len(want) > 0 {
		t.Errorf("%v, without an answer: %v", err, want)
	}
}

// A session that the server refuses ends with the server's own words.
func TestRefusedSession(t *testing.T) {
	s := start(t)
	if _, err := s.store.CreateAgent(t.Context(), root, admin.NewAgent{ID: "bob", TimeZone: "UTC"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key, agent, want string
	}{
		{s.key, "", "name the agent, as in /mcp?agent=ada: this key may use 2 agents"},
		{s.key, "eve", "eve"},
		{"unknown", "ada", "key"},
	} {
		in, out := io.Pipe()
		_ = out.Close()
		err := stdio.Serve(t.Context(), stdio.Options{
			URL: s.url, Key: c.key, Query: url.Values{"agent": {c.agent}}, Version: "test", Log: slog.New(slog.DiscardHandler),
		}, in, out)
		if err == nil || !strings.HasPrefix(err.Error(), s.url+" refused: ") || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "calling") {
			t.Errorf("agent %q: %v, want %q", c.agent, err, c.want)
		}
	}
}

// A call that is cancelled is cancelled at the server, holds up neither others nor the end, and has no result.
func TestCancelledCall(t *testing.T) {
	s := start(t)
	in, lines, ended := serve(t, slowly(t, s.url, time.Hour), s.key)
	say(t, in, "%s", hello)
	say(t, in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, toolbox.ListFiles)
	say(t, in, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	var seen []string
	wait := func(id string) {
		t.Helper()
		for line := range lines {
			seen = append(seen, line)
			if strings.Contains(line, id) {
				return
			}
		}
	}
	wait(`"id":2`)
	say(t, in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for a cancelled call")
	}
	for line := range lines {
		seen = append(seen, line)
	}
	if slices.ContainsFunc(seen, func(line string) bool {
		return strings.Contains(line, `"id":1,`) && strings.Contains(line, `"result"`)
	}) {
		t.Errorf("the cancelled call has a result: %q", seen)
	}
}

// A call that takes long says every second that it is still at work, with the token of the client; one that is cancelled stops at the
// database.
func TestLongCalls(t *testing.T) {
	s := start(t)
	db, err := pgx.Connect(t.Context(), s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(context.WithoutCancel(t.Context()))
	lock := func() (release func()) {
		t.Helper()
		tx, err := db.Begin(t.Context())
		if err == nil {
			_, err = tx.Exec(t.Context(), "lock table documents in access exclusive mode")
		}
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := tx.Rollback(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	blocked := func() (n int) {
		t.Helper()
		if err := db.QueryRow(t.Context(), "select count(*) from pg_locks where not granted").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	in, lines, ended := serve(t, s.url, s.key)
	say(t, in, "%s", hello)
	until := func(part string) (line string) {
		t.Helper()
		for {
			select {
			case line := <-lines:
				if strings.Contains(line, part) {
					return line
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("no line has %s", part)
			}
		}
	}
	call := func(id int) {
		t.Helper()
		say(t, in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{"progressToken":"mine %[1]d"}}}`,
			id, toolbox.ListFiles)
	}
	release := lock()
	call(1)
	for n := range 2 {
		line := until("notifications/progress")
		if !strings.Contains(line, `"mine 1"`) || !strings.Contains(line, fmt.Sprintf(`"progress":%d`, n+1)) || !strings.Contains(line, "still at work") {
			t.Errorf("progress: %s", line)
		}
	}
	release()
	if line := until(`"id":1,`); !strings.Contains(line, `"result"`) {
		t.Errorf("the answer: %s", line)
	}
	release = lock()
	call(2)
	until("notifications/progress")
	if blocked() == 0 {
		t.Error("the call does not wait for the database")
	}
	say(t, in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	for end := time.Now().Add(20 * time.Second); blocked() > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the cancelled call still waits for the database")
		}
	}
	release()
	// A refusal says what to do, in fields that a program reads.
	say(t, in, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":%q,"arguments":{"filename":"none.md"}}}`, toolbox.ReadFile)
	var refused struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(until(`"id":3,`)), &refused); err != nil || !refused.Result.IsError || len(refused.Result.Content) != 1 {
		t.Fatalf("%+v, %v", refused, err)
	}
	var advice struct {
		Error   bool
		Message string
	}
	if err := json.Unmarshal([]byte(refused.Result.Content[0].Text), &advice); err != nil || !advice.Error || !strings.Contains(advice.Message, "list the files") {
		t.Errorf("%q, %v", refused.Result.Content[0].Text, err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Without an address, `reverie mcp` works in a data folder: it starts the server there, answers all that it was sent, and keeps it.
func TestDataFolder(t *testing.T) {
	program, err := deployment.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.MkdirTemp("", "reverie-mcp-") //nolint:usetesting // the database's user cannot enter the parent of t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err := os.Chmod(home, 0o711); err != nil { // for the user of the database
		t.Fatal(err)
	}
	run := func(requests ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), program, "mcp", "--data", filepath.Join(home, "data"), "--agent", "ada", "--owner", "user:1")
		c.Dir = home
		for _, variable := range os.Environ() {
			if !strings.HasPrefix(variable, "REVERIE_") {
				c.Env = append(c.Env, variable)
			}
		}
		c.Stdin = strings.NewReader(hello + "\n" + strings.Join(requests, "\n") + "\n")
		var said bytes.Buffer
		c.Stderr = &said
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v: %s\n%s", err, said.String(), out)
		}
		return string(out)
	}
	call := func(id int, tool, arguments string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
	}
	if out := run(call(1, toolbox.Remember, `{"text":"The boat is called Heron"}`)); !strings.Contains(out, `"id":1,`) || strings.Contains(out, `"isError":true`) {
		t.Errorf("remembering: %s", out)
	}
	if out := run(call(2, toolbox.MemorySearch, `{"query":"What is the boat called?"}`)); !strings.Contains(out, "Heron") {
		t.Errorf("another process finds: %s", out)
	}
}
