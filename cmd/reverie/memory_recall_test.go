package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What was added is found, read around, indexed again and found again.
func TestRecallFromTheShell(t *testing.T) {
	startServer(t)
	file := filepath.Join(t.TempDir(), "talk.json")
	talk := `{"conversation": "lab", "endUserId": "42", "messages": [
		{"id": "m1", "role": "user", "name": "Marie", "content": "The new balance arrived on Monday.", "createdAt": "2026-05-04T10:00:00Z"},
		{"id": "m2", "role": "assistant", "content": "Where will you put it?", "createdAt": "2026-05-04T10:01:00Z"},
		{"id": "m3", "role": "user", "name": "Marie", "content": "On the stone table. The order was PO-1898.", "createdAt": "2026-05-04T10:02:00Z"}]}`
	if err := os.WriteFile(file, []byte(talk), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, string) {
		t.Helper()
		out, notes, err := runMemory(t, args...)
		if err != nil {
			t.Fatalf("%s: %v\n%s", args, err, notes)
		}
		return out, notes
	}
	run("add", file)
	search := func() string {
		out, _ := run("search", "PO-1898", "--end-user", "42", "--max-results", "1")
		return out
	}
	found := search()
	if !strings.Contains(found, "sessions/lab:3  Marie, ") || !strings.Contains(found, "      On the stone table. The order was PO-1898.\n") {
		t.Errorf("%s", found)
	}
	explained, _ := run("search", "balance", "--end-user", "42", "--explain", "--min-score", "0")
	for _, want := range []string{
		"words  ", "covers 100 % of the question", "words: balance", "sessions: 3 passages in view",
		"took: collect ",
	} {
		if !strings.Contains(explained, want) {
			t.Errorf("%q is missing in\n%s", want, explained)
		}
	}
	if out, _ := run("search", "zeppelin", "--end-user", "42"); out != "nothing found\n" {
		t.Errorf("%s", out)
	}
	if out, notes := run("get", "sessions/lab", "--end-user", "42", "--lines", "2"); out != "Marie: The new balance arrived on "+
		"Monday.\nAssistant: Where will you put it?\n" || !strings.Contains(notes, "from=3") {
		t.Errorf("%s%s", out, notes)
	}
	if out, notes := run("get", "nothing.md"); out != "" || !strings.Contains(notes, "there is no nothing.md") {
		t.Errorf("%s%s", out, notes)
	}
	for _, args := range [][]string{{"index"}, {"index", "--force"}} {
		out, _ := run(args...)
		if want := map[int]string{1: "is up to date", 2: "was rebuilt"}[len(args)]; !strings.Contains(out, want) {
			t.Errorf("%s: %s", args, out)
		}
	}
	if again := search(); again != found {
		t.Errorf("the index that was built anew finds\n%s\nnot\n%s", again, found)
	}
	status, _ := run("status", "--deep")
	for _, want := range []string{
		"agent ada", "searches by words", "sessions", "1 sources, 3 passages", "self-check sessions",
		"3 of 3 found",
	} {
		if !strings.Contains(status, want) {
			t.Errorf("%q is missing in\n%s", want, status)
		}
	}
	if _, _, err := runMemory(t, "search", "x", "--corpus", "wiki"); err == nil || !strings.Contains(err.Error(), "memory, sessions, all") {
		t.Errorf("%v", err)
	}
}

// Searches of the shell do not count as recalls unless a flag asks for it, and remarks do not mix with results.
func TestSearchesOfTheShellAreSynthetic(t *testing.T) {
	var sent []map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		sent = append(sent, body)
		_, _ = w.Write([]byte(`{"code":200,"msg":"success","data":{"results":[],"degraded":true,"fallback":{"text":"too ` +
			`slow"},"staleness":{"pending":2}}}`))
	}))
	t.Cleanup(server.Close)
	for _, flags := range [][]string{nil, {"--count"}} {
		out, notes, err := runMemory(t, append([]string{"search", "a", "b", "--agent", "ada", "--key", "k", "--url", server.URL}, flags...)...)
		if err != nil {
			t.Fatal(err)
		}
		if out != "nothing found\n" || notes != "! by words alone: too slow\n! 2 sources wait for vectors; words find them already\n" {
			t.Errorf("%q and %q", out, notes)
		}
	}
	if sent[0]["synthetic"] != true || sent[1]["synthetic"] != nil || sent[0]["query"] != "a b" {
		t.Errorf("%v", sent)
	}
	if _, given := sent[0]["maxResults"]; given {
		t.Error("limits that were not given are sent")
	}
}
