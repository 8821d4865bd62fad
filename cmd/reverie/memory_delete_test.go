package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"reverie/cli/clitest"
)

var aDeletion = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)

// A conversation that was extracted, indexed and dreamt of is deleted with what was learned from it, then its owner: no word of it is left in
// the database, in a workflow's history or in a log.
func TestDeleteLeavesNothing(t *testing.T) {
	log := &lockedBuffer{}
	startServerLogging(t, log)
	grace := func(args ...string) string { t.Helper(); return mustRun(t, append(args, "--end-user", "42")...) }
	receipt := func(requested string) string {
		t.Helper()
		id := aDeletion.FindString(requested)
		for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
			if shown := grace("deletions", "show", id); strings.Contains(shown, ": done\n") {
				return shown
			}
		}
		t.Fatalf("%s has not ended", id)
		return ""
	}
	grace("add", write(t, "hello.jsonl", monocle))
	grace("add", write(t, "other.jsonl", `{"role":"user","content":"Please remember that I keep bees."}`+"\n"+`{"role":"user","content":"In Bern."}`+"\n"))
	clitest.Contains(t, grace("summarize", "hello"), "written")
	grace("summarize", "other")
	grace("dream")
	clitest.Contains(t, grace("search", "monocle"), "monocle")

	clitest.Contains(t, grace("delete", "conversation", "hello"), "would be deleted from messages: 4 rows", "nothing was deleted")
	waits := grace("delete", "conversation", "hello", "--yes")
	clitest.Contains(t, waits, "starts at", "deletions cancel")
	clitest.Contains(t, grace("deletions", "cancel", aDeletion.FindString(waits)), "cancelled")
	clitest.Contains(t, grace("deletions", "list"), "conversation hello of api:42", "cancelled")

	done := receipt(grace("delete", "conversation", "hello", "--yes", "--now"))
	clitest.Contains(t, done, "deleted from messages: 4 rows", "left: no row in", "no longer known:", "not reached: backups")
	if out := grace("search", "turquoise"); strings.Contains(out, "turquoise") {
		t.Errorf("it is found: %s", out)
	}
	clitest.Contains(t, grace("search", "bees"), "bees")
	text := databaseDump(t)
	if at := strings.Index(text, "monocle"); at >= 0 {
		t.Errorf("the dump: … %s …", text[max(0, at-400):min(len(text), at+100)])
	}
	clitest.Contains(t, receipt(grace("delete", "owner", "--yes", "--now")), "deleted from owners: 1 row")
	text = databaseDump(t)
	for _, word := range []string{"monocle", "bees"} {
		if at := strings.Index(text, word); at >= 0 {
			t.Errorf("the dump: … %s …", text[max(0, at-400):min(len(text), at+100)])
		}
		if strings.Contains(log.String(), word) {
			t.Errorf("the log has %s", word)
		}
	}
	for id, history := range histories(t) {
		if strings.Contains(history, "monocle") || strings.Contains(history, "bees") {
			t.Errorf("the history of %s has the words", id)
		}
	}
}
