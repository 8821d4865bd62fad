package gate

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
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

// KeyColumns are the columns of a Key, in the order of ScanKey.
const KeyColumns = `key_id, workspace_id, name, role, agents, owner_key, created_at, revoked_at`

// ScanKey scans a row of KeyColumns.
func ScanKey(row pgx.CollectableRow) (Key, error) { return pgx.RowToStructByPos[Key](row) }

const sqlKeyByHash = `select ` + KeyColumns + ` from api_keys where hash = $1`

// Authenticate returns the key with a secret, or ErrUnauthorized when there is none or it was revoked.
func (s *Gate) Authenticate(ctx context.Context, secret string) (Key, error) {
	hash := HashOf(secret)
	possession := pg.Settings{KeyHash: hex.EncodeToString(hash)}
	return pg.Run(ctx, s.db, &pg.Tx{Settings: possession, Mode: pg.SQLBeginRead}, func(t *pg.Tx) (k Key, err error) {
		found := false
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlKeyByHash, hash), &found, &k, ScanKey)
		if err := t.Finish(ctx, b); err != nil {
			return Key{}, err
		}
		if !found || k.RevokedAt != nil {
			return Key{}, pg.ErrUnauthorized
		}
		return k, nil
	})
}

// HashOf returns the SHA-256 of a secret, in the form in which keys are stored.
func HashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

const sqlKeyByID = `select ` + KeyColumns + `, hash from api_keys where key_id = @key`

// AuthenticateProof returns the key of a request that carries no secret: proof is the HMAC-SHA256 of message, keyed with the
// SHA-256 of the key's secret. It returns ErrUnauthorized when there is no such key, it was revoked, or the proof is wrong.
func (s *Gate) AuthenticateProof(ctx context.Context, key uuid.UUID, message, proof []byte) (Key, error) {
	k, hash, err := KeyByID(ctx, s.db, key)
	if err != nil {
		return Key{}, err
	}
	mac := hmac.New(sha256.New, hash)
	_, _ = mac.Write(message) // it never fails
	if !hmac.Equal(mac.Sum(nil), proof) || k.RevokedAt != nil {
		return Key{}, pg.ErrUnauthorized
	}
	return k, nil
}

// KeyByID returns a key, revoked or not, and the hash of its secret; ErrUnauthorized when there is none.
func KeyByID(ctx context.Context, db *pg.DB, key uuid.UUID) (k Key, hash []byte, err error) {
	naming := pg.Settings{Purpose: pg.PurposeProof, KeyHash: key.String()}
	k, err = pg.Run(ctx, db, &pg.Tx{Settings: naming, Mode: pg.SQLBeginRead}, func(t *pg.Tx) (k Key, err error) {
		found := false
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlKeyByID, pgx.NamedArgs{"key": key}), &found,
			&k.ID, &k.Workspace, &k.Name, &k.Role, &k.Agents, &k.Owner, &k.CreatedAt, &k.RevokedAt, &hash,
		)
		if err := t.Finish(ctx, b); err != nil {
			return Key{}, err
		}
		if !found {
			return Key{}, pg.ErrUnauthorized
		}
		return k, nil
	})
	return k, hash, err
}
