package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// Key is a credential without its secret.
type Key struct {
	ID        uuid.UUID
	Workspace string
	Name      string
	Role      memory.Role
	Agents    []string     // only these agents; nil: every agent of the workspace
	Owner     memory.Owner // pinned to this owner; NoOwner: not pinned
	CreatedAt time.Time
	RevokedAt *time.Time
}

// Identity is what the key allows. It names no agent, and an owner only when the key is pinned: For adds them.
func (k Key) Identity() memory.Identity {
	return memory.Identity{
		Workspace: k.Workspace,
		Agents:    k.Agents,
		Owner:     k.Owner,
		Pinned:    k.Owner != memory.NoOwner,
		Role:      k.Role,
		Author:    memory.Author{Kind: memory.AuthorUser, ID: k.ID.String()},
	}
}

// NewKey is what CreateKey is told.
type NewKey struct {
	Name   string
	Role   memory.Role
	Agents []string     // nil: every agent
	Owner  memory.Owner // NoOwner: not pinned
}

// keyColumns are the columns of a Key, in the order of scanKey.
const keyColumns = `key_id, workspace_id, name, role, agents, owner_key, created_at, revoked_at`

func scanKey(row pgx.CollectableRow) (k Key, err error) {
	err = row.Scan(&k.ID, &k.Workspace, &k.Name, &k.Role, &k.Agents, &k.Owner, &k.CreatedAt, &k.RevokedAt)
	return k, err
}

const (
	sqlKeyInsert = `
insert into api_keys (workspace_id, key_id, name, hash, role, agents, owner_key, created_at)
values (@workspace, @key, @name, @hash, @role, @agents, @pinned, @now)
returning ` + keyColumns

	// A hash of another workspace's key is not visible here: row-level security refuses the update.
	sqlKeyEnsure = `
insert into api_keys (workspace_id, key_id, name, hash, role, configured, created_at)
values (@workspace, @key, @name, @hash, @role, true, @now)
on conflict (hash) do update set name = excluded.name, role = excluded.role, revoked_at = null`

	sqlKeyReplace = `
update api_keys set revoked_at = @now
where workspace_id = @workspace and configured and name = @name and hash <> @hash and revoked_at is null`

	sqlKeyByHash = `select ` + keyColumns + ` from api_keys where hash = $1`

	sqlKeys = `select ` + keyColumns + ` from api_keys where workspace_id = @workspace order by key_id desc`

	sqlKeyRevoke = `
update api_keys set revoked_at = coalesce(revoked_at, @now)
where workspace_id = @workspace and key_id = @key
returning ` + keyColumns
)

// secretPrefix lets people and secret scanners recognise a key.
const secretPrefix = "rv_"

// CreateKey makes a key and returns its secret, "rv_" and 32 random bytes in base64url; it is shown once, only its SHA-256
// is stored. It needs an admin who is not limited to some agents.
func (s *Store) CreateKey(ctx context.Context, id memory.Identity, k NewKey) (secret string, _ Key, _ error) {
	if err := requireGlobal(id); err != nil {
		return "", Key{}, err
	}
	if err := k.validate(); err != nil {
		return "", Key{}, err
	}
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	secret = secretPrefix + base64.RawURLEncoding.EncodeToString(random)
	created, err := inTx(ctx, s, id.For("", id.Owner), func(t *tx) (Key, error) {
		keyID := newID()
		var created Key
		var found bool
		b := &pgx.Batch{}
		one(b.Queue(sqlKeyInsert, t.args(pgx.NamedArgs{
			"key": keyID, "name": k.Name, "hash": hashOf(secret), "role": k.Role, "agents": k.Agents, "pinned": k.Owner,
		})), &found, func(row pgx.CollectableRow) (err error) { created, err = scanKey(row); return err })
		if err := queueEvent(b, t, event{kind: EventKeyCreated, detail: map[string]any{"key": keyID, "name": k.Name, "role": k.Role}}); err != nil {
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
		return &InvalidError{Field: "agents", Problem: fmt.Sprintf("%q is not the id of an agent", k.Agents[i])}
	}
	if k.Agents != nil && len(k.Agents) == 0 {
		return &InvalidError{Field: "agents", Problem: "name the agents that the key is for, or leave it out for all"}
	}
	if k.Owner != memory.NoOwner {
		if _, err := memory.ParseOwner(string(k.Owner)); err != nil {
			return &InvalidError{Field: "owner", Problem: err.Error()}
		}
	}
	return nil
}

// minSecret is the least length of a secret that the configuration gives, in bytes: its plain hash must not be guessed.
const minSecret = 24

// EnsureKey makes the key that the deployment's configuration names, unless it exists. A key that the configuration gave
// the same name before is revoked, so that changing the configuration changes the key. The secret must be random and have
// at least 24 bytes.
func (s *Store) EnsureKey(ctx context.Context, workspace, name, secret string, role memory.Role) error {
	if err := (NewKey{Name: name, Role: role}).validate(); err != nil {
		return err
	}
	if len(secret) < minSecret {
		return &InvalidError{Field: "secret", Problem: fmt.Sprintf("it needs at least %d random characters", minSecret)}
	}
	_, err := inTx(ctx, s, operator(workspace), func(t *tx) (struct{}, error) {
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

// Authenticate finds the key of a secret. It returns ErrUnauthorized when there is none or it was revoked.
func (s *Store) Authenticate(ctx context.Context, secret string) (Key, error) {
	hash := hashOf(secret)
	possession := settings{keyHash: hex.EncodeToString(hash)}
	return run(ctx, s, &tx{settings: possession, mode: sqlBeginRead}, func(t *tx) (k Key, err error) {
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sqlKeyByHash, hash), &found, func(row pgx.CollectableRow) (err error) { k, err = scanKey(row); return err })
		if err := t.finish(ctx, b); err != nil {
			return Key{}, err
		}
		if !found || k.RevokedAt != nil {
			return Key{}, ErrUnauthorized
		}
		return k, nil
	})
}

// Keys lists the keys of the workspace, newest first, revoked ones included. It needs an admin as CreateKey does.
func (s *Store) Keys(ctx context.Context, id memory.Identity) ([]Key, error) {
	if err := requireGlobal(id); err != nil {
		return nil, err
	}
	return read(ctx, s, id, func(t *tx) (keys []Key, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlKeys, t.args(nil)), &keys, scanKey)
		err = t.finish(ctx, b)
		return keys, err
	})
}

// RevokeKey ends a key for good, unless the deployment's configuration names its secret again. It needs an admin as
// CreateKey does.
func (s *Store) RevokeKey(ctx context.Context, id memory.Identity, key uuid.UUID) error {
	if err := requireGlobal(id); err != nil {
		return err
	}
	_, err := inTx(ctx, s, id.For("", id.Owner), func(t *tx) (struct{}, error) {
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sqlKeyRevoke, t.args(pgx.NamedArgs{"key": key})), &found, func(row pgx.CollectableRow) error {
			_, err := scanKey(row)
			return err
		})
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

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
