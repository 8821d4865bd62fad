package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"reverie/memory"
)

var cancelForm = regexp.MustCompile(`action="(/agents/ada/of/[^"]+/deletions/[0-9a-f-]{36})"`)

// A person sees what would be deleted, requests it after ticking the box, and cancels it. Others see nothing of it.
func TestDeleteAllMemory(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.key("grace", memory.RoleMember, "api:42"))
	const path = "/agents/ada/of/me/deletions"
	p := v.get(path)
	if !strings.Contains(p.body, "All that is stored about you") || !strings.Contains(p.body, "1 message, ") ||
		!strings.Contains(p.body, "It starts after 1h") || !strings.Contains(p.body, "API keys that are pinned to the owner") {
		t.Errorf("before: %d %s", p.status, text(p.body))
	}
	if p := v.do(http.MethodPost, path, nil); p.status != http.StatusUnprocessableEntity || strings.Contains(v.get(path).body, "waiting") {
		t.Errorf("without the box: %d %s", p.status, text(p.body))
	}
	if p := v.do(http.MethodPost, path, url.Values{"sure": {"true"}}); p.status != http.StatusSeeOther {
		t.Fatalf("the request: %d %s", p.status, text(p.body))
	}
	waiting := v.get(path)
	cancel := cancelForm.FindStringSubmatch(waiting.body)
	if cancel == nil || !strings.Contains(text(waiting.body), "all memory waiting") {
		t.Fatalf("waiting: %s", text(waiting.body))
	}
	for name, key := range map[string]string{
		"a member": h.key("ed", memory.RoleMember, ""), "another person": h.key("lin", memory.RoleMember, "api:43"),
	} {
		other := h.visitor().signIn(key)
		of := strings.Replace(cancel[1], "/me/", "/"+h.whose+"/", 1)
		if name == "another person" {
			of = cancel[1]
		}
		if p := other.do(http.MethodPost, of, nil); p.status == http.StatusSeeOther {
			t.Errorf("%s cancels it", name)
		}
	}
	if p := v.do(http.MethodPost, cancel[1], nil); p.status != http.StatusSeeOther {
		t.Errorf("cancelling: %d %s", p.status, text(p.body))
	}
	if p := v.get(path); !strings.Contains(text(p.body), "all memory cancelled") || cancelForm.MatchString(p.body) {
		t.Errorf("cancelled: %s", text(p.body))
	}
	if p := v.do(http.MethodPost, cancel[1], nil); p.status != http.StatusSeeOther { // once more
		t.Errorf("cancelling again: %d %s", p.status, text(p.body))
	}
}

// An administrator deletes a conversation of a person, and sees the deletions of all.
func TestDeleteAConversation(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	talk := "/agents/ada/of/" + h.whose + "/conversations/" + h.talk
	if p := v.get(talk); !strings.Contains(p.body, `href="`+talk+`/deletion"`) {
		t.Errorf("the conversation does not lead to its deletion: %s", text(p.body))
	}
	if p := v.get(talk + "/deletion"); p.status != http.StatusOK || !strings.Contains(p.body, "Keep what was learned from it") {
		t.Errorf("%d %s", p.status, text(p.body))
	}
	form := url.Values{"sure": {"true"}, "keep": {"true"}}
	if p := v.do(http.MethodPost, talk+"/deletion", form); p.status != http.StatusSeeOther {
		t.Fatalf("%d %s", p.status, text(p.body))
	}
	for _, whose := range []string{h.whose, "shared"} {
		if p := v.get("/agents/ada/of/" + whose + "/deletions"); !strings.Contains(text(p.body), "conversation garden-talk") {
			t.Errorf("of %s: %s", whose, text(p.body))
		}
	}
	if p := h.visitor().signIn(h.key("lin", memory.RoleMember, "api:43")).get("/agents/ada/of/me/deletions"); strings.Contains(p.body, "garden-talk") {
		t.Errorf("another person sees it: %s", text(p.body))
	}
}
