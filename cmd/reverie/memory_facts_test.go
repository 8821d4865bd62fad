package main

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/clitest"
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
	now := time.Now().UTC()
	aged := math.Exp2(-now.Sub(now.Truncate(24*time.Hour)).Hours() / 24 / 60) // trust in what was noted today, with a half-life of 60 days
	trust := func(base float64) string { return fmt.Sprintf("%.2f", base*aged) }
	clitest.Contains(t, grace("facts", "bees"), "FACT", "TRUST", "PLACE", "TEXT", trust(.7), "MEMORY.md:1", "Keeps bees behind the house.")
	id := oneJSON[wire.Facts](t, grace("facts", "bees", "--json")).Items[0].ID
	clitest.Contains(t, grace("facts", "helpful", id), "trust is now 0.80: Keeps bees")
	clitest.Contains(t, grace("why", id), "prior", "+0.700", "written", "MEMORY.md v1")
	clitest.Contains(t, grace("facts", "why", id), "prior", "+0.700", "helpful", "+0.100", "written", "MEMORY.md v1", "FEEDBACK", "HELPFUL", "asked")
	given := oneJSON[wire.KnownFact](t, grace("facts", "show", id, "--json")).Feedback[0].ID
	clitest.Contains(t, grace("facts", "undo", id, given), "trust is now "+trust(.7))
	clitest.Contains(t, grace("facts", "unhelpful", id), "trust is now "+trust(.5))
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

// The shell shows what was put into a context, and why something was not.
func TestInjectionsFromTheShell(t *testing.T) {
	startServer(t)
	grace := func(args ...string) string { t.Helper(); return mustRun(t, append(args, "--end-user", "42")...) }
	folder := t.TempDir()
	putFile(t, folder, "MEMORY.md", "- Keeps bees behind the house.\n")
	putFile(t, folder, "notes/boat.md", "- The boat lies at pier 4.\n")
	if _, err := syncOnce(t, folder, "--end-user", "42"); err != nil {
		t.Fatal(err)
	}
	if out := grace("injections"); out != "no contexts\n" {
		t.Error(out)
	}
	if _, _, err := runMemory(t, "injections", "why", "boat", "--end-user", "42"); err == nil {
		t.Error("a context that does not exist is explained")
	}
	c := wire.New(os.Getenv("REVERIE_URL"), testKey, nil)
	context, err := c.AssembleContext(t.Context(), "ada", wire.AssembleContextParams{}, wire.ContextBody{
		EndUserID: "42", Conversation: "c1", Message: "At which pier does my boat lie?",
	})
	if err != nil {
		t.Fatal(err)
	}
	made := context.Data.Injection
	clitest.Contains(t, grace("injections", "--conversation", "c1"), "INJECTION", "CANDIDATES", made, "c1", "200")
	clitest.Contains(t, grace("injections", "show", made), "injected", "matched", "notes/boat.md:1", "The boat lies at pier 4.")
	clitest.Contains(t, grace("injections", "why", "PIER"), "injected", "notes/boat.md:1")
	clitest.Contains(t, grace("injections", "why", "bees", "--injection", made), "absent", "prompt", "MEMORY.md:1")
	clitest.Contains(t, grace("injections", "why", "moon", "--conversation", "c1"), "no candidate and no fact is about that")
}

func TestMorningCardFromTheShell(t *testing.T) {
	startServer(t)
	if out := mustRun(t, "card", "--end-user", "42"); out != "no morning card\n" {
		t.Error(out)
	}
	if _, _, err := runMemory(t, "card", "seen", "--end-user", "42"); err == nil {
		t.Error("a card that does not exist is seen")
	}
	notes := map[string]string{}
	for n := 6; n > 3; n-- {
		notes[daysAgo(t, n)+".md"] = "- Plays the cello in a quartet.\n"
	}
	mustRun(t, "rem-backfill", "--path", clitest.Folder(t, notes), "--promote", "--end-user", "42")
	clitest.Contains(t, mustRun(t, "card", "--end-user", "42"), "Plays the cello in a quartet.")
	mustRun(t, "card", "seen", "--end-user", "42")
	if out := mustRun(t, "card", "--end-user", "42"); out != "no morning card\n" {
		t.Error(out)
	}
}
