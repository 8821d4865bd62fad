package gate

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/store/pg"
)

// SessionLife is the time after which a session of the Memory Browser ends automatically.
const SessionLife = 12 * time.Hour

const (
	sqlSessionsExpire = `delete from web_sessions where expires_at <= @now`

	sqlSessionInsert = `
insert into web_sessions (workspace_id, hash, key_id, created_at, expires_at) values (@workspace, @hash, @key, @now, @expires)`

	// The session names its key, and a policy then shows that key. Three statements: the settings
	// that one makes hold for all rows of the next.
	sqlSession = `
select set_config('reverie.key_hash', coalesce((select key_id::text from web_sessions where hash = @hash and expires_at > @now), ''), true)`

	sqlSessionProves = `select set_config('reverie.purpose', '` + string(pg.PurposeProof) + `', true)`

	sqlSessionKey = `
select ` + KeyColumns + ` from api_keys where key_id = nullif(current_setting('reverie.key_hash', true), '')::uuid`

	sqlSessionEnd = `delete from web_sessions where hash = @hash`
)

// StartSession opens a session for a key, which the caller has authenticated, and returns its token: 32 random bytes in base64url. The
// session ends after SessionLife, and with the key. Only the SHA-256 of the token is stored.
func (s *Gate) StartSession(ctx context.Context, key Key) (token string, expires time.Time, _ error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	token = base64.RawURLEncoding.EncodeToString(random)
	holding := holder(token)
	holding.Workspace = key.Workspace
	expires, err := pg.Run(ctx, s.db, &pg.Tx{Settings: holding, Mode: pg.SQLBegin}, func(t *pg.Tx) (time.Time, error) {
		args := t.Args(pgx.NamedArgs{"hash": HashOf(token), "key": key.ID, "expires": t.Now.Add(SessionLife)})
		b := &pgx.Batch{}
		b.Queue(sqlSessionsExpire, args)
		b.Queue(sqlSessionInsert, args)
		return t.Now.Add(SessionLife), t.Finish(ctx, b)
	})
	return token, expires, err
}

// holder returns the settings of a transaction of the holder of a session's token.
func holder(token string) pg.Settings {
	return pg.Settings{Purpose: pg.PurposeSession, KeyHash: hex.EncodeToString(HashOf(token))}
}

// SessionKey returns the key of a session, in one round trip. It returns ErrUnauthorized when there is no such session, and an
// *EndedKeyError when the key was revoked or has expired.
func (s *Gate) SessionKey(ctx context.Context, token string) (Key, error) {
	key, err := pg.Run(ctx, s.db, &pg.Tx{Settings: holder(token), Mode: pg.SQLBeginRead}, func(t *pg.Tx) (key Key, err error) {
		found := false
		b := &pgx.Batch{}
		b.Queue(sqlSession, t.Args(pgx.NamedArgs{"hash": HashOf(token)}))
		b.Queue(sqlSessionProves)
		pg.One(b.Queue(sqlSessionKey), &found, &key, ScanKey)
		if err := t.Finish(ctx, b); err != nil {
			return key, err
		}
		if !found {
			return key, pg.ErrUnauthorized
		}
		return key, key.Check(t.Now)
	})
	if err != nil {
		return Key{}, err
	}
	s.used(ctx, key)
	return key, nil
}

// EndSession ends a session. One that does not exist is not an error.
func (s *Gate) EndSession(ctx context.Context, token string) error {
	_, err := pg.Run(ctx, s.db, &pg.Tx{Settings: holder(token), Mode: pg.SQLBegin}, func(t *pg.Tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlSessionEnd, t.Args(pgx.NamedArgs{"hash": HashOf(token)}))
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}
