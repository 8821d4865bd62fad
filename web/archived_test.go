package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"reverie/memory"
)

// What was archived is listed with its reason, is found by words, and is restored to where it stood, in the name of the person. A fact is
// edited and forgotten on its page.
func TestArchivedFacts(t *testing.T) {
	h := start(t)
	const path = "/agents/ada/workspace/files/MEMORY.md?endUserId=42"
	h.call(http.MethodPut, path, `{"content":"# Memory\n\n## Garden\n\n- Grows roses.\n- Grows beans.\n\n## Kitchen\n\n- Bakes bread.\n"}`)
	h.call(http.MethodPut, path,
		`{"content":"# Memory\n\n## Garden\n\n- Grows beans.\n\n## Kitchen\n\n- Bakes bread.\n\n## Archived\n\n- Grows roses.\n","reason":"winter <b>came</b>"}`,
		"If-Match", "*")
	grace := h.visitor().signIn(h.key("grace", memory.RoleMember, "api:42"))
	const base = "/agents/ada/of/me/"
	p := grace.get(base + "archived")
	for _, want := range []string{"Grows roses.", "winter &lt;b&gt;came", "Restore", "Forget"} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the list does not have %q: %s", want, text(p.body))
		}
	}
	if strings.Contains(p.body, "beans") {
		t.Errorf("the list has a current fact: %s", text(p.body))
	}
	for keyword, found := range map[string]bool{"ROSES": true, "beans": false} {
		p := grace.do(http.MethodPost, base+"archived", url.Values{"keyword": {keyword}})
		if got := strings.Contains(p.body, "Grows roses."); got != found || p.status != http.StatusOK {
			t.Errorf("%s: %d %v", keyword, p.status, got)
		}
	}
	if p := grace.get(base + "facts"); strings.Contains(p.body, "roses") {
		t.Errorf("the list of facts shows what was archived: %s", text(p.body))
	}
	fact := regexp.MustCompile(base + `facts/[0-9a-f-]{36}`).FindString(p.body)
	viewer := h.visitor().signIn(h.key("looks", memory.RoleViewer, "api:42"))
	if p := viewer.get(base + "archived"); !strings.Contains(p.body, "roses") || strings.Contains(p.body, "Restore") {
		t.Errorf("a viewer sees %s", text(p.body))
	}
	for who, v := range map[string]*visitor{"viewer": viewer, "another": h.visitor().signIn(h.key("other", memory.RoleMember, "api:43"))} {
		if p := v.do(http.MethodPost, fact, url.Values{"do": {"restore"}}); p.status != http.StatusForbidden && p.status != http.StatusNotFound {
			t.Errorf("%s restores it: %d", who, p.status)
		}
	}
	for range 2 { // a second click changes nothing
		if p := grace.do(http.MethodPost, fact, url.Values{"do": {"restore"}}); p.status != http.StatusSeeOther || !strings.Contains(p.location, "done=back") {
			t.Fatalf("restoring: %d %s", p.status, text(p.body))
		}
	}
	ref := memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath}
	check := func(want string) {
		t.Helper()
		d, err := h.store.Document(t.Context(), root.For("ada", "api:42"), ref)
		if err != nil || d.Content != want {
			t.Errorf("%v\n%s", err, d.Content)
		}
	}
	check("# Memory\n\n## Garden\n\n- Grows beans.\n- Grows roses.\n\n## Kitchen\n\n- Bakes bread.\n")
	history, err := h.store.History(t.Context(), root.For("ada", "api:42"), ref, 0, 1)
	if err != nil || history[0].Author.Kind != memory.AuthorUser || !strings.Contains(history[0].Reason, "restored") {
		t.Errorf("%v: %+v", err, history)
	}
	if p := grace.get(base + "archived"); !strings.Contains(p.body, "Nothing was archived") {
		t.Errorf("after restoring: %s", text(p.body))
	}

	for _, bad := range []string{"", "one\ntwo", strings.Repeat("x", 601)} {
		if p := grace.do(http.MethodPost, fact, url.Values{"do": {"edit"}, "text": {bad}}); !strings.Contains(p.body, "on one line") {
			t.Errorf("editing to %.20q: %d %s", bad, p.status, text(p.body))
		}
	}
	if p := grace.do(http.MethodPost, fact, url.Values{"do": {"edit"}, "text": {"Grows red roses."}}); !strings.HasSuffix(p.location, "done=edited#L6") {
		t.Errorf("editing: %d %q %s", p.status, p.location, text(p.body))
	}
	check("# Memory\n\n## Garden\n\n- Grows beans.\n- Grows red roses.\n\n## Kitchen\n\n- Bakes bread.\n")
	p = grace.do(http.MethodPost, base+"facts", url.Values{"keyword": {"red roses"}})
	fact = regexp.MustCompile(base + `facts/[0-9a-f-]{36}`).FindString(p.body)
	if p := grace.do(http.MethodPost, fact, url.Values{"do": {"forget"}}); !strings.Contains(p.location, "done=forgotten") {
		t.Fatalf("forgetting: %d %s", p.status, text(p.body))
	}
	check("# Memory\n\n## Garden\n\n- Grows beans.\n\n## Kitchen\n\n- Bakes bread.\n")
}
