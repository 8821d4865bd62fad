package store

import (
	"context"
	"time"

	"github.com/google/uuid"

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

// CreateKey makes a key and returns its secret, "rv_" and 32 random bytes in base64url; it is shown once, only its SHA-256
// is stored. It needs an admin who is not limited to some agents.
func (s *Store) CreateKey(ctx context.Context, id memory.Identity, k NewKey) (secret string, _ Key, _ error) {
	panic("signature")
}

// EnsureKey makes the key that the deployment's configuration names, unless it exists. A key that the configuration gave
// the same name before is revoked, so that changing the configuration changes the key.
func (s *Store) EnsureKey(ctx context.Context, workspace, name, secret string, role memory.Role) error {
	panic("signature")
}

// Authenticate finds the key of a secret. It returns ErrUnauthorized when there is none or it was revoked.
func (s *Store) Authenticate(ctx context.Context, secret string) (Key, error) { panic("signature") }

// Keys lists the keys of the workspace, newest first, revoked ones included. It needs an admin as CreateKey does.
func (s *Store) Keys(ctx context.Context, id memory.Identity) ([]Key, error) { panic("signature") }

// RevokeKey ends a key for good; a revoked one stays revoked. It needs an admin as CreateKey does.
func (s *Store) RevokeKey(ctx context.Context, id memory.Identity, key uuid.UUID) error {
	panic("signature")
}
