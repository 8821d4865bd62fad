package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"reverie/memory"
	"reverie/store"
	stored "reverie/store/facts"
)

var resolveForm = regexp.MustCompile(`action="(/agents/ada/of/[^"]+/contradictions/[0-9a-f-]{36}\?state=open)"`)

// A person decides each way, and sees what was decided.
func TestContradictions(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	inbox := "/agents/ada/of/" + h.whose + "/contradictions"
	for name, c := range map[string]struct{ resolution, kept string }{
		"Atlas": {"KEEP_A", "5000"}, "Boreas": {"KEEP_B", "7500"}, "Ceres": {"IGNORE", "5000 7500"}, "Delos": {"MERGE", "6000"},
	} {
		h.contradict("?endUserId=42", name)
		body := v.get(inbox).body
		for _, side := range []string{"is 5000 euros", "is 7500 euros", "notes/" + name + ".md?scope=PERSONAL#L1"} {
			if !strings.Contains(body, side) {
				t.Errorf("%s: the inbox does not show %q: %s", name, side, text(body))
			}
		}
		form := resolveForm.FindStringSubmatch(body)
		if form == nil {
			t.Fatalf("%s: no contradiction in %s", name, text(body))
		}
		if p := v.do(http.MethodPost, form[1], url.Values{"resolution": {"MERGE"}, "text": {" "}}); !strings.Contains(p.body, `role="alert"`) {
			t.Errorf("merging without a text: %d %s", p.status, text(p.body))
		}
		if p := v.do(http.MethodPost, form[1], url.Values{"resolution": {"BOTH"}}); p.status != http.StatusUnprocessableEntity {
			t.Errorf("no decision: %d %s", p.status, text(p.body))
		}
		p := v.do(http.MethodPost, form[1], url.Values{"resolution": {c.resolution}, "text": {"The budget of " + name + " is 6000 euros."}})
		if p.location != inbox+"?done=resolved" {
			t.Fatalf("%s: %d %s", name, p.status, text(p.body))
		}
		if body := v.get(p.location).body; strings.Contains(body, name) || !strings.Contains(body, "Decided") {
			t.Errorf("%s is still to decide: %s", name, text(body))
		}
		if body := v.get(inbox + "?state=resolved").body; !strings.Contains(body, name) || resolveForm.MatchString(body) {
			t.Errorf("%s was decided, and is shown as %s", name, text(body))
		}
		listed, err := h.store.ByTrust(t.Context(), root.For("ada", "api:42"), stored.Query{Text: name, Page: store.Page{Limit: 9}})
		check(t, err)
		var kept []string
		for _, f := range listed.Items {
			kept = append(kept, amount.FindString(f.Text))
		}
		if slices.Sort(kept); strings.Join(kept, " ") != c.kept {
			t.Errorf("%s left %q", c.resolution, kept)
		}
	}
}

var amount = regexp.MustCompile(`\d+`)

// contradict writes two budgets of a project.
func (h *harness) contradict(query, name string) {
	for _, side := range []struct{ folder, budget string }{{"notes/", "5000"}, {"plans/", "7500"}} {
		h.call(http.MethodPut, "/agents/ada/workspace/files/"+side.folder+name+".md"+query,
			`{"content":"- The budget of `+name+` is `+side.budget+` euros.\n"}`)
	}
}

// A viewer reads contradictions and is offered no decision.
func TestContradictionsOfAViewer(t *testing.T) {
	h := start(t)
	h.contradict("?endUserId=42", "Atlas")
	h.visitor().signIn(h.keys["admin"]).get("/agents/ada/of/" + h.whose + "/contradictions") // which derives facts
	body := h.visitor().signIn(h.key("viewer", memory.RoleViewer, "api:42")).get("/agents/ada/of/me/contradictions").body
	if !strings.Contains(body, "7500") || strings.Contains(body, "KEEP_") {
		t.Errorf("%s", text(body))
	}
}
