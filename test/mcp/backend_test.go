package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reverie/api"
	"reverie/backend"
	"reverie/backend/backendtest"
)

// behind starts a Reverie whose memory backend is another one, by a configuration in files.
func behind(t *testing.T, other server, version, entry string) server {
	t.Helper()
	t.Setenv("TEST_BACKEND_KEY", other.key)
	file := filepath.Join(t.TempDir(), "mcp.json")
	text := fmt.Sprintf(`{"defaultProtocolVersion":%q,"mcpServers":{"other":{%s,"headers":{"Authorization":"Bearer ${TEST_BACKEND_KEY}"}}}}`, version, entry)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := backend.Load(file, "acme", os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	b := backend.Open(c, backend.Options{Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(b.Close)
	return startWith(t, func(o *api.Options) { o.Backend = b })
}

// tool calls a tool over REST for an owner, and decodes its result.
func (s server) tool(t *testing.T, owner, name, arguments string) (result map[string]any, isError bool) {
	t.Helper()
	var answer struct {
		Data struct {
			Result  map[string]any
			IsError bool
		}
	}
	s.post(t, "/api/v1/agents/ada/tools/"+name+"?owner="+owner, arguments, &answer)
	return answer.Data.Result, answer.Data.IsError
}

func (s server) post(t *testing.T, path, body string, to any) {
	t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s: %v %d %s", path, err, response.StatusCode, text)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatalf("%s: %v in %s", path, err, text)
	}
}

// A second Reverie keeps the statements of a first one, by owner.
func TestAnotherReverieIsTheBackend(t *testing.T) {
	for version, query := range map[string]string{
		"2026-07-28": "?agent={agent}&owner={owner}",
		"2024-11-05": "?agent=ada&owner=user:shared", // chat_id tells owners apart
	} {
		t.Run(version, func(t *testing.T) {
			other := start(t)
			s := behind(t, other, version, `"endpoint":"`+other.url+`/mcp`+query+`"`)
			for owner, fact := range map[string]string{"user:1": "The boat is called Heron", "user:2": "The dog is called Rex"} {
				got, failed := s.tool(t, owner, "remember", `{"text":"`+fact+`"}`)
				if failed || got["kind"] != "saved" || got["path"] != "backend/other" {
					t.Fatalf("%v %v", failed, got)
				}
			}
			for owner, want := range map[string][2]string{"user:1": {"Heron", "Rex"}, "user:2": {"Rex", "Heron"}} {
				for tool, arguments := range map[string]string{
					"memory_query": `{"op":"list"}`, "structured_memory_search": `{}`, "memory_search": `{"query":"What is it called?"}`,
				} {
					got, _ := s.tool(t, owner, tool, arguments)
					text := fmt.Sprint(got)
					if !strings.Contains(text, want[0]) || strings.Contains(text, want[1]) {
						t.Errorf("%s of %s: %s", tool, owner, text)
					}
				}
			}
			got, _ := s.tool(t, "user:1", "memory_query", `{"op":"list"}`)
			id := int64(got["memories"].([]any)[0].(map[string]any)["id"].(float64))
			call := fmt.Sprintf(`{"op":"archive","id":%d}`, id)
			if got, failed := s.tool(t, "user:2", "memory_upsert", call); !failed {
				t.Errorf("somebody else archived it: %v", got)
			}
			if got, failed := s.tool(t, "user:1", "memory_upsert", call); failed {
				t.Errorf("%v", got)
			}
			if got, _ := s.tool(t, "user:1", "memory_query", `{"op":"list"}`); strings.Contains(fmt.Sprint(got), "Heron") {
				t.Errorf("it is still there: %v", got)
			}
		})
	}
}

// The status says how the backend is, without its words and without secrets.
func TestStatusShowsTheBackend(t *testing.T) {
	faulty := backendtest.Start(t)
	s := behind(t, server{key: "SECRET"}, "2025-06-18", `"endpoint":"`+faulty.URL+`"`)
	part := func() (state, detail string) {
		t.Helper()
		var status struct {
			Data struct {
				Parts    []struct{ Name, State, Detail string }
				Degraded []string
			}
		}
		s.post(t, "/api/v1/status", "", &status)
		for _, p := range status.Data.Parts {
			if p.Name == "memory-backend/other" {
				return p.State, p.Detail
			}
		}
		t.Fatalf("no part of the backend: %+v", status)
		return "", ""
	}
	if state, detail := part(); state != "ok" || detail != "unused" {
		t.Errorf("%s: %s", state, detail)
	}
	if got, failed := s.tool(t, "user:1", "write_memory", `{"content":"The boat is called Heron"}`); failed || got["id"] != 1.0 {
		t.Errorf("%v", got)
	}
	if state, detail := part(); state != "ok" || detail != "serving" {
		t.Errorf("%s: %s", state, detail)
	}
	faulty.Set(backendtest.Broken)
	for i := range 3 {
		if got, failed := s.tool(t, "user:1", "write_memory", fmt.Sprintf(`{"content":"The dog has number %d"}`, i)); failed || got["receipt"] == nil {
			t.Errorf("it did not fall back: %v", got)
		}
	}
	state, detail := part()
	if state != "degraded" || !strings.HasPrefix(detail, "paused: transport, 3 failures in a row") || strings.Contains(detail, "SECRET") {
		t.Errorf("%s: %s", state, detail)
	}
}
