package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"reverie/config"
)

// buildOf returns the id of this build for Temporal.
func buildOf(c config.Config) (string, error) {
	if c.BuildID != "" {
		return c.BuildID, nil
	}
	return buildID()
}

// buildLength is the number of characters of a commit or hash in the id of a build.
const buildLength = 12

// buildID returns version and commit of this program; without a commit, or with sources that differ from it, a hash of the program, so
// that two programs never have one id.
var buildID = sync.OnceValues(func() (string, error) {
	commit, modified := "", false
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = s.Value
			case "vcs.modified":
				modified = s.Value == "true"
			}
		}
	}
	prefix := ""
	if version != "dev" {
		prefix = version + "-"
	}
	if commit != "" && !modified {
		return prefix + commit[:min(buildLength, len(commit))], nil
	}
	hash, err := programHash()
	return cmp.Or(prefix, "dev-") + hash, err
})

// programHash returns the beginning of the SHA-256 sum of this program.
func programHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program (REVERIE_BUILD_ID replaces its hash): %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read this program (REVERIE_BUILD_ID replaces its hash): %w", err)
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("read this program (REVERIE_BUILD_ID replaces its hash): %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:buildLength], nil
}
