package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// namedPath matches an inline code span that names a path of this repository: it contains a slash and no placeholder.
var namedPath = regexp.MustCompile("`([.A-Za-z0-9][A-Za-z0-9_.*-]*(?:/[A-Za-z0-9_.*-]+)*/?)`")

// pathsIn returns the repository paths that a document names in inline code, sorted, each once.
func pathsIn(document string) []string {
	document = regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(document, "")
	var out []string
	for _, match := range namedPath.FindAllStringSubmatch(document, -1) {
		if regexp.MustCompile(`/|\.(go|md|yml|yaml|sql|tmpl)$`).MatchString(match[1]) && !notPaths[match[1]] {
			out = append(out, match[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// notPaths are names that look like paths: documents of an agent, and a module.
var notPaths = map[string]bool{
	"AGENTS.md": true, "SOUL.md": true, "PROFILE.md": true, "MEMORY.md": true, "DREAMS.md": true,
	"pgregory.net/rapid": true,
}

// TestPathsExist checks that every path named in CONTRIBUTING.md and docs/architecture.md exists.
func TestPathsExist(t *testing.T) {
	for _, name := range []string{"CONTRIBUTING.md", "docs/architecture.md"} {
		content, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		paths := pathsIn(string(content))
		if len(paths) < 10 {
			t.Errorf("%s names %d paths: does the pattern still match?", name, len(paths))
		}
		for _, path := range paths {
			if found, err := filepath.Glob(filepath.Join("../..", path)); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which does not exist", name, path)
			}
		}
	}
}

// TestLayoutIsComplete checks that docs/architecture.md names every top-level folder with Go code.
func TestLayoutIsComplete(t *testing.T) {
	content, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	named := pathsIn(string(content))
	for _, pattern := range []string{"../../*/*.go", "../../*/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			folder, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(file), "../../"), "/")
			if !slices.ContainsFunc(named, func(path string) bool { return strings.HasPrefix(path, folder+"/") }) {
				t.Errorf("docs/architecture.md does not name %s/", folder)
				named = append(named, folder+"/") // report it once
			}
		}
	}
}

// TestAnswersHold checks that each question of CONTRIBUTING.md is answered by code in the path given with it.
func TestAnswersHold(t *testing.T) {
	contributing, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	code := map[string]string{
		"Where is the rule that a person's line survives?":         `ViolationPersonLine\s+=`,
		"What writes the journal?":                                 `insert into journal`,
		"Where is the one function that writes documents?":         `func ApplyChanges\(`,
		"Where is a model provider added?":                         `var chat = map\[string\]Provider`,
		"Where does a setting get its default?":                    `default:"`,
		"Where does a setting of the server get its default?":      `envconfig:"ADDR" default:"`,
		"Where are the timeouts and retries of workflow steps?":    `RetryPolicy:`,
		"Where is it decided whether a conversation is extracted?": `func Gate\(`,
		"Where is it decided what a dream promotes?":               `Judge\(dream\.VerdictPromoted`,
		"Where is a search result scored?":                         `newBM25\(`,
		"Where is the prompt of an extraction?":                    `Keep what is both new and durable`,
	}
	rows := regexp.MustCompile("(?m)^\\| (.*\\?) \\| `([^`]+)` \\|$").FindAllStringSubmatch(string(contributing), -1)
	if len(rows) != len(code) {
		t.Errorf("%d questions, %d are checked", len(rows), len(code))
	}
	for _, row := range rows {
		question, path := row[1], filepath.Join("../..", row[2])
		files := []string{path}
		if strings.HasSuffix(row[2], "/") {
			if files, err = filepath.Glob(filepath.Join(path, "*.go")); err != nil {
				t.Fatal(err)
			}
		}
		if code[question] == "" || !slices.ContainsFunc(files, func(file string) bool {
			content, err := os.ReadFile(file)
			return err == nil && regexp.MustCompile(code[question]).Match(content)
		}) {
			t.Errorf("%s: %s is not the answer", question, row[2])
		}
	}
}

func TestPathsInFindsFilesAndFolders(t *testing.T) {
	document := "`memory/guards.go`, `store/…`, `dream/`, `extract/<from>`, `GET /api/v1/x`, `.ci/run`, `MEMORY.md`, " +
		"`README.md`, `Taskfile.yml`, `Extract`\n```sh\n`in/a/block`\n```\n"
	want := []string{".ci/run", "README.md", "Taskfile.yml", "dream/", "memory/guards.go"}
	if diff := cmp.Diff(want, pathsIn(document)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
