package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/setting"
)

var shownSecret = regexp.MustCompile(`<pre class="secret">(rv_[^<]+)</pre>`)

// A key that the page makes works, is shown once, can be replaced, and is refused after it was revoked.
func TestKeys(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	p := v.do(http.MethodPost, "/keys", url.Values{"name": {"backend"}, "role": {"member"}, "agents": {"ada, bob"}, "owner": {"api:42"}, "days": {"7"}})
	secret := shownSecret.FindStringSubmatch(p.body)
	if p.status != http.StatusOK || secret == nil {
		t.Fatalf("%d: %.300s", p.status, text(p.body))
	}
	key, err := h.store.Authenticate(t.Context(), secret[1])
	check(t, err)
	if key.Role != memory.RoleMember || key.Owner != "api:42" || len(key.Agents) != 2 || key.ExpiresAt == nil {
		t.Errorf("the key is %+v", key)
	}
	if body := v.get("/keys").body; strings.Contains(body, secret[1]) || !strings.Contains(body, "backend") {
		t.Error("the list shows the secret, or not the key")
	}
	replaced := shownSecret.FindStringSubmatch(v.do(http.MethodPost, "/keys/"+key.ID.String()+"/rotate", nil).body)
	if replaced == nil || replaced[1] == secret[1] {
		t.Fatalf("replacing it shows %q", replaced)
	}
	if p := v.do(http.MethodPost, "/keys/"+key.ID.String()+"/revoke", nil); p.status != http.StatusSeeOther {
		t.Errorf("revoking: %d", p.status)
	}
	if _, err := h.store.Authenticate(t.Context(), secret[1]); err == nil {
		t.Error("the revoked key works")
	}
	if _, err := h.store.Authenticate(t.Context(), replaced[1]); err != nil {
		t.Errorf("the new key: %v", err)
	}
}

// A wrong form says what is wrong and keeps what was written.
func TestWrongKeys(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	good := url.Values{"name": {"backend"}, "role": {"member"}}
	for field, value := range map[string]string{"name": " ", "role": "root", "owner": "42", "agents": "No Agent!", "days": "0"} {
		form := url.Values{"name": good["name"], "role": good["role"], field: {value}}
		p := v.do(http.MethodPost, "/keys", form)
		if p.status != http.StatusOK || !strings.Contains(p.body, `role="alert"`) || shownSecret.MatchString(p.body) {
			t.Errorf("%s %q: %d %.300s", field, value, p.status, text(p.body))
		}
	}
	if p := v.do(http.MethodPost, "/keys", url.Values{"name": {"a"}, "role": {"admin"}, "owner": {"api:42"}}); !strings.Contains(p.body, `role="alert"`) {
		t.Errorf("an admin key for one owner: %.300s", text(p.body))
	}
}

// The usage of models is shown by day and model, next to the budget.
func TestUsage(t *testing.T) {
	h := start(t)
	check(t, h.store.AddUsage(t.Context(), root.For("ada", "api:42"), "gpt-x", memory.Usage{Calls: 2, InputTokens: 1200, OutputTokens: 34, CostMicros: 5_000_000}))
	v := h.visitor().signIn(h.keys["admin"])
	body := text(v.get("/usage").body)
	today := time.Now().UTC().Format(time.DateOnly)
	if !strings.Contains(body, today+" 1234 2 $5.00 gpt-x 1234") {
		t.Errorf("%.500s", body)
	}
}

// The page pauses and resumes the models of an agent, and sets its budget, which the API shows as well. Wrong numbers change nothing.
func TestBudgets(t *testing.T) {
	h := start(t)
	check(t, h.store.AddUsage(t.Context(), root.For("ada", "api:42"), "gpt-x", memory.Usage{Calls: 2, InputTokens: 1200, OutputTokens: 34, CostMicros: 5_000_000}))
	v := h.visitor().signIn(h.keys["admin"])
	settings := func() setting.ModelSettings {
		agent, err := h.store.Agent(t.Context(), root.For("ada", memory.NoOwner))
		check(t, err)
		return setting.ModelSettings{}.With(agent.Settings)
	}
	post := func(status int, form url.Values) {
		t.Helper()
		if p := v.do(http.MethodPost, "/agents/ada/budget", form); p.status != status {
			t.Errorf("%v: %d %.300s", form, p.status, text(p.body))
		}
	}
	shows := func(words string) {
		t.Helper()
		if body := text(v.get("/usage").body); !strings.Contains(body, words) {
			t.Errorf("no %q in %.800s", words, body)
		}
	}
	shows("2 calls · 1,234 tokens · $5.00 of no separate budget")
	post(http.StatusSeeOther, url.Values{"do": {"pause"}})
	shows("ada paused 2 calls")
	if !settings().Paused {
		t.Error("it is not paused")
	}
	if body := text(v.get("/").body); !strings.Contains(body, "Its use of models is paused.") {
		t.Errorf("the overview: %.800s", body)
	}
	post(http.StatusSeeOther, url.Values{"do": {"resume"}})
	post(http.StatusSeeOther, url.Values{"do": {"budget"}, "tokens": {"1000"}, "cost": {"7.5"}})
	shows("ada budget spent 2 calls · 1,234 tokens · $5.00 of 1,000 tokens and $7.50")
	want := setting.ModelSettings{Tokens: 1000, Cost: 7.5}
	for _, wrong := range []url.Values{
		{"do": {"budget"}, "tokens": {"many"}}, {"do": {"budget"}, "tokens": {"-1"}}, {"do": {"budget"}, "cost": {"NaN"}}, {"do": {"stop"}}, {},
	} {
		post(http.StatusUnprocessableEntity, wrong)
	}
	if got := settings(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
