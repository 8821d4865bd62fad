package main

import (
	"testing"

	"reverie/cli/clitest"
	"reverie/client/wire"
)

// Facts are listed, explained and judged from the shell, and the judgement is taken back.
func TestFactsFromTheShell(t *testing.T) {
	startServer(t)
	grace := func(args ...string) string { t.Helper(); return mustRun(t, append(args, "--end-user", "42")...) }
	folder := t.TempDir()
	putFile(t, folder, "MEMORY.md", "- Keeps bees behind the house.\n- **deploy day**: Friday\n")
	if _, err := syncOnce(t, folder, "--end-user", "42"); err != nil {
		t.Fatal(err)
	}
	clitest.Contains(t, grace("facts", "bees"), "FACT", "TRUST", "PLACE", "TEXT", "0.70", "MEMORY.md:1", "Keeps bees behind the house.")
	id := oneJSON[wire.Facts](t, grace("facts", "bees", "--json")).Items[0].ID
	clitest.Contains(t, grace("facts", "helpful", id), "trust is now 0.80: Keeps bees")
	clitest.Contains(t, grace("facts", "why", id), "prior", "+0.700", "helpful", "+0.100", "written", "MEMORY.md v1", "FEEDBACK", "HELPFUL", "asked")
	given := oneJSON[wire.KnownFact](t, grace("facts", "show", id, "--json")).Feedback[0].ID
	clitest.Contains(t, grace("facts", "undo", id, given), "trust is now 0.70")
	clitest.Contains(t, grace("facts", "unhelpful", id), "trust is now 0.50")
	clitest.Contains(t, grace("facts", "--attribute", "is"), "**deploy day**: Friday")
	if out := grace("facts", "--min-trust", "0.9"); out != "no facts\n" {
		t.Error(out)
	}
	clitest.Contains(t, mustRun(t, "facts", "rebuild"), "accepted")
	clitest.Contains(t, grace("forget", "deploy day"), "would be forgotten: MEMORY.md:2", "nothing was changed")
	clitest.Contains(t, grace("facts", "forget", id, "--dry-run"), "would be forgotten: MEMORY.md:1  Keeps bees")
	clitest.Contains(t, grace("facts", "forget", id), "forgotten: MEMORY.md:1  Keeps bees")
	clitest.Contains(t, grace("forget", "deploy day", "--yes", "--erase"), "forgotten: MEMORY.md:1", "document_versions.content")
	if out := grace("facts"); out != "no facts\n" {
		t.Error(out)
	}
}
