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

// clock is a time that a test moves.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func TestKeysExpire(t *testing.T) {
	t.Parallel()
	c := &clock{testClock}
	s := openStore(t, at(c.Now))
	root, end := adminOf("acme"), testClock.Add(time.Hour)
	secret, key, err := s.CreateKey(t.Context(), root, admin.NewKey{Name: "app", Role: memory.RoleMember, ExpiresAt: &end})
	if err != nil || key.ExpiresAt == nil || !key.ExpiresAt.Equal(end) {
		t.Fatalf("%+v, %v", key, err)
	}
	message := []byte("message")
	c.now = end.Add(-time.Microsecond)
	must[gate.Key](t)(s.Authenticate(t.Context(), secret))
	must[gate.Key](t)(s.AuthenticateProof(t.Context(), key.ID, message, proofOf(secret, message)))
	c.now = end
	_, plain := s.Authenticate(t.Context(), secret)
	_, proof := s.AuthenticateProof(t.Context(), key.ID, message, proofOf(secret, message))
	for how, err := range map[string]error{"secret": plain, "proof": proof} {
		ended, is := errors.AsType[*pg.EndedKeyError](err)
		if !is || ended.Key != key.ID || !ended.ExpiredAt.Equal(end) || !errors.Is(err, pg.ErrUnauthorized) {
			t.Errorf("%s: %v", how, err)
		}
	}
	if _, err := s.AuthenticateProof(t.Context(), key.ID, message, []byte("guessed")); errors.As(err, new(*pg.EndedKeyError)) {
		t.Errorf("a wrong proof shows that the key has expired: %v", err)
	}
	if _, _, err := s.CreateKey(
		t.Context(), root, admin.NewKey{Name: "late", Role: memory.RoleMember, ExpiresAt: &c.now},
	); !invalid("expiresAt")(err) {
		t.Errorf("a key that has expired before it begins: %v", err)
	}
}

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	c := &clock{testClock}
	s := openStore(t, at(c.Now))
	root, end := adminOf("acme"), testClock.Add(90*24*time.Hour)
	secret, key, err := s.CreateKey(t.Context(), root, admin.NewKey{
		Name: "app", Role: memory.RoleMember, Agents: []string{"ada"}, Owner: "user:7", ExpiresAt: &end,
	})
	if err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(30 * 24 * time.Hour)
	rotated := must[admin.RotatedKey](t)(s.RotateKey(t.Context(), root, key.ID, 24*time.Hour, nil))
	overlap := c.now.Add(24 * time.Hour)
	if old := rotated.Old; old.ID != key.ID || !old.ExpiresAt.Equal(overlap) || *old.ReplacedBy != rotated.New.ID {
		t.Errorf("%+v", old)
	}
	next := rotated.New
	if next.ID == key.ID || next.Name != "app" || next.Role != key.Role || next.Agents[0] != "ada" || next.Owner != "user:7" ||
		!next.ExpiresAt.Equal(c.now.Add(90*24*time.Hour)) {
		t.Errorf("%+v", next)
	}
	for _, known := range []string{secret, rotated.Secret} {
		must[gate.Key](t)(s.Authenticate(t.Context(), known))
	}
	if _, err := s.RotateKey(t.Context(), root, key.ID, 0, nil); !conflict(pg.CodeKeyFixed)(err) {
		t.Errorf("rotated twice: %v", err)
	}
	c.now = overlap
	if _, err := s.Authenticate(t.Context(), secret); !errors.As(err, new(*pg.EndedKeyError)) {
		t.Errorf("the old key after the overlap: %v", err)
	}
	must[gate.Key](t)(s.Authenticate(t.Context(), rotated.Secret))

	// An overlap never extends a key, and 0 ends it at once.
	soon := c.now.Add(time.Minute)
	short, brief, err := s.CreateKey(t.Context(), root, admin.NewKey{Name: "brief", Role: memory.RoleViewer, ExpiresAt: &soon})
	if err != nil {
		t.Fatal(err)
	}
	never := c.now.Add(1000 * time.Hour)
	if r := must[admin.RotatedKey](t)(s.RotateKey(t.Context(), root, brief.ID, admin.MaxOverlap, &never)); !r.Old.ExpiresAt.Equal(soon) ||
		!r.New.ExpiresAt.Equal(never) {
		t.Errorf("%+v", r)
	}
	must[gate.Key](t)(s.Authenticate(t.Context(), short))
	plain, endless, err := s.CreateKey(t.Context(), root, admin.NewKey{Name: "endless", Role: memory.RoleViewer})
	if err != nil {
		t.Fatal(err)
	}
	if r := must[admin.RotatedKey](t)(s.RotateKey(t.Context(), root, endless.ID, 0, nil)); r.New.ExpiresAt != nil {
		t.Errorf("%+v", r.New)
	}
	if _, err := s.Authenticate(t.Context(), plain); !errors.Is(err, pg.ErrUnauthorized) {
		t.Errorf("without an overlap: %v", err)
	}

	// What cannot be rotated.
	const configured = "a-secret-of-the-configuration"
	if err := s.EnsureKey(t.Context(), "acme", "configured", configured, memory.RoleAdmin); err != nil {
		t.Fatal(err)
	}
	fixed := must[gate.Key](t)(s.Authenticate(t.Context(), configured))
	limited := root
	limited.Agents = []string{"ada"}
	_, gone, err := s.CreateKey(t.Context(), root, admin.NewKey{Name: "gone", Role: memory.RoleViewer})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.RevokeKey(t.Context(), root, gone.ID); err != nil {
		t.Fatal(err)
	}
	// The next start would have it back.
	if err := s.RevokeKey(t.Context(), root, fixed.ID); !conflict(pg.CodeKeyFixed)(err) {
		t.Errorf("revoking the configured key: %v", err)
	}
	must[gate.Key](t)(s.Authenticate(t.Context(), configured))
	for name, refused := range map[string]struct {
		id      memory.Identity
		key     gate.Key
		overlap time.Duration
		check   func(error) bool
	}{
		"configured": {root, fixed, 0, conflict(pg.CodeKeyFixed)},
		"expired":    {root, key, 0, conflict(pg.CodeKeyFixed)},
		"revoked":    {root, gone, 0, conflict(pg.CodeKeyFixed)},
		"limited":    {limited, rotated.New, 0, is(pg.ErrForbidden)},
		"elsewhere":  {adminOf("globex"), rotated.New, 0, is(pg.ErrNotFound)},
		"too long":   {root, rotated.New, admin.MaxOverlap + 1, invalid("overlapSeconds")},
		"negative":   {root, rotated.New, -1, invalid("overlapSeconds")},
	} {
		if _, err := s.RotateKey(t.Context(), refused.id, refused.key.ID, refused.overlap, nil); !refused.check(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The last use is recorded at most once in five minutes, whichever way a key is used.
func TestLastUseOfKeys(t *testing.T) {
	t.Parallel()
	c := &clock{testClock}
	s := openStore(t, at(c.Now))
	root := adminOf("acme")
	secret, key, err := s.CreateKey(t.Context(), root, admin.NewKey{Name: "app", Role: memory.RoleViewer})
	if err != nil || key.LastUsedAt != nil {
		t.Fatalf("%+v, %v", key, err)
	}
	last := func() time.Time {
		t.Helper()
		return *must[[]gate.Key](t)(s.Keys(t.Context(), root))[0].LastUsedAt
	}
	must[gate.Key](t)(s.Authenticate(t.Context(), secret))
	if !last().Equal(testClock) {
		t.Errorf("%v", last())
	}
	c.now = testClock.Add(5*time.Minute - 1000)
	must[gate.Key](t)(s.Authenticate(t.Context(), secret))
	if !last().Equal(testClock) {
		t.Errorf("it was recorded again after less than five minutes, at %v", last())
	}
	c.now = testClock.Add(5 * time.Minute)
	message := []byte("message")
	must[gate.Key](t)(s.AuthenticateProof(t.Context(), key.ID, message, proofOf(secret, message)))
	if !last().Equal(c.now) {
		t.Errorf("%v", last())
	}
	if err := s.RevokeKey(t.Context(), root, key.ID); err != nil {
		t.Fatal(err)
	}
	at := c.now
	c.now = c.now.Add(time.Hour)
	if _, err := s.Authenticate(t.Context(), secret); !errors.Is(err, pg.ErrUnauthorized) || !last().Equal(at) {
		t.Errorf("a revoked key was used at %v, %v", last(), err)
	}
}
