package api_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/uuid"

	"reverie/api"
	"reverie/memory"
)

type hookView struct {
	ID, URL, State, Reason, Secret, Owner string
	Kinds                                 []string
}

// A webhook is made with its secret, which no other answer has, changed, paused, resumed, rotated and deleted.
func TestWebhooks(t *testing.T) {
	h := start(t)
	h.agent("ada")
	const path = "/api/v1/agents/ada/webhooks"
	made := as[hookView](h, h.want(h.do(request{method: "POST", path: path, key: h.admin, body: map[string]any{
		"url": "https://example.com/hook", "kinds": []string{"document.written"},
	}}), 201))
	if !strings.HasPrefix(made.Secret, "whsec_") || made.State != "active" || len(made.Kinds) != 1 {
		t.Fatalf("%+v", made)
	}
	one := path + "/" + made.ID
	call := func(method, path string, body any, status int) hookView {
		t.Helper()
		a := h.want(h.do(request{method: method, path: path, key: h.admin, body: body}), status)
		if method != "POST" && strings.Contains(string(a.body), "whsec_") {
			t.Errorf("%s %s shows a secret", method, path)
		}
		if status >= 400 {
			return hookView{}
		}
		return as[hookView](h, a)
	}
	call("GET", path, nil, 200)
	for _, body := range []map[string]any{
		{"url": "ftp://example.com"},
		{"url": "/hook"},
		{"url": "https://user:word@example.com"},
		{"url": "https://example.com/#part"},
		{"url": "https://example.com", "kinds": []string{"memory.read"}},
	} {
		call("POST", path, body, 422)
		call("PATCH", one, body, 422)
	}
	if got := call("PATCH", one, map[string]any{"state": "paused"}, 200); got.State != "paused" || got.Reason != "by_person" {
		t.Errorf("%+v", got)
	}
	call("POST", one+"/redeliver", map[string]any{}, 409)
	if got := call("PATCH", one, map[string]any{"state": "active", "kinds": []string{}, "url": "https://example.com/b"}, 200); got.State != "active" ||
		got.Reason != "" || len(got.Kinds) != 0 || got.URL != "https://example.com/b" {
		t.Errorf("%+v", got)
	}
	call("GET", one+"/failures", nil, 200)
	call("POST", one+"/redeliver", map[string]any{"failures": []string{uuid.NewString()}}, 404)
	if got := call("POST", one+"/rotate", map[string]any{"overlapSeconds": 60}, 201); !strings.HasPrefix(got.Secret, "whsec_") || got.Secret == made.Secret {
		t.Errorf("%+v", got)
	}
	call("DELETE", one, nil, 200)
	call("GET", one, nil, 404)
}

// A key manages the webhooks of those for whom it may speak, and no others.
func TestWebhooksOfOthers(t *testing.T) {
	h := start(t)
	h.agent("ada")
	const path = "/api/v1/agents/ada/webhooks"
	member, mine, other := h.key("member", memory.RoleMember, ""), h.key("mine", memory.RoleMember, "api:1"), h.key("other", memory.RoleMember, "api:2")
	add := func(key string, body map[string]any, status int) string {
		t.Helper()
		body["url"] = "https://example.com/hook"
		a := h.want(h.do(request{method: "POST", path: path, key: key, body: body}), status)
		if status != 201 {
			return ""
		}
		return as[hookView](h, a).ID
	}
	ofAll, ofMine := add(h.admin, map[string]any{}, 201), add(mine, map[string]any{}, 201)
	add(member, map[string]any{}, 422)
	named := add(member, map[string]any{"owner": "api:1"}, 201)
	add(other, map[string]any{"owner": "api:1"}, 403)
	count := func(key, query string) int {
		t.Helper()
		return len(as[struct{ Items []hookView }](h, h.want(h.do(request{method: "GET", path: path + query, key: key}), 200)).Items)
	}
	for _, c := range []struct {
		key, query string
		n          int
	}{{h.admin, "", 3}, {h.admin, "?owner=api:1", 3}, {mine, "", 2}, {other, "", 0}, {member, "?owner=api:1", 2}, {member, "?owner=api:2", 0}} {
		if n := count(c.key, c.query); n != c.n {
			t.Errorf("%q lists %d, want %d", c.query, n, c.n)
		}
	}
	for _, id := range []string{ofAll, ofMine, named} {
		for _, act := range []request{
			{method: "GET", path: path + "/" + id},
			{method: "DELETE", path: path + "/" + id},
			{method: "POST", path: path + "/" + id + "/ping"},
			{method: "PATCH", path: path + "/" + id, body: map[string]any{"url": "https://example.com/elsewhere"}},
			{method: "POST", path: path + "/" + id + "/rotate", body: map[string]any{}},
			{method: "POST", path: path + "/" + id + "/redeliver", body: map[string]any{}},
		} {
			act.key = other
			h.want(h.do(act), 404)
			if id == ofAll {
				act.key = mine
				h.want(h.do(act), 404)
			}
		}
	}
	h.want(h.do(request{method: "DELETE", path: path + "/" + ofMine, key: h.admin}), 200)
	h.want(h.do(request{method: "DELETE", path: path + "/" + named, key: mine}), 200)
}

// An address to which nothing would ever be sent is refused at once, when a webhook is made and when it is changed.
func TestWebhooksThatReachNothing(t *testing.T) {
	own := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
	for name, c := range map[string]struct {
		allowed       []netip.Prefix
		good, refused []string
	}{
		"the public internet": {
			nil,
			[]string{"https://example.com/", "https://1.1.1.1/", "https://[2606:4700::1111]/"},
			[]string{"http://example.com/hook", "http://1.1.1.1/", "https://10.1.0.1/", "https://127.0.0.1:8080/", "http://[::1]/", "http://2130706433/"},
		},
		"a network": {
			own,
			[]string{"https://example.com/", "http://hooks.internal/", "http://10.1.0.1/", "https://10.1.0.1/"},
			[]string{"http://1.1.1.1/", "http://10.2.0.1/", "https://10.2.0.1/"},
		},
	} {
		h := start(t, func(o *api.Options) { o.WebhookNetworks = c.allowed })
		h.agent("ada")
		const path = "/api/v1/agents/ada/webhooks"
		made := as[hookView](h, h.want(h.do(request{method: "POST", path: path, key: h.admin, body: map[string]any{"url": "https://example.com/"}}), 201))
		for _, to := range c.good {
			h.want(h.do(request{method: "POST", path: path, key: h.admin, body: map[string]any{"url": to}}), 201)
			h.want(h.do(request{method: "PATCH", path: path + "/" + made.ID, key: h.admin, body: map[string]any{"url": to}}), 200)
		}
		for _, to := range c.refused {
			for _, method := range []request{{method: "POST", path: path}, {method: "PATCH", path: path + "/" + made.ID}} {
				method.key, method.body = h.admin, map[string]any{"url": to}
				body := string(h.wantError(h.do(method), 422, "invalid_request").body)
				if !strings.Contains(body, "body.url") || !strings.Contains(body, "REVERIE_WEBHOOK_NETWORKS") {
					t.Errorf("%s, %s: %s", name, to, body)
				}
			}
		}
	}
}
