package api_test

import (
	"strings"
	"testing"

	"reverie/memory"
)

// Nobody finds what is not theirs, in any corpus.
func TestSearchIsIsolated(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.agent("bob")
	for _, owner := range []string{"1", "2"} {
		body := batch(owner, true, "The password word is MARKER"+owner+".")
		h.want(h.post("c"+owner, body), 202)
		h.want(h.put("secret.md?owner=api:"+owner, "The password word is MARKER"+owner+".\n", nil), 201)
	}
	h.want(h.put("team.md?scope=TEAM", "The password word is TEAMMARKER.\n", nil), 201)
	keys := map[string]string{
		"pinned": h.key("pinned", memory.RoleViewer, "api:1"), "member": h.key("member", memory.RoleMember, ""),
		"viewer": h.key("viewer", memory.RoleViewer, ""), "admin": h.admin,
	}
	for _, c := range []struct {
		key, query, owner string
		sees              []string
	}{
		{"pinned", "", "", []string{"MARKER1", "TEAMMARKER"}},
		{"pinned", "", "api:1", []string{"MARKER1", "TEAMMARKER"}},
		{"member", "?owner=api:2", "", []string{"MARKER2", "TEAMMARKER"}},
		{"member", "", "api:2", []string{"MARKER2", "TEAMMARKER"}},
		{"member", "", "", []string{"TEAMMARKER"}},
		{"viewer", "", "", []string{"TEAMMARKER"}},
		{"admin", "", "", []string{"TEAMMARKER"}},
		{"admin", "", "api:3", []string{"TEAMMARKER"}},
	} {
		for _, corpus := range []string{"all", "memory", "sessions"} {
			body := map[string]any{
				"query":      "What is the password word, MARKER1 or MARKER2?",
				"corpus":     corpus,
				"minScore":   0,
				"maxResults": 50,
				"explain":    true,
			}
			if c.owner != "" {
				body["owner"] = c.owner
			}
			got := string(h.want(h.do(request{method: "POST", path: searchPath + c.query, key: keys[c.key], body: body}), 200).body)
			answer, _, _ := strings.Cut(got, `"explain":{"terms"`) // which repeats the question
			for _, marker := range []string{"is MARKER1", "is MARKER2", "is TEAMMARKER"} {
				want := false
				for _, seen := range c.sees {
					want = want || "is "+seen == marker && (corpus != "sessions" || seen != "TEAMMARKER")
				}
				if strings.Contains(answer, marker) != want {
					t.Errorf("%s%s %s in %s: sees %q: %v, want %v", c.key, c.query, c.owner, corpus, marker, !want, want)
				}
			}
		}
	}
	h.wantError(
		h.do(request{method: "POST", path: searchPath, key: keys["pinned"], body: map[string]any{"query": "x", "owner": "api:2"}}),
		403,
		"owner_not_allowed",
	)
	h.wantError(
		h.do(request{method: "POST", path: searchPath, key: keys["viewer"], body: map[string]any{"query": "x", "owner": "api:2"}}),
		403,
		"owner_not_allowed",
	)
	h.wantError(
		h.do(
			request{method: "POST", path: searchPath + "?owner=api:1", key: h.admin, body: map[string]any{"query": "x", "owner": "api:2"}},
		),
		422,
		"invalid_request",
	)
	other := h.want(
		h.do(
			request{
				method: "POST",
				path:   "/api/v1/agents/bob/memory/search?owner=api:1",
				key:    h.admin,
				body:   map[string]any{"query": "password word MARKER1"},
			},
		),
		200,
	)
	if strings.Contains(string(other.body), "is MARKER1") {
		t.Error("another agent finds it")
	}
}
