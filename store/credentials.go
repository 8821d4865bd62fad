package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
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

// Identity returns what the key allows. It names no agent, and an owner only when the key is pinned; For adds them.
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

// keyColumns are the columns of a Key, in the order of scanKey.
const keyColumns = `key_id, workspace_id, name, role, agents, owner_key, created_at, revoked_at`

func scanKey(row pgx.CollectableRow) (Key, error) { return pgx.RowToStructByPos[Key](row) }

const sqlKeyByHash = `select ` + keyColumns + ` from api_keys where hash = $1`

// Authenticate returns the key with a secret, or ErrUnauthorized when there is none or it was revoked.
func (s *Gate) Authenticate(ctx context.Context, secret string) (Key, error) {
	hash := hashOf(secret)
	possession := settings{keyHash: hex.EncodeToString(hash)}
	return run(ctx, s.db, &tx{settings: possession, mode: sqlBeginRead}, func(t *tx) (k Key, err error) {
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sqlKeyByHash, hash), &found, &k, scanKey)
		if err := t.finish(ctx, b); err != nil {
			return Key{}, err
		}
		if !found || k.RevokedAt != nil {
			return Key{}, ErrUnauthorized
		}
		return k, nil
	})
}

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

const sqlKeyByID = `select ` + keyColumns + `, hash from api_keys where key_id = @key`

// AuthenticateProof returns the key of a request that carries no secret: proof is the HMAC-SHA256 of message, keyed with the
// SHA-256 of the key's secret. It returns ErrUnauthorized when there is no such key, it was revoked, or the proof is wrong.
func (s *Gate) AuthenticateProof(ctx context.Context, key uuid.UUID, message, proof []byte) (Key, error) {
	k, hash, err := keyByID(ctx, s.db, key)
	if err != nil {
		return Key{}, err
	}
	mac := hmac.New(sha256.New, hash)
	_, _ = mac.Write(message) // it never fails
	if !hmac.Equal(mac.Sum(nil), proof) || k.RevokedAt != nil {
		return Key{}, ErrUnauthorized
	}
	return k, nil
}

// keyByID returns a key, revoked or not, and the hash of its secret; ErrUnauthorized when there is none.
func keyByID(ctx context.Context, db *DB, key uuid.UUID) (k Key, hash []byte, err error) {
	naming := settings{purpose: purposeProof, keyHash: key.String()}
	k, err = run(ctx, db, &tx{settings: naming, mode: sqlBeginRead}, func(t *tx) (k Key, err error) {
		found := false
		b := &pgx.Batch{}
		columns(b.Queue(sqlKeyByID, pgx.NamedArgs{"key": key}), &found,
			&k.ID, &k.Workspace, &k.Name, &k.Role, &k.Agents, &k.Owner, &k.CreatedAt, &k.RevokedAt, &hash,
		)
		if err := t.finish(ctx, b); err != nil {
			return Key{}, err
		}
		if !found {
			return Key{}, ErrUnauthorized
		}
		return k, nil
	})
	return k, hash, err
}
