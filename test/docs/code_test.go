package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// generated matches the first line of a generated file.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// eachFile calls see with the path, from the root of the repository, and the text of every Go file, tests excluded.
func eachFile(t *testing.T, see func(path, code string)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules" || path == "../../.git"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		code, err := os.ReadFile(path)
		n++
		see(strings.TrimPrefix(filepath.ToSlash(path), "../../"), string(code))
		return err
	})
	if err != nil || n < 500 {
		t.Fatalf("%d files, %v", n, err)
	}
}

// handWritten is eachFile without generated files.
func handWritten(t *testing.T, see func(path, code string)) {
	t.Helper()
	eachFile(t, func(path, code string) {
		if !generated.MatchString(code) {
			see(path, code)
		}
	})
}

// limits are those of a package, by the word that its reason has for a figure: docs/architecture.md gives a reason for what is beyond.
var limits = map[string]int{"lines": 4_000, "files": 30, "names": 30}

var (
	exported = regexp.MustCompile(`(?m)^(?:func|type) [A-Z]\w*`)
	// reason matches a package with its figures, and figure one of them.
	reason = regexp.MustCompile("`([a-z/]+)/` \\(([^()]*)\\)")
	figure = regexp.MustCompile(`([0-9,]+)\s+(lines|files|names)`)
)

// isOff reports whether a figure is off by more than a tenth.
func isOff(given, counted int) bool { return 10*max(given-counted, counted-given) > counted }

// TestPackagesKeepToTheRule checks that docs/architecture.md gives a reason for each package beyond the rule for sizes, with the figures
// that are beyond it, and for no other.
func TestPackagesKeepToTheRule(t *testing.T) {
	content, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, reasons, _ := strings.Cut(string(content), "Packages beyond the rule")
	reasons, _, _ = strings.Cut(reasons, "`go test")
	given := map[string]map[string]int{}
	for _, match := range reason.FindAllStringSubmatch(reasons, -1) {
		given[match[1]] = map[string]int{}
		for _, of := range figure.FindAllStringSubmatch(match[2], -1) {
			if given[match[1]][of[2]], err = strconv.Atoi(strings.ReplaceAll(of[1], ",", "")); err != nil {
				t.Error(err)
			}
		}
	}
	sizes := map[string]map[string]int{}
	eachFile(t, func(path, code string) {
		folder := filepath.ToSlash(filepath.Dir(path))
		if strings.HasPrefix(folder, "test/") {
			return
		}
		if sizes[folder] == nil {
			sizes[folder] = map[string]int{}
		}
		sizes[folder]["lines"] += strings.Count(code, "\n")
		sizes[folder]["names"] += len(exported.FindAllString(code, -1))
		sizes[folder]["files"]++
	})
	for folder := range given {
		if sizes[folder] == nil {
			t.Errorf("%s/ has a reason and no code", folder)
		}
	}
	for folder, size := range sizes {
		for unit, limit := range limits {
			switch of, isGiven := given[folder][unit]; {
			case size[unit] > limit && !isGiven:
				t.Errorf("%s/ has %d %s, without a reason", folder, size[unit], unit)
			case size[unit] <= limit && isGiven:
				t.Errorf("%s/ has %d %s, and no need of a reason", folder, size[unit], unit)
			case isGiven && isOff(of, size[unit]):
				t.Errorf("%s/ has %d %s, not %d", folder, size[unit], unit, of)
			}
		}
	}
}

func TestReasonsAreRead(t *testing.T) {
	match := reason.FindStringSubmatch("- `a/b/` (4,100 lines, 80\n  names) and `c/` are")
	if diff := cmp.Diff([]string{"`a/b/` (4,100 lines, 80\n  names)", "a/b", "4,100 lines, 80\n  names"}, match); diff != "" {
		t.Error(diff)
	}
	if found := figure.FindAllString(match[2], -1); len(found) != 2 {
		t.Error(found)
	}
}

// ownScripts are the packages that may name scripts in regular expressions: patterns of words and sentences, which say what stands beside
// a name or an attribute, and cannot call a function.
var ownScripts = map[string]bool{
	"facts/conflict": true, "llm/extractive": true, "memory/grounding": true, "scan": true, "scan/secret": true,
}

// TestScriptsAreDefinedOnce checks that only language/ decides which characters are of an East Asian script.
func TestScriptsAreDefinedOnce(t *testing.T) {
	table := regexp.MustCompile(`\bunicode\.(?:Han|Hiragana|Katakana|Hangul|Bopomofo)\b`)
	class := regexp.MustCompile(`\\p\{(?:Han|Hiragana|Katakana|Hangul|Bopomofo)\}`)
	used := map[string]bool{}
	handWritten(t, func(path, code string) {
		folder := filepath.ToSlash(filepath.Dir(path))
		if strings.HasPrefix(path, "language/") {
			return
		}
		if found := table.FindString(code); found != "" {
			t.Errorf("%s uses %s; use a function of language/script", path, found)
		}
		found := class.FindString(code)
		if found != "" && !ownScripts[folder] {
			t.Errorf("%s uses %s; use a function of language/script, or give a reason here", path, found)
		}
		used[folder] = used[folder] || found != ""
	})
	for folder := range ownScripts {
		if !used[folder] {
			t.Errorf("%s names no scripts any more", folder)
		}
	}
}

// minFile is the least number of lines of a file: what is smaller belongs to a neighbour's subject.
const minFile = 60

// smallFiles are files that may be smaller, besides prompts and the only file of a package.
var smallFiles = map[string]string{
	"language/analysis/sound.go": "the sounds of names, beside 770 lines of analysis that do not use them",
	"workflows/revoke.go":        "one file per workflow",
}

// forSystem matches a file for one operating system.
var forSystem = regexp.MustCompile(`_(?:linux|darwin|windows)\.go$`)

// TestFilesHoldASubject checks that no file is too small for a subject.
func TestFilesHoldASubject(t *testing.T) {
	small, files := map[string]int{}, map[string]int{}
	handWritten(t, func(path, code string) {
		folder := filepath.ToSlash(filepath.Dir(path))
		files[folder]++
		isExempt := folder == "prompts" || strings.HasSuffix(path, "/doc.go") || forSystem.MatchString(path) ||
			strings.Contains(code, "//go:build ")
		if n := strings.Count(code, "\n"); n < minFile && !isExempt {
			small[path] = n
		}
	})
	for path, lines := range small {
		if files[filepath.ToSlash(filepath.Dir(path))] > 1 && smallFiles[path] == "" {
			t.Errorf("%s has %d lines: merge it with the file of its subject, or give a reason here", path, lines)
		}
	}
	for path := range smallFiles {
		if small[path] == 0 {
			t.Errorf("%s needs no reason any more", path)
		}
	}
}

const (
	maxColumns = 140
	// perLong is the least number of lines for each that is longer.
	perLong = 200
)

// TestLinesAreShort checks that few lines have more than 140 columns, besides those with the tag of a field. A tab is one column. Lists of
// words and patterns have most of them.
func TestLinesAreShort(t *testing.T) {
	tag := regexp.MustCompile("`\\w+:\"")
	lines, long := 0, []string{}
	handWritten(t, func(path, code string) {
		for line := range strings.Lines(code) {
			lines++
			if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > maxColumns && !tag.MatchString(line) {
				long = append(long, path+": "+strings.TrimSpace(line))
			}
		}
	})
	if len(long)*perLong > lines {
		t.Errorf("%d of %d lines have more than %d columns:\n%s", len(long), lines, maxColumns, strings.Join(long, "\n"))
	}
}
