package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that docs/security.md names exists.
func TestAttacksHaveTests(t *testing.T) {
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z/]+)\\.(Test[A-Za-z]+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 15 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, name := range named {
		files, err := filepath.Glob(filepath.Join("../..", name[1], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(source), "\nfunc "+name[2]+"(t *testing.T)")
		}
		if !found {
			t.Errorf("%s has no %s", name[1], name[2])
		}
	}
}
