package admin

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
	"reverie/store/gate"
	"reverie/store/pg"
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
returning ` + gate.KeyColumns

	// The hash of another workspace's key is not visible here: row-level security refuses the update.
	sqlKeyEnsure = `
insert into api_keys (workspace_id, key_id, name, hash, role, configured, created_at)
values (@workspace, @key, @name, @hash, @role, true, @now)
on conflict (hash) do update set name = excluded.name, role = excluded.role, revoked_at = null`

	sqlKeyReplace = `
update api_keys set revoked_at = @now
where workspace_id = @workspace and configured and name = @name and hash <> @hash and revoked_at is null`

	sqlKeys = `select ` + gate.KeyColumns + ` from api_keys where workspace_id = @workspace order by key_id desc`

	sqlKeyRevoke = `
update api_keys set revoked_at = coalesce(revoked_at, @now)
where workspace_id = @workspace and key_id = @key
returning ` + gate.KeyColumns
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
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	secret = secretPrefix + base64.RawURLEncoding.EncodeToString(random)
	created, err := pg.InTx(ctx, s.db, id.For("", id.Owner), func(t *pg.Tx) (gate.Key, error) {
		keyID := pg.NewID()
		var created gate.Key
		var found bool
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlKeyInsert, t.Args(pgx.NamedArgs{
			"key": keyID, "name": k.Name, "hash": gate.HashOf(secret), "role": k.Role, "agents": k.Agents, "pinned": k.Owner,
		})), &found, &created, gate.ScanKey)
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

func (k NewKey) validate() error {
	if err := pg.ValidName("name", k.Name); err != nil {
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

// RevokeKey revokes a key for good, unless the deployment's configuration names its secret again. It needs an admin as CreateKey
// does.
func (s *Admin) RevokeKey(ctx context.Context, id memory.Identity, key uuid.UUID) error {
	if err := pg.RequireGlobal(id); err != nil {
		return err
	}
	_, err := pg.InTx(ctx, s.db, id.For("", id.Owner), func(t *pg.Tx) (struct{}, error) {
		found := false
		var revoked gate.Key
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlKeyRevoke, t.Args(pgx.NamedArgs{"key": key})), &found, &revoked, gate.ScanKey)
		if err := t.Send(ctx, b); err != nil {
			return struct{}{}, err
		}
		if !found {
			return struct{}{}, fmt.Errorf("key %s: %w", key, pg.ErrNotFound)
		}
		b = &pgx.Batch{}
		if err := gate.QueueEvent(b, t, gate.JournalEvent{Kind: gate.EventKeyRevoked, Detail: map[string]any{"key": key}}); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}
