package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The flags are sent unchanged, whatever characters they have.
func TestWriteFromTheShell(t *testing.T) {
	var sent map[string]any
	answer := `{"code":200,"msg":"success","data":{"requestId":"close-41","outcome":"written","scope":"PERSONAL","path":"memory/cases/41.md","version":1,"created":true,"added":2}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = nil
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	content, data := filepath.Join(folder, "content.md"), filepath.Join(folder, "data.json")
	for name, text := range map[string]string{content: "Closed: {{why}}\n", data: `{"id": 41, "why": "a fuse"}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, error) {
		t.Helper()
		out, _, err := runMemory(t, append([]string{
			"write", "--url", server.URL, "--key", "k", "--agent", "ada", "--target", "memory/cases/{{id}}.md", "--strategy", "append",
		}, args...)...)
		return out, err
	}
	out, err := run("--owner", "user:7", "--content-file", content, "--data", "@"+data, "--request-id", "close-41", "--reason", "closed")
	if want := "written: memory/cases/41.md (PERSONAL) version 1, new, +2 -0\n"; err != nil || out != want {
		t.Errorf("%q, %v; want %q", out, err, want)
	}
	if diff := cmp.Diff(map[string]any{
		"owner": "user:7", "requestId": "close-41", "target": "memory/cases/{{id}}.md", "strategy": "append", "content": "Closed: {{why}}\n",
		"data": map[string]any{"id": 41.0, "why": "a fuse"}, "reason": "closed",
	}, sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	made := map[any]bool{}
	for range 2 {
		if _, err := run("--content", "x", "--data", `{"id":1}`); err != nil {
			t.Fatal(err)
		}
		made[sent["requestId"]] = true
	}
	if len(made) != 2 {
		t.Errorf("request ids that were made up: %v", made)
	}

	answer = `{"code":200,"msg":"success","data":{"outcome":"refused","reasonCode":"memory_off","scope":"TEAM","path":"m.md","problem":"memory is off"}}`
	if out, err := run("--content", "x"); err == nil || !strings.Contains(err.Error(), "memory_off") ||
		out != "refused: m.md (TEAM)\n  memory is off\n" {
		t.Errorf("%q, %v", out, err)
	}
	answer = `{"code":202,"msg":"success","data":{"requestId":"r","outcome":"staged","scope":"TEAM","path":"m.md"}}`
	if out, err := run("--content", "x"); err != nil || !strings.HasPrefix(out, "staged: m.md (TEAM); the same command with --request-id") {
		t.Errorf("%q, %v", out, err)
	}
	for _, args := range [][]string{
		{},
		{"--content", "x", "--content-file", content},
		{"--content", "x", "--data", "{"},
		{"--content", "x", "--data", "@" + folder + "/none"},
		{"--content-file", folder + "/none"},
	} {
		sent = nil
		if _, err := run(args...); err == nil || sent != nil {
			t.Errorf("%v: %v, sent %v", args, err, sent)
		}
	}
}
