package main

import (
	"strings"
	"testing"

	"reverie/backend/backendtest"
	"reverie/cli/clitest"
)

// Words show and forget what an external MCP server has, and the hint names a flag that the command has.
func TestForgetAtTheBackend(t *testing.T) {
	s := backendtest.Start(t)
	t.Setenv("REVERIE_MCP_CONFIG", write(t, "mcp.json", `{"mcpServers": {"notes": {"endpoint": "`+s.URL+`/?owner={owner}&agent={agent}"}}}`))
	startServer(t)
	s.Put(backendtest.Row{Content: "My kayak is called Egret"})
	s.Put(backendtest.Row{Content: "My desk is oak"})
	grace := func(args ...string) string { t.Helper(); return mustRun(t, append(args, "--end-user", "42")...) }
	shown := grace("forget", "kayak")
	clitest.Contains(t, shown, "would be forgotten: My kayak is called Egret", "nothing was changed: repeat it with --yes\n")
	if strings.Contains(shown, "--dry-run") || s.Rows()[0].Archived {
		t.Errorf("%s%+v", shown, s.Rows())
	}
	clitest.Contains(t, grace("forget", "kayak", "--yes"), "forgotten: My kayak is called Egret", "archived at the memory backend: 1 statement\n")
	if rows := s.Rows(); !rows[0].Archived || rows[1].Archived {
		t.Errorf("%+v", rows)
	}
	clitest.Contains(t, grace("forget", "kayak"), "nothing was found")
}
