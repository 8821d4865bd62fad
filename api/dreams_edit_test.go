package api_test

import (
	"strings"
	"testing"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/dreams"
)

type entryChanged struct {
	Entry, Status string
	State         *struct{ Text, Status string }
	Replacement   *struct{ Text, Status string }
	Changes       []memory.ChangeReceipt
	Token         string
	Replayed      bool
}

// memoryOf returns the MEMORY.md of an end user.
func (h *harness) memoryOf(endUser string) string {
	h.t.Helper()
	return as[file](h, h.want(h.get(workspaceFiles+"files/MEMORY.md?scope=PERSONAL&endUserId="+endUser), 200)).Content
}

func (h *harness) postTo(key, path string, body any) answered {
	h.t.Helper()
	return h.do(request{method: "POST", path: path, key: key, body: body})
}

func TestADreamIsUndone(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?endUserId=42", "# Memory\n\n- Likes tea.\n", nil), 201)
	record := h.dreamt("api:42", dreams.NewDream{})
	path := dreamReports + "/" + record.ID.String() + "/revert"
	h.wantError(h.postTo(h.key("stranger", memory.RoleMember, "api:43"), path, nil), 404, "not_found")
	h.wantError(h.postTo(h.key("viewer", memory.RoleViewer, "api:42"), path, nil), 403, "forbidden")
	type undone struct {
		Dream    dreamReport
		Changes  []memory.ChangeReceipt
		Replayed bool
	}
	// A member who names nobody may undo it, without seeing its contents.
	member := h.key("member", memory.RoleMember, "")
	answer := h.want(h.postTo(member, path, nil), 200)
	if got := as[undone](h, answer); got.Dream.Reverted == nil || len(got.Changes) != 0 || strings.Contains(string(answer.body), "MARKER") {
		t.Errorf("%s", answer.body)
	}
	if got := h.memoryOf("42"); strings.Contains(got, statement) || !strings.Contains(got, "- Likes tea.") {
		t.Errorf("MEMORY.md after the revert:\n%s", got)
	}
	again := as[undone](h, h.want(h.postTo(h.admin, path, nil), 200))
	if !again.Replayed || again.Dream.Reverted == nil {
		t.Errorf("%+v", again)
	}
	h.wantError(
		h.postTo(
			h.admin,
			dreamReports+"/"+h.dreamt("api:42", dreams.NewDream{Mode: "promote", Trigger: "request", DryRun: true}).ID.String()+"/revert",
			nil,
		),
		409,
		"conflict",
	)
}

// Lines that somebody has changed since are kept: the answer lists them.
func TestADreamThatCannotBeUndone(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?endUserId=42", "# Memory\n\n- Likes tea.\n", nil), 201)
	record := h.dreamt("api:42", dreams.NewDream{})
	changed := strings.Replace(h.memoryOf("42"), statement, statement+" Since May.", 1)
	h.want(h.put("MEMORY.md?endUserId=42", changed, map[string]string{"If-Match": "*"}), 200)
	path := dreamReports + "/" + record.ID.String() + "/revert"
	refused := h.wantError(h.postTo(h.admin, path, nil), 409, "revert_conflict")
	type conflicts struct {
		Documents []struct {
			Path      string
			Conflicts []markdown.Conflict
		}
	}
	got := as[conflicts](h, refused)
	if len(got.Documents) != 1 || got.Documents[0].Path != "MEMORY.md" || len(got.Documents[0].Conflicts) == 0 ||
		!strings.Contains(string(refused.body), "Since May.") {
		t.Errorf("%s", refused.body)
	}
	outline := h.wantError(h.postTo(h.key("member", memory.RoleMember, ""), path, nil), 409, "revert_conflict")
	if strings.Contains(string(outline.body), "Since May.") {
		t.Errorf("%s", outline.body)
	}
	if h.memoryOf("42") != changed {
		t.Errorf("something was written:\n%s", h.memoryOf("42"))
	}
}

func TestEntriesAreConfirmedEditedAndForgotten(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?endUserId=42", "# Memory\n\n- Likes tea.\n", nil), 201)
	record := h.dreamt("api:42", dreams.NewDream{})
	path := dreamReports + "/" + record.ID.String() + "/entries/"
	pinned := h.key("pinned", memory.RoleMember, "api:42")

	confirmed := as[entryChanged](h, h.want(h.postTo(pinned, path+string(promoted().ID)+"/confirm", nil), 200))
	if confirmed.Status != "confirmed" || confirmed.State == nil || confirmed.State.Text != statement {
		t.Errorf("%+v", confirmed)
	}
	edit := func(content string) answered {
		return h.do(request{
			method: "POST", path: path + string(kept().ID) + "/edit", key: pinned, body: map[string]any{"content": content},
			header: map[string]string{"Idempotency-Key": "once"},
		})
	}
	edited := as[entryChanged](h, h.want(edit("Bought a blue kettle."), 200))
	if edited.Status != "edited" || edited.Replacement == nil || edited.Replacement.Status != "confirmed" || len(edited.Changes) == 0 ||
		edited.Token == "" {
		t.Errorf("%+v", edited)
	}
	if again := as[entryChanged](h, h.want(edit("Bought a blue kettle."), 200)); !again.Replayed {
		t.Errorf("%+v", again)
	}
	if got := h.memoryOf("42"); !strings.Contains(got, "- Bought a blue kettle.") || !strings.Contains(got, "- "+statement) {
		t.Errorf("MEMORY.md:\n%s", got)
	}
	member := h.key("member", memory.RoleMember, "")
	answer := h.want(h.postTo(member, path+string(promoted().ID)+"/forget", nil), 200)
	if got := as[entryChanged](h, answer); got.Status != "forgotten" || got.State != nil ||
		strings.Contains(string(answer.body), "MARKER") {
		t.Errorf("%s", answer.body)
	}
	if got := h.memoryOf("42"); strings.Contains(got, statement) || !strings.Contains(got, "- Likes tea.") {
		t.Errorf("MEMORY.md:\n%s", got)
	}
	for _, bad := range []any{
		map[string]any{"content": " "}, map[string]any{"content": "two\nlines"}, map[string]any{"content": ""}, map[string]any{},
	} {
		h.wantError(h.postTo(pinned, path+string(promoted().ID)+"/edit", bad), 422, "invalid_request")
	}
	h.wantError(h.postTo(pinned, path+strings.Repeat("0", 32)+"/confirm", nil), 404, "not_found")
	h.wantError(h.postTo(pinned, path+"nonsense/confirm", nil), 422, "invalid_request")
	h.wantError(h.postTo(h.key("stranger", memory.RoleMember, "api:43"), path+string(promoted().ID)+"/forget", nil), 404, "not_found")
	if log := h.log.String(); strings.Contains(log, "STATEMENTMARKER") || strings.Contains(log, "kettle") {
		t.Error("the log has contents")
	}
}

// A dream of shared memory can be undone by callers who may write it.
func TestSharedDreamsAreUndoneAsSharedDocumentsAreWritten(t *testing.T) {
	h := start(t)
	h.agent("ada")
	record := h.dreamt(memory.SystemOwner, dreams.NewDream{})
	path := dreamReports + "/" + record.ID.String() + "/revert"
	h.wantError(h.postTo(h.key("pinned", memory.RoleMember, "api:42"), path, nil), 404, "not_found")
	h.wantError(h.postTo(h.key("viewer", memory.RoleViewer, ""), path, nil), 403, "forbidden")
	h.want(h.postTo(h.key("member", memory.RoleMember, ""), path, nil), 200)
	if got := as[file](h, h.want(h.get(workspaceFiles+"files/MEMORY.md?scope=TEAM"), 200)); strings.Contains(got.Content, statement) {
		t.Errorf("%s", got.Content)
	}
}
