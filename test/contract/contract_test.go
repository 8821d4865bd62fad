// Package contract checks api/openapi.yaml with the tools that programs in other languages use: it passes Redocly's recommended
// rules, and TypeScript types generated from it compile in strict mode.
package contract

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reverie/test/npm"
)

const document = "../../api/openapi.yaml"

func TestDocumentPassesTheRecommendedRules(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	out := w.run("redocly", "lint", "openapi.yaml", "--format=json", "--max-problems=1000")
	var found struct {
		Totals   struct{ Errors, Warnings, Ignored int }
		Problems []struct {
			RuleID   string
			Message  string
			Location []struct{ Pointer string }
		}
	}
	begin := strings.IndexByte(out, '{') // a notice may be in front of it
	if begin < 0 {
		t.Fatal(out)
	}
	if err := json.NewDecoder(strings.NewReader(out[begin:])).Decode(&found); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	for _, p := range found.Problems {
		t.Errorf("%s: %s (%+v)", p.RuleID, p.Message, p.Location)
	}
	if n := found.Totals.Errors + found.Totals.Warnings + found.Totals.Ignored; n != 0 {
		t.Errorf("totals %+v", found.Totals)
	}
}

// TestTypeScriptCompiles holds that a program which leaves out what the server does not need compiles, and that one which leaves
// out what it needs does not.
func TestTypeScriptCompiles(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.run("openapi-typescript", "openapi.yaml", "--output", "schema.ts")
	w.run("tsc", "--project", "tsconfig.json")

	// The check can fail.
	usage := filepath.Join(w.dir, "usage.ts")
	source, err := os.ReadFile(usage)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(source), `query: "Where do I live?"`, `question: "Where do I live?"`, 1)
	if err := os.WriteFile(usage, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := w.command("tsc", "--project", "tsconfig.json"); err == nil || !strings.Contains(out, "question") {
		t.Errorf("a search without a query compiles: %v, %s", err, out)
	}
}

// workspace is a folder with the document, the files of testdata and the installed packages.
type workspace struct {
	t   *testing.T
	dir string
}

func newWorkspace(t *testing.T) workspace {
	t.Helper()
	w := workspace{t, t.TempDir()}
	packages := npm.Install(t, "contract")
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(w.dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{document, "testdata/package.json", "testdata/redocly.yaml", "testdata/tsconfig.json", "testdata/usage.ts"} {
		copyFile(t, name, filepath.Join(w.dir, filepath.Base(name)))
	}
	return w
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs an installed command and returns what it prints. It fails the test if the command fails.
func (w workspace) run(name string, args ...string) string {
	w.t.Helper()
	out, err := w.command(name, args...)
	if err != nil && (name != "redocly" || !errors.As(err, new(*exec.ExitError))) { // whose report says why
		w.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func (w workspace) command(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(w.dir, "node_modules", ".bin", name), args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1")
	out, err := cmd.Output()
	if failed, is := errors.AsType[*exec.ExitError](err); is {
		out = append(out, failed.Stderr...)
	}
	return string(out), err
}
