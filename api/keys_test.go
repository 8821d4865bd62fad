package api_test

import (
	"strings"
	"testing"
	"time"

	"reverie/api"
	"reverie/memory"
	"reverie/store"
)

// madeKey is the answer to a request that makes a key.
type madeKey struct {
	ID, Name, Secret string
	ExpiresAt        *time.Time
	Replaces         struct {
		ID, ReplacedBy string
		ExpiresAt      time.Time
	}
}

func TestKeysExpireAndRotate(t *testing.T) {
	clock := &fakeClock{at: time.Now().UTC().Truncate(time.Second)}
	h := startClocked(t, clock)
	create := func(body map[string]any) madeKey {
		t.Helper()
		return as[madeKey](h, h.want(h.do(request{method: "POST", path: "/api/v1/keys", key: h.admin, body: body}), 201))
	}
	use := func(secret string) answered { return h.do(request{method: "GET", path: "/api/v1/status", key: secret}) }
	end := clock.now().Add(2 * time.Second)
	short := create(map[string]any{"name": "short", "role": "member", "expiresAt": end})
	h.want(use(short.Secret), 200)
	clock.advance(2 * time.Second) // less than keys are remembered
	refused := h.wantError(use(short.Secret), 401, "unauthorized")
	if !strings.Contains(refused.Msg, "expired at "+end.Format(time.RFC3339)) {
		t.Errorf("%s", refused.Msg)
	}
	h.wantError(use(short.Secret), 401, "unauthorized")

	old := create(map[string]any{"name": "app", "role": "member", "owner": "api:42"})
	rotate := func(id string, body any) answered {
		t.Helper()
		return h.do(request{method: "POST", path: "/api/v1/keys/" + id + "/rotate", key: h.admin, body: body})
	}
	h.want(use(old.Secret), 200)
	next := as[madeKey](h, h.want(rotate(old.ID, map[string]any{"overlapSeconds": 3}), 201))
	if next.Replaces.ID != old.ID || next.Replaces.ReplacedBy != next.ID || !next.Replaces.ExpiresAt.Equal(clock.now().Add(3*time.Second)) {
		t.Errorf("%+v", next)
	}
	h.want(use(old.Secret), 200)
	h.want(use(next.Secret), 200)
	clock.advance(3 * time.Second)
	h.wantError(use(old.Secret), 401, "unauthorized")
	h.want(use(next.Secret), 200)
	h.wantError(rotate(old.ID, map[string]any{}), 409, "conflict")
	h.wantError(rotate(next.ID, map[string]any{"overlapSeconds": 30*24*3600 + 1}), 422, "invalid_request")
	h.wantError(rotate(next.ID, map[string]any{"expiresAt": clock.now()}), 422, "invalid_request")
	day := as[madeKey](h, h.want(rotate(next.ID, map[string]any{}), 201))
	if !day.Replaces.ExpiresAt.Equal(clock.now().Add(24 * time.Hour)) {
		t.Errorf("an overlap of %s", day.Replaces.ExpiresAt.Sub(clock.now()))
	}
	at := as[madeKey](h, h.want(rotate(day.ID, map[string]any{"overlapSeconds": 0}), 201))
	h.wantError(use(day.Secret), 401, "unauthorized") // at once, though it was just remembered
	day = at
	h.want(h.do(request{method: "DELETE", path: "/api/v1/keys/" + day.ID, key: h.admin}), 200)
	h.wantError(use(day.Secret), 401, "unauthorized")
	h.wantError(use("rv_unknown"), 401, "unauthorized")
	for _, k := range as[struct{ Items []madeKey }](h, h.want(h.get("/api/v1/keys"), 200)).Items {
		if k.Name == "test" { // of the configuration
			refused := h.wantError(h.do(request{method: "DELETE", path: "/api/v1/keys/" + k.ID, key: h.admin}), 409, "conflict")
			if !strings.Contains(string(refused.body), "REVERIE_ADMIN_KEY") {
				t.Errorf("%s", refused.body)
			}
		}
	}
	h.wantError(use(""), 401, "unauthorized")

	listed := string(h.want(h.get("/api/v1/keys"), 200).body)
	if !strings.Contains(listed, `"lastUsedAt":"`) || !strings.Contains(listed, `"replacedBy":"`+next.ID) || !strings.Contains(listed, `"expiresAt":"`) {
		t.Errorf("%s", listed)
	}
	// The log says from where and for what, without a secret.
	log := h.log.String()
	for _, want := range []string{
		`"msg":"Key created","key":"` + old.ID, `"msg":"Key rotated","key":"` + old.ID, `"msg":"Key revoked","key":"` + day.ID,
		`"reason":"expired"`, `"reason":"revoked"`, `"reason":"unknown"`, `"reason":"missing"`,
		`"msg":"Request without a valid API key","address":"127.0.0.1","operation":"status"`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("%s is not in the log", want)
		}
	}
	for _, secret := range []string{short.Secret, old.Secret, next.Secret, day.Secret, h.admin} {
		if strings.Contains(log, secret) {
			t.Error("a secret is in the log")
		}
	}
}

// startClocked runs a server whose store shares a clock with it.
func startClocked(t *testing.T, clock *fakeClock) *harness {
	t.Helper()
	return startWith(t, store.Options{Now: clock.now}, func(o *api.Options) { o.Now = clock.now })
}

// A new key may do what the old one may.
func TestRolesOfRotatedKeys(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.key("pinned", memory.RoleViewer, "api:42", "ada")
	next := as[madeKey](h, h.want(h.do(request{
		method: "POST", path: "/api/v1/keys/" + h.keys["pinned"].String() + "/rotate", key: h.admin, body: map[string]any{},
	}), 201))
	h.want(h.do(request{method: "GET", path: "/api/v1/agents/ada/conversations", key: next.Secret}), 200)
	h.wantError(h.do(request{method: "GET", path: "/api/v1/agents/ada/conversations?owner=api:43", key: next.Secret}), 403, "owner_not_allowed")
	h.wantError(h.do(request{method: "GET", path: "/api/v1/keys", key: next.Secret}), 403, "forbidden")
}
