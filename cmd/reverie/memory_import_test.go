package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/clitest"
)

// fixtures are the sources of package imports.
const fixtures = "../../imports/testdata/"

func TestWhatWouldBeMovedInIsShownWithoutAServer(t *testing.T) {
	unreachable := []string{"--url", "http://127.0.0.1:1", "--agent", "ada", "--dry-run"}
	dry := func(args ...string) string {
		t.Helper()
		return mustRun(t, append(append([]string{"import"}, args...), unreachable...)...)
	}
	clitest.Contains(t, dry(fixtures+"openclaw", "--owner", "user:marta"), "openclaw: openclaw, 10 documents", "WHOSE", "everybody (TEAM)",
		"4", "user:marta", "6",
		"DOCUMENT", "AGENTS.md", "PROFILE.md", "USER.md", "Skipped:", "HEARTBEAT.md")
	clitest.Contains(t, dry(fixtures+"openclaw"), "not named yet", "Name the person with --owner"[9:])
	clitest.Contains(t, dry(fixtures+"openclaw", "--shared"), "everybody (TEAM)", "10")
	clitest.Contains(t, dry(fixtures+"chatgpt", "--owner", "user:1"), "chatgpt, 1 conversation with 4 messages", "said on 2024-05-08",
		"user:1", "of other branches")
	clitest.Contains(t, dry(fixtures+"chatgpt"), "it does not say whose conversations these are"[1:])
	clitest.Contains(t, dry(fixtures+"mem0.json"), "mem0, 4 documents", "everybody (TEAM)", "api:ana", "api:ben")
	clitest.Contains(t, dry(fixtures+"mem0.json", "--owner-map", "ana=user:7", "--owner-map", "api:ben=user:8"), "user:7", "user:8")
	clitest.Contains(t, dry(fixtures+"locomo.json", "--owner", "user:iris"), "locomo, 3 conversations with 4 messages",
		"user:iris") // the only person of the source
	var plan struct {
		Documents       int
		Owners, Skipped []struct{}
	}
	if err := json.Unmarshal([]byte(dry(fixtures+"goclaw.jsonl", "--json")), &plan); err != nil || plan.Documents != 4 ||
		len(plan.Owners) != 3 || len(plan.Skipped) != 1 {
		t.Errorf("%+v, error %v", plan, err)
	}

	for _, wrong := range []struct {
		says string
		args []string
	}{
		{"no such file", []string{"nowhere"}},
		{"use openclaw, mateclaw", []string{fixtures + "openclaw", "--format", "diary"}},
		{"say who is who with --owner-map", []string{fixtures + "zep-and-mem0", "--owner", "user:1"}},
		{"use <source id>=<owner>", []string{fixtures + "mem0.json", "--owner-map", "ana"}},
		{"cannot be combined", []string{fixtures + "openclaw", "--shared", "--owner", "user:1"}},
		{"merge, keep or overwrite", []string{fixtures + "openclaw", "--on-conflict", "burn"}},
		{"invalid --zone \"Atlantis\"", []string{fixtures + "openclaw", "--zone", "Atlantis"}},
		{"specify the format with --format", []string{filepath.Join(fixtures, "chatgpt", "chat.html")}},
	} {
		if strings.Contains(wrong.args[0], "zep-and-mem0") {
			wrong.args[0] = write(t, "two.json", `[{"memory":"one","user_id":"a"},{"memory":"two","user_id":"b"}]`)
		}
		_, _, err := runMemory(t, append(append([]string{"import"}, wrong.args...), unreachable...)...)
		if err == nil || !strings.Contains(err.Error(), wrong.says) {
			t.Errorf("%v: error %v, want one that says %q", wrong.args, err, wrong.says)
		}
	}
}

// packed is an archive of a folder.
func packed(t *testing.T, folder string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if err := w.AddFS(os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, "packed.zip", b.String())
}

func TestMemoryOfAnotherSystemMovesIn(t *testing.T) {
	startServer(t)
	marta := func(args ...string) string { t.Helper(); return mustRun(t, append(args, "--owner", "user:marta")...) }

	clitest.Contains(t, marta("import", fixtures+"openclaw"), "openclaw, 10 documents", "KIND", "WRITTEN", "documents", "10", "Skipped:")
	clitest.Contains(t, marta("cat", "MEMORY.md"), "greenhouse key")
	clitest.Contains(t, marta("cat", "PROFILE.md"), "Ms. Oduya")
	clitest.Contains(t, mustRun(t, "cat", "SOUL.md"), "a little dry")
	clitest.Contains(t, marta("log", "MEMORY.md"), "import")
	// The same folder again, and an archive of it, are the same import: nothing is written twice.
	clitest.Contains(t, marta("import", fixtures+"openclaw"), "WRITTEN", "10")
	clitest.Contains(t, marta("import", packed(t, fixtures+"openclaw")), "WRITTEN", "10")
	clitest.Contains(t, marta("log", "MEMORY.md"), "\n1 ")
	if strings.Contains(marta("log", "MEMORY.md"), "\n2 ") {
		t.Error("the same import wrote twice")
	}

	// The folder has grown: what is new is added to what is here.
	grown := t.TempDir()
	if err := os.CopyFS(grown, os.DirFS(fixtures+"openclaw")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(grown, "MEMORY.md"),
		[]byte("# Memory\n\n- The greenhouse key hangs behind the clock.\n- The ladder is lent to Sam.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	clitest.Contains(t, marta("import", grown), "MERGED", "UNCHANGED")
	clitest.Contains(t, marta("cat", "MEMORY.md"), "Invoices go out", "Imported from openclaw", "The ladder is lent to Sam")

	var report struct {
		Outcomes map[string]map[string]int
		Problems []wire.ImportedItem
		Plan     struct{ Documents, Conversations, Messages int }
		Import   json.RawMessage
		Skipped  map[string]int
	}
	if err := json.Unmarshal([]byte(mustRun(t, "import", fixtures+"mem0.json", "--json")), &report); err != nil {
		t.Fatal(err)
	}
	if report.Outcomes["document"]["written"] != 4 || len(report.Problems) != 0 || report.Plan.Documents != 4 {
		t.Errorf("%+v", report)
	}
	clitest.Contains(t, mustRun(t, "cat", "memory/2025-06-01-mem0.md", "--owner", "api:ana"), "Miso and Nori")
	clitest.Contains(t, mustRun(t, "search", "cats", "--owner", "api:ana"), "memory/2025-06-01-mem0.md")
	if out := mustRun(t, "search", "cats", "--owner", "api:ben"); strings.Contains(out, "Miso") {
		t.Errorf("somebody else finds it:\n%s", out)
	}
}

func TestImportedConversationsKeepTheirDates(t *testing.T) {
	startServer(t)
	export := write(t, "conversations.json", `[{"uuid":"trip","name":"Trip","created_at":"2025-03-04T18:00:00Z","chat_messages":[
		{"uuid":"1","sender":"human","text":"Please remember that our choir sings in Ghent in May.","created_at":"2025-03-04T18:00:00Z"},
		{"uuid":"2","sender":"assistant","text":"Noted.","created_at":"2025-03-04T18:00:09Z"},
		{"uuid":"3","sender":"human","text":"Please remember that two of us use a wheelchair.","created_at":"2025-03-04T18:01:00Z"},
		{"uuid":"4","sender":"assistant","text":"I will.","created_at":"2025-03-04T18:01:09Z"}]}]`)
	run := func(args ...string) string { t.Helper(); return mustRun(t, append(args, "--owner", "user:c")...) }

	if _, _, err := runMemory(t, "import", export); err == nil || !strings.Contains(err.Error(), "name the person with --owner") {
		t.Errorf("conversations of nobody: error %v", err)
	}
	clitest.Contains(t, run("import", export), "claude, 1 conversation with 4 messages", "said on 2025-03-04", "WRITTEN", "conversations", "1")
	clitest.Contains(t, run("cat", "MEMORY.md"), "Ghent", "wheelchair")
	clitest.Contains(t, run("list", "--prefix", "memory/"), "memory/2025-03-04.md")
	clitest.Contains(t, run("blame", "MEMORY.md"), "claude:trip:")
	again := run("import", export)
	clitest.Contains(t, again, "WRITTEN", "1")
	if versions := run("log", "MEMORY.md"); strings.Contains(versions, "\n2 ") {
		t.Errorf("the same conversation was extracted twice:\n%s", versions)
	}
}

// An upload that breaks off goes on where it was, and one whose watcher goes away is watched again.
func TestImportContinuesWhereItStopped(t *testing.T) {
	startServer(t)
	server := os.Getenv("REVERIE_URL")
	folder := t.TempDir()
	const files = 450
	for i := range files {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("note-%03d.md", i)),
			fmt.Appendf(nil, "# Note %d\n\n- The number is %d.\n", i, i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var uploads atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/items") && r.Method == http.MethodPost {
			if uploads.Add(1) == 2 {
				panic(http.ErrAbortHandler) // the line breaks
			}
		}
		forward(t, w, r, server)
	}))
	t.Cleanup(proxy.Close)
	_, _, err := runMemory(t, "import", folder, "--shared", "--url", proxy.URL)
	if err == nil || !strings.Contains(err.Error(), "stopped after 200 of 450 items") ||
		!strings.Contains(err.Error(), "same command continues") {
		t.Fatalf("error %v", err)
	}
	uploads.Store(2)
	clitest.Contains(t, mustRun(t, "import", folder, "--shared", "--url", proxy.URL, "--no-wait"), "450 documents", "documents")
	if n := uploads.Load(); n != 4 { // of the 450 items, 200 were there
		t.Errorf("the rest took %d uploads, want 2", n-2)
	}
	clitest.Contains(t, mustRun(t, "import", folder, "--shared"), "WRITTEN", "450")
	clitest.Contains(t, mustRun(t, "cat", "note-449.md"), "The number is 449.")
}

// forward passes a request on.
func forward(t *testing.T, w http.ResponseWriter, r *http.Request, server string) {
	t.Helper()
	request, err := http.NewRequestWithContext(r.Context(), r.Method, server+r.URL.RequestURI(), r.Body)
	if err != nil {
		t.Error(err)
		return
	}
	request.Header = r.Header.Clone()
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		return
	}
	defer answer.Body.Close()
	w.WriteHeader(answer.StatusCode)
	var b bytes.Buffer
	if _, err := b.ReadFrom(answer.Body); err == nil {
		_, _ = w.Write(b.Bytes()) // the client may be gone
	}
}

func TestAFolderIsNotLeft(t *testing.T) {
	outside, inside := write(t, "secret.md", "# Secret\n"), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(inside, "link.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inside, "note.md"), []byte("# Note\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	clitest.Contains(t, mustRun(t, "import", inside, "--dry-run", "--shared", "--agent", "ada"), "1 document", "note.md",
		"links are not followed", "link.md")
	if err := os.Remove(filepath.Join(inside, "note.md")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if _, _, err := runMemory(t, "import", inside, "--dry-run", "--shared", "--agent", "ada"); err == nil ||
		!strings.Contains(err.Error(), "specify the format") {
		t.Errorf("error %v", err)
	}
}
