package store

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// NewKey describes a key to create.
type NewKey struct {
	Name   string
	Role   memory.Role
	Agents []string     // nil: every agent
	Owner  memory.Owner // NoOwner: not pinned
}

const (
	sqlKeyInsert = `
insert into api_keys (workspace_id, key_id, name, hash, role, agents, owner_key, created_at)
values (@workspace, @key, @name, @hash, @role, @agents, @pinned, @now)
returning ` + keyColumns

	// The hash of another workspace's key is not visible here: row-level security refuses the update.
	sqlKeyEnsure = `
insert into api_keys (workspace_id, key_id, name, hash, role, configured, created_at)
values (@workspace, @key, @name, @hash, @role, true, @now)
on conflict (hash) do update set name = excluded.name, role = excluded.role, revoked_at = null`

	sqlKeyReplace = `
update api_keys set revoked_at = @now
where workspace_id = @workspace and configured and name = @name and hash <> @hash and revoked_at is null`

	sqlKeys = `select ` + keyColumns + ` from api_keys where workspace_id = @workspace order by key_id desc`

	sqlKeyRevoke = `
update api_keys set revoked_at = coalesce(revoked_at, @now)
where workspace_id = @workspace and key_id = @key
returning ` + keyColumns
)

// secretPrefix lets people and secret scanners recognise a key.
const secretPrefix = "rv_"

// CreateKey creates a key and returns its secret, "rv_" and 32 random bytes in base64url. The secret is shown once; only its
// SHA-256 is stored. It needs an admin who is not limited to some agents.
func (s *Admin) CreateKey(ctx context.Context, id memory.Identity, k NewKey) (secret string, _ Key, _ error) {
	if err := requireGlobal(id); err != nil {
		return "", Key{}, err
	}
	if err := k.validate(); err != nil {
		return "", Key{}, err
	}
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	secret = secretPrefix + base64.RawURLEncoding.EncodeToString(random)
	created, err := inTx(ctx, s.db, id.For("", id.Owner), func(t *tx) (Key, error) {
		keyID := newID()
		var created Key
		var found bool
		b := &pgx.Batch{}
		one(b.Queue(sqlKeyInsert, t.args(pgx.NamedArgs{
			"key": keyID, "name": k.Name, "hash": hashOf(secret), "role": k.Role, "agents": k.Agents, "pinned": k.Owner,
		})), &found, &created, scanKey)
		if err := queueEvent(
			b, t, event{kind: EventKeyCreated, detail: map[string]any{"key": keyID, "name": k.Name, "role": k.Role}},
		); err != nil {
			return Key{}, err
		}
		err := t.finish(ctx, b)
		return created, err
	})
	if err != nil {
		return "", Key{}, err
	}
	return secret, created, nil
}

func (k NewKey) validate() error {
	if err := validName("name", k.Name); err != nil {
		return err
	}
	if !k.Role.Valid() {
		return &InvalidError{Field: "role", Problem: "use viewer, member or admin"}
	}
	if i := slices.IndexFunc(k.Agents, func(a string) bool { return !memory.ValidSlug(a) }); i >= 0 {
		return &InvalidError{Field: "agents", Problem: fmt.Sprintf("%q is not an agent id", k.Agents[i])}
	}
	if k.Agents != nil && len(k.Agents) == 0 {
		return &InvalidError{Field: "agents", Problem: "name the agents that the key is for, or omit it for all"}
	}
	if k.Owner != memory.NoOwner {
		if _, err := memory.ParseOwner(string(k.Owner)); err != nil {
			return &InvalidError{Field: "owner", Problem: err.Error()}
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
		return &InvalidError{Field: "secret", Problem: fmt.Sprintf("it needs at least %d random characters", minSecret)}
	}
	_, err := inTx(ctx, s.db, operator(workspace), func(t *tx) (struct{}, error) {
		args := t.args(pgx.NamedArgs{"key": newID(), "name": name, "hash": hashOf(secret), "role": role})
		b := &pgx.Batch{}
		b.Queue(sqlKeyReplace, args)
		b.Queue(sqlKeyEnsure, args)
		return struct{}{}, t.finish(ctx, b)
	})
	if errors.Is(err, ErrForbidden) {
		return &ConflictError{Code: CodeKeyOfAnotherWorkspace, Message: "the secret is a key of another workspace: choose another one"}
	}
	return err
}

// Keys lists the keys of the workspace, newest first, revoked ones included. It needs an admin as CreateKey does.
func (s *Admin) Keys(ctx context.Context, id memory.Identity) ([]Key, error) {
	if err := requireGlobal(id); err != nil {
		return nil, err
	}
	return readAll(ctx, s.db, id, sqlKeys, nil, scanKey)
}

// RevokeKey revokes a key for good, unless the deployment's configuration names its secret again. It needs an admin as CreateKey
// does.
func (s *Admin) RevokeKey(ctx context.Context, id memory.Identity, key uuid.UUID) error {
	if err := requireGlobal(id); err != nil {
		return err
	}
	_, err := inTx(ctx, s.db, id.For("", id.Owner), func(t *tx) (struct{}, error) {
		found := false
		var revoked Key
		b := &pgx.Batch{}
		one(b.Queue(sqlKeyRevoke, t.args(pgx.NamedArgs{"key": key})), &found, &revoked, scanKey)
		if err := t.send(ctx, b); err != nil {
			return struct{}{}, err
		}
		if !found {
			return struct{}{}, fmt.Errorf("key %s: %w", key, ErrNotFound)
		}
		b = &pgx.Batch{}
		if err := queueEvent(b, t, event{kind: EventKeyRevoked, detail: map[string]any{"key": key}}); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, t.finish(ctx, b)
	})
	return err
}
