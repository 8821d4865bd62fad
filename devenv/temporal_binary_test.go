package devenv

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// program writes an executable script.
func program(t *testing.T, path, script string) {
	t.Helper()
	err := errors.Join(
		os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
}

func TestTemporalProgramFromThePath(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	program(t, filepath.Join(dir, "temporal"), "echo temporal version 1.7.0")
	if got, err := temporalProgram(t.Context(), nil); err != nil || got != filepath.Join(dir, "temporal") {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestTemporalProgramFromTheCache(t *testing.T) {
	cache := t.TempDir()
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME"} { // the second where the system has its own place
		t.Setenv(variable, cache)
	}
	broken := t.TempDir()
	program(t, filepath.Join(broken, "temporal"), "exit 1") // another program of that name
	t.Setenv("PATH", broken)
	folder, err := cacheFolder("temporal-" + temporalVersion)
	if err != nil {
		t.Fatal(err)
	}
	program(t, filepath.Join(folder, "temporal"), "exit 0")
	if got, err := temporalProgram(t.Context(), nil); err != nil || got != filepath.Join(folder, "temporal") {
		t.Errorf("got %s, %v", got, err)
	}
}

// What a build or download leaves half done must never be taken for the program.
func TestTemporalBuildThatFailsLeavesNothing(t *testing.T) {
	tools, cache := t.TempDir(), t.TempDir()
	t.Setenv("PATH", tools+":/bin:/usr/bin")
	program(t, filepath.Join(tools, "go"), `echo half > "$GOBIN/temporal"; echo no room on device >&2; exit 1`)
	err := buildTemporal(t.Context(), nil, cache, filepath.Join(cache, "temporal"))
	if err == nil {
		t.Fatal("a failed build is none")
	}
	if left, err := os.ReadDir(cache); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
