package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/cli/clitest"
)

// Every request of every command is one that the server describes: path, method, query parameters and body fields.
func TestRequestsAreInTheContract(t *testing.T) {
	url, made := clitest.ContractServer(t)

	file := filepath.Join(t.TempDir(), "c.json")
	now := time.Now()
	encoded, err := json.Marshal(map[string]any{
		"conversation": "c/1", "endUserId": "42", "triggerSource": "web",
		"messages": []map[string]any{{"id": "m1", "role": "user", "name": "Grace", "content": "hi", "finishReason": "stop", "createdAt": now}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	zipped := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(zipped, []byte("PK"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{"add", file, "--wait"},
		{"summarize", "c/1"},
		{"agents", "list"},
		{"agents", "create", "ada", "--name", "Ada", "--time-zone", "Europe/Berlin"},
		{"agents", "budget", "ada", "--tokens", "1000", "--cost", "2.5"},
		{"agents", "pause", "ada"},
		{"agents", "resume", "ada"},
		{"list", "--end-user", "42", "--prefix", "memory/", "--scope", "PERSONAL", "--deleted"},
		{"cat", "memory/2026-11-21.md", "--version", "1", "--scope", "TEAM", "--owner", "user:1"},
		{"log", "MEMORY.md", "--before", "3", "--channel", "telegram", "--sender", "7"},
		{"diff", "MEMORY.md", "1", "2"},
		{"blame", "MEMORY.md", "--version", "1"},
		{"restore", "MEMORY.md", "1", "--reason", "better", "--end-user", "42"},
		{"extractions", "--conversation", "c1", "--outcome", "written", "--cursor", "x"},
		{"extractions", uuid.NewString()},
		{"extractions", "retry", uuid.NewString()},
		{
			"events", "--after", "7-9", "--kind", "document.written,memory.dream.completed", "--path", "MEMORY.md", "--limit", "5",
			"--end-user", "42",
		},
		{"injections", "--conversation", "c1", "--limit", "5", "--end-user", "42"},
		{"injections", "show", uuid.NewString(), "--end-user", "42"},
		{"injections", "why", "boat", "--injection", uuid.NewString(), "--end-user", "42"},
		{"why", uuid.NewString()},
		{"webhooks", "create", "https://example.com", "--kind", "document.written", "--end-user", "42"},
		{"webhooks", "list", "--limit", "5", "--cursor", "x", "--end-user", "42"},
		{"webhooks", "change", uuid.NewString(), "--to", "https://example.com", "--end-user", "42"},
		{"webhooks", "pause", uuid.NewString()},
		{"webhooks", "rotate", uuid.NewString(), "--overlap", "1h"},
		{"webhooks", "failures", uuid.NewString()},
		{"webhooks", "redeliver", uuid.NewString(), uuid.NewString()},
		{"webhooks", "delete", uuid.NewString()},
		{"approvals", "--all", "--limit", "5", "--cursor", "x", "--end-user", "42"},
		{"approvals", "show", uuid.NewString(), "--end-user", "42"},
		{"approvals", "approve", uuid.NewString(), "0", "2", "--end-user", "42"},
		{"approvals", "refuse", uuid.NewString(), "--all", "--note", "wrong", "--owner", "user:1"},
		{"approvals", "refuse", uuid.NewString(), "1", "--note", "wrong", "--owner", "user:1"},
		{"approvals", "edit", uuid.NewString(), "3", "likes tea", "--owner", "user:1"},
		{"artifacts", "--limit", "5", "--cursor", "x", "--end-user", "42"},
		{"tools"},
		{
			"tools", "run", "write_workspace_memory_file", "--args", `{"filename":"a.md","content":"x"}`, "--speaker", "feishu:ou_1",
			"--end-user", "42",
		},
		{"prompt", "--end-user", "42"},
		{
			"search", "the", "balcony", "--corpus", "memory", "--max-results", "3", "--min-score", "0", "--from", "2026-01-01", "--to", "2026-02-01",
			"--explain", "--as-of", "2026-01-31", "--end-user", "42",
		},
		{"context", "where", "is", "it?", "--as-of", "2026-01-31", "--end-user", "42"},
		{"get", "sessions/c/1", "--from", "2", "--lines", "3", "--skip", "4", "--scope", "TEAM", "--owner", "user:1"},
		{"index", "--force", "--no-wait"},
		{"status"},
		{"status", "--deep"},
		{"dream", "--dry-run", "--as-of", "2026-01-31", "--end-user", "42"},
		{"dream", "--topic", "the move", "--wait=false"},
		{"dreams", "--mode", "nightly", "--outcome", "written", "--real", "--cursor", "x", "--owner", "user:1"},
		{"dreams", uuid.NewString(), "--candidates", "10"},
		{"promote"},
		{"promote", "--apply"},
		{"promote-explain", "the move"},
		{"promote-explain", "0123456789abcdef0123456789abcdef"},
		{"rem-harness"},
		{"rem-backfill", "--path", clitest.Folder(t, map[string]string{"2026-01-31.md": "- x\n"}), "--promote"},
		{"revert", uuid.NewString(), "--end-user", "42"},
		{"dream", "again", uuid.NewString(), "--end-user", "42"},
		{"owner", "--end-user", "42"},
		{"import", fixtures + "openclaw", "--end-user", "42", "--on-conflict", "keep", "--no-wait"},
		{"import", fixtures + "chatgpt", "--channel", "telegram", "--sender", "7", "--no-extract", "--no-wait"},
		{"snapshot", "preview", zipped, "--scope", "all", "--end-user", "42"},
		{"snapshot", "import", zipped, "--scope", "all", "--token", strings.Repeat("a", 64), "--wait", "1s", "--owner", "user:1"},
		{"snapshot", "export", filepath.Join(t.TempDir(), "out.zip"), "--scope", "team", "--prefix", "memory/"},
		{"export", "--to", t.TempDir(), "--end-user", "42"},
		{"sync", t.TempDir(), "--once", "--end-user", "42"},
		{
			"write", "--target", "a.md", "--strategy", "append", "--content", "x", "--data", `{}`, "--scope", "TEAM", "--reason", "y",
			"--request-id", "r", "--wait", "1s", "--end-user", "42",
		},
	} {
		if _, _, err := runMemory(t, append(line, "--agent", "ada", "--key", "k", "--url", url)...); err != nil {
			if line[0] != "promote-explain" || !strings.Contains(err.Error(), "no candidate") { // this server knows none
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	talk := []string{"Hello there", "/remember tea", "/context", "/why"}
	if _, _, err := runChat(t, talk, "--agent", "ada", "--key", "k", "--url", url, "--model", "m", "--speaker", "feishu:ou_1"); err == nil {
		t.Error("an answer that is no stream is taken for one")
	}
	for _, id := range []string{
		"chat-stream", "assemble-context", "remember", "get-agent",
		"add-messages", "summarize-conversation", "list-agents", "create-agent", "update-agent", "agent-budget", "list-files", "read-file", "file-history", "file-diff",
		"file-blame", "restore-file", "list-extractions", "get-extraction", "retry-extraction", "system-prompt", "status", "events",
		"search-memory", "get-memory", "build-index", "memory-status", "write-file",
		"dream", "dream-focused", "list-dreams", "get-dream", "explain-candidate", "explain-candidates", "revert-dream", "dream-again", "find-owner",
		"create-import", "add-import-items", "start-import", "list-import-items",
		"list-injections", "get-injection", "get-fact", "write-memory", "list-artifacts", "list-tools", "call-tool",
		"create-webhook", "list-webhooks", "change-webhook", "rotate-webhook-secret", "list-webhook-failures", "redeliver-webhook", "delete-webhook",
	} {
		if !made()[id] {
			t.Errorf("no command asked for %s", id)
		}
	}
}
