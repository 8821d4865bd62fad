package store

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"reverie/memory"
	"reverie/store/admin"
	"reverie/store/gate"
	"reverie/store/pg"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	s := openStore(t, at(func() time.Time { return testClock }))
	root := adminOf("acme")
	secret, key, err := s.CreateKey(
		t.Context(), root, admin.NewKey{Name: "app", Role: memory.RoleMember, Agents: []string{"ada"}, Owner: "user:7"},
	)
	if err != nil {
		t.Fatal(err)
	}
	random, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(secret, "rv_"))
	if err != nil || len(random) != 32 || !strings.HasPrefix(secret, "rv_") {
		t.Errorf("secret %q: %v", secret, err)
	}
	want := gate.Key{
		ID: key.ID, Workspace: "acme", Name: "app", Role: memory.RoleMember, Agents: []string{"ada"}, Owner: "user:7", CreatedAt: testClock,
	}
	if diff := cmp.Diff(want, key); diff != "" {
		t.Errorf("key (-want +got):\n%s", diff)
	}
	found := must[gate.Key](t)(s.Authenticate(t.Context(), secret))
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("authenticated (-want +got):\n%s", diff)
	}
	wantIdentity := memory.Identity{
		Workspace: "acme", Agents: []string{"ada"}, Owner: "user:7", Pinned: true, Role: memory.RoleMember, Key: key.ID.String(),
		Author: memory.Author{Kind: memory.AuthorUser, ID: key.ID.String()},
	}
	if diff := cmp.Diff(wantIdentity, found.Identity()); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	if n, err := rawAs(t, s, everything(t, root), "select from api_keys where api_keys::text like $1", "%"+secret[3:]+"%"); err != nil ||
		n != 0 {
		t.Errorf("the secret is stored: %v", err)
	}
	for _, wrong := range []string{"", "rv_", secret[:len(secret)-1], secret + "x", key.ID.String()} {
		if _, err := s.Authenticate(t.Context(), wrong); !errors.Is(err, pg.ErrUnauthorized) {
			t.Errorf("%q: %v, want ErrUnauthorized", wrong, err)
		}
	}
	if err := s.RevokeKey(t.Context(), root, key.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Authenticate(t.Context(), secret); !errors.Is(err, pg.ErrUnauthorized) {
		t.Errorf("revoked: %v, want ErrUnauthorized", err)
	}
	list := must[[]gate.Key](t)(s.Keys(t.Context(), root))
	if len(list) != 1 || list[0].RevokedAt == nil || !list[0].RevokedAt.Equal(testClock) {
		t.Errorf("keys %+v", list)
	}
	if err := s.RevokeKey(t.Context(), root, uuid.New()); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("revoke of nothing: %v", err)
	}

	limited, pinned := root, root
	limited.Agents, pinned.Pinned, pinned.Owner = []string{"ada"}, true, "user:7"
	for name, id := range map[string]memory.Identity{"limited admin": limited, "pinned admin": pinned, "member": member("user:7")} {
		_, _, create := s.CreateKey(t.Context(), id, admin.NewKey{Name: "x", Role: memory.RoleViewer})
		_, list := s.Keys(t.Context(), id)
		for what, err := range map[string]error{"create": create, "list": list, "revoke": s.RevokeKey(t.Context(), id, key.ID)} {
			if !errors.Is(err, pg.ErrForbidden) {
				t.Errorf("%s by %s: %v, want ErrForbidden", what, name, err)
			}
		}
	}
	for field, k := range map[string]admin.NewKey{
		"name": {Name: " ", Role: memory.RoleMember}, "role": {Name: "x", Role: "king"},
		"owner":  {Name: "x", Role: memory.RoleMember, Owner: "nobody"},
		"agents": {Name: "x", Role: memory.RoleMember, Agents: []string{"a,b"}},
	} {
		if _, _, err := s.CreateKey(t.Context(), root, k); !invalid(field)(err) {
			t.Errorf("bad %s: %v", field, err)
		}
	}
	if _, _, err := s.CreateKey(t.Context(), adminOf("none"),
		admin.NewKey{Name: "x", Role: memory.RoleMember}); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("key of a workspace that is not there: %v", err)
	}
}

// The key that the configuration names is there, once; another secret under the same name takes its place.
func TestConfiguredKey(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	first, second := "first-"+strings.Repeat("a", 20), "second-"+strings.Repeat("b", 20)
	ensure := func(secret string) {
		t.Helper()
		if err := s.EnsureKey(t.Context(), "acme", "admin", secret, memory.RoleAdmin); err != nil {
			t.Fatal(err)
		}
	}
	ensure(first)
	ensure(first)
	key := must[gate.Key](t)(s.Authenticate(t.Context(), first))
	if key.Role != memory.RoleAdmin || key.Name != "admin" || key.Agents != nil {
		t.Errorf("key %+v", key)
	}
	other, _, err := s.CreateKey(t.Context(), key.Identity(),
		admin.NewKey{Name: "admin", Role: memory.RoleAdmin}) // the same name, by a person
	if err != nil {
		t.Fatal(err)
	}
	ensure(second)
	if _, err := s.Authenticate(t.Context(), first); !errors.Is(err, pg.ErrUnauthorized) {
		t.Errorf("the replaced key: %v, want ErrUnauthorized", err)
	}
	must[gate.Key](t)(s.Authenticate(t.Context(), second))
	must[gate.Key](t)(s.Authenticate(t.Context(), other))
	ensure(first) // and back
	must[gate.Key](t)(s.Authenticate(t.Context(), first))
	if keys := must[[]gate.Key](t)(s.Keys(t.Context(), adminOf("acme"))); len(keys) != 3 {
		t.Errorf("%d keys, want 3", len(keys))
	}
	if err := s.EnsureKey(t.Context(), "acme", "admin", "short", memory.RoleAdmin); !invalid("secret")(err) {
		t.Errorf("short secret: %v", err)
	}
	makeAgent(t, s, "globex", "ada")
	if err := s.EnsureKey(t.Context(), "globex", "admin", first, memory.RoleAdmin); !conflict(pg.CodeKeyOfAnotherWorkspace)(err) {
		t.Errorf("the key of another workspace: %v", err)
	}
}
