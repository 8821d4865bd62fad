// Package npm installs the npm packages that tests use.
package npm

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"reverie/devenv"
)

// Install installs the packages of testdata/package-lock.json, in the folder of the test, into the user's cache, once for each version
// of the lock file, and returns the folder.
func Install(t *testing.T, name string) string {
	t.Helper()
	return InstallFrom(t, name, "testdata")
}

// InstallFrom is Install for the package.json and package-lock.json of another folder.
func InstallFrom(t *testing.T, name, folder string) string {
	t.Helper()
	// Redocly needs Node.js 20 or later, which Debian has since version 13; with an older one it fails and says so.
	if err := devenv.Programs(t.Context(), nil, "npm"); err != nil {
		t.Fatal(err)
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(cache, "reverie", fmt.Sprintf("%s-%.20x", name, sha256.Sum256(lock)))
	if _, err := os.Stat(target); err == nil { //nolint:gosec // the cache of tests
		return target
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil { //nolint:gosec // the cache of tests
		t.Fatal(err)
	}
	work, err := os.MkdirTemp(filepath.Dir(target), name+"-new-") //nolint:usetesting // on the same file system, to be renamed
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(work) }() //nolint:gosec // the cache of tests
	for _, file := range []string{"package.json", "package-lock.json"} {
		content, err := os.ReadFile(filepath.Join(folder, file))
		if err == nil {
			err = os.WriteFile(filepath.Join(work, file), content, 0o600) //nolint:gosec // a temporary folder
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = work
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	// Another test may have been faster.
	if err := os.Rename(work, target); err != nil && !exists(target) { //nolint:gosec // the cache of tests
		t.Fatal(err)
	}
	return target
}

func exists(path string) bool {
	_, err := os.Stat(path) //nolint:gosec // the cache of tests
	return err == nil
}
