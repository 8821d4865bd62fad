package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/clitest"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// runChat talks as end user 42 of the agent that startServer has made, with these lines.
func runChat(t *testing.T, lines []string, args ...string) (out, notes string, err error) {
	t.Helper()
	c := root()
	var outBuffer, notesBuffer bytes.Buffer
	c.SetIn(strings.NewReader(strings.Join(lines, "\n") + "\n"))
	c.SetOut(&outBuffer)
	c.SetErr(&notesBuffer)
	c.SetArgs(append(append([]string{"chat"}, args...), "--end-user", "42"))
	err = c.ExecuteContext(t.Context())
	return outBuffer.String(), notesBuffer.String(), err
}

// Without a model, answers quote the memory; commands read and change it.
func TestATalkFromMemoryAlone(t *testing.T) {
	startServer(t)
	mustRun(t, "add", write(t, "hello.jsonl", hello), "--end-user", "42", "--wait")
	out, notes, err := runChat(t, []string{
		"/context", "Where is the printer of the ward?", "/why", "/tools", "/context", "/remember I like my tea green.",
		"/remember I like my tea green.", "/help",
	}, "--conversation", "c1")
	if err != nil {
		t.Fatalf("%v\n%s", err, notes)
	}
	clitest.Contains(t, out, "of 128000 tokens", "summarised above 96000", "room 214", "memory: [1] ", "[1] ", "score ", "words  ",
		"no tool was used",
		"of 128000 tokens", "system ", "saved in MEMORY.md: ", "tea green", "receipt ", "known already, in MEMORY.md: ", "/forget N")
	if notes != "" || strings.Contains(out, "\x1b") {
		t.Errorf("%q, and on the side %q", out, notes)
	}
	clitest.Contains(t, mustRun(t, "cat", "MEMORY.md", "--end-user", "42"), "## Remembered", "tea green")
	// The conversation goes on with its id, and a message may be given instead of lines.
	out, _, err = runChat(t, nil, "--conversation", "c1", "What kind of tea do I like?")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Contains(t, out, "tea green")
	clitest.Contains(t, mustRun(t, "get", "sessions/c1", "--end-user", "42", "--lines", "10"), "Where is the printer", "room 214",
		"What kind of tea")
}

// What was used is forgotten by its number.
func TestATalkForgets(t *testing.T) {
	startServer(t)
	out, notes, err := runChat(t, []string{
		"/remember The spare key of the boathouse is under the third flowerpot.", "Where is the spare key of the boathouse?", "/forget 1",
		"/forget 9",
	})
	clitest.Contains(t, out, "saved in MEMORY.md", "flowerpot", "memory: [1] MEMORY.md:", "forgotten: ", "flowerpot",
		"MEMORY.md (PERSONAL) version 2")
	if err == nil || err.Error() != "1 command failed" || !strings.Contains(notes, "! name a memory") {
		t.Errorf("%v, %s", err, notes)
	}
	if text := mustRun(t, "cat", "MEMORY.md", "--end-user", "42"); strings.Contains(text, "flowerpot") {
		t.Errorf("MEMORY.md:\n%s", text)
	}
}

// A model's answer comes with its tools; with --json each answer is a line.
func TestATalkWithAModel(t *testing.T) {
	played := llmtest.New(t, llmtest.Options{Respond: func(r llmtest.Request) llmtest.Turn {
		if last := r.Messages[len(r.Messages)-1]; last.Role == memory.RoleOfTool {
			return llmtest.Say("It is in room 214.")
		}
		return llmtest.Use(llmtest.Call("memory_search", map[string]any{"query": "printer"}))
	}})
	for name, value := range map[string]string{"PROVIDER": "openai-compatible", "MODEL": "gpt-4o", "BASE_URL": played.URL + "/v1"} {
		t.Setenv("REVERIE_LLM_"+name, value)
	}
	startServer(t)
	mustRun(t, "add", write(t, "hello.jsonl", hello), "--end-user", "42", "--open")
	out, notes, err := runChat(t, []string{"Where is the printer of the ward?", "/tools", "/context"})
	if err != nil {
		t.Fatalf("%v\n%s", err, notes)
	}
	clitest.Contains(t, out, "It is in room 214.\n", "memory: [1] sessions/hello:", `memory_search {"query":"printer"}`, "found ",
		"counted exactly", "tools ")
	clitest.Contains(t, notes, `· memory_search {"query":"printer"}`, "found 2 passages")
	out, _, err = runChat(t, []string{"Where is the printer of the ward?", "And once more?"}, "--json")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out) {
		var answer wire.Turn
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Answer != "It is in room 214." ||
			!strings.HasSuffix(answer.Model, "/gpt-4o") {
			t.Errorf("%v in %s", err, line)
		}
	}
	if n := strings.Count(out, "\n"); n != 2 {
		t.Errorf("%d lines:\n%s", n, out)
	}
}

// An error names the next step, and scripts get it as the exit status.
func TestATalkThatFails(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `{"code":200,"msg":"success","data":{}}`)
			return
		}
		switch asked++; asked {
		case 1: // busy: it is asked again
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"code":503,"msg":"wait","error":"flushing","data":null}`)
		case 2: // answered already: not asked again
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: text\ndata: {\"text\":\"Well\"}\n\nevent: error\ndata: {\"code\":503,\"msg\":\"the model did not "+
				"answer\",\"error\":\"model_unavailable\",\"data\":null}\n\n")
		case 3:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: text\ndata: {\"text\":\"Well\"}\n\n") // it breaks off
		default:
			fmt.Fprint(w, `{"code":200,"msg":"success","data":{}}`) // no stream
		}
	}))
	t.Cleanup(server.Close)
	_, notes, err := runChat(t, []string{"one", "two", "three", "/nonsense"}, "--agent", "ada", "--key", "k", "--url", server.URL)
	if err == nil || err.Error() != "3 messages without an answer" {
		t.Errorf("%v", err)
	}
	clitest.Contains(t, notes, "! the answer was interrupted and not stored: the model did not answer (model_unavailable)",
		"! the answer was interrupted and not stored: "+server.URL+" closed the connection", "is not a Reverie server", "unknown command /nonsense")
	if asked != 4 {
		t.Errorf("%d requests", asked)
	}
	c := root()
	c.SetArgs([]string{"chat", "--agent", "ada", "--key", "k", "--url", server.URL})
	if err := c.Execute(); err == nil || !strings.Contains(err.Error(), "--owner") {
		t.Errorf("%v", err)
	}
}
