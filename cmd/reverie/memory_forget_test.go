package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"

	"reverie/cli/clitest"
	"reverie/devenv/devtest"
)

// lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

const monocle = `{"role":"user","content":"Please remember that I wear a turquoise monocle at the opera."}
{"role":"assistant","content":"Noted: a turquoise monocle at the opera."}
{"role":"user","content":"My dog is called Rex."}
{"role":"assistant","content":"Nice."}
`

// What was said, extracted, indexed and dreamt of is erased from the database, and was never in a workflow's history or a log.
func TestEraseLeavesNothing(t *testing.T) {
	log := &lockedBuffer{}
	startServerLogging(t, log)
	grace := func(args ...string) string { t.Helper(); return mustRun(t, append(args, "--end-user", "42")...) }
	grace("add", write(t, "hello.jsonl", monocle))
	clitest.Contains(t, grace("summarize", "hello"), "written")
	grace("dream")
	clitest.Contains(t, grace("search", "monocle"), "monocle")
	if text := databaseDump(t); !strings.Contains(text, "monocle") {
		t.Fatal("nothing was stored")
	}
	clitest.Contains(t, grace("forget", "turquoise monocle", "--erase"), "would be forgotten", "messages.content: 2 rows")
	clitest.Contains(t, grace("forget", "turquoise monocle", "--erase", "--yes"), "forgotten", "document_versions.content", "messages.content: 2 rows")
	if out := grace("search", "turquoise"); strings.Contains(out, "turquoise") {
		t.Errorf("it is found: %s", out)
	}
	clitest.Contains(t, grace("search", "dog"), "Rex")
	text := databaseDump(t)
	if at := strings.Index(text, "monocle"); at >= 0 {
		t.Errorf("the dump: … %s …", text[max(0, at-400):min(len(text), at+100)])
	}
	if logged := log.String(); strings.Contains(logged, "monocle") || !strings.Contains(logged, "level") {
		t.Errorf("the log has the words, or nothing: %.2000s", logged)
	}
	for id, history := range histories(t) {
		if strings.Contains(history, "monocle") {
			t.Errorf("the history of %s has the words", id)
		}
	}
}

// databaseDump returns a dump of the server's database.
func databaseDump(t *testing.T) string {
	t.Helper()
	url := os.Getenv(testDatabase)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var bin string
	if err := conn.QueryRow(t.Context(), "select setting from pg_config where name = 'BINDIR'").Scan(&bin); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(bin, "pg_dump"), "--inserts", "--dbname="+url).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.ToLower(string(out))
}

// histories returns all workflows with their histories, payloads decoded.
func histories(t *testing.T) map[string]string {
	t.Helper()
	c, err := client.DialContext(t.Context(), client.Options{HostPort: devtest.Temporal(t).Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, x := range list.GetExecutions() {
		events := c.GetWorkflowHistory(t.Context(), x.GetExecution().GetWorkflowId(), x.GetExecution().GetRunId(), false, 0)
		var text strings.Builder
		for events.HasNext() {
			event, err := events.Next()
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString(event.String())
			text.WriteString(protojson.Format(event))
		}
		out[x.GetExecution().GetWorkflowId()] = strings.ToLower(text.String())
	}
	if len(out) == 0 {
		t.Fatal("no workflow is known")
	}
	return out
}
