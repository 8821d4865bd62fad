package main

import (
	"strings"
	"testing"

	"reverie/cli/clitest"
)

// Keys are made, listed with their use, rotated and revoked, and the audit log shows who did it.
func TestKeysCommands(t *testing.T) {
	startServer(t)
	made := strings.Split(mustRun(t, "keys", "create", "backend", "--role", "member", "--agents", "ada", "--expires", "2160h"), "\n")
	id := strings.TrimSuffix(strings.Fields(made[1])[1], ";")
	if !strings.HasPrefix(made[0], "rv_") || len(id) != 36 {
		t.Fatalf("%q", made)
	}
	clitest.Contains(t, mustRun(t, "keys", "create", "frontend", "--expires", "2999-12-31"), "key ")
	clitest.Contains(t, mustRun(t, "keys", "list"), "until 2999-12-31")
	if _, _, err := runMemory(t, "keys", "create", "frontend", "--expires", "soon"); err == nil || !strings.Contains(err.Error(), "such as 2027-12-31") {
		t.Errorf("error %v", err)
	}
	mustRun(t, "agents", "list", "--key", made[0])
	listed := mustRun(t, "keys", "list")
	clitest.Contains(t, listed, "backend", "member", "ada", "until ")
	rotated := strings.Split(mustRun(t, "keys", "rotate", id, "--overlap", "0s"), "\n")
	next := strings.TrimSuffix(strings.Fields(rotated[1])[1], ";")
	if _, _, err := runMemory(t, "agents", "list", "--key", made[0]); err == nil {
		t.Error("the old key is still valid")
	}
	mustRun(t, "agents", "list", "--key", rotated[0])
	shown := mustRun(t, "audit", "--agent", "", "--operation", "rotate-key", "--kind", "changes", "--since", "1h")
	clitest.Contains(t, shown, "127.0.0.1", "rotate-key", "key="+id, "newKey="+next, "201")
	clitest.Contains(t, mustRun(t, "keys", "list"), "replaced by "+next)
	clitest.Contains(t, mustRun(t, "keys", "revoke", next), "is revoked")
	if _, _, err := runMemory(t, "keys", "rotate", next); err == nil || !strings.Contains(err.Error(), "revoked") {
		t.Errorf("error %v", err)
	}
}
