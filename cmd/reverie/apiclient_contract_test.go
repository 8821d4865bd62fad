package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/api"
	"reverie/foldersync"
	"reverie/memory"
)

// contract is the server's OpenAPI document, to hold the client to it.
type contract struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		Name string `json:"name"`
		In   string `json:"in"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct {
			Schema schema `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

type schema struct {
	Ref        string            `json:"$ref"`
	Items      *schema           `json:"items"`
	Properties map[string]schema `json:"properties"`
	Open       any               `json:"additionalProperties"` // true: what else it has is not described
}

func readContract(t *testing.T) contract {
	t.Helper()
	document, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var c contract
	if err := json.Unmarshal(encoded, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c contract) resolve(s schema) schema {
	for s.Ref != "" {
		s = c.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	return s
}

// find returns the operation that a request reaches.
func (c contract) find(method, path string) (operation, bool) {
	for template, methods := range c.Paths {
		pattern := regexp.QuoteMeta(template)
		pattern = strings.ReplaceAll(pattern, `\{path\}`, `.+`) // documents' paths hold slashes
		pattern = regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(pattern, `[^/]+`)
		if op, found := methods[strings.ToLower(method)]; found && regexp.MustCompile("^"+pattern+"$").MatchString(path) {
			return op, true
		}
	}
	return operation{}, false
}

// dataOf is the schema of data in an operation's successful answer.
func (c contract) dataOf(t *testing.T, id string) schema {
	t.Helper()
	for _, methods := range c.Paths {
		for _, op := range methods {
			if op.ID != id {
				continue
			}
			for status, response := range op.Responses {
				if data, found := c.resolve(response.Content["application/json"].Schema).Properties["data"]; strings.HasPrefix(status, "2") && found {
					return c.resolve(data)
				}
			}
		}
	}
	t.Fatalf("the document has no answer of %s", id)
	return schema{}
}

// Every request of every command is one that the server describes: path, method, query parameters and body fields.
func TestRequestsAreInTheContract(t *testing.T) {
	c := readContract(t)
	made := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		op, found := c.find(r.Method, r.URL.EscapedPath())
		if !found {
			t.Errorf("%s %s is not in the document", r.Method, r.URL.EscapedPath())
		}
		made[op.ID] = true
		known := map[string]bool{}
		for _, p := range op.Parameters {
			known[p.In+" "+p.Name] = true
		}
		for name := range r.URL.Query() {
			if !known["query "+name] {
				t.Errorf("%s does not know the parameter %s", op.ID, name)
			}
		}
		if r.Header.Get("Idempotency-Key") != "" && !known["header Idempotency-Key"] {
			t.Errorf("%s does not know Idempotency-Key", op.ID)
		}
		if kind := r.Header.Get("Content-Type"); kind == "application/zip" {
			if _, known := op.RequestBody.Content[kind]; !known {
				t.Errorf("%s does not take an archive", op.ID)
			}
		} else if body, _ := io.ReadAll(r.Body); len(body) > 0 {
			var sent any
			if err := json.Unmarshal(body, &sent); err != nil {
				t.Error(err)
			}
			c.checkBody(t, op.ID, c.resolve(op.RequestBody.Content["application/json"].Schema), sent)
		}
		if op.ID == "export-snapshot" {
			w.Header().Set("Content-Type", "application/zip")
			return
		}
		_, _ = w.Write([]byte(`{"code":200,"msg":"success","data":{"id":"01a201b6-ed13-7840-bf53-e4dac4c32f57","scope":"TEAM","path":"MEMORY.md","result":{}}}`))
	}))
	t.Cleanup(server.Close)

	file := filepath.Join(t.TempDir(), "c.json")
	now := time.Now()
	encoded, err := json.Marshal(map[string]any{
		"conversation": "c/1", "endUserId": "42", "triggerSource": "web",
		"messages": []fileMessage{{ID: "m1", Role: "user", Name: "Grace", Content: "hi", FinishReason: "stop", CreatedAt: &now}},
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
		{"list", "--end-user", "42", "--prefix", "memory/", "--scope", "PERSONAL", "--deleted"},
		{"cat", "memory/2026-11-21.md", "--version", "1", "--scope", "TEAM", "--owner", "user:1"},
		{"log", "MEMORY.md", "--before", "3", "--channel", "telegram", "--sender", "7"},
		{"diff", "MEMORY.md", "1", "2"},
		{"blame", "MEMORY.md", "--version", "1"},
		{"restore", "MEMORY.md", "1", "--reason", "better", "--end-user", "42"},
		{"extractions", "--conversation", "c1", "--outcome", "written", "--cursor", "x"},
		{"extractions", uuid.NewString()},
		{"extractions", "retry", uuid.NewString()},
		{"events", "--after", "7-9", "--kind", "document.written,memory.dream.completed", "--path", "MEMORY.md", "--limit", "5", "--end-user", "42"},
		{"artifacts", "--limit", "5", "--cursor", "x", "--end-user", "42"},
		{"tools"},
		{"tools", "run", "write_workspace_memory_file", "--args", `{"filename":"a.md","content":"x"}`, "--speaker", "feishu:ou_1", "--end-user", "42"},
		{"prompt", "--end-user", "42"},
		{"search", "the", "balcony", "--corpus", "memory", "--max-results", "3", "--min-score", "0", "--from", "2026-01-01", "--to", "2026-02-01", "--explain", "--end-user", "42"},
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
		{"rem-backfill", "--path", notesOf(t, map[string]string{"2026-01-31.md": "- x\n"}), "--promote"},
		{"revert", uuid.NewString(), "--end-user", "42"},
		{"import", fixtures + "openclaw", "--end-user", "42", "--on-conflict", "keep", "--no-wait"},
		{"import", fixtures + "chatgpt", "--channel", "telegram", "--sender", "7", "--no-extract", "--no-wait"},
		{"snapshot", "preview", zipped, "--scope", "all", "--end-user", "42"},
		{"snapshot", "import", zipped, "--scope", "all", "--token", "x", "--wait", "1s", "--owner", "user:1"},
		{"snapshot", "export", filepath.Join(t.TempDir(), "out.zip"), "--scope", "team", "--prefix", "memory/"},
		{"export", "--to", t.TempDir(), "--end-user", "42"},
		{"sync", t.TempDir(), "--once", "--end-user", "42"},
		{"write", "--target", "a.md", "--strategy", "append", "--content", "x", "--data", `{}`, "--scope", "TEAM", "--reason", "y", "--request-id", "r", "--wait", "1s", "--end-user", "42"},
	} {
		if _, _, err := runMemory(t, append(line, "--agent", "ada", "--key", "k", "--url", server.URL)...); err != nil {
			if line[0] != "promote-explain" || !strings.Contains(err.Error(), "no candidate") { // this server knows none
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	talk := []string{"Hello there", "/remember tea", "/context", "/why"}
	if _, _, err := runChat(t, talk, "--agent", "ada", "--key", "k", "--url", server.URL, "--model", "m", "--speaker", "feishu:ou_1"); err == nil {
		t.Error("an answer that is no stream is taken for one")
	}
	c.talk(t, server.URL)
	c.folder(t, server.URL)
	for _, id := range []string{
		"delete-file", "events-stream",
		"chat-stream", "assemble-context", "remember", "forget", "get-agent",
		"add-messages", "summarize-conversation", "list-agents", "create-agent", "list-files", "read-file", "file-history", "file-diff",
		"file-blame", "restore-file", "list-extractions", "get-extraction", "retry-extraction", "system-prompt", "status", "events",
		"search-memory", "get-memory", "build-index", "memory-status", "write-file",
		"dream", "dream-focused", "list-dreams", "get-dream", "explain-candidate", "explain-candidates", "revert-dream",
		"create-import", "add-import-items", "start-import", "list-import-items",
		"write-memory", "list-artifacts", "list-tools", "call-tool",
	} {
		if !made[id] {
			t.Errorf("no command asked for %s", id)
		}
	}
}

// folder makes the requests of a synced folder.
func (c contract) folder(t *testing.T, url string) {
	t.Helper()
	remote, err := (&session{url: url, key: "k", agent: "ada", channel: "web", sender: "7"}).remote(time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := remote.identity(t.Context()); err != nil {
		t.Error(err)
	}
	ref := memory.Ref{Scope: memory.ScopeTeam, Path: "memory/a.md"}
	if _, err := remote.Write(t.Context(), foldersync.Write{Ref: ref, Content: "x", Match: `"T1.0"`, Key: "k"}); err == nil {
		t.Error("an answer without a receipt is taken for one")
	}
	if err := remote.Delete(t.Context(), ref, `"T1.0"`, "k"); err != nil {
		t.Error(err)
	}
	if found, err := remote.follow(t.Context()); found || err != nil { // this server has no stream
		t.Errorf("%v, %v", found, err)
	}
}

// talk makes the requests of commands that are about an answer, which this server does not give.
func (c contract) talk(t *testing.T, url string) {
	t.Helper()
	command := chatCommand()
	command.SetOut(io.Discard)
	talk, err := newTalk(command, &session{url: url, key: "k", agent: "ada", channel: "web", sender: "7"}, "c1", "")
	if err != nil {
		t.Fatal(err)
	}
	talk.last = lastTurn{message: "Where?", used: []usedMemory{{Path: "MEMORY.md", Scope: "PERSONAL", StartLine: 3, EndLine: 4, Text: "- One.\n- Two.\n"}}}
	for _, line := range []string{"/why", "/forget 1.2", "/forget 1 all"} {
		if _, err := talk.command(t.Context(), line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if _, err := talk.command(t.Context(), "/forget 1"); err == nil || !strings.Contains(err.Error(), "/forget 1.1") {
		t.Errorf("one of several is forgotten: %v", err)
	}
}

func (c contract) checkBody(t *testing.T, at string, s schema, sent any) {
	t.Helper()
	switch value := sent.(type) {
	case map[string]any:
		for name, v := range value {
			property, found := s.Properties[name]
			if !found && s.Open != true {
				t.Errorf("%s.%s is not in the document", at, name)
			}
			c.checkBody(t, at+"."+name, c.resolve(property), v)
		}
	case []any:
		for _, v := range value {
			c.checkBody(t, at+"[]", c.resolve(*s.Items), v)
		}
	}
}

// Every field that a command reads is one that the server sends.
func TestFieldsAreInTheContract(t *testing.T) {
	c := readContract(t)
	for id, read := range map[string]any{
		"add-messages": addResult{}, "summarize-conversation": ending{}, "retry-extraction": ending{},
		"list-agents": listed[agent]{}, "create-agent": agent{}, "list-files": listed[documentEntry]{},
		"file-history": history{}, "list-extractions": listed[extraction]{}, "get-extraction": extraction{},
		"file-diff": difference{}, "file-blame": blame{}, "read-file": document{}, "system-prompt": prompt{}, "status": status{},
		"search-memory": searchAnswer{}, "get-memory": excerpt{}, "build-index": indexState{}, "index-progress": indexState{}, "examine-agent": examination{}, "fix-agent": examination{}, "memory-status": recallStatus{},
		"list-files ": listed[fileEntry]{}, "read-file ": wholeFile{}, "write-file ": fileReceipt{},
		"dream": dreamRun{}, "dream-focused": dreamRun{}, "list-dreams": listed[dreamRecord]{}, "get-dream": dreamReport{},
		"explain-candidate": why{}, "explain-candidates": whys{}, "revert-dream": undone{}, "write-file": noteWritten{},
		"create-import": importState{}, "get-import": importState{}, "start-import": importState{}, "add-import-items": stagedItems{}, "list-import-items": listed[importedItem]{},
		"preview-snapshot": snapshotPreview{}, "import-snapshot": snapshotResult{},
		"chat": chatAnswer{}, "assemble-context": chatContext{}, "remember": rememberedLine{}, "forget": forgottenLines{},
		"list-artifacts": listed[artifact]{}, "list-tools": listed[memoryTool]{}, "call-tool": toolAnswer{}, "events": journalPart{},
		"events ": struct {
			Events []journalEvent `json:"events"`
		}{},
		"restore-file": struct {
			Changes []memory.ChangeReceipt `json:"changes"`
		}{},
	} {
		id = strings.TrimSpace(id) // read in several ways
		c.checkFields(t, id, c.dataOf(t, id), reflect.TypeOf(read))
	}
}

func (c contract) checkFields(t *testing.T, at string, s schema, typ reflect.Type) {
	t.Helper()
	s = c.resolve(s)
	switch typ.Kind() {
	case reflect.Pointer:
		c.checkFields(t, at, s, typ.Elem())
	case reflect.Slice:
		if s.Items == nil {
			if typ.Elem().Kind() == reflect.Struct {
				t.Errorf("%s is no list in the document", at)
			}
			return
		}
		c.checkFields(t, at+"[]", *s.Items, typ.Elem())
	case reflect.Struct:
		if typ == reflect.TypeFor[time.Time]() {
			return
		}
		for field := range typ.Fields() {
			if field.Anonymous {
				c.checkFields(t, at, s, field.Type)
				continue
			}
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			property, found := s.Properties[name]
			if !found {
				t.Errorf("%s.%s is not in the document", at, name)
				continue
			}
			c.checkFields(t, at+"."+name, property, field.Type)
		}
	}
}
