package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/clitest"
	"reverie/config"
	"reverie/devenv/devtest"
	"reverie/engine"
	"reverie/store/storetest"
)

// asProgram has the test's binary be the program itself, for tests that interrupt or kill it.
const asProgram = "REVERIE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	devtest.Main(m)
}

const testKey = "admin-key-of-a-test-on-loopback"

// testDatabase is the environment variable with the URL of the test server's database.
const testDatabase = "REVERIE_TEST_DATABASE"

// startServer runs API and worker on a separate database, and points the commands at them. It returns what makes another
// API process beside the first.
func startServer(t *testing.T) (another func() http.Handler) {
	t.Helper()
	return startServerLogging(t, io.Discard)
}

// startServerLogging is startServer with a log of everything.
func startServerLogging(t *testing.T, log io.Writer) (another func() http.Handler) {
	t.Helper()
	c, err := config.Load()
	if err != nil {
		t.Fatal(err)
	}
	c.DatabaseURL = config.Secret(storetest.Database(t))
	c.TemporalAddress = devtest.Temporal(t).Address
	c.AdminKey = testKey
	if log != io.Discard {
		c.LogLevel = "debug"
	}
	c.QuietPeriod, c.Cooldown = time.Hour, 0 // nothing is extracted but what is asked for
	telemetry, err := engine.NewTelemetry(t.Context(), c, "test", log)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newParts(c, telemetry)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.disconnect)
	if p.store, err = openWorkspace(t.Context(), c, telemetry, 0); err != nil {
		t.Fatal(err)
	}
	w, err := newWorker(c, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	another = func() http.Handler {
		t.Helper()
		server, err := newAPI(c, p, "")
		if err != nil {
			t.Fatal(err)
		}
		return server
	}
	listening := httptest.NewServer(another())
	t.Cleanup(listening.Close)
	t.Setenv("REVERIE_URL", listening.URL)
	t.Setenv("REVERIE_KEY", testKey)
	t.Setenv("REVERIE_AGENT", "ada")
	t.Setenv(testDatabase, string(c.DatabaseURL))
	if _, _, err := runMemory(t, "agents", "create", "ada", "--name", "Ada", "--time-zone", "Europe/Berlin"); err != nil {
		t.Fatal(err)
	}
	return another
}

// mustRun is runMemory that has to succeed.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	out, errOut, err := runMemory(t, args...)
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out, errOut)
	}
	return out
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const hello = `{"role":"user","content":"Hi, I am Grace and I work as a nurse in Hamburg."}
{"role":"assistant","content":"Nice to meet you, Grace!"}
{"role":"user","content":"Please remember that the printer of the ward is in room 214."}
{"role":"assistant","content":"Noted."}
`

func TestAConversationFromAFileBecomesMemory(t *testing.T) {
	startServer(t)
	grace := func(args ...string) string { t.Helper(); return mustRun(t, append(args, "--end-user", "42")...) }
	file := write(t, "hello.jsonl", hello)

	clitest.Contains(t, mustRun(t, "agents", "list"), "ID", "ada", "Ada", "Europe/Berlin")
	clitest.Contains(t, grace("add", file), "hello: 4 messages stored, extraction scheduled")
	clitest.Contains(t, grace("add", file), "hello: 0 messages stored, 4 known already")
	clitest.Contains(t, grace("summarize", "hello"), "written", "MEMORY.md (PERSONAL) version 1, new")
	clitest.Contains(t, grace("summarize", "hello"), "nothing (no_new_messages)")

	clitest.Contains(t, grace("list"), "PATH", "MEMORY.md", "TEAM", "MEMORY.md", "PERSONAL", "workflow builtin")
	clitest.Contains(t, grace("list", "--scope", "PERSONAL", "--prefix", "memory/"), "memory/", "PERSONAL")
	clitest.Contains(t, grace("cat", "MEMORY.md"), "room 214")
	clitest.Contains(t, grace("cat", "PROFILE.md"), "Grace")
	if shared := mustRun(t, "cat", "MEMORY.md"); strings.Contains(shared, "room 214") {
		t.Errorf("the shared document has what a person said:\n%s", shared)
	}
	clitest.Contains(t, grace("blame", "MEMORY.md"), "VERSION", "workflow", "hello:3", "room 214")

	// The file grows: only what is new is stored, and a correction changes the document.
	grown := write(t, "hello.jsonl", hello+`{"role":"user","content":"By the way, please remember that the spare key is in the blue box."}
{"role":"assistant","content":"I will."}
`)
	clitest.Contains(t, grace("add", grown, "--wait"), "hello: 2 messages stored, 4 known already", "written",
		"MEMORY.md (PERSONAL) version 2, +")
	clitest.Contains(t, grace("log", "MEMORY.md"), "MEMORY.md (PERSONAL)", "VERSION", "\n2 ", "hello:5-6", "\n1 ", "hello:1-4")
	clitest.Contains(t, grace("diff", "MEMORY.md"), "--- MEMORY.md@1", "+++ MEMORY.md@2", "blue box")
	clitest.Contains(t, grace("diff", "MEMORY.md", "0", "1"), "+", "room 214")
	clitest.Contains(t, grace("diff", "MEMORY.md", "2", "v2"), "versions 2 and 2 are the same")
	clitest.Contains(t, grace("restore", "MEMORY.md", "1", "--reason", "too much"), "MEMORY.md (PERSONAL) version 3, +0 -")
	if restored := grace("cat", "MEMORY.md"); strings.Contains(restored, "blue box") {
		t.Errorf("restored:\n%s", restored)
	}
	clitest.Contains(t, grace("cat", "MEMORY.md", "--version", "2"), "blue box")
	clitest.Contains(t, grace("log", "MEMORY.md", "--limit", "1"), "3 ", "user", "too much", "--before 3")

	clitest.Contains(t, grace("extractions"), "ID", "hello", "5-6", "written", "hello", "1-4", "written")
	var list wire.Page[wire.Extraction]
	if err := json.Unmarshal([]byte(grace("extractions", "--limit", "1", "--json")), &list); err != nil || len(list.Items) != 1 ||
		list.Next == "" {
		t.Fatalf("%+v, error %v", list, err)
	}
	clitest.Contains(t, grace("extractions", "--limit", "1", "--cursor", list.Next), "1-4")
	clitest.Contains(t, grace("extractions", list.Items[0].ID), "hello, messages 5 to 6", "written", "builtin/extractive", "extract/")
	if _, _, err := runMemory(t, "extractions", "retry", list.Items[0].ID, "--end-user", "42"); err == nil ||
		!strings.Contains(err.Error(), "not_quarantined") {
		t.Errorf("a written extraction is retried: %v", err)
	}

	clitest.Contains(t, grace("prompt"), "--- AGENTS.md ---", "--- MEMORY.md ---", "room 214")
	clitest.Contains(t, mustRun(t, "status"), "reverie dev", "database", "ok", "temporal", "ok", "workers", "ok", "1 worker of build ", "backlog", "0 messages",
		"set REVERIE_LLM_PROVIDER")
}

// The shared document is restored if the owner named has none of that path.
func TestRestoreTouchesTheDocumentThatLogShows(t *testing.T) {
	startServer(t)
	clitest.Contains(t, mustRun(t, "log", "SOUL.md", "--end-user", "42"), "SOUL.md (TEAM)")
	clitest.Contains(t, mustRun(t, "restore", "SOUL.md", "1", "--end-user", "42"), "SOUL.md (TEAM) version 1, unchanged")
}

func TestALargeConversationGoesInBatches(t *testing.T) {
	startServer(t)
	var b strings.Builder
	const messages = 2345
	for i := range messages {
		fmt.Fprintf(&b, "{\"role\":\"user\",\"content\":\"message %d\"}\n", i+1)
	}
	file := write(t, "large.jsonl", b.String())
	clitest.Contains(t, mustRun(t, "add", file, "--end-user", "42", "--open"), fmt.Sprintf("large: %d messages stored", messages))

	c := wire.New(os.Getenv("REVERIE_URL"), testKey, nil)
	for _, after := range []int{0, 999, 1000, 1999, messages - 1} {
		page, err := c.ListMessages(t.Context(), "ada", "large", wire.ListMessagesParams{
			Person: wire.Person{EndUserID: "42"}, After: &after, Limit: 1, //nolint:staticcheck // it is still served
		})
		if want := fmt.Sprintf("message %d", after+1); err != nil || len(page.Data.Items) != 1 || page.Data.Items[0].Content != want {
			t.Errorf("after %d: %+v, want %q; error %v", after, page.Data.Items, want, err)
		}
	}
	if out := mustRun(t, "extractions"); strings.Contains(out, "large") {
		t.Errorf("an open turn was extracted:\n%s", out)
	}
}

func TestBadLinesAreReportedAndNothingIsLost(t *testing.T) {
	startServer(t)
	file := write(t, "some.jsonl", `{"conversation":"whole","messages":[{"role":"user","content":"one"},{"role":"assistant","content":"two"}]}
{"conversation":"torn","messages":[{"role":"user","content":"one"},{"role":"robot","content":"two"},{"role":"user","content":"three"}]}
`)
	out, errOut, err := runMemory(t, "add", file, "--end-user", "42")
	clitest.Contains(t, out, "whole: 2 messages stored", "torn: not sent because of its bad lines")
	clitest.Contains(t, errOut, file+`:2: "role" is "robot"`)
	if err == nil || !strings.Contains(err.Error(), "1 line cannot be used, 1 conversation held back") {
		t.Errorf("error %v", err)
	}
	out, _, err = runMemory(t, "add", file, "--end-user", "42", "--skip-bad", "--json")
	var summary struct {
		Conversations []struct {
			Conversation                 string
			Messages, Stored, Duplicates int
			HeldBack                     bool
		}
		Faults int
	}
	if jsonErr := json.Unmarshal([]byte(out), &summary); jsonErr != nil {
		t.Fatal(jsonErr)
	}
	if err == nil || len(summary.Conversations) != 2 || summary.Conversations[0].Duplicates != 2 || summary.Conversations[1].Stored != 2 ||
		summary.Faults != 1 {
		t.Errorf("%+v, error %v", summary, err)
	}

	// Another owner's conversation of the same name is another one.
	said := func(word string) string {
		return write(t, word+".jsonl", `{"conversation":"whole","messages":[{"id":"m1","role":"user","content":"`+word+`"},`+
			`{"id":"m2","role":"assistant","content":"two"}]}`)
	}
	clitest.Contains(t, mustRun(t, "add", said("one"), "--end-user", "43"), "whole: 2 messages stored")

	// Other words under known ids are refused, and the command reports its progress.
	_, _, err = runMemory(t, "add", said("other"), "--end-user", "43")
	if err == nil || !strings.Contains(err.Error(), "message_id_reused") || !strings.Contains(err.Error(), "0 of 2 messages") ||
		strings.Contains(err.Error(), "the same command") {
		t.Errorf("error %v", err)
	}
}

func TestALongExtractionIsWaitedFor(t *testing.T) {
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // what waits: first of another conversation only
			conversation := map[bool]string{true: "c0", false: "c1"}[len(keys) == 1]
			fmt.Fprintf(w, `{"code":200,"msg":"success","data":{"items":[{"id":"x","conversation":%q,"outcome":"waiting","reasonCode":"paused",
				"reason":"the agent's use of models is paused"}]}}`, conversation)
			return
		}
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		if len(keys) < 4 {
			w.WriteHeader(http.StatusAccepted)
			_, _ = w.Write([]byte(`{"code":202,"msg":"success","data":{"status":"running","extractions":[],"workflowId":"w","outcomes":"o"}}`))
			return
		}
		_, _ = w.Write([]byte(`{"code":200,"msg":"success","data":{"status":"completed","outcome":"written","extractions":[],"workflowId":"w","outcomes":"o"}}`))
	}))
	t.Cleanup(server.Close)
	out, errOut, err := runMemory(t, "summarize", "c1", "--agent", "ada", "--key", "k", "--url", server.URL)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Contains(t, out, "written")
	clitest.Contains(t, errOut, "still running", "waiting (paused: the agent's use of models is paused). Ctrl-C ends the waiting")
	if n := strings.Count(errOut, "\n"); n != 2 {
		t.Errorf("%d notes, want 2:\n%s", n, errOut)
	}
	if len(keys) != 4 || keys[0] == "" || slices.ContainsFunc(keys, func(k string) bool { return k != keys[0] }) {
		t.Errorf("the requests had the keys %q: they are not one request", keys)
	}
}

func TestAQuarantinedOutcomeIsAFailure(t *testing.T) {
	for outcome, fine := range map[string]bool{"written": true, "nothing": true, "skipped": true, "quarantined": false, "failed": false} {
		url := clitest.Answering(t, 200, `{"code":200,"msg":"success","data":{"status":"completed","outcome":"`+outcome+`","reasonCode":"guards",
			"extractions":[{"id":"0193c5d2-7e3f-7d33-8a5c-0123456789ab","outcome":"`+outcome+`"}],"workflowId":"w","outcomes":"o"}}`)
		out, _, err := runMemory(t, "summarize", "c1", "--agent", "ada", "--key", "k", "--url", url)
		clitest.Contains(t, out, outcome, "(guards)")
		if fine != (err == nil) {
			t.Errorf("%s: error %v", outcome, err)
		}
		if err != nil && !strings.Contains(err.Error(), "memory extractions 0193c5d2-7e3f-7d33-8a5c-0123456789ab") {
			t.Errorf("%s: the error %q does not say where to look", outcome, err)
		}
	}
}
