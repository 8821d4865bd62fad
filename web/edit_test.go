package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"reverie/memory"
)

// A form that changes nothing says so, and a write of a business process names one as its author.
func TestEditSaysWhatItDid(t *testing.T) {
	h := start(t)
	h.call(http.MethodPut, "/agents/ada/workspace/files/notes/tea.md?endUserId=42", `{"content":"- Likes tea.\n"}`)
	v := h.visitor().signIn(h.key("grace", memory.RoleMember, "api:42"))
	for content, done := range map[string]string{"- Likes tea.\n": "unchanged", "- Likes coffee.\n": "saved"} {
		p := v.do(http.MethodPost, "/agents/ada/of/me/edit/notes/tea.md?scope=PERSONAL", url.Values{"base": {"1"}, "content": {content}})
		if p.status != http.StatusSeeOther || !strings.Contains(p.location, "done="+done) {
			t.Errorf("%q: %d %s", content, p.status, p.location)
		}
	}
	if p := v.get("/agents/ada/of/me/memory/notes/tea.md?scope=PERSONAL&done=unchanged"); !strings.Contains(p.body, "no new version") {
		t.Error(text(p.body))
	}
	process := root.For("ada", "api:42")
	process.Author = memory.Author{Kind: memory.AuthorWorkflow, WorkflowID: memory.ProcessPrefix + "default.ada/r1/x"}
	ref := memory.Ref{Scope: memory.ScopePersonal, Path: "memory/crm.md"}
	if _, err := h.store.Apply(t.Context(), process, "", []memory.Change{{Ref: ref, Op: memory.OpReplace, Content: "- The tier is gold.\n"}}); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"memory", "memory/memory/crm.md?scope=PERSONAL"} {
		if p := v.get("/agents/ada/of/me/" + page); !strings.Contains(p.body, "business process") {
			t.Errorf("%s: %s", page, text(p.body))
		}
	}
}
