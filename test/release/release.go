// Package release provides the previous release to tests of upgrades: its sources and its program, from the history of the repository.
package release

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// Commit is the previous release: the current one can be rolled out beside it, and rolled back to it. Move it, with each release, to
// the commit that was released before.
const Commit = "8444e304117057bf5d04ca8b6466a34ea094d8f2" // migrations up to 0011, histories up to v5

// Extract writes folders of the previous release below dir; without folders, everything.
func Extract(ctx context.Context, dir string, folders ...string) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "git", "-C", root, "cat-file", "-e", Commit+"^{commit}").CombinedOutput(); err != nil {
		return fmt.Errorf("the previous release %s is not in the history of %s: %w: %s\nUpgrades are tested in a git clone with its whole "+
			"history. Run `git fetch --unshallow`; in GitHub Actions, set fetch-depth: 0", Commit, root, err, strings.TrimSpace(string(out)))
	}
	archive := exec.CommandContext(ctx, "git", append([]string{"-C", root, "archive", Commit}, folders...)...) //nolint:gosec // folders of tests
	var problems strings.Builder
	archive.Stderr = &problems
	out, err := archive.StdoutPipe()
	if err != nil {
		return err
	}
	if err := archive.Start(); err != nil {
		return fmt.Errorf("git archive: %w", err)
	}
	unpacked := unpack(out, dir)
	if unpacked != nil {
		_, _ = io.Copy(io.Discard, out) // so that git ends
	}
	if err := archive.Wait(); err != nil {
		return fmt.Errorf("git archive: %w: %s", err, problems.String())
	}
	return unpacked
}

func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "reverie").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

func unpack(archive io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for files := tar.NewReader(archive); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the archive: %w", err)
		}
		switch header.Typeflag {
		case tar.TypeDir:
			if err := root.MkdirAll(filepath.Clean(header.Name), 0o755); err != nil {
				return err
			}
		case tar.TypeReg:
			content, err := io.ReadAll(files)
			if err != nil {
				return err
			}
			if err := root.MkdirAll(filepath.Dir(header.Name), 0o755); err != nil {
				return err
			}
			if err := root.WriteFile(header.Name, content, 0o600); err != nil {
				return err
			}
		}
	}
}

// Build compiles the program of the previous release and returns its path. The program is kept in the user's cache folder: building it
// takes a few seconds with a filled build cache of Go, and minutes without.
func Build(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder (set HOME or XDG_CACHE_HOME): %w", err)
	}
	folder := filepath.Join(cache, "reverie", "releases", Commit)
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(folder, ".lock")) // packages are tested in parallel
	if err := lock.Lock(); err != nil {
		return "", fmt.Errorf("lock %s: %w", folder, err)
	}
	program := filepath.Join(folder, "reverie")
	if _, err := os.Stat(program); err == nil {
		return program, lock.Close()
	}
	return program, errors.Join(build(ctx, program), lock.Close())
}

// build leaves no half-written program behind.
func build(ctx context.Context, program string) error {
	sources, err := os.MkdirTemp("", "reverie-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(sources) }()
	if err := Extract(ctx, sources); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program+".new", "./cmd/reverie") //nolint:gosec // a path of the cache
	build.Dir = sources
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the previous release: %w\n%s", err, out)
	}
	return os.Rename(program+".new", program)
}
