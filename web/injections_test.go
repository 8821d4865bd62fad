package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"reverie/store"
)

var whyLink = regexp.MustCompile(`href="([^"]+/injections/[0-9a-f-]{36})"`)

// From an answer one comes to what its context contained, and learns why something was missing.
func TestInjections(t *testing.T) {
	h := start(t)
	h.call(http.MethodPost, "/chat", `{"agentId":"ada","endUserId":"42","conversationId":"garden-talk","message":"Where do I keep my bees?"}`)
	h.call(http.MethodPut, "/agents/ada/workspace/files/notes/boat.md?endUserId=42", `{"content":"- Has a boat called Walrus.\n"}`)
	v := h.visitor().signIn(h.keys["admin"])
	memories := "/agents/ada/of/" + h.whose
	found := whyLink.FindStringSubmatch(v.get(memories + "/conversations/" + h.talk).body)
	if found == nil {
		t.Fatal("the answer does not lead to its context")
	}
	if body := v.get(memories + "/injections").body; !strings.Contains(body, found[1]) || !strings.Contains(body, "/conversations/"+h.talk) {
		t.Errorf("the list is %s", text(body))
	}
	if body := v.get(found[1]).body; !strings.Contains(body, "bees in Bern") || !strings.Contains(body, "shown to the model") {
		t.Errorf("the context is %s", text(body))
	}
	if body := v.do(http.MethodPost, found[1], url.Values{"about": {"boat"}}).body; !strings.Contains(body, "Walrus") || !strings.Contains(body, "later than this") {
		t.Errorf("about the boat: %s", text(body))
	}
	if body := v.do(http.MethodPost, found[1], url.Values{"about": {"zebra"}}).body; !strings.Contains(body, "No memory says that") {
		t.Errorf("about zebras: %s", text(body))
	}
}

// Looking at what a model would see leaves no trace.
func TestContextPage(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	p := v.do(http.MethodPost, "/agents/ada/of/"+h.whose+"/context", url.Values{"message": {"Where do I keep my bees?"}})
	for _, want := range []string{"Grace keeps bees in Bern", "SOUL.md", "Instructions", "Recalled memory", "The message", "No model is set"} {
		if !strings.Contains(p.body, want) {
			t.Errorf("it does not show %q: %s", want, text(p.body))
		}
	}
	listed, err := h.store.Injections(t.Context(), root.For("ada", "api:42"), "", store.Page{})
	check(t, err)
	if len(listed.Items) != 0 {
		t.Errorf("it is recorded: %+v", listed.Items)
	}
	conversations, err := h.store.Conversations(t.Context(), root.For("ada", "api:42"), store.Page{})
	check(t, err)
	if len(conversations.Items) != 1 || conversations.Items[0].Last != 1 {
		t.Errorf("it is stored: %+v", conversations.Items)
	}
}
