package clitest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Contains checks that an output has all of these texts, in this order.
func Contains(t *testing.T, out string, wants ...string) {
	t.Helper()
	rest := out
	for _, want := range wants {
		_, behind, found := strings.Cut(rest, want)
		if !found {
			t.Errorf("%q is missing, or not in this order, in\n%s", want, out)
			return
		}
		rest = behind
	}
}

// Answering starts a server that gives every request the same answer, and returns its address.
func Answering(t *testing.T, status int, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Folder makes a folder with files, by name, and returns its path.
func Folder(t *testing.T, notes map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range notes {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
