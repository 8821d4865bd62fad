package store

import (
	"errors"
	"testing"
	"time"

	"reverie/memory"
	"reverie/store/admin"
	"reverie/store/gate"
	"reverie/store/pg"
)

// A session is its key: it ends with it, by itself after SessionLife, and when it is ended.
func TestSessions(t *testing.T) {
	s := openStore(t)
	secret, key, err := s.CreateKey(t.Context(), adminOf("acme"), admin.NewKey{Name: "person", Role: memory.RoleMember, Owner: "api:42"})
	if err != nil {
		t.Fatal(err)
	}
	key = must[gate.Key](t)(s.Authenticate(t.Context(), secret))
	start := func() string {
		t.Helper()
		token, _, err := s.StartSession(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	token, other := start(), start()
	if got := must[gate.Key](t)(s.SessionKey(t.Context(), token)); got.ID != key.ID || got.Owner != "api:42" || got.Workspace != "acme" {
		t.Errorf("the session's key is %+v", got)
	}
	for _, wrong := range []string{"", "x", secret, key.ID.String()} {
		if _, err := s.SessionKey(t.Context(), wrong); !errors.Is(err, pg.ErrUnauthorized) {
			t.Errorf("token %q: %v", wrong, err)
		}
	}
	if err := s.EndSession(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SessionKey(t.Context(), token); !errors.Is(err, pg.ErrUnauthorized) {
		t.Errorf("an ended session: %v", err)
	}
	must[gate.Key](t)(s.SessionKey(t.Context(), other))
	if err := s.RevokeKey(t.Context(), adminOf("acme"), key.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SessionKey(t.Context(), other); !errors.Is(err, pg.ErrUnauthorized) {
		t.Errorf("a session of a revoked key: %v", err)
	}
	now := time.Now()
	s.db.Now = func() time.Time { return now.Add(gate.SessionLife) }
	if _, err := s.SessionKey(t.Context(), other); !errors.Is(err, pg.ErrUnauthorized) {
		t.Errorf("an expired session: %v", err)
	}
}
