package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/admin"
)

// audited is a record as the API shows it.
type audited struct {
	Key                                                   uuid.UUID
	Role, Address, Operation, Kind, Agent, Owner, Request string
	Targets                                               map[string]string
	Status                                                int
}

// audit lists the records that a query selects, newest first, page by page.
func (h *harness) audit(query string) (all []audited) {
	h.t.Helper()
	type page struct {
		Items []audited
		Next  string
	}
	for cursor := ""; ; {
		got := as[page](h, h.want(h.get("/api/v1/audit?limit=500&"+query+"&cursor="+cursor), 200))
		all = append(all, got.Items...)
		if cursor = got.Next; cursor == "" {
			return all
		}
	}
}

// wantAudited fails unless each operation that needs a key was recorded when an admin called it, and none that a pinned key called.
func (h *harness) wantAudited(ops []operation) {
	h.t.Helper()
	time.Sleep(time.Second) // records of other keys than admins' are stored in the background
	recorded := map[string]map[uuid.UUID]bool{}
	for cursor := ""; ; {
		page, err := h.store.Audit(h.t.Context(), memory.Identity{Workspace: workspace, Role: memory.RoleAdmin}, admin.AuditFilter{},
			store.Page{Limit: store.MaxPage, Cursor: cursor})
		if err != nil {
			h.t.Fatal(err)
		}
		for _, e := range page.Items {
			if recorded[e.Operation] == nil {
				recorded[e.Operation] = map[uuid.UUID]bool{}
			}
			recorded[e.Operation][e.Key] = true
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	for _, op := range ops {
		if op.role == "" {
			continue
		}
		for name, c := range callers {
			unpinned := c.role != "" && !c.revoked && c.owner == ""
			if got, want := recorded[op.id][h.keys[name]], unpinned && c.role.Includes(op.role); got != want {
				h.t.Errorf("%s by %s is recorded: %v, want %v", op.id, name, got, want)
			}
		}
	}
}

// Every operation with a key says whether it reads or changes.
func TestEveryOperationIsClassified(t *testing.T) {
	h := start(t)
	readingPosts := []string{"search-memory", "search-keywords", "preview-snapshot"}
	checked := 0
	for path, item := range h.api.API.OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{
			http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put, http.MethodPatch: item.Patch,
			http.MethodDelete: item.Delete, http.MethodHead: item.Head,
		} {
			if op == nil {
				continue
			}
			checked++
			act, open := rest.ActOf(op), len(op.Security) == 0
			switch {
			case open && act != "":
				t.Errorf("%s %s needs no key and is classified as %s", method, path, act)
			case open:
			case act == "":
				t.Errorf("%s (%s %s) is not classified: set Act of its route to rest.Reads or rest.Changes", op.OperationID, method, path)
			default:
				reads := method == http.MethodGet || slices.Contains(readingPosts, strings.TrimSuffix(op.OperationID, "-original"))
				if reads != (act == rest.Reads) {
					t.Errorf("%s is classified as %s", op.OperationID, act)
				}
			}
		}
	}
	if checked < 80 {
		t.Errorf("only %d operations were checked", checked)
	}
}

func TestAudit(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.agent("bob")
	member, pinned := h.key("member", memory.RoleMember, ""), h.key("pinned", memory.RoleMember, "api:42")
	limited := h.key("limited", memory.RoleAdmin, "", "ada")
	const messages = "/api/v1/agents/ada/conversations/c1/messages"
	h.want(h.do(request{method: "POST", path: messages, key: pinned, body: batch("", true, "CONTENTMARKER")}), 202)
	h.want(h.get(messages), 200) // whose it is, is found and not said
	h.want(h.do(request{
		method: "POST", path: searchPath, key: member, body: map[string]any{"query": "QUERYMARKER", "endUserId": "42"},
	}), 200)
	h.want(h.put("notes.md?owner=api:42", "CONTENTMARKER\n", nil), 201)
	h.want(h.get("/api/v1/agents/ada/memory/get?path=notes.md&owner=api:42"), 200)
	h.want(h.get("/api/v1/agents/bob"), 200)
	h.want(h.do(request{method: "GET", path: "/api/v1/agents/ada/conversations/a%1Fb/messages?owner=api:1", key: h.admin}), 404)

	admins := h.audit("agent=ada&owner=api:42&kind=reads&operation=list-messages")
	if len(admins) != 1 {
		t.Fatalf("%+v", admins)
	}
	if e := admins[0]; e.Role != "admin" || e.Owner != "api:42" || e.Agent != "ada" || e.Targets["conversation"] != "c1" || e.Status != 200 ||
		e.Address != "127.0.0.1" || e.Request == "" || e.Kind != "reads" {
		t.Errorf("%+v", e)
	}
	if e := h.audit("operation=write-file"); len(e) != 1 || e[0].Kind != "changes" || e[0].Targets["path"] != "notes.md" || e[0].Status != 201 {
		t.Errorf("%+v", e)
	}
	if e := h.audit("operation=get-memory"); len(e) != 1 || e[0].Targets["path"] != "notes.md" || e[0].Owner != "api:42" {
		t.Errorf("%+v", e)
	}
	if e := h.audit("operation=list-messages&owner=api:1"); len(e) != 1 || e[0].Targets["conversation"] != "a?b" || e[0].Status != 404 {
		t.Errorf("%+v", e)
	}
	// A member's is there a moment later; a pinned key's is not.
	deadline := time.Now().Add(10 * time.Second)
	for len(h.audit("key="+h.keys["member"].String())) == 0 && time.Now().Before(deadline) {
		time.Sleep(50 * time.Millisecond)
	}
	if e := h.audit("key=" + h.keys["member"].String()); len(e) != 1 || e[0].Operation != "search-memory" || e[0].Kind != "reads" ||
		e[0].Owner != "api:42" {
		t.Errorf("%+v", e)
	}
	if e := h.audit("key=" + h.keys["pinned"].String()); len(e) != 0 {
		t.Errorf("%+v", e)
	}
	// Ids of what is made are recorded, secrets and contents are not.
	if e := h.audit("operation=create-key"); len(e) != 3 || e[0].Targets["key"] != h.keys["limited"].String() {
		t.Errorf("%+v", e)
	}
	raw := string(h.want(h.get("/api/v1/audit?limit=500"), 200).body)
	for _, marker := range []string{"CONTENTMARKER", "QUERYMARKER", member, pinned, h.admin} {
		if strings.Contains(raw, marker) {
			t.Errorf("%s is in the audit log", marker)
		}
	}
	// Who may read it.
	for _, key := range []string{member, pinned} {
		h.wantError(h.do(request{method: "GET", path: "/api/v1/audit", key: key}), 403, "forbidden")
	}
	seen := string(h.want(h.do(request{method: "GET", path: "/api/v1/audit", key: limited}), 200).body)
	if !strings.Contains(seen, `"agent":"ada"`) || strings.Contains(seen, `"agent":"bob"`) || strings.Contains(seen, "create-key") {
		t.Errorf("%s", seen)
	}
}

// A stream is recorded when it begins, not when it ends.
func TestStreamsAreAuditedWhenTheyBegin(t *testing.T) {
	h := start(t)
	h.agent("ada")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/api/v1/agents/ada/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.admin)
	req.Header.Set("Accept", rest.EventStream)
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := response.Body.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if e := h.audit("operation=events"); len(e) != 1 || e[0].Status != 200 || e[0].Agent != "ada" {
		t.Errorf("%+v", e)
	}
}
