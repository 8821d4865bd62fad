package api_test

import (
	"strings"
	"testing"

	"reverie/memory"
	"reverie/toolbox"
)

type waitingChange struct {
	ID, Path, Scope, Owner, WorkflowID, Expiry string
	Waiting                                    int
	Lines                                      []struct {
		Line                                               int
		Removed, Added, Headings, Decision, Text, Note, By string
	}
}

type waitingChanges struct{ Items []waitingChange }

const approvalsOf = "/api/v1/agents/ada/approvals"

func (h *harness) waiting(key, query string) []waitingChange {
	h.t.Helper()
	return as[waitingChanges](h, h.want(h.do(request{method: "GET", path: approvalsOf + query, key: key}), 200)).Items
}

// requireApproval sets the agent's rule.
func (h *harness) requireApproval(rule string) {
	h.t.Helper()
	h.want(h.do(request{
		method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: map[string]any{"settings": map[string]any{"approvals": rule, "approvalDays": 3}},
	}), 200)
}

// A tool's write waits. The key that called it cannot approve it; another key of the person can, line by line, once.
func TestApprovals(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.requireApproval("all")
	chat, phone := h.key("chat", memory.RoleMember, "api:42"), h.key("phone", memory.RoleMember, "api:42")
	wrote := as[toolAnswer](h, h.want(h.toolAs(chat, toolbox.WriteFile, "", map[string]any{
		"filename": "notes/bees.md", "content": "# Bees\n\n- keeps bees\n- sells honey\n- fears wasps\n",
	}), 200))
	if wrote.IsError || !strings.Contains(wrote.text("message"), "wait") {
		t.Errorf("%+v", wrote)
	}
	h.wantError(h.get("/api/v1/agents/ada/workspace/files/notes/bees.md?owner=api:42"), 404, "not_found")
	waits := h.waiting(phone, "")
	if len(waits) != 1 || waits[0].Waiting != 3 || waits[0].Path != "notes/bees.md" || waits[0].Owner != "api:42" || waits[0].Expiry != "refuse" ||
		!strings.HasPrefix(waits[0].WorkflowID, "approve/") {
		t.Fatalf("%+v", waits)
	}
	one := approvalsOf + "/" + waits[0].ID
	lines := map[string]int{}
	for _, l := range as[waitingChange](h, h.want(h.do(request{method: "GET", path: one, key: phone}), 200)).Lines {
		if lines[l.Added] = l.Line; l.Headings != "# Bees" {
			t.Errorf("%+v", l)
		}
	}
	decide := func(key string, decisions ...map[string]any) answered {
		return h.postTo(key, one+"/decisions", map[string]any{"decisions": decisions})
	}
	line := func(of, decision string) map[string]any {
		return map[string]any{"line": lines[of], "decision": decision}
	}
	edit := line("- sells honey", "edit")
	edit["text"] = "gives honey away"

	// What one caller stages another one executes: not the caller, nor somebody else, nor a key of everybody.
	h.wantError(decide(chat, line("- keeps bees", "approve")), 403, "forbidden")
	h.wantError(decide(h.key("other", memory.RoleMember, "api:43"), line("- keeps bees", "approve")), 404, "not_found")
	h.wantError(decide(h.key("free", memory.RoleMember, ""), line("- keeps bees", "approve")), 403, "forbidden")
	h.wantError(decide(h.key("reader", memory.RoleViewer, "api:42"), line("- keeps bees", "approve")), 403, "forbidden")
	h.wantError(decide(phone), 422, "invalid_request")
	h.wantError(decide(phone, map[string]any{"line": 99, "decision": "approve"}), 422, "invalid_request")
	h.wantError(decide(phone, map[string]any{"line": lines["- sells honey"], "decision": "edit"}), 422, "invalid_request")

	done := as[struct {
		Approval waitingChange
		Changes  []struct{ Changed bool }
	}](h, h.want(decide(phone, line("- keeps bees", "approve"), edit), 200))
	if done.Approval.Waiting != 1 || len(done.Changes) != 2 {
		t.Errorf("%+v", done)
	}
	h.want(decide(phone, line("- keeps bees", "approve")), 200)
	h.wantError(decide(h.admin, line("- keeps bees", "refuse")), 409, "already_decided")
	refuse := line("- fears wasps", "refuse")
	refuse["note"] = "a joke"
	h.want(decide(h.admin, refuse), 200)
	content := as[struct{ Content string }](h, h.want(h.get("/api/v1/agents/ada/workspace/files/notes/bees.md?owner=api:42"), 200)).Content
	if content != "# Bees\n\n- keeps bees\n- gives honey away\n" {
		t.Errorf("%q", content)
	}
	if left := h.waiting(phone, ""); len(left) != 0 {
		t.Errorf("%+v", left)
	}
	kept := h.waiting(phone, "?status=all")
	if len(kept) != 1 || len(kept[0].Lines) != 3 {
		t.Fatalf("%+v", kept)
	}
	for _, l := range kept[0].Lines {
		if want := map[string]string{"- keeps bees": "approve", "- sells honey": "edit", "- fears wasps": "refuse"}[l.Added]; l.Decision != want ||
			l.By == "" || l.Decision == "refuse" && l.Note != "a joke" {
			t.Errorf("%+v", l)
		}
	}
}

// Shared memory is for admins, who see what waits for everybody. What people write never waits.
func TestApprovalsOfSharedMemory(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.requireApproval("shared")
	pinned := h.key("pinned", memory.RoleMember, "api:42")
	dreaming := memory.Identity{
		Workspace: workspace, Agent: "ada", Owner: memory.SystemOwner, Role: memory.RoleMember, Author: memory.Author{Kind: memory.AuthorDream, ID: "m"},
	}
	if _, err := h.store.Apply(t.Context(), dreaming, "", []memory.Change{{
		Ref: memory.Ref{Scope: memory.ScopeTeam, Path: "notes/team.md"}, Op: memory.OpAppend, Content: "- ships on Friday\n",
	}}); err != nil {
		t.Fatal(err)
	}
	h.want(h.toolAs(pinned, toolbox.WriteFile, "", map[string]any{"filename": "notes/own.md", "content": "- sails\n"}), 200)
	if seen := h.waiting(pinned, ""); len(seen) != 0 {
		t.Errorf("%+v", seen)
	}
	waits := h.waiting(h.admin, "")
	if len(waits) != 1 || waits[0].Scope != "TEAM" {
		t.Fatalf("%+v", waits)
	}
	h.wantError(h.do(request{method: "GET", path: approvalsOf + "/" + waits[0].ID, key: pinned}), 404, "not_found")
	h.want(h.postTo(h.admin, approvalsOf+"/"+waits[0].ID+"/decisions", map[string]any{"others": "approve"}), 200)
	content := as[struct{ Content string }](h, h.want(h.get("/api/v1/agents/ada/workspace/files/notes/team.md?scope=TEAM"), 200)).Content
	if content != "- ships on Friday\n" {
		t.Errorf("%q", content)
	}
	h.requireApproval("all")
	h.want(h.do(request{
		method: "PUT", path: "/api/v1/agents/ada/workspace/files/notes/mine.md", key: pinned, body: map[string]any{"content": "- by hand\n"},
	}), 201)
	h.want(h.postTo(pinned, rememberPath, map[string]any{"text": "I have a boat."}), 200)
	if seen := h.waiting(h.admin, ""); len(seen) != 0 {
		t.Errorf("%+v", seen)
	}
}

// The note of a decision about all other lines is kept with each of them.
func TestAllAreRefusedWithANote(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.requireApproval("all")
	phone := h.key("phone", memory.RoleMember, "api:42")
	h.want(h.toolAs(h.key("chat", memory.RoleMember, "api:42"), toolbox.WriteFile, "", map[string]any{
		"filename": "notes/bees.md", "content": "- keeps bees\n- sells honey\n- fears wasps\n",
	}), 200)
	one := approvalsOf + "/" + h.waiting(phone, "")[0].ID
	decide := func(body map[string]any) answered { return h.postTo(phone, one+"/decisions", body) }
	approve := []map[string]any{{"line": 0, "decision": "approve"}}
	h.wantError(decide(map[string]any{"decisions": approve, "note": "she moved"}), 422, "invalid_request")
	h.want(decide(map[string]any{"decisions": approve, "others": "refuse", "note": "she moved"}), 200)
	for _, l := range as[waitingChange](h, h.want(h.do(request{method: "GET", path: one, key: phone}), 200)).Lines {
		if refused := l.Line > 0; (l.Decision == "refuse") != refused || (l.Note == "she moved") != refused {
			t.Errorf("%+v", l)
		}
	}
}
