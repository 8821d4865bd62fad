package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	previous "reverie/test/release"
)

// checksums lists every recorded history with its SHA-256 sum, as sha256sum prints it. Lines are only ever added.
const checksums = "testdata/SHA256SUMS"

// Workers of later releases must replay the histories of a release: they are never changed or removed.
func TestHistoriesAreKept(t *testing.T) {
	raw, err := os.ReadFile(checksums)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		sum, file, found := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if _, twice := listed[file]; !found || twice {
			t.Fatalf("%s: the line %q is no checksum, or the second one of a file", checksums, line)
		}
		listed[file] = sum
	}
	files := histories(t, "testdata")
	for file, content := range files {
		sum := sha256.Sum256(content)
		switch got := hex.EncodeToString(sum[:]); listed[file] {
		case got:
		case "":
			t.Errorf("%s is new: (cd test/replay/testdata && sha256sum %s >> SHA256SUMS)", file, file)
		default:
			t.Errorf("%s was changed: restore it, and record the new history under the name of a new release", file)
		}
	}
	for file := range listed {
		if files[file] == nil {
			t.Errorf("%s was removed: restore it", file)
		}
	}
}

// The list itself could be rewritten; the previous release's histories are in its commit.
func TestHistoriesOfThePreviousReleaseAreKept(t *testing.T) {
	dir := t.TempDir()
	if err := previous.Extract(t.Context(), dir, "test/replay/testdata"); err != nil {
		t.Fatal(err)
	}
	now := histories(t, "testdata")
	for file, content := range histories(t, filepath.Join(dir, "test", "replay", "testdata")) {
		if !bytes.Equal(now[file], content) {
			t.Errorf("%s differs from that of the previous release, or was removed: restore it", file)
		}
	}
}

// histories reads all histories in a folder, by path in it.
func histories(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d histories in %s, %v", len(files), folder, err)
	}
	out := map[string][]byte{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.ToSlash(name)] = content
	}
	return out
}
