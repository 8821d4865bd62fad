package docs

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
		"Where are the timeouts and retries of workflow steps?":    `RetryPolicy:`,
		"Where is it decided whether a conversation is extracted?": `func Gate\(`,
		"Where is it decided what a dream promotes?":               `Judge\(dream\.VerdictPromoted`,
		"Where is a search result scored?":                         `newBM25\(`,
		"Where is the prompt of an extraction?":                    `(?i)json`,
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

// Limits of a package, beyond which docs/architecture.md gives a reason: lines, files and exported names.
const (
	maxLines = 4_050
	maxFiles = 30
	maxNames = 33
)

// givenSize matches a package with its size in the reasons.
var givenSize = regexp.MustCompile("`([a-z/]+)/` \\(([0-9,]+) lines, ([0-9]+)\\s+names\\)")

// isOff reports whether a figure is off by more than a tenth.
func isOff(given, counted int) bool { return 10*max(given-counted, counted-given) > counted }

var exported = regexp.MustCompile(`(?m)^(?:func|type) [A-Z]\w*`)

// TestPackagesKeepToTheRule checks that docs/architecture.md gives a reason for each package beyond the rule for sizes, and for no other.
func TestPackagesKeepToTheRule(t *testing.T) {
	content, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, reasons, _ := strings.Cut(string(content), "Packages beyond the rule")
	reasons, _, _ = strings.Cut(reasons, "`go test")
	type size struct{ lines, files, names int }
	sizes := map[string]size{}
	err = filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		folder := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../../")
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules" || path == "../../test" || path == "../../.git"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		code, err := os.ReadFile(path)
		s := sizes[folder]
		sizes[folder] = size{s.lines + bytes.Count(code, []byte("\n")), s.files + 1, s.names + len(exported.FindAll(code, -1))}
		return err
	})
	if err != nil || len(sizes) < 50 {
		t.Fatalf("%d packages, %v", len(sizes), err)
	}
	for _, given := range givenSize.FindAllStringSubmatch(reasons, -1) {
		s := sizes[given[1]]
		lines, _ := strconv.Atoi(strings.ReplaceAll(given[2], ",", ""))
		names, _ := strconv.Atoi(given[3])
		if isOff(lines, s.lines) || isOff(names, s.names) {
			t.Errorf("%s/ has %d lines and %d names, not %d and %d", given[1], s.lines, s.names, lines, names)
		}
	}
	for folder, s := range sizes {
		beyond, named := s.lines > maxLines || s.files > maxFiles || s.names > maxNames, strings.Contains(reasons, "`"+folder+"/`")
		if beyond != named {
			t.Errorf("%s/ has %+v; with a reason: %v", folder, s, named)
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
