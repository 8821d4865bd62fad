package admin

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/gate"
	"reverie/store/pg"
)

// NewKey describes a key to create.
type NewKey struct {
	Name   string
	Role   memory.Role
	Agents []string     // nil: every agent
	Owner  memory.Owner // NoOwner: not pinned
	// ExpiresAt ends the key; nil: it does not expire.
	ExpiresAt *time.Time
}

const (
	sqlKeyInsert = `
insert into api_keys (workspace_id, key_id, name, hash, role, agents, owner_key, created_at, expires_at)
values (@workspace, @key, @name, @hash, @role, @agents, @pinned, @now, @expires)
returning ` + gate.KeyColumns

	// The hash of another workspace's key is not visible here: row-level security refuses the update.
	sqlKeyEnsure = `
insert into api_keys (workspace_id, key_id, name, hash, role, configured, created_at)
values (@workspace, @key, @name, @hash, @role, true, @now)
on conflict (hash) do update set name = excluded.name, role = excluded.role, revoked_at = null, expires_at = null, replaced_by = null`

	sqlKeyReplace = `
update api_keys set revoked_at = @now
where workspace_id = @workspace and configured and name = @name and hash <> @hash and revoked_at is null`

	sqlKeys = `select ` + gate.KeyColumns + ` from api_keys where workspace_id = @workspace order by key_id desc`

	sqlKeyRevoke = `
update api_keys set revoked_at = coalesce(revoked_at, @now)
where workspace_id = @workspace and key_id = @key`

	sqlKeyLock = `
select ` + gate.KeyColumns + `, configured
from api_keys
where workspace_id = @workspace and key_id = @key
for no key update`
)

// secretPrefix lets people and secret scanners recognise a key.
const secretPrefix = "rv_"

// CreateKey creates a key and returns its secret, "rv_" and 32 random bytes in base64url. The secret is shown once; only its
// SHA-256 is stored. It needs an admin who is not limited to some agents.
func (s *Admin) CreateKey(ctx context.Context, id memory.Identity, k NewKey) (secret string, _ gate.Key, _ error) {
	if err := pg.RequireGlobal(id); err != nil {
		return "", gate.Key{}, err
	}
	if err := k.validate(); err != nil {
		return "", gate.Key{}, err
	}
	secret = newSecret()
	created, err := pg.InTx(ctx, s.db, id.For("", id.Owner), func(t *pg.Tx) (gate.Key, error) {
		keyID := pg.NewID()
		var created gate.Key
		b := &pgx.Batch{}
		if err := k.queue(b, t, keyID, secret, &created); err != nil {
			return gate.Key{}, err
		}
		if err := gate.QueueEvent(
			b, t, gate.JournalEvent{Kind: gate.EventKeyCreated, Detail: map[string]any{"key": keyID, "name": k.Name, "role": k.Role}},
		); err != nil {
			return gate.Key{}, err
		}
		err := t.Finish(ctx, b)
		return created, err
	})
	if err != nil {
		return "", gate.Key{}, err
	}
	return secret, created, nil
}

func newSecret() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	return secretPrefix + base64.RawURLEncoding.EncodeToString(random)
}

// queue queues storing a key.
func (k NewKey) queue(b *pgx.Batch, t *pg.Tx, id uuid.UUID, secret string, created *gate.Key) error {
	if k.ExpiresAt != nil && !k.ExpiresAt.After(t.Now) {
		return &pg.InvalidError{Field: "expiresAt", Problem: "it is past: use a time in the future, or omit it for a key without an end"}
	}
	found := false
	pg.One(b.Queue(sqlKeyInsert, t.Args(pgx.NamedArgs{
		"key": id, "name": k.Name, "hash": gate.HashOf(secret), "role": k.Role, "agents": k.Agents, "pinned": k.Owner, "expires": k.ExpiresAt,
	})), &found, created, gate.ScanKey)
	return nil
}

func (k NewKey) validate() error {
	if err := memory.ValidName("name", k.Name); err != nil {
		return err
	}
	if !k.Role.Valid() {
		return &pg.InvalidError{Field: "role", Problem: "use viewer, member or admin"}
	}
	if i := slices.IndexFunc(k.Agents, func(a string) bool { return !memory.ValidSlug(a) }); i >= 0 {
		return &pg.InvalidError{Field: "agents", Problem: fmt.Sprintf("%q is not an agent id", k.Agents[i])}
	}
	if k.Agents != nil && len(k.Agents) == 0 {
		return &pg.InvalidError{Field: "agents", Problem: "name the agents that the key is for, or omit it for all"}
	}
	if k.Owner != memory.NoOwner {
		if _, err := memory.ParseOwner(string(k.Owner)); err != nil {
			return &pg.InvalidError{Field: "owner", Problem: err.Error()}
		}
	}
	return nil
}

// minSecret is the shortest secret that the configuration may set, in bytes, so that its plain hash cannot be guessed.
const minSecret = 24

// EnsureKey creates the key that the deployment's configuration names, unless it exists. A key that the configuration named the
// same before is revoked, so that changing the configuration changes the key. The secret must be random and have at least 24 bytes.
func (s *Admin) EnsureKey(ctx context.Context, workspace, name, secret string, role memory.Role) error {
	if err := (NewKey{Name: name, Role: role}).validate(); err != nil {
		return err
	}
	if len(secret) < minSecret {
		return &pg.InvalidError{Field: "secret", Problem: fmt.Sprintf("it needs at least %d random characters", minSecret)}
	}
	_, err := pg.InTx(ctx, s.db, operator(workspace), func(t *pg.Tx) (struct{}, error) {
		args := t.Args(pgx.NamedArgs{"key": pg.NewID(), "name": name, "hash": gate.HashOf(secret), "role": role})
		b := &pgx.Batch{}
		b.Queue(sqlKeyReplace, args)
		b.Queue(sqlKeyEnsure, args)
		return struct{}{}, t.Finish(ctx, b)
	})
	if errors.Is(err, pg.ErrForbidden) {
		return &pg.ConflictError{Code: pg.CodeKeyOfAnotherWorkspace, Message: "the secret is a key of another workspace: choose another one"}
	}
	return err
}

// Keys lists the keys of the workspace, newest first, revoked ones included. It needs an admin as CreateKey does.
func (s *Admin) Keys(ctx context.Context, id memory.Identity) ([]gate.Key, error) {
	if err := pg.RequireGlobal(id); err != nil {
		return nil, err
	}
	return pg.ReadAll(ctx, s.db, id, sqlKeys, nil, gate.ScanKey)
}

// lockKey locks and reads a key that is about to change. It returns *ConflictError with CodeKeyFixed for a valid key of the deployment's
// configuration, which would have it back at the next start.
func lockKey(ctx context.Context, t *pg.Tx, key uuid.UUID) (k gate.Key, err error) {
	found, configured := false, false
	b := &pgx.Batch{}
	pg.Columns(
		b.Queue(sqlKeyLock, t.Args(pgx.NamedArgs{"key": key})), &found, &k.ID, &k.Workspace, &k.Name, &k.Role, &k.Agents, &k.Owner,
		&k.CreatedAt, &k.RevokedAt, &k.ExpiresAt, &k.LastUsedAt, &k.ReplacedBy, &configured,
	)
	if err := t.Send(ctx, b); err != nil {
		return k, err
	}
	switch {
	case !found:
		return k, fmt.Errorf("key %s: %w", key, pg.ErrNotFound)
	case configured && k.RevokedAt == nil:
		return k, &pg.ConflictError{
			Code: pg.CodeKeyFixed, Message: "the deployment's configuration names this key: change it there (REVERIE_ADMIN_KEY)",
		}
	}
	return k, nil
}

// RevokeKey revokes a key permanently, unless the deployment's configuration names its secret again. It needs an admin as CreateKey
// does, and returns *ConflictError with CodeKeyFixed for the key that the configuration names now.
func (s *Admin) RevokeKey(ctx context.Context, id memory.Identity, key uuid.UUID) error {
	if err := pg.RequireGlobal(id); err != nil {
		return err
	}
	_, err := pg.InTx(ctx, s.db, id.For("", id.Owner), func(t *pg.Tx) (struct{}, error) {
		if _, err := lockKey(ctx, t, key); err != nil {
			return struct{}{}, err
		}
		b := &pgx.Batch{}
		b.Queue(sqlKeyRevoke, t.Args(pgx.NamedArgs{"key": key}))
		if err := gate.QueueEvent(b, t, gate.JournalEvent{Kind: gate.EventKeyRevoked, Detail: map[string]any{"key": key}}); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}

const (
	sqlKeyExpire = `
update api_keys set expires_at = least(expires_at, @expires), replaced_by = @to
where workspace_id = @workspace and key_id = @key
returning ` + gate.KeyColumns
)

// MaxOverlap is the longest time for which a rotated key stays valid.
const MaxOverlap = 30 * 24 * time.Hour

// RotatedKey is a key with the one that it replaces.
type RotatedKey struct {
	Secret   string // of the new key
	New, Old gate.Key
}

// RotateKey creates a key with the name and the rights of another one, which expires after overlap, or earlier if it would anyway. The
// new one expires at a time; nil: as long from now as the old one was valid from its creation. It needs an admin as CreateKey does, and
// returns *ConflictError with CodeKeyFixed for a key that has ended, was rotated before, or is named by the configuration.
func (s *Admin) RotateKey(
	ctx context.Context, id memory.Identity, key uuid.UUID, overlap time.Duration, expires *time.Time,
) (RotatedKey, error) {
	if err := pg.RequireGlobal(id); err != nil {
		return RotatedKey{}, err
	}
	if overlap < 0 || overlap > MaxOverlap {
		return RotatedKey{}, &pg.InvalidError{Field: "overlapSeconds", Problem: fmt.Sprintf("use 0 to %.0f", MaxOverlap.Seconds())}
	}
	secret := newSecret()
	return pg.InTx(ctx, s.db, id.For("", id.Owner), func(t *pg.Tx) (RotatedKey, error) {
		old, err := lockKey(ctx, t, key)
		if err != nil {
			return RotatedKey{}, err
		}
		if err := old.Check(t.Now); err != nil {
			return RotatedKey{}, &pg.ConflictError{Code: pg.CodeKeyFixed, Message: err.Error() + ": create a new one"}
		}
		if old.ReplacedBy != nil {
			return RotatedKey{}, &pg.ConflictError{
				Code: pg.CodeKeyFixed, Message: fmt.Sprintf("the key was rotated before: rotate its successor %s", old.ReplacedBy),
			}
		}
		next := NewKey{Name: old.Name, Role: old.Role, Agents: old.Agents, Owner: old.Owner, ExpiresAt: expires}
		if expires == nil && old.ExpiresAt != nil {
			next.ExpiresAt = new(t.Now.Add(old.ExpiresAt.Sub(old.CreatedAt)))
		}
		rotated := RotatedKey{Secret: secret}
		newID := pg.NewID()
		b := &pgx.Batch{}
		if err := next.queue(b, t, newID, secret, &rotated.New); err != nil {
			return RotatedKey{}, err
		}
		found := false
		end := t.Args(pgx.NamedArgs{"key": key, "expires": t.Now.Add(overlap), "to": newID})
		pg.One(b.Queue(sqlKeyExpire, end), &found, &rotated.Old, gate.ScanKey)
		if err := gate.QueueEvent(
			b, t, gate.JournalEvent{Kind: gate.EventKeyRotated, Detail: map[string]any{"key": key, "to": newID}},
		); err != nil {
			return RotatedKey{}, err
		}
		err = t.Finish(ctx, b)
		return rotated, err
	})
}
