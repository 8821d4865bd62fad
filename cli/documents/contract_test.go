package documents

import (
	"testing"
	"time"

	"reverie/cli/clitest"
	"reverie/cli/session"
	"reverie/foldersync"
	"reverie/memory"
)

// The requests of a synced folder are ones that the server describes.
func TestRequestsAreInTheContract(t *testing.T) {
	url, made := clitest.ContractServer(t)
	s := commands{&session.Session{URL: url, Key: "k", Agent: "ada", Channel: "web", Sender: "7"}}
	remote, err := s.remote(time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := remote.identity(t.Context()); err != nil {
		t.Error(err)
	}
	ref := memory.Ref{Scope: memory.ScopeTeam, Path: "memory/a.md"}
	if _, err := remote.Write(t.Context(), foldersync.Write{Ref: ref, Content: "x", Match: `"T1.0"`, Key: "k"}); err == nil {
		t.Error("an answer without a receipt is accepted")
	}
	if err := remote.Delete(t.Context(), ref, `"T1.0"`, "k"); err != nil {
		t.Error(err)
	}
	if found, err := remote.follow(t.Context()); found || err != nil { // this server has no stream
		t.Errorf("%v, %v", found, err)
	}
	for _, id := range []string{"delete-file", "events-stream", "get-agent", "list-files", "read-file", "write-file"} {
		if !made()[id] {
			t.Errorf("nothing called %s", id)
		}
	}
}
