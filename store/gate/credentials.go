package gate

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	ExpiresAt *time.Time // nil: never
	// LastUsedAt is older than the last use by up to useInterval; nil: it was not used.
	LastUsedAt *time.Time
	ReplacedBy *uuid.UUID // the key to which it was rotated; nil: it was not
}

// Check returns nil for a key that is valid at a time, and an *EndedKeyError for one that was revoked or has expired.
func (k Key) Check(now time.Time) error {
	switch {
	case k.RevokedAt != nil:
		return &pg.EndedKeyError{Key: k.ID}
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return &pg.EndedKeyError{Key: k.ID, ExpiredAt: *k.ExpiresAt}
	}
	return nil
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
		Key:       k.ID.String(),
	}
}

// KeyColumns are the columns of a Key, in the order of ScanKey.
const KeyColumns = `key_id, workspace_id, name, role, agents, owner_key, created_at, revoked_at, expires_at, last_used_at, replaced_by`

// ScanKey scans a row of KeyColumns.
func ScanKey(row pgx.CollectableRow) (Key, error) { return pgx.RowToStructByPos[Key](row) }

const sqlKeyByHash = `select ` + KeyColumns + ` from api_keys where hash = $1`

// Authenticate returns the key with a secret. It returns ErrUnauthorized when there is none, and an *EndedKeyError, which is one as well,
// when it was revoked or has expired.
func (s *Gate) Authenticate(ctx context.Context, secret string) (Key, error) {
	hash := HashOf(secret)
	possession := pg.Settings{KeyHash: hex.EncodeToString(hash)}
	key, err := pg.Run(ctx, s.db, &pg.Tx{Settings: possession, Mode: pg.SQLBeginRead}, func(t *pg.Tx) (k Key, err error) {
		found := false
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlKeyByHash, hash), &found, &k, ScanKey)
		if err := t.Finish(ctx, b); err != nil {
			return Key{}, err
		}
		if !found {
			return Key{}, pg.ErrUnauthorized
		}
		return k, k.Check(t.Now)
	})
	if err == nil {
		s.used(ctx, key)
	}
	return key, err
}

const (
	sqlShown       = `select set_config('reverie.key_hash', $1, true)`
	sqlKeyExists   = `select exists (select from api_keys where hash = $1)`
	sqlTokenExists = `select exists (select from web_sessions where hash = $1)`
)

// KnownKeys returns which of some secrets belong to keys, valid or not, in one round trip and one transaction.
func (s *Gate) KnownKeys(ctx context.Context, secrets []string) (map[string]bool, error) {
	return s.known(ctx, pg.Settings{}, sqlKeyExists, secrets)
}

// KnownSessions returns which of some tokens belong to sessions, ended or not, as KnownKeys does.
func (s *Gate) KnownSessions(ctx context.Context, tokens []string) (map[string]bool, error) {
	return s.known(ctx, pg.Settings{Purpose: pg.PurposeSession}, sqlTokenExists, tokens)
}

// known shows one secret after the other: a policy lets each find its own row only.
func (s *Gate) known(ctx context.Context, as pg.Settings, exists string, secrets []string) (map[string]bool, error) {
	return pg.Run(ctx, s.db, &pg.Tx{Settings: as, Mode: pg.SQLBeginRead}, func(t *pg.Tx) (map[string]bool, error) {
		known := map[string]bool{}
		b := &pgx.Batch{}
		for _, secret := range secrets {
			hash := HashOf(secret)
			b.Queue(sqlShown, hex.EncodeToString(hash))
			b.Queue(exists, hash).QueryRow(func(row pgx.Row) error {
				found := false
				err := row.Scan(&found)
				if found {
					known[secret] = true
				}
				return err
			})
		}
		return known, t.Finish(ctx, b)
	})
}

// useInterval is the time between two records of the use of a key.
const useInterval = 5 * time.Minute

const sqlKeyUsed = `
update api_keys set last_used_at = @now
where workspace_id = @workspace and key_id = @key and (last_used_at is null or last_used_at <= @before)`

// used records that a key is in use, unless that was recorded not long ago. A use that cannot be recorded still counts: a
// database that takes no writes still serves reads.
func (s *Gate) used(ctx context.Context, k Key) {
	now := s.db.Now()
	if k.LastUsedAt != nil && now.Sub(*k.LastUsedAt) < useInterval {
		return
	}
	shown := pg.Settings{Workspace: k.Workspace, Purpose: pg.PurposeProof, KeyHash: k.ID.String()}
	_, _ = pg.Run(ctx, s.db, &pg.Tx{Settings: shown, Mode: pg.SQLBegin}, func(t *pg.Tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlKeyUsed, t.Args(pgx.NamedArgs{"key": k.ID, "before": t.Now.Add(-useInterval)}))
		return struct{}{}, t.Finish(ctx, b)
	})
}

// HashOf returns the SHA-256 of a secret, in the form in which keys are stored.
func HashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// KeyHolds returns nil if the key that has asked for work may still write: ErrUnauthorized when it was revoked, has expired or was deleted,
// ErrForbidden when it only reads. author is the id of an author; one that is not a key asked with none.
func (s *Gate) KeyHolds(ctx context.Context, author string) error {
	id, err := uuid.Parse(author)
	if err != nil {
		return nil //nolint:nilerr // it is not a key
	}
	key, _, err := KeyByID(ctx, s.db, id)
	switch {
	case err != nil:
		return err
	case !key.Role.Includes(memory.RoleMember):
		return fmt.Errorf("%w: the key %s only reads", pg.ErrForbidden, key.ID)
	}
	return key.Check(s.db.Now())
}

const sqlKeyByID = `select ` + KeyColumns + `, hash from api_keys where key_id = @key`

// AuthenticateProof returns the key of a request that carries no secret: proof is the HMAC-SHA256 of message, keyed with the
// SHA-256 of the key's secret. It returns ErrUnauthorized when there is no such key, it was revoked or has expired, or the proof is wrong.
func (s *Gate) AuthenticateProof(ctx context.Context, key uuid.UUID, message, proof []byte) (Key, error) {
	k, hash, err := KeyByID(ctx, s.db, key)
	if err != nil {
		return Key{}, err
	}
	mac := hmac.New(sha256.New, hash)
	_, _ = mac.Write(message) // it never fails
	if !hmac.Equal(mac.Sum(nil), proof) {
		return Key{}, pg.ErrUnauthorized
	}
	if err := k.Check(s.db.Now()); err != nil {
		return Key{}, err
	}
	s.used(ctx, k)
	return k, nil
}

// KeyByID returns a key, revoked or not, and the hash of its secret; ErrUnauthorized when there is none.
func KeyByID(ctx context.Context, db *pg.DB, key uuid.UUID) (k Key, hash []byte, err error) {
	naming := pg.Settings{Purpose: pg.PurposeProof, KeyHash: key.String()}
	k, err = pg.Run(ctx, db, &pg.Tx{Settings: naming, Mode: pg.SQLBeginRead}, func(t *pg.Tx) (k Key, err error) {
		found := false
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlKeyByID, pgx.NamedArgs{"key": key}), &found,
			&k.ID, &k.Workspace, &k.Name, &k.Role, &k.Agents, &k.Owner, &k.CreatedAt, &k.RevokedAt, &k.ExpiresAt, &k.LastUsedAt,
			&k.ReplacedBy, &hash,
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
