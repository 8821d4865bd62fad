// Package docs runs the commands shown in README.md and docs/ against a real `reverie dev` and compares their output with the output
// shown there. It also checks links, and the paths that CONTRIBUTING.md and docs/architecture.md name.
//
//	go test ./test/docs -update
//
// writes the output into the documents. Read the diff before you commit it.
package docs

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/devenv"
	"reverie/llm"
	"reverie/test/deployment"
)

var update = flag.Bool("update", false, "write the output into the documents")

// Addresses and folders as shown in the documents.
const (
	shownAPI  = "127.0.0.1:8080"
	shownUI   = "127.0.0.1:8233"
	shownHome = "/home/you/reverie"
)

// patience limits the start of dev, including installations, and the run of each document.
const patience = 15 * time.Minute

// TestDocuments runs the examples of all documents. It is one test because they share one running server.
func TestDocuments(t *testing.T) {
	names, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, "../../README.md")
	d := startDev(t)
	t.Run("commands printed by dev", d.paste)
	total := 0
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		examples, err := examplesOf(string(content), tested)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		total += len(examples)
		if len(examples) > 0 {
			t.Run(filepath.Base(name), func(t *testing.T) { compare(t, name, examples, d.run(t, examples)) })
		}
		shown, err := examplesOf(string(content), shownByDev)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(shown) > 0 {
			t.Run(filepath.Base(name)+" shows dev", func(t *testing.T) { compare(t, name, shown, []string{d.greeting(t)}) })
		}
	}
	if total < 4 {
		t.Errorf("the documents have %d examples: are marks missing?", total)
	}
	t.Run("metrics", d.checkMetrics)
}

// compare compares the outputs with the document, or writes them into it with -update.
func compare(t *testing.T, name string, examples []example, outputs []string) {
	t.Helper()
	if *update {
		content, err := os.ReadFile(name) // another comparison may have written it
		if err != nil {
			t.Fatal(err)
		}
		mark := tested
		if examples[0].commands == "" {
			mark = shownByDev
		}
		current, err := examplesOf(string(content), mark)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(replaced(string(content), current, outputs)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, e := range examples {
		if diff := cmp.Diff(normalised(e.shown), normalised(outputs[i])); diff != "" {
			t.Errorf("%s:%d differs from the output (-shown +printed):\n%s", name, e.from, diff)
		}
	}
}

// dev is a running `reverie dev` in a temporary folder.
type dev struct {
	home     string // working folder; data is in its .reverie
	log      string
	api, ui  string // addresses
	adminKey string
}

// Documents run the program by goRun, which looks at all sources each time. The tests run a script instead, with the same output and
// status, by the name runner in the folder of dev.
const (
	goRun        = "go run ./cmd/reverie"
	runner       = "run"
	runnerScript = `#!/bin/sh
%q "$@" || { echo "exit status $?" >&2; exit 1; }
`
)

func startDev(t *testing.T) *dev {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	installing := func(part, message string) { t.Logf("%s: %s", part, message) }
	if err := devenv.Programs(ctx, installing, "curl", "jq", "npm", "python3"); err != nil {
		t.Fatal(err)
	}
	program, err := deployment.Build(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &dev{home: traversable(t)}
	script := fmt.Sprintf(runnerScript, program)
	if err := os.WriteFile(filepath.Join(d.home, runner), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	d.log = filepath.Join(d.home, "dev.out")
	for _, address := range []*string{&d.api, &d.ui} {
		if *address, err = deployment.FreeAddress(); err != nil {
			t.Fatal(err)
		}
	}
	// With the default quiet period, a slow machine would extract between two examples.
	process, err := deployment.Start(program, append(withoutSettings(), "REVERIE_QUIET_PERIOD=1h", "REVERIE_WEBHOOK_NETWORKS=127.0.0.1/32"), d.log,
		"dev", "--data", filepath.Join(d.home, ".reverie"), "--addr", d.api, "--temporal-ui", d.ui)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := process.Stop(time.Minute); err != nil {
			t.Error(err)
		}
	})
	for {
		select {
		case <-process.Done():
			t.Fatalf("dev exited:\n%s", d.output(t))
		case <-ctx.Done():
			t.Fatalf("dev was not ready within %s:\n%s", patience, d.output(t))
		case <-time.After(100 * time.Millisecond):
		}
		if strings.Contains(d.output(t), "Ctrl-C stops everything") && d.ready(ctx) {
			break
		}
	}
	key, err := os.ReadFile(filepath.Join(d.home, ".reverie", "admin-key"))
	if err != nil {
		t.Fatal(err)
	}
	d.adminKey = strings.TrimSpace(string(key))
	return d
}

// traversable returns a temporary folder with a data folder that other users can enter. A test that runs as root then keeps the
// cluster of its unprivileged server there, not in a permanent place.
func traversable(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("", "reverie-docs-") //nolint:usetesting // other users cannot enter the parent of t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	for _, folder := range []string{home, filepath.Join(home, ".reverie")} {
		if err := os.MkdirAll(folder, 0o711); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(folder, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// withoutSettings returns assignments that clear the REVERIE_ variables of the environment, so that dev runs as on a fresh machine.
func withoutSettings() []string {
	var out []string
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "REVERIE_") {
			out = append(out, name+"=")
		}
	}
	return out
}

func (d *dev) ready(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+d.api+"/readyz", nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

func (d *dev) output(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(d.log)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// offer precedes the commands that dev prints.
const offer = "Try it, in another terminal:\n"

// greeting returns the output of dev before its offer, as shown in the documents.
func (d *dev) greeting(t *testing.T) string {
	t.Helper()
	greeting, _, _ := strings.Cut(d.asShown(d.output(t)), offer)
	return greeting
}

// asShown replaces addresses and folders in an output by those shown in the documents.
func (d *dev) asShown(output string) string {
	return strings.NewReplacer(d.adminKey, "rv_…", d.api, shownAPI, d.ui, shownUI,
		"data in "+d.home+"/.reverie", "data in ./.reverie", d.home, shownHome).Replace(output)
}

// border separates the outputs of two examples.
const border = "--8<-- the next example --8<--"

// run runs the examples of one document in one shell, in order, and returns their outputs.
func (d *dev) run(t *testing.T, examples []example) []string {
	t.Helper()
	var script strings.Builder
	for _, e := range examples {
		script.WriteString(e.commands + "\necho '" + border + "'\n")
	}
	keyFile := filepath.Join(d.home, ".reverie", "admin-key")
	commands := strings.NewReplacer(shownAPI, d.api, ".reverie/admin-key", keyFile, goRun, filepath.Join(d.home, runner)).Replace(script.String())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out := d.shell(ctx, t, commands)
	outputs := strings.Split(d.asShown(out), border+"\n")
	if len(outputs) != len(examples)+1 {
		t.Fatalf("output of %d examples:\n%s", len(examples), out)
	}
	return outputs[:len(examples)]
}

// shell runs commands in the project's folder, with REVERIE_URL and REVERIE_KEY of this server, and returns their output.
func (d *dev) shell(ctx context.Context, t *testing.T, commands string) string {
	t.Helper()
	shell := exec.CommandContext(ctx, "sh", "-c", commands)
	shell.Dir = filepath.Join("..", "..")
	shell.Env = append(os.Environ(), append(withoutSettings(), "REVERIE_URL=http://"+d.api, "REVERIE_KEY="+d.adminKey, "LC_ALL=C.UTF-8",
		"PYTHONDONTWRITEBYTECODE=1", "npm_config_prefer_offline=true", "npm_config_audit=false", "npm_config_fund=false")...)
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	if err := shell.Run(); err != nil {
		t.Fatalf("shell: %v\n%s", err, out.String())
	}
	return out.String()
}

// paste runs the commands that dev prints, with an agent id that the documents do not use.
func (d *dev) paste(t *testing.T) {
	_, commands, found := strings.Cut(d.output(t), offer)
	commands, _, ends := strings.Cut(commands, "Ctrl-C stops everything")
	if !found || !ends {
		t.Fatalf("dev prints no commands:\n%s", d.output(t))
	}
	commands = strings.NewReplacer(`"id":"ada"`, `"id":"lovelace"`, "agents/ada", "agents/lovelace", "memory/ada", "memory/lovelace").
		Replace(commands)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out := d.shell(ctx, t, commands)
	answers := json.NewDecoder(strings.NewReader(out))
	var last struct {
		Code int `json:"code"`
		Data struct {
			Lines []struct {
				Line     string  `json:"line"`
				Messages []int64 `json:"messages"`
			} `json:"lines"`
		} `json:"data"`
	}
	for answers.More() {
		if err := answers.Decode(&last); err != nil || last.Code >= http.StatusMultipleChoices {
			t.Fatalf("a command failed (%v):\n%s", err, out)
		}
	}
	for _, line := range last.Data.Lines {
		if strings.HasPrefix(line.Line, "- ") && slices.Equal(line.Messages, []int64{3}) {
			return
		}
	}
	t.Errorf("the last response has no line from the third message:\n%s", out)
}

// checkMetrics compares the metrics listed in docs/operations.md with those the server exposes after all examples.
func (d *dev) checkMetrics(t *testing.T) {
	answer, err := http.Get("http://" + d.api + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	exposed := namesIn(regexp.MustCompile(`(?m)^# TYPE (reverie_\w+)`), string(body))
	content, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := namesIn(regexp.MustCompile("(?m)^\\| `(reverie_\\w+)`"), string(content))
	if len(exposed) == 0 {
		t.Fatalf("the server exposes no metrics of Reverie:\n%s", body)
	}
	if diff := cmp.Diff(listed, exposed); diff != "" {
		t.Errorf("docs/operations.md: metrics differ (-listed +exposed):\n%s", diff)
	}
}

func namesIn(pattern *regexp.Regexp, text string) []string {
	var out []string
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		out = append(out, match[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestProvidersAreListed checks that docs/extraction.md lists the model providers of the program.
func TestProvidersAreListed(t *testing.T) {
	content, err := os.ReadFile("../../docs/extraction.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(content), "| kind | providers |")
	list, _, _ = strings.Cut(list, "\n\n")
	listed := namesIn(regexp.MustCompile("`([a-z-]+)`"), list)
	if diff := cmp.Diff(llm.Providers(), listed); diff != "" {
		t.Errorf("docs/extraction.md: providers differ (-known +listed):\n%s", diff)
	}
}

// TestLinks checks links and anchors between the documents.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	names, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, "../../README.md", "../../CONTRIBUTING.md", "../../CHANGELOG.md", "../../examples/README.md")
	checked := 0
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(string(content), -1) {
			target := name
			if match[1] != "" {
				target = filepath.Join(filepath.Dir(name), match[1])
			}
			linked, err := os.ReadFile(target)
			if err != nil {
				t.Errorf("%s links to %s, which does not exist", name, match[1])
				continue
			}
			checked++
			if match[2] == "" {
				continue
			}
			var anchors []string
			for _, h := range heading.FindAllStringSubmatch(string(linked), -1) {
				anchors = append(anchors, "#"+anchorOf(h[1]))
			}
			if !slices.Contains(anchors, match[2]) {
				t.Errorf("%s links to %s%s: no such heading", name, match[1], match[2])
			}
		}
	}
	if checked < 10 {
		t.Errorf("found %d links only", checked)
	}
}

// anchorOf returns the anchor of a heading.
func anchorOf(heading string) string {
	kept := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(kept, " ", "-")
}

func TestExamplesAreFoundAndReplaced(t *testing.T) {
	const document = "a\n\n<!-- tested -->\n```sh\nls\ncd\n```\n\n```text\nold\nlines\n```\n" +
		"b\n<!-- tested -->\n```sh\npwd\n```\n\n```text\n```\n"
	examples, err := examplesOf(document, tested)
	if err != nil {
		t.Fatal(err)
	}
	if len(examples) != 2 || examples[0].commands != "ls\ncd\n" || examples[0].shown != "old\nlines" || examples[1].shown != "" ||
		examples[0].line != 5 {
		t.Fatalf("%+v", examples)
	}
	want := "a\n\n<!-- tested -->\n```sh\nls\ncd\n```\n\n```text\nnew\n```\nb\n<!-- tested -->\n```sh\npwd\n```\n\n```text\nx\ny\n```\n"
	if diff := cmp.Diff(want, replaced(document, examples, []string{"new\n", "x\ny\n"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"<!-- tested -->\n", "<!-- tested -->\n```sh\nls\n", "<!-- tested -->\n```sh\n```\ntext\n"} {
		if _, err := examplesOf(bad, tested); err == nil {
			t.Errorf("%q: want an error", bad)
		}
	}
}

func TestNormalisedKeepsWhatMatters(t *testing.T) {
	one := "MEMORY.md  (PERSONAL)   version 2  2026-11-21 09:12:33\n  … pgvector  building\n" +
		"id 0193c5d2-7e3f-7d33-8a5c-0123456789ab took 1.2s"
	two := "MEMORY.md (PERSONAL) version 2 2027-01-02 19:00:01 \nid 0194c5d2-7e3f-7d33-8a5c-0123456789ff took 812ms\n"
	if diff := cmp.Diff(normalised(one), normalised(two)); diff != "" {
		t.Errorf("(-one +two):\n%s", diff)
	}
	if normalised(one) == normalised(strings.Replace(one, "version 2", "version 3", 1)) {
		t.Error("version 3 equals version 2")
	}
}
