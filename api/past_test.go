package api_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"reverie/memory"
)

// Searches, contexts and the tool answer with what was known at a date; a date that is malformed or in the future is refused with the
// reason.
func TestAsOf(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?owner=api:42", "- Grace lives in Bremen.\n", nil), 201)
	h.want(h.put("notes/grace.md?owner=api:42", "# Profile\n\n- Grace eats no meat.\n", nil), 201)
	h.want(h.put("MEMORY.md?owner=api:43", "- Alan lives in Bremen.\n", nil), 201)
	pinned := h.key("pinned", memory.RoleMember, "api:42")
	now := time.Now().UTC()
	h.want(h.put("MEMORY.md?owner=api:42", "- Grace lives in Hamburg.\n", map[string]string{"If-Match": "*"}), 200)
	h.want(h.do(request{method: "DELETE", path: workspaceFiles + "files/notes/grace.md?owner=api:42", key: h.admin}), 200)

	const searchPath = "/api/v1/agents/ada/memory/search"
	post := func(path, asOf string, body map[string]any) answered {
		body["endUserId"] = "42"
		return h.postTo(pinned, path+"?asOf="+url.QueryEscape(asOf), body)
	}
	at := now.Format(time.RFC3339Nano)
	for _, c := range []struct{ asOf, want, not string }{{"", "Hamburg", "Bremen"}, {at, "Bremen", "Hamburg"}} {
		found := h.want(post(searchPath, c.asOf, map[string]any{"query": "Where does Grace live?", "minScore": 0}), 200)
		made := h.want(post(contextPath, c.asOf, map[string]any{"message": "Where does Grace live?"}), 200)
		for name, got := range map[string]string{"search": string(found.body), "context": string(made.body)} {
			if !strings.Contains(got, c.want) || strings.Contains(got, c.not) || strings.Contains(got, "Alan") {
				t.Errorf("%s as of %q: %s", name, c.asOf, got)
			}
		}
		if meat := strings.Contains(string(made.body), "eats no meat"); meat != (c.asOf != "") {
			t.Errorf("as of %q: %s", c.asOf, made.body)
		}
		tool := h.want(h.postTo(pinned, "/api/v1/agents/ada/tools/memory_search?owner=api:42", map[string]any{
			"query": "Where does Grace live?", "asOf": c.asOf,
		}), 200)
		if !strings.Contains(string(tool.body), c.want) || strings.Contains(string(tool.body), c.not) {
			t.Errorf("tool as of %q: %s", c.asOf, tool.body)
		}
	}
	list := h.want(h.do(request{method: "GET", path: injectionsPath + "?endUserId=42", key: pinned}), 200)
	if strings.Count(string(list.body), `"at"`) != 1 {
		t.Errorf("contexts of the past are recorded: %s", list.body)
	}
	tomorrow := now.AddDate(0, 0, 2).Format(time.DateOnly)
	for asOf, problem := range map[string]string{tomorrow: "in the future", "soon": "2026-01-31", "2026-02-30": "2026-01-31"} {
		for _, refused := range []answered{
			h.wantError(post(searchPath, asOf, map[string]any{"query": "Grace"}), 422, "invalid_search"),
			h.wantError(post(contextPath, asOf, map[string]any{"message": "Grace?"}), 422, "invalid_request"),
		} {
			if !strings.Contains(string(refused.body), problem) || !strings.Contains(string(refused.body), "query.asOf") {
				t.Errorf("%s: %s", asOf, refused.body)
			}
		}
	}
	refused := h.wantError(post(contextPath, at, map[string]any{"message": "Grace?", "conversation": "c1"}), 422, "invalid_request")
	if !strings.Contains(string(refused.body), "body.conversation") {
		t.Errorf("%s", refused.body)
	}
}

// A search finds archived lines when it asks for them. The time of a search has its own parameter; the former one still works.
func TestSearchOfArchivesAndItsTime(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?owner=api:42", "# Memory\n\n- The door is green.\n\n## Archived\n\n- The spare key lies below the pot.\n", nil), 201)
	for _, path := range []string{"/api/v1/agents/ada/memory/search", "/api/v1/agents/ada/memory/keyword"} {
		for _, archived := range []bool{false, true} {
			got := h.want(h.postTo(h.admin, path+"?endUserId=42", map[string]any{"query": "spare key", "includeArchived": archived}), 200)
			if strings.Contains(string(got.body), "lies below") != archived {
				t.Errorf("%s, archived %v: %s", path, archived, got.body)
			}
		}
	}
	for _, field := range []string{"now", "asOf"} {
		body := map[string]any{"endUserId": "42", "query": "door today", "explain": true, field: "2020-01-31"}
		got := h.want(h.postTo(h.admin, "/api/v1/agents/ada/memory/search", body), 200)
		if !strings.Contains(string(got.body), "2020-01-31") || !strings.Contains(string(got.body), "door is green") {
			t.Errorf("%s: %s", field, got.body)
		}
	}
}
