package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"reverie/cli/clitest"
)

// A conversation that was extracted and dreamt of is revoked: what it alone has taught is gone from documents, facts, the index and reports,
// and the conversation does not teach it again.
func TestRevokeAConversation(t *testing.T) {
	startServer(t)
	own := func(args ...string) string { t.Helper(); return mustRun(t, append(args, "--end-user", "42")...) }
	own("add", write(t, "hello.jsonl", monocle))
	own("add", write(t, "other.jsonl", `{"role":"user","content":"Please remember that I keep bees."}`+"\n"+`{"role":"user","content":"In Bern."}`+"\n"))
	own("summarize", "hello")
	own("summarize", "other")
	own("dream")
	clitest.Contains(t, own("cat", "MEMORY.md"), "monocle", "bees")

	clitest.Contains(t, own("revoke", "conversation", "hello"), "statements would go", "goes ", "monocle", "repeat it with --yes")
	clitest.Contains(t, own("cat", "MEMORY.md"), "monocle")
	started := own("revoke", "conversation", "hello", "--yes")
	id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).FindString(started)
	if clitest.Contains(t, started, "revocations show "+id); strings.Contains(started, "gone, ") {
		t.Errorf("it counts before it is done: %s", started)
	}
	shown := ""
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(shown, ": done\n"); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it has not ended: %s", shown)
		}
		shown = own("revocations", "show", id)
	}
	clitest.Contains(t, shown, "gone, ", "not reached: messages")
	clitest.Contains(t, own("revocations", "list"), id, "conversation hello", "done")
	own("summarize", "hello")
	own("dream")
	for _, path := range []string{"MEMORY.md", "DREAMS.md"} {
		if got := own("cat", path); strings.Contains(got, "monocle") {
			t.Errorf("%s: %s", path, got)
		}
	}
	clitest.Contains(t, own("cat", "MEMORY.md"), "bees")
	if got := own("facts", "list"); strings.Contains(got, "monocle") {
		t.Errorf("a fact: %s", got)
	}
}
