package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"reverie/store"
	"reverie/store/webhooks"
)

var shownHookSecret = regexp.MustCompile(`<pre class="secret">(whsec_[^<]+)</pre>`)

// A webhook is added with its secret, shown once, and changed and deleted on its page.
func TestWebhooksPage(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	const path = "/agents/ada/webhooks"
	for _, form := range []url.Values{
		{"url": {"ftp://example.com"}},
		{"url": {"http://example.com"}},
		{"url": {"https://example.com"}, "kinds": {"no.kind"}},
		{"url": {"https://example.com"}, "owner": {"42"}},
	} {
		if p := v.do(http.MethodPost, path, form); p.status != http.StatusOK || !strings.Contains(p.body, `role="alert"`) || shownHookSecret.MatchString(p.body) {
			t.Errorf("%v: %d %.300s", form, p.status, text(p.body))
		}
	}
	p := v.do(http.MethodPost, path, url.Values{"url": {"https://example.com/hook"}, "kinds": {"document.written, key.created"}, "owner": {"api:42"}})
	secret := shownHookSecret.FindStringSubmatch(p.body)
	if p.status != http.StatusOK || secret == nil {
		t.Fatalf("%d: %.300s", p.status, text(p.body))
	}
	if body := v.get(path).body; strings.Contains(body, "whsec_") || !strings.Contains(body, "https://example.com/hook") || !strings.Contains(body, "api:42") {
		t.Errorf("the list: %s", text(body))
	}
	id := root.For("ada", "")
	id.AnyOwner = true
	read := func() webhooks.Webhook {
		t.Helper()
		listed, err := h.store.Webhooks(t.Context(), id, store.Page{})
		check(t, err)
		if len(listed.Items) != 1 {
			t.Fatalf("%+v", listed.Items)
		}
		return listed.Items[0]
	}
	one := path + "/" + read().ID.String()
	for _, c := range []struct {
		do    string
		state webhooks.State
	}{{"pause", webhooks.Paused}, {"resume", webhooks.Active}, {"redeliver", webhooks.Active}} {
		if p := v.do(http.MethodPost, one, url.Values{"do": {c.do}}); p.status != http.StatusOK || read().State != c.state {
			t.Errorf("%s: %d, %+v", c.do, p.status, read())
		}
	}
	if next := shownHookSecret.FindStringSubmatch(v.do(http.MethodPost, one, url.Values{"do": {"rotate"}}).body); next == nil || next[1] == secret[1] {
		t.Errorf("rotated: %v", next)
	}
	if p := v.do(http.MethodPost, one, url.Values{"do": {"explode"}}); p.status != http.StatusUnprocessableEntity {
		t.Errorf("nothing to do: %d", p.status)
	}
	if p := v.do(http.MethodPost, one, url.Values{"do": {"delete"}}); p.status != http.StatusOK || strings.Contains(p.body, "https://example.com/hook") {
		t.Errorf("deleted: %d", p.status)
	}
}
