package devenv

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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

// An incomplete build or download must never be taken for the program.
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

// packed returns an archive of one file, like releases.
func packed(t *testing.T, name, content string) []byte {
	t.Helper()
	var buffer bytes.Buffer
	zipped := gzip.NewWriter(&buffer)
	files := tar.NewWriter(zipped)
	for _, file := range []struct{ name, content string }{{"LICENSE", "MIT"}, {name, content}} {
		if err := files.WriteHeader(&tar.Header{Name: file.name, Mode: 0o644, Size: int64(len(file.content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write([]byte(file.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// The download is refused where no sum is known, without a request.
func TestTemporalDownloadNeedsASum(t *testing.T) {
	err := downloadTemporal(t.Context(), nil, "http://127.0.0.1:1/", filepath.Join(t.TempDir(), "temporal"), "")
	if err == nil || !strings.Contains(err.Error(), runtime.GOOS+"/"+runtime.GOARCH) {
		t.Errorf("error %v", err)
	}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"} {
		if sum, err := hex.DecodeString(temporalSums[platform]); err != nil || len(sum) != sha256.Size {
			t.Errorf("%s has the sum %q", platform, temporalSums[platform])
		}
	}
}

func TestTemporalDownload(t *testing.T) {
	whole := packed(t, "temporal", "#!/bin/sh\necho temporal version 1.5.1\n")
	for name, test := range map[string]struct {
		archive []byte
		pinned  []byte // nil: archive
		status  int
		want    string // in the error; "" is success
	}{
		"complete":     {archive: whole},
		"changed":      {archive: packed(t, "temporal", "#!/bin/sh\nevil\n"), pinned: whole, want: "instead of " + sumOf(whole)},
		"cut short":    {archive: whole[:len(whole)/2], pinned: whole, want: "SHA-256"},
		"cut off":      {archive: whole[:len(whole)/2], want: "unexpected EOF"},
		"without it":   {archive: packed(t, "README", "nothing"), want: `no file "temporal"`},
		"no archive":   {archive: []byte("<html>moved elsewhere</html>"), want: "gzip"},
		"not there":    {status: http.StatusNotFound, want: "404"},
		"not any more": {archive: nil, status: http.StatusForbidden, want: "403"},
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			defer server.Close()
			mux.HandleFunc("/cli/"+temporalVersion, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("platform") != runtime.GOOS || r.URL.Query().Get("arch") != runtime.GOARCH {
					t.Errorf("asked for %s", r.URL)
				}
				if test.status != 0 {
					w.WriteHeader(test.status)
					return
				}
				fmt.Fprintf(w, `{"archiveUrl": %q, "fileToExtract": "temporal"}`, server.URL+"/archive")
			})
			mux.HandleFunc("/archive", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(test.archive) })

			program := filepath.Join(t.TempDir(), "temporal")
			pinned := test.pinned
			if pinned == nil {
				pinned = test.archive
			}
			err := downloadTemporal(t.Context(), nil, server.URL+"/cli/", program, sumOf(pinned))
			if test.want == "" {
				out, runErr := exec.CommandContext(t.Context(), program).Output()
				if err != nil || runErr != nil || !strings.Contains(string(out), "1.5.1") {
					t.Errorf("%v, %v, %q; want a program that runs", err, runErr, out)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v; want %q in it", err, test.want)
			}
			if left, err := os.ReadDir(filepath.Dir(program)); err != nil || len(left) != 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}
