// Package mcp tries the MCP server with clients that nobody here wrote: the TypeScript SDK's client, over HTTP and over `reverie mcp`,
// and the command line of the MCP inspector.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"reverie/api"
	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/storetest"
	"reverie/test/deployment"
	"reverie/test/npm"
	"reverie/toolbox"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// server is the API with an agent ada.
type server struct {
	url, key, database string

	store *store.Store
}

var root = memory.Identity{Workspace: "acme", Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}

func start(tb testing.TB) server {
	tb.Helper()
	return startWith(tb, func(*api.Options) {})
}

func startWith(tb testing.TB, change func(*api.Options)) server {
	tb.Helper()
	s, database := storetest.Open(tb, store.Options{})
	key := "test-admin-key-" + uuid.NewString()
	if err := s.EnsureWorkspace(tb.Context(), "acme", "acme"); err != nil {
		tb.Fatal(err)
	}
	if err := s.EnsureKey(tb.Context(), "acme", "test", key, memory.RoleAdmin); err != nil {
		tb.Fatal(err)
	}
	if _, err := s.CreateAgent(tb.Context(), root, admin.NewAgent{ID: "ada", TimeZone: "UTC"}); err != nil {
		tb.Fatal(err)
	}
	temporal, err := client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(temporal.Close)
	o := api.Options{
		Store: s, Temporal: temporal, Timing: setting.DefaultTiming(), Workspace: "acme", Version: "test", Log: slog.New(slog.DiscardHandler),
	}
	change(&o)
	a, err := api.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	h := httptest.NewServer(a)
	tb.Cleanup(h.Close)
	return server{h.URL, key, database, s}
}

// calls are calls of every tool, in an order in which they succeed.
var calls = []struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}{
	{toolbox.WriteFile, map[string]any{"filename": "MEMORY.md", "content": "# Memory\n\n- The boat is called Heron\n- The rent is 900\n"}},
	{toolbox.Remember, map[string]any{"text": "The berth is number 12"}},
	{toolbox.EditFile, map[string]any{"filename": "MEMORY.md", "oldText": "900", "newText": "950"}},
	{toolbox.MemorySearch, map[string]any{"query": "What is the boat called?"}},
	{toolbox.MemoryGet, map[string]any{"path": "MEMORY.md"}},
	{toolbox.ListFiles, map[string]any{}},
	{toolbox.SearchFiles, map[string]any{"query": "boat"}},
	{toolbox.ReadFile, map[string]any{"filename": "MEMORY.md"}},
	{toolbox.ListContradictions, map[string]any{}},
	{toolbox.MemoryUpsert, map[string]any{"op": "insert", "content": "The mast is 12 m high"}},
	{toolbox.MemoryQuery, map[string]any{"op": "list"}},
	{toolbox.MemoryForget, map[string]any{"pattern": "berth", "dry_run": false}},
	{toolbox.ForgetTool, map[string]any{"text": "The boat is called Heron"}},
	{toolbox.RememberStructured, map[string]any{"type": "project", "key": "harbour", "content": "The harbour closes at ten"}},
	{toolbox.RecallStructured, map[string]any{"query": "harbour"}},
	{toolbox.ForgetStructured, map[string]any{"type": "project", "key": "harbour"}},
	{toolbox.SessionSearch, map[string]any{"mode": "recent"}},
	{toolbox.FactProbe, map[string]any{"entity": "mast"}},
	{toolbox.WriteMemory, map[string]any{"content": "The keel is made of lead"}},
	{toolbox.StructuredSearch, map[string]any{"query": "keel"}},
}

// numbered tools need a number that only an answer has; package toolbox tests them.
var numbered = []string{toolbox.MemoryFeedback, toolbox.StructuredUpdate, toolbox.StructuredDelete}

// TestTypeScriptClient calls every tool and reads every kind of resource, over HTTP and over standard input and output.
func TestTypeScriptClient(t *testing.T) {
	folder := prepare(t)
	program, err := deployment.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"http", "stdio"} {
		t.Run(way, func(t *testing.T) {
			s := start(t)
			task := map[string]any{"key": s.key, "calls": calls}
			if way == "http" {
				task["url"] = s.url + "/mcp?agent=ada&owner=user:1"
			} else {
				task["command"], task["args"] = program, []string{"mcp", "--url", s.url, "--agent", "ada", "--owner", "user:1"}
			}
			encoded, err := json.Marshal(task)
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Error        string
				Capabilities struct{ Resources struct{ Subscribe bool } }
				Instructions string
				Tools        []struct {
					Name         string
					OutputSchema map[string]any
					Annotations  map[string]any
				}
				Calls []struct {
					Name, Text          string
					IsError, Structured bool
				}
				Prompts, Resources, Templates, Updated []string
				Prompt                                 int
				Memory                                 string
			}
			printed := run(t, folder, "node", "client.mjs", string(encoded))
			if err := json.Unmarshal([]byte(printed), &got); err != nil || got.Error != "" {
				t.Fatalf("%v %s\n%s", err, got.Error, printed)
			}
			if len(got.Tools) != len(toolbox.Offers()) || len(got.Calls)+len(numbered) != len(toolbox.Offers()) {
				t.Errorf("%d tools, %d calls of %d", len(got.Tools), len(got.Calls), len(toolbox.Offers()))
			}
			for _, tool := range got.Tools {
				if tool.OutputSchema == nil || tool.Annotations["title"] == nil || tool.Annotations["openWorldHint"] != false {
					t.Errorf("%s: %v", tool.Name, tool.Annotations)
				}
			}
			for _, call := range got.Calls {
				if call.IsError || !call.Structured {
					t.Errorf("%s: %s", call.Name, call.Text)
				}
			}
			if !slices.Contains(got.Resources, "memory:///MEMORY.md") || len(got.Templates) != 2 || len(got.Prompts) != 2 || got.Prompt != 1 ||
				got.Instructions == "" || !strings.Contains(got.Memory, "950") || strings.Contains(got.Memory, "Heron") {
				t.Errorf("%+v", got)
			}
			if subscribes := way == "stdio"; got.Capabilities.Resources.Subscribe != subscribes || slices.Contains(got.Updated, "memory:///MEMORY.md") != subscribes {
				t.Errorf("subscribes: %v, told of %v", got.Capabilities.Resources.Subscribe, got.Updated)
			}
		})
	}
}

func TestInspector(t *testing.T) {
	folder := prepare(t)
	s := start(t)
	inspect := func(args ...string) string {
		all := append([]string{"--cli", s.url + "/mcp?agent=ada&owner=user:1", "--transport", "http", "--header", "Authorization: Bearer " + s.key}, args...)
		return run(t, folder, filepath.Join(folder, "node_modules", ".bin", "mcp-inspector"), all...)
	}
	var list struct{ Tools []struct{ Name string } }
	if out := inspect("--method", "tools/list"); json.Unmarshal([]byte(out), &list) != nil || len(list.Tools) != len(toolbox.Offers()) {
		t.Errorf("%s", out)
	}
	if out := inspect("--method", "tools/call", "--tool-name", toolbox.Remember, "--tool-arg", "text=The berth is number twelve"); !strings.Contains(out, "saved") {
		t.Errorf("%s", out)
	}
	if out := inspect("--method", "resources/read", "--uri", "memory:///MEMORY.md"); !strings.Contains(out, "number twelve") {
		t.Errorf("%s", out)
	}
	if out := inspect("--method", "prompts/list"); !strings.Contains(out, "memory_recall") {
		t.Errorf("%s", out)
	}
}

// prepare returns a folder with the installed packages and the client.
func prepare(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(npm.Install(t, "mcp"), "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("testdata/client.mjs")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "client.mjs"), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %.200s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), problems.String())
	}
	return out.String()
}

// BenchmarkCalls makes 1,000 calls by 20 parallel clients over MCP, and the same over REST, in turns, and prints the ratio of the times.
//
//	go test ./test/mcp -run '^$' -bench Calls -benchtime 1x
func BenchmarkCalls(b *testing.B) {
	s := start(b)
	const clients, each = 20, 50
	post := func(path, body string) {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		r.Header.Set("Authorization", "Bearer "+s.key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Error(err)
			return
		}
		defer answer.Body.Close()
		var out bytes.Buffer
		if _, err := out.ReadFrom(answer.Body); err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(out.String(), "Heron") {
			b.Errorf("%s: %d %v %.300s", path, answer.StatusCode, err, out.String())
		}
	}
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = clients
	post("/api/v1/agents/ada/tools/write_workspace_memory_file?owner=user:1", `{"filename":"Heron.md","content":"The boat is called Heron\n"}`)
	ways := map[string]func(int){
		"rest": func(int) {
			post("/api/v1/agents/ada/tools/memory_search?owner=user:1", `{"query":"What is the boat called?"}`)
		},
		"mcp": func(n int) {
			post("/mcp?agent=ada&owner=user:1", fmt.Sprintf(
				`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"What is the boat called?"}}}`, n))
		},
	}
	took := map[string]time.Duration{}
	measure := func(way string) time.Duration {
		began := time.Now()
		var working sync.WaitGroup
		for c := range clients {
			working.Go(func() {
				for i := range each {
					ways[way](c*each + i)
				}
			})
		}
		working.Wait()
		return time.Since(began)
	}
	for way := range ways { // connections, plans and caches
		measure(way)
	}
	for b.Loop() {
		for _, way := range []string{"rest", "mcp", "mcp", "rest"} {
			took[way] += measure(way)
		}
	}
	b.ReportMetric(took["mcp"].Seconds()/took["rest"].Seconds(), "mcp/rest")
	b.ReportMetric(float64(took["rest"].Microseconds())/float64(2*b.N*clients*each), "rest-µs/call")
	b.ReportMetric(float64(took["mcp"].Microseconds())/float64(2*b.N*clients*each), "mcp-µs/call")
}
