package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// generated matches the first line of a generated file.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// handWritten calls see with the path, from the root of the repository, and the text of every Go file that people write, tests excluded.
func handWritten(t *testing.T, see func(path, code string)) {
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
		if err == nil && !generated.Match(code) {
			n++
			see(strings.TrimPrefix(filepath.ToSlash(path), "../../"), string(code))
		}
		return err
	})
	if err != nil || n < 500 {
		t.Fatalf("%d files, %v", n, err)
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
