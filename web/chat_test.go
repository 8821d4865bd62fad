package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// A conversation on the page is one as through the API, with the memories beside each answer. A form that is sent twice is one message.
func TestChat(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	chat := "/agents/ada/of/" + h.whose + "/chat"
	if body := v.get(chat).body; !strings.Contains(body, "No model is set") {
		t.Errorf("it does not say that no model is set: %s", text(body))
	}
	if p := v.do(http.MethodPost, chat, url.Values{"id": {uuid.NewString()}, "message": {"  "}}); !strings.Contains(p.body, `role="alert"`) {
		t.Errorf("an empty message: %d %s", p.status, text(p.body))
	}
	form := url.Values{"id": {uuid.NewString()}, "message": {"Where do I keep my bees?"}}
	first := v.do(http.MethodPost, chat, form)
	if first.status != http.StatusSeeOther || !strings.HasPrefix(first.location, chat+"/") {
		t.Fatalf("%d %s", first.status, text(first.body))
	}
	if again := v.do(http.MethodPost, chat, form); again.location != first.location {
		t.Errorf("the same form leads to %q, then to %q", first.location, again.location)
	}
	talk, _, _ := strings.Cut(first.location, "#")
	body := v.get(talk).body
	if n := strings.Count(body, "Where do I keep my bees?"); n != 1 {
		t.Errorf("the message is there %d times", n)
	}
	_, used, _ := strings.Cut(body, "Memories used")
	if !strings.Contains(used, "Grace keeps bees in Bern") || !strings.Contains(used, "/memory/notes/bees.md") {
		t.Errorf("beside the answer stands %s", text(used))
	}
	if p := v.do(http.MethodPost, talk, url.Values{"id": {uuid.NewString()}, "message": {"And where is Bern?"}}); p.location != first.location {
		t.Errorf("it goes on at %q: %s", p.location, text(p.body))
	}
	if body := v.get(strings.Replace(talk, "/chat/", "/conversations/", 1)).body; !strings.Contains(body, "And where is Bern?") {
		t.Errorf("it is not among the conversations: %s", text(body))
	}
}
