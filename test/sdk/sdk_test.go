// Package sdk tries the clients of other programs, as their users get them, with a running server: the packed TypeScript package, the
// Python package, the Go module, and the example of a tool set for the Vercel AI SDK.
package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reverie/devenv"
	"reverie/devenv/devtest"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/test/deployment"
	"reverie/test/npm"
)

func TestMain(m *testing.M) { devtest.Main(m) }

const (
	typeScript = "../../sdk/typescript"
	python     = "../../sdk/python"
	// example begins the system message of the example.
	example = "Look into your memory"
)

// TestClients runs the tests of the clients with one server.
func TestClients(t *testing.T) {
	s := deployment.StartSystem(t.Context(), t, deployment.Options{Model: &llmtest.Options{Respond: answering, Script: paced}})
	env := []string{"REVERIE_URL=" + s.API.URL, "REVERIE_KEY=" + s.API.Key}
	t.Run("typescript", func(t *testing.T) { tryTypeScript(t, s, env) })
	t.Run("python", func(t *testing.T) { tryPython(t, env) })
	t.Run("go", func(t *testing.T) { tryGo(t, env) })
}

// answering answers a chat with what the user said, an extraction with what was decided, and the example by its tools.
func answering(r llmtest.Request) llmtest.Turn {
	last := r.Messages[len(r.Messages)-1]
	said := last.Content[strings.LastIndex(last.Content, "\n")+1:]
	switch {
	case strings.Contains(r.System, "should_update"):
		if decided := regexp.MustCompile(`We decided [^.]*\.`).FindString(r.User); decided != "" {
			proposal, _ := json.Marshal(map[string]any{ //nolint:errchkjson // strings and a boolean
				"should_update": true, "reason": "a decision", "daily_entry": "## 10:00 Decided\n\n- " + decided,
			})
			return llmtest.Say(string(proposal))
		}
		return llmtest.Say(llmtest.Nothing)
	case strings.HasPrefix(r.System, example) && last.Role == memory.RoleOfTool:
		return llmtest.Say("The tool says: " + last.Content)
	case strings.HasPrefix(r.System, example):
		if statement, is := strings.CutPrefix(said, "Please remember that "); is {
			return llmtest.Use(llmtest.Call("remember", map[string]any{"text": statement}))
		}
		return llmtest.Use(llmtest.Call("memory_search", map[string]any{"query": said}))
	case strings.HasPrefix(said, "SLOW"):
		return llmtest.Say(strings.Repeat("word ", 2000))
	}
	return llmtest.Say("You said: " + said)
}

func paced(r llmtest.Request) llmtest.Reply {
	if strings.Contains(r.User, "SLOW") {
		return llmtest.Paced(20 * time.Millisecond)
	}
	return llmtest.Honest()
}

// tryTypeScript packs the package, installs what was packed, and compiles and runs tests and example with it.
func tryTypeScript(t *testing.T, s *deployment.System, env []string) {
	t.Helper()
	work := t.TempDir()
	sources, user := filepath.Join(work, "typescript"), filepath.Join(work, "user")
	link(t, filepath.Join(npm.InstallFrom(t, "typescript", typeScript), "node_modules"), filepath.Join(work, "node_modules"))
	copyFolder(t, typeScript, sources)
	if err := os.Mkdir(user, 0o700); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(work, "node_modules", ".bin")
	run(t, sources, nil, "npm", "pack", "--pack-destination", user)
	packed, err := filepath.Glob(filepath.Join(user, "*.tgz"))
	if err != nil || len(packed) != 1 {
		t.Fatal(packed, err)
	}
	if err := os.WriteFile(filepath.Join(user, "package.json"), []byte(`{"private":true,"type":"module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, user, nil, "npm", "install", "--offline", "--no-audit", "--no-fund", packed[0])
	installed, err := os.ReadDir(filepath.Join(user, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range installed {
		if name := folder.Name(); name != "@reverie-memory" && name[0] != '.' {
			t.Errorf("the package depends on %s", name)
		}
	}
	files, err := filepath.Glob(filepath.Join(user, "node_modules/@reverie-memory/client/*"))
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		files[i] = filepath.Base(file)
	}
	if want := []string{"LICENSE", "README.md", "dist", "package.json"}; !slices.Equal(files, want) {
		t.Errorf("packed %q, want %q", files, want)
	}

	copyFolder(t, filepath.Join(typeScript, "test"), filepath.Join(user, "test"))
	copyFolder(t, filepath.Join(typeScript, "examples"), filepath.Join(user, "examples"))
	run(t, user, nil, filepath.Join(bin, "tsc"), "--project", "test/tsconfig.json")
	out := run(t, user, env, "node", "--test", "--test-reporter=tap", "test/client.test.js", "test/faults.test.js", "test/webhook.test.js")
	if passed := regexp.MustCompile(`(?m)^# pass (\d+)$`).FindStringSubmatch(out); passed == nil || passed[1] == "0" {
		t.Errorf("no test ran:\n%s", out)
	}

	chat := func(message string) string {
		return run(t, user, append(slices.Clone(env), "REVERIE_AGENT="+deployment.Agent, "REVERIE_OWNER=user:vercel",
			"MODEL_URL="+s.Model.URL+"/v1", "MODEL_KEY=sk-of-a-test", "MODEL=test"), "node", "examples/vercel-ai/chat.js", message)
	}
	if out := chat("Please remember that my boat is called Heron."); !strings.Contains(out, "saved") {
		t.Errorf("the example remembers: %s", out)
	}
	if out := chat("What is my boat called?"); !strings.Contains(out, "Heron") {
		t.Errorf("the example answers: %s", out)
	}
}

// tryPython checks the types of the package and runs its tests. It needs no installation.
func tryPython(t *testing.T, env []string) {
	t.Helper()
	if err := devenv.Programs(t.Context(), nil, "python3"); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "python")
	copyFolder(t, python, folder)
	env = append(slices.Clone(env), "PYTHONPATH=src", "PYTHONDONTWRITEBYTECODE=1")
	if version := run(t, folder, env, "python3", "-c", "import sys; print(sys.version_info >= (3, 11))"); strings.TrimSpace(version) != "True" {
		t.Fatal("the Python client needs Python 3.11 or later: put it on the PATH as python3")
	}
	out := run(t, folder, env, "python3", "-W", "error::ResourceWarning", "-m", "unittest", "discover", "--verbose", "--top-level-directory", ".", "tests")
	ran := regexp.MustCompile(`(?m)^Ran (\d+) tests`).FindStringSubmatch(out)
	if ran == nil {
		t.Fatalf("no test ran:\n%s", out)
	}
	if n, err := strconv.Atoi(ran[1]); err != nil || n < 20 || strings.Contains(out, "skipped") {
		t.Errorf("%d tests ran (%v):\n%s", n, err, out)
	}
	run(t, folder, env, filepath.Join(npm.Install(t, "sdk"), "node_modules", ".bin", "pyright"), "--project", ".")
}

// run runs a program and returns what it prints, in both streams.
func run(t *testing.T, folder string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %.200s: %v\n%s", name, strings.Join(args, " "), err, out.String())
	}
	return out.String()
}

// copyFolder copies the sources in a folder, without what was built from them.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, built := range []string{"dist", "node_modules"} {
		if err := os.RemoveAll(filepath.Join(to, built)); err != nil {
			t.Fatal(err)
		}
	}
}

func link(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Symlink(from, to); err != nil {
		t.Fatal(err)
	}
}
