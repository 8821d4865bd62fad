package chat

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"reverie/cli/clitest"
	"reverie/cli/session"
	"reverie/client/wire"
)

// The requests of commands that are about an answer are ones that the server describes.
func TestRequestsAreInTheContract(t *testing.T) {
	url, made := clitest.ContractServer(t)
	command := &cobra.Command{}
	command.SetOut(io.Discard)
	talk, err := newTalk(command, &session.Session{URL: url, Key: "k", Agent: "ada", Channel: "web", Sender: "7"}, "c1", "")
	if err != nil {
		t.Fatal(err)
	}
	talk.last = lastTurn{message: "Where?", used: []usedMemory{{Recalled: wire.Recalled{
		Path: "MEMORY.md", Scope: "PERSONAL", StartLine: 3,
		EndLine: 4, Text: "- One.\n- Two.\n",
	}}}}
	for _, line := range []string{"/why", "/forget 1.2", "/forget 1 all"} {
		if _, err := talk.command(t.Context(), line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if _, err := talk.command(t.Context(), "/forget 1"); err == nil || !strings.Contains(err.Error(), "/forget 1.1") {
		t.Errorf("one of several is forgotten: %v", err)
	}
	for _, id := range []string{"search-memory", "forget"} {
		if !made()[id] {
			t.Errorf("no command called %s", id)
		}
	}
}
