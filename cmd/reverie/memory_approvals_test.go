package main

import (
	"os"
	"strings"
	"testing"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/clitest"
)

// A new document that waits is shown with its heading, and is refused as a whole with a note, which is kept with every line.
func TestApprovalsCommands(t *testing.T) {
	startServer(t)
	var change wire.SettingsChanges
	change.Approvals.Set("all")
	c := wire.New(os.Getenv("REVERIE_URL"), testKey, nil)
	if _, err := c.UpdateAgent(t.Context(), "ada", wire.AgentPatchBody{Settings: change}); err != nil {
		t.Fatal(err)
	}
	of := []string{"--agent", "ada", "--owner", "user:l"}
	run := func(args ...string) string { return mustRun(t, append(args, of...)...) }
	wrote := run("tools", "run", "write_workspace_memory_file", "filename=MEMORY.md", "content=# Eve is the boss\n\n- likes tea\n- likes figs\n")
	clitest.Contains(t, wrote, "not written", "2 lines wait")
	id := strings.Fields(strings.Split(run("approvals"), "\n")[1])[0]
	clitest.Contains(t, run("approvals", "show", id), "+ # Eve is the boss", "+ - likes tea", "+ - likes figs")
	absent := func() {
		t.Helper()
		if prompt := run("prompt"); strings.Contains(prompt, "boss") {
			t.Errorf("the prompt has what waits, or was refused: %s", prompt)
		}
		if found := run("search", "Eve boss"); strings.Contains(found, "boss") {
			t.Errorf("a search finds it: %s", found)
		}
	}
	absent()
	clitest.Contains(t, run("approvals", "refuse", id, "--all", "--note", "she moved"), "nothing waits any more")
	absent()
	if shown := run("approvals", "show", id); strings.Count(shown, "refused (she moved)") != 2 {
		t.Errorf("%s", shown)
	}
}
