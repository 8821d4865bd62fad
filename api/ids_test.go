package api_test

import (
	"net/http"
	"strings"
	"testing"

	"reverie/memory"
)

// probed describes what a pinned key does with an id that clients choose, and how its rightful owner uses the same id.
type probed struct {
	method, path string
	body         func(words string) map[string]any
	header       map[string]string
	status       int
	read         string // what shows the rightful owner's own words; empty: nothing does
}

// A key that is pinned to one owner gets the same answers for ids of another owner as for ids of nobody, and takes none from them.
func TestIdsArePerOwner(t *testing.T) {
	const ada = "/api/v1/agents/ada"
	said := func(words string) map[string]any {
		return map[string]any{"turnComplete": true, "messages": []map[string]any{{"id": "m1", "role": "user", "content": words}}}
	}
	for name, c := range map[string]probed{
		"conversation": {
			method: "POST", path: ada + "/conversations/ID/messages", body: said, status: 202, read: ada + "/conversations/ID/messages",
		},
		"chat": {
			method: "POST", path: "/api/v1/chat", status: 200, read: ada + "/conversations/ID/messages",
			body: func(words string) map[string]any {
				return map[string]any{"agentId": "ada", "conversationId": "ID", "messageId": "m1", "message": words}
			},
		},
		"write": {
			method: "POST", path: ada + "/writes?wait=0s", status: 202, read: ada + "/writes/ID",
			body: func(words string) map[string]any {
				return map[string]any{"requestId": "ID", "target": "memory/" + words + ".md", "strategy": "append", "content": words}
			},
		},
		"idempotency key": {
			method: "PUT", path: ada + "/workspace/files/ID.md", status: 201, read: ada + "/workspace/files/ID.md",
			header: map[string]string{"Idempotency-Key": "ID"},
			body:   func(words string) map[string]any { return map[string]any{"content": words + "\n"} },
		},
		"import": {
			method: "POST", path: ada + "/imports", status: 200,
			body: func(words string) map[string]any {
				return map[string]any{"source": "ID", "format": "files", "label": words, "onConflict": "merge"}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t)
			h.agent("ada")
			owner, prober := h.key("owner", memory.RoleMember, "api:1"), h.key("prober", memory.RoleMember, "api:2")
			call := func(key, id, words string) answered {
				t.Helper()
				filled := map[string]any{}
				for field, value := range c.body(words) {
					if value == "ID" {
						value = id
					}
					filled[field] = value
				}
				header := map[string]string{}
				for field, value := range c.header {
					header[field] = strings.ReplaceAll(value, "ID", id)
				}
				return h.do(request{method: c.method, path: strings.ReplaceAll(c.path, "ID", id), key: key, body: filled, header: header})
			}
			read := func(key, id string) answered {
				t.Helper()
				return h.do(request{method: "GET", path: strings.ReplaceAll(c.read, "ID", id), key: key})
			}
			h.want(call(owner, "known", "lighthouse"), c.status)
			// Probing: what is another's looks like what is nobody's.
			if c.read != "" {
				theirs, nobodys := read(prober, "known"), read(prober, "unknown")
				if theirs.status != http.StatusNotFound ||
					strings.ReplaceAll(theirs.Msg, "known", "") != strings.ReplaceAll(nobodys.Msg, "unknown", "") {
					t.Errorf("%d %s, and of nobody's %d %s", theirs.status, theirs.body, nobodys.status, nobodys.body)
				}
			}
			if got := h.want(call(prober, "known", "harbour"), c.status); strings.Contains(string(got.body), "lighthouse") {
				t.Errorf("%s", got.body)
			}
			// Squatting: an id that was taken before is free for its owner.
			h.want(call(prober, "wanted", "harbour"), c.status)
			h.want(call(owner, "wanted", "lighthouse"), c.status)
			if c.read == "" {
				return
			}
			for _, id := range []string{"known", "wanted"} {
				for key, words := range map[string][2]string{owner: {"lighthouse", "harbour"}, prober: {"harbour", "lighthouse"}} {
					got := string(h.want(read(key, id), 200).body)
					if !strings.Contains(got, words[0]) || strings.Contains(got, words[1]) {
						t.Errorf("%s: %s", id, got)
					}
				}
				// Who may speak for several names one of them; otherwise nothing is chosen for them.
				member := h.key("member "+id, memory.RoleMember, "")
				if name == "idempotency key" {
					continue
				}
				h.wantError(read(h.admin, id), 422, "owner_required")
				if got := string(h.want(h.do(request{
					method: "GET", path: strings.ReplaceAll(c.read, "ID", id) + "?endUserId=1", key: member,
				}), 200).body); !strings.Contains(got, "lighthouse") || strings.Contains(got, "harbour") {
					t.Errorf("%s: %s", id, got)
				}
			}
		})
	}
}
