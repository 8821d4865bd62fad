package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reverie/cli/clitest"
	"reverie/cli/session"
)

// runMemory runs `reverie memory …` and returns what it prints.
func runMemory(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	c := root()
	var out, errOut bytes.Buffer
	c.SetOut(&out)
	c.SetErr(&errOut)
	c.SetIn(strings.NewReader(""))
	c.SetArgs(append([]string{"memory"}, args...))
	err = c.ExecuteContext(t.Context())
	return out.String(), errOut.String(), err
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Setenv("REVERIE_KEY", "")
	t.Setenv("REVERIE_AGENT", "")
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, session.KeyFile), []byte("rv_key_of_dev\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(data, session.KeyFile)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	unauthorized := clitest.Answering(t, 401, `{"code":401,"msg":"the key is unknown or revoked","error":"unauthorized","data":null}`)
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"nobody listens", []string{"agents", "list", "--url", gone.URL}, []string{gone.URL + " does not answer", "reverie dev", "--url"}},
		{
			"another server listens",
			[]string{"agents", "list", "--url", clitest.Answering(t, 200, "<html>hello</html>")},
			[]string{"is not a Reverie server", "REVERIE_URL"},
		},
		{
			"another server answers JSON",
			[]string{"agents", "list", "--url", clitest.Answering(t, 200, `{"ok":true}`)},
			[]string{"is not a Reverie server"},
		},
		{"no number", []string{"agents", "budget", "ada", "--tokens", "many"}, []string{`--tokens: "many": give a whole number`}},
		{"no URL", []string{"agents", "list", "--url", "localhost:8080"}, []string{`invalid server address "localhost:8080"`, "http://"}},
		{
			"no key",
			[]string{"agents", "list", "--url", unauthorized, "--data", t.TempDir()},
			[]string{"unauthorized", "REVERIE_KEY", "admin-key"},
		},
		{"key of the flag", []string{"agents", "list", "--url", unauthorized, "--key", "rv_wrong"}, []string{"The key came from --key"}},
		{
			"key of dev",
			[]string{"agents", "list", "--url", unauthorized, "--data", data},
			[]string{"The key came from " + filepath.Join(data, session.KeyFile)},
		},
		{"a folder that is a file", []string{
			"sync", file, "--agent", "ada", "--key", "k", "--url",
			clitest.Answering(t, 200, `{"code":200,"data":{"id":"ada","items":[]}}`),
		}, []string{file + " is a file: put it into a folder"}},
		{"an export to a file", []string{
			"export", "--to", file, "--agent", "ada", "--key", "k", "--url",
			clitest.Answering(t, 200, `{"code":200,"data":{"id":"ada","items":[]}}`),
		}, []string{file + " is a file"}},
		{
			"a sync without a server",
			[]string{"sync", t.TempDir(), "--agent", "ada", "--key", "k", "--url", gone.URL},
			[]string{gone.URL + " does not answer: connect: connection refused", "reverie dev"},
		},
		{
			"a sync with a bad key",
			[]string{"sync", t.TempDir(), "--agent", "ada", "--key", "k", "--url", unauthorized},
			[]string{"Invalid API key", "The key came from --key"},
		},
		{"a sync of nothing", []string{"sync"}, []string{"name a folder"}},
		{"no agent", []string{"list", "--url", unauthorized}, []string{"--agent", "REVERIE_AGENT"}},
		{"no document", []string{"cat", "--agent", "ada"}, []string{"name a document", "memory list"}},
		{"no version", []string{"diff", "MEMORY.md", "first", "--agent", "ada"}, []string{`invalid version "first"`}},
		{
			"not found",
			[]string{
				"cat", "X.md", "--agent", "ada", "--key", "k", "--url",
				clitest.Answering(t, 404, `{"code":404,"msg":"there is no document X.md","error":"not_found","data":null}`),
			},
			[]string{"there is no document X.md (not_found)"},
		},
		{"no file", []string{"add", "/no/such/file.json", "--agent", "ada"}, []string{"/no/such/file.json", "no such file"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _, err := runMemory(t, c.args...)
			if err == nil {
				t.Fatalf("it succeeds and prints %q", out)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "rv_") {
				t.Errorf("the error shows a key: %q", err)
			}
		})
	}
}

// A redirect to another server must not take the key along.
func TestTheKeyStaysWithItsServer(t *testing.T) {
	var seen string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Get("Authorization")
		_, _ = w.Write([]byte(`{"code":200,"msg":"success","data":{"items":[]}}`))
	}))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	if _, _, err := runMemory(t, "agents", "list", "--url", server.URL, "--key", "rv_secret"); err != nil {
		t.Fatal(err)
	}
	if seen != "" {
		t.Errorf("the other server got %q", seen)
	}
}

func TestPathsAreEscaped(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.URL.EscapedPath()
		_, _ = w.Write([]byte(`{"code":200,"msg":"success","data":{"content":"# x\n"}}`))
	}))
	t.Cleanup(server.Close)
	out, _, err := runMemory(t, "cat", "memory/a b?.md", "--agent", "ada", "--url", server.URL, "--key", "k")
	if err != nil || out != "# x\n" {
		t.Errorf("it printed %q, error %v", out, err)
	}
	if want := "/api/v1/agents/ada/workspace/files/memory/a%20b%3F.md"; got != want {
		t.Errorf("it asked for %s, want %s", got, want)
	}
}

// A start warns about variables that nothing reads, also when it fails.
func TestStartsWarnAboutUnknownVariables(t *testing.T) {
	t.Setenv("REVERIE_LLM_MODLE", "gpt")
	t.Setenv("REVERIE_TEMPORAL_ADDRESS", "")
	c := root()
	var notes bytes.Buffer
	c.SetErr(&notes)
	c.SetArgs([]string{"api"})
	if err := c.ExecuteContext(t.Context()); err == nil {
		t.Error("it starts without Temporal")
	}
	if want := "warning: REVERIE_LLM_MODLE is no setting: did you mean REVERIE_LLM_MODEL?\n"; notes.String() != want {
		t.Errorf("%q, want %q", notes.String(), want)
	}
}
