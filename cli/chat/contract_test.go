package chat

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/clitest"
	"reverie/cli/session"
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
	talk.card = wire.MorningCard{ReportID: "r1", Facts: []wire.CardFact{{Entry: "e1", Text: "Likes tea."}}}
	for _, line := range []string{
		"/why", "/forget 1.2", "/forget 1 all", "/card", "/card confirm 1", "/card edit 1 Likes coffee.", "/card forget 1",
	} {
		if _, err := talk.command(t.Context(), line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if f := talk.card.Facts[0]; f.Status != "forgotten" || strings.Contains(f.Text, "coffee") {
		t.Errorf("the card does not show what was decided: %+v", f)
	}
	if _, err := talk.command(t.Context(), "/forget 1"); err == nil || !strings.Contains(err.Error(), "/forget 1.1") {
		t.Errorf("one of several is forgotten: %v", err)
	}
	for _, line := range []string{"/card forget", "/card forget 2", "/card edit 1", "/card eat 1"} {
		if _, err := talk.command(t.Context(), line); err == nil {
			t.Errorf("%s: no error", line)
		}
	}
	for _, id := range []string{"search-memory", "forget", "confirm-entry", "edit-entry", "forget-entry"} {
		if !made()[id] {
			t.Errorf("no command called %s", id)
		}
	}
}
