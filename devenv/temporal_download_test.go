package devenv

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
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

// packed is an archive of one file, as releases have it.
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

func TestTemporalDownload(t *testing.T) {
	whole := packed(t, "temporal", "#!/bin/sh\necho temporal version 1.5.1\n")
	for name, test := range map[string]struct {
		archive []byte
		status  int
		want    string // in the error; "" is success
	}{
		"complete":     {archive: whole},
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
			err := downloadTemporal(t.Context(), nil, server.URL+"/cli/", program)
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
