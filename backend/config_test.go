package backend_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reverie/backend"
)

// write writes files of a configuration, and returns the path of mcp.json.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "mcp.d"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "mcp.json")
}

func load(t *testing.T, path string) (backend.Config, error) {
	t.Helper()
	return backend.Load(path, "acme", func(name string) (string, bool) { return "value of " + name, name == "KNOWN" })
}

// The example of MicroClaw's documentation, with fragments on top: later files replace servers of the same name as a whole.
func TestConfigPrecedence(t *testing.T) {
	path := write(t, map[string]string{
		"mcp.json": `{"defaultProtocolVersion":"2024-11-05","mcpServers":{"memory":{"transport":"streamable_http",
			"endpoint":"http://127.0.0.1:8090/mcp","headers":{"Authorization":"Bearer REPLACE_ME"},"request_timeout_secs":60},
			"gone":{"endpoint":"http://127.0.0.1:1/"}, "other":{"endpoint":"http://127.0.0.1:2/","headers":{"A":"b"}}}}`,
		"mcp.d/20-b.json": `{"mcpServers":{"other":{"endpoint":"http://127.0.0.1:4/","workspace":"globex"}}}`,
		"mcp.d/10-a.json": `{"defaultProtocolVersion":"2025-06-18","mcpServers":{"gone":{"disabled":true},"other":{"endpoint":"http://127.0.0.1:3/"},
			"local":{"command":"memory","args":["--x"],"env":{"KEY":"${KNOWN}"}}}}`,
		"mcp.d/ignored.txt": `no JSON`,
	})
	c, err := load(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if c.Version != "2025-06-18" || len(c.Servers) != 3 {
		t.Fatalf("%+v", c)
	}
	local, memory, other := c.Servers[0], c.Servers[1], c.Servers[2]
	if local.Name != "local" || local.Transport != backend.Stdio || local.Env["KEY"] != "value of KNOWN" || local.Timeout != 10*time.Second {
		t.Errorf("%+v", local)
	}
	if memory.Name != "memory" || memory.Timeout != time.Minute || memory.Headers["Authorization"] != "Bearer REPLACE_ME" || memory.Workspace != "acme" {
		t.Errorf("%+v", memory)
	}
	if other.Endpoint != "http://127.0.0.1:4/" || len(other.Headers) != 0 || other.Workspace != "globex" {
		t.Errorf("%+v", other)
	}
}

// The examples of the documentation are valid.
func TestDocumentedConfigurations(t *testing.T) {
	page, err := os.ReadFile("../docs/memory-backend.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```json\n")[1:]
	if len(blocks) != 3 {
		t.Errorf("%d examples", len(blocks))
	}
	for _, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		c, err := backend.Load(write(t, map[string]string{"mcp.json": text}), "acme", func(name string) (string, bool) {
			return "secret", name == "MEMORY_TOKEN" || name == "OTHER_KEY"
		})
		if err != nil || len(c.Servers) != 1 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Errors say what is wrong, and repeat no value.
func TestConfigErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers":`:                                                                                 "no valid JSON",
		`{"mcpServers":{}} {"a":1}`:                                                                      "something follows",
		`{"servers":{}}`:                                                                                 `unknown field "servers"`,
		`{"mcpServers":{"a":"SECRET"}}`:                                                                  "mcpServers",
		`{"mcpServers":{"a b":{"endpoint":"http://x/"}}}`:                                                "its name",
		`{"mcpServers":{"a":{"endpoint":"SECRET"}}}`:                                                     "endpoint: write a URL",
		`{"mcpServers":{"a":{"endpoint":"ftp://x/SECRET"}}}`:                                             "endpoint: write a URL",
		`{"mcpServers":{"a":{}}}`:                                                                        "endpoint: write a URL",
		`{"mcpServers":{"a":{"endpoint":"http://me:SECRET@x/"}}}`:                                        "passwords",
		`{"mcpServers":{"a":{"endpoint":"http://{owner}.x/?a={agent}"}}}`:                                "endpoint: write a URL",
		`{"mcpServers":{"a":{"endpoint":"http://x/{owner}?a={agent}"}}}`:                                 "query only",
		`{"mcpServers":{"a":{"endpoint":"http://x/?o={owner}"}}}`:                                        "distinguishes owners by name",
		`{"mcpServers":{"a":{"endpoint":"http://x/","owner":"user:1"}}}`:                                 "distinguishes owners by name",
		`{"mcpServers":{"a":{"endpoint":"http://x/","headers":{"Host":"SECRET"}}}}`:                      "Host is set by the protocol",
		`{"mcpServers":{"a":{"endpoint":"http://x/","headers":{"mcp-session-id":"1"}}}}`:                 "set by the protocol",
		`{"mcpServers":{"a":{"endpoint":"http://x/","headers":{"A":"SECRET\nB: c"}}}}`:                   "not a valid header",
		`{"mcpServers":{"a":{"endpoint":"http://x/","headers":{"A":"${MISSING}SECRET"}}}}`:               "variable MISSING is not set",
		`{"mcpServers":{"a":{"transport":"streamable_http","endpoint":"http://x/","command":"SECRET"}}}`: "command, args and env",
		`{"mcpServers":{"a":{"transport":"stdio","env":{"A":"SECRET"}}}}`:                                "command is missing",
		`{"mcpServers":{"a":{"command":"x","endpoint":"http://SECRET/"}}}`:                               "endpoint and headers",
		`{"mcpServers":{"a":{"transport":"pigeon","endpoint":"http://x/"}}}`:                             "transport must be",
		`{"mcpServers":{"a":{"endpoint":"http://x/","request_timeout_secs":0}}}`:                         "from 1 to 120",
		`{"defaultProtocolVersion":"1999-01-01"}`:                                                        "defaultProtocolVersion",
	} {
		_, err := load(t, write(t, map[string]string{"mcp.json": text}))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := load(t, filepath.Join(t.TempDir(), "mcp.json")); err == nil {
		t.Error("a file that is missing")
	}
	open := write(t, map[string]string{"mcp.json": `{}`})
	if err := os.Chmod(open, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := load(t, open); err == nil || !strings.Contains(err.Error(), "everybody may write") {
		t.Errorf("%v", err)
	}
}
