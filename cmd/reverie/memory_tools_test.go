package main

import (
	"encoding/json"
	"strings"
	"testing"

	"reverie/cli/clitest"

	"github.com/reverie-memory/reverie/client/wire"
)

func TestTheToolsOfAModelByHand(t *testing.T) {
	startServer(t)
	clitest.Contains(t, mustRun(t, "tools"), "memory_search\n  Search long-term memory and earlier conversations.",
		"edit_workspace_memory_file (writes)\n  Replace text")
	clitest.Contains(t, mustRun(t, "tools", "read_workspace_memory_file"), `"type": "object"`, `"filename"`, `"required"`)
	var shown wire.Tool
	if err := json.Unmarshal([]byte(mustRun(t, "tools", "remember", "--json")), &shown); err != nil || shown.Name != "remember" ||
		!shown.Writes || !json.Valid(shown.Parameters) {
		t.Errorf("%+v, %v", shown, err)
	}

	of := []string{"--owner", "user:7"}
	run := func(args ...string) (string, error) {
		t.Helper()
		out, _, err := runMemory(t, append(append([]string{"tools", "run"}, args...), of...)...)
		return out, err
	}
	if out, err := run("write_workspace_memory_file", "--args",
		`{"filename":"ports.md","content":"db 5433\napi 8080\nold db 5433\n"}`); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := run("edit_workspace_memory_file", "filename=ports.md", "oldText=5433", "newText=5434")
	if err == nil || !strings.Contains(out, `"lines"`) && !strings.Contains(out, "lines 1") {
		t.Errorf("an ambiguous edit: %v\n%s", err, out)
	}
	if out, err = run("edit_workspace_memory_file", "filename=ports.md", "oldText=5433", "newText=5434", "replaceAll=true"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if text := mustRun(t, append([]string{"cat", "ports.md"}, of...)...); text != "db 5434\napi 8080\nold db 5434\n" {
		t.Errorf("%q", text)
	}
	// The same request id is the same write, and words win over --args.
	for range 2 {
		if _, err := run("remember", "--request-id", "once", "--args", `{"text":"not this"}`, "text=The mast is new."); err != nil {
			t.Error(err)
		}
	}
	if text := mustRun(t, append([]string{"cat", "MEMORY.md"}, of...)...); strings.Count(text, "The mast is new.") != 1 ||
		strings.Contains(text, "not this") {
		t.Errorf("%q", text)
	}
	clitest.Contains(t, mustRun(t, "tools", "run", "search_workspace_memory", "query=mast", "--owner", "user:7"), "[[mast]] is new.")

	for want, args := range map[string][]string{
		"unknown tool":                          {"remembr", "text=x"},
		"No such tool":                          {"remembr"},
		`has no argument "file": it has`:        {"read_workspace_memory_file", "file=MEMORY.md"},
		"use name=value":                        {"read_workspace_memory_file", "MEMORY.md"},
		"--args must be a JSON object, such as": {"read_workspace_memory_file", "--args", "{filename: MEMORY.md}"},
		"--args must be a JSON object":          {"read_workspace_memory_file", "--args", "[]", "filename=MEMORY.md"},
		"was not carried out as requested":      {"read_workspace_memory_file", "filename=none.md"},
	} {
		if _, err := run(args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	if _, _, err := runMemory(t, "tools", "run", "remember", "text=x"); err == nil {
		t.Error("something is remembered for nobody")
	}
}

func TestArtifactsAreListed(t *testing.T) {
	startServer(t)
	of := []string{"--owner", "user:7"}
	onServer(t, "- x\n", "memory/2026-01-31.md", append(of, "--scope", "PERSONAL")...)
	list := func(args ...string) string {
		t.Helper()
		return mustRun(t, append(append([]string{"artifacts"}, args...), of...)...)
	}
	clitest.Contains(t, list(), "KIND", "PATH", "memory-root", "MEMORY.md", "TEAM", "event-log", "memory/.dreams/events.jsonl", "json",
		"daily-note", "memory/2026-01-31.md", "PERSONAL")
	if out := mustRun(t, "artifacts"); strings.Contains(out, "2026-01-31") {
		t.Errorf("what is somebody's is listed for everybody:\n%s", out)
	}
	first := list("--limit", "1")
	_, cursor, found := strings.Cut(strings.TrimSpace(first), "--cursor ")
	if !found {
		t.Fatalf("nothing says how to go on:\n%s", first)
	}
	clitest.Contains(t, list("--cursor", cursor), "event-log", "daily-note")
	var part wire.Page[wire.Artifact]
	if err := json.Unmarshal([]byte(list("--json")), &part); err != nil || len(part.Items) != 3 ||
		!strings.HasPrefix(part.Items[0].Href, "/api/v1/") {
		t.Errorf("%+v, %v", part, err)
	}
}
