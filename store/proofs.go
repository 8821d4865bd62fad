package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const sqlKeyByID = `select ` + keyColumns + `, hash from api_keys where key_id = @key`

// AuthenticateProof finds the key of a request that carries no secret: proof is the HMAC-SHA256 of message, keyed with the SHA-256
// of the key's secret. It returns ErrUnauthorized when there is no such key, when it was revoked, or when the proof is another one.
func (s *Store) AuthenticateProof(ctx context.Context, key uuid.UUID, message, proof []byte) (Key, error) {
	k, hash, err := s.keyByID(ctx, key)
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
func (s *Store) keyByID(ctx context.Context, key uuid.UUID) (k Key, hash []byte, err error) {
	naming := settings{purpose: purposeProof, keyHash: key.String()}
	k, err = run(ctx, s, &tx{settings: naming, mode: sqlBeginRead}, func(t *tx) (k Key, err error) {
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sqlKeyByID, pgx.NamedArgs{"key": key}), &found, func(row pgx.CollectableRow) error {
			return row.Scan(&k.ID, &k.Workspace, &k.Name, &k.Role, &k.Agents, &k.Owner, &k.CreatedAt, &k.RevokedAt, &hash)
		})
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
