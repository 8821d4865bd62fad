package rest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"golang.org/x/time/rate"

	"reverie/api/fault"
	"reverie/memory"
	"reverie/store"
	"reverie/store/gate"
)

// callerKey is the context key of the caller's store.Key.
type callerKey struct{}

// CallerOf returns the key that a request was made with. Every operation that needs a role has one.
func CallerOf(ctx context.Context) gate.Key {
	key, _ := ctx.Value(callerKey{}).(gate.Key)
	return key
}

// authenticate passes a request to its handler if its key allows the operation. Only the key identifies the caller.
func (s *Server) authenticate(ctx huma.Context, next func(huma.Context)) {
	need, _ := ctx.Operation().Metadata[metaRole].(memory.Role)
	if need == "" {
		next(ctx)
		return
	}
	if s.Store.Busy() { // before the body is read
		s.Refuse(ctx, Overloaded())
		return
	}
	key, err := s.KeyOf(ctx)
	if err != nil {
		s.Refuse(ctx, err)
		return
	}
	trailOf(ctx.Context()).key = key.ID
	if wait, allowed := s.limits.take(key.ID.String()); !allowed {
		s.Refuse(ctx, TooMany(wait))
		return
	}
	if !key.Role.Includes(need) {
		s.Refuse(ctx, fault.New(fault.Forbidden, "This needs the role %s; this is a %s key", need, key.Role))
		return
	}
	next(huma.WithValue(ctx, callerKey{}, key))
}

// secretOf returns the secret that a request carries; empty: none.
func secretOf(ctx huma.Context) string {
	scheme, secret, _ := strings.Cut(ctx.Header("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// KeyOf finds the key that a request carries, or that its session has if it is a request for a page.
func (s *Server) KeyOf(ctx huma.Context) (gate.Key, error) {
	if refusal(ctx.Operation()) != nil {
		return s.sessionKey(ctx)
	}
	return s.keyOf(ctx, secretOf(ctx))
}

func (s *Server) keyOf(ctx huma.Context, secret string) (gate.Key, error) {
	if secret == "" {
		return gate.Key{}, s.unauthorized(ctx, errNoKey)
	}
	entry, found := s.Keys.get(secret)
	if found {
		if entry.refused != nil {
			return gate.Key{}, s.unauthorized(ctx, entry.refused)
		}
		return entry.key, nil
	}
	// A key that has been valid here is looked up in any case: many clients may share an address with one that guesses. One that is new
	// here, after a restart for example, may be a guess.
	address := trailOf(ctx.Context()).address
	if !entry.known() {
		if err := s.admit(ctx, address, &s.guessedKeys, secret); err != nil {
			return gate.Key{}, err
		}
	}
	key, err := s.Store.Authenticate(ctx.Context(), secret)
	switch {
	case errors.Is(err, store.ErrUnauthorized):
		if _, ended := errors.AsType[*store.EndedKeyError](err); !ended { // nobody guesses one that was valid
			s.failures.take(address)
		}
		s.Keys.put(secret, gate.Key{}, err)
		return gate.Key{}, s.unauthorized(ctx, err)
	case err != nil:
		return gate.Key{}, err
	}
	s.Keys.put(secret, key, nil)
	return key, nil
}

// admit refuses a secret, unless its address has not tried too many wrong ones, or the database knows it.
func (s *Server) admit(ctx huma.Context, address string, guessed *lookup, secret string) error {
	if !s.failures.exhausted(address) {
		return nil
	}
	known, err := guessed.has(ctx.Context(), secret)
	if err == nil && !known {
		err = TooMany(retryAfterFailures)
	}
	return err
}

var errNoKey = errors.New("no key")

// unauthorized logs a request without a valid key, and returns its answer. Of a key that has ended it says which one.
func (s *Server) unauthorized(ctx huma.Context, err error) *fault.Problem {
	t := trailOf(ctx.Context())
	attrs := []any{"address", t.address, "operation", ctx.Operation().OperationID, "request", t.request}
	if ended, is := errors.AsType[*store.EndedKeyError](err); is {
		attrs = append(attrs, "key", ended.Key)
	}
	s.Log.InfoContext(ctx.Context(), "Request without a valid API key", append(attrs, "reason", reasonOf(err))...)
	p := unauthorized(err)
	if s.OAuthIssuer != "" {
		p = p.With("WWW-Authenticate", fmt.Sprintf("Bearer resource_metadata=%q", s.PublicURL+ResourceMetadataPath))
	}
	return p
}

// ResourceMetadataPath is the path of the OAuth metadata of the MCP server, as RFC 9728 derives it from /mcp.
const ResourceMetadataPath = "/.well-known/oauth-protected-resource/mcp"

// reasonOf names why a request has no valid key.
func reasonOf(err error) string {
	ended, is := errors.AsType[*store.EndedKeyError](err)
	switch {
	case errors.Is(err, errNoKey):
		return "missing"
	case !is:
		return "unknown"
	case ended.ExpiredAt.IsZero():
		return "revoked"
	}
	return "expired"
}

// Revoked reports whether the key of a request in progress is no longer valid. It asks the database when the last answer is older than
// KeyCheck, whichever request got that; while the database is away, keys stay as they were.
func (s *Server) Revoked(ctx huma.Context) bool {
	secret := secretOf(ctx)
	entry, _ := s.Keys.get(secret)
	if s.Now().Before(entry.expires.Add(KeyCheck - keyTTL)) {
		return entry.refused != nil
	}
	key, err := s.Store.Authenticate(ctx.Context(), secret)
	if err == nil || errors.Is(err, store.ErrUnauthorized) {
		s.Keys.put(secret, key, err)
	}
	return errors.Is(err, store.ErrUnauthorized)
}

// unauthorized returns the answer to a request without a valid key. Who holds a key that has expired learns that; all else looks alike.
func unauthorized(err error) *fault.Problem {
	p := fault.New(fault.Unauthorized, "Invalid or missing API key: send Authorization: Bearer <key>")
	if ended, is := errors.AsType[*store.EndedKeyError](err); is && !ended.ExpiredAt.IsZero() {
		p = fault.New(fault.Unauthorized, "This API key expired at %s: ask an administrator for a new one", ended.ExpiredAt.Format(time.RFC3339))
	}
	return p.With("WWW-Authenticate", "Bearer")
}

// Refuse answers with an error before the handler runs.
func (s *Server) Refuse(ctx huma.Context, err error) {
	p := s.Problem(ctx.Context(), err)
	address := ctx.URL()
	body := s.errorBody(address.Path, p)
	for name, values := range p.GetHeaders() {
		ctx.SetHeader(name, values[0])
	}
	if refuse := refusal(ctx.Operation()); refuse != nil {
		refuse(ctx, p)
		return
	}
	ctx.SetHeader("Content-Type", "application/json")
	ctx.SetStatus(p.Code)
	if err := s.API.Marshal(ctx.BodyWriter(), "application/json", body); err != nil {
		s.Log.DebugContext(ctx.Context(), "The client did not take the answer", "error", err)
	}
}

const (
	// keyTTL caches an authentication: a key revoked at another server stops working here within it.
	keyTTL = 5 * time.Second
	// maxCachedKeys bounds the memory that unknown keys can take.
	maxCachedKeys = 10_000
)

// keyCache remembers for a few seconds which secrets are keys and which are not, so that a busy client does not cost a
// query for each request. It holds hashes of secrets, not the secrets.
type keyCache struct {
	now     func() time.Time
	mu      sync.Mutex
	entries map[[sha256.Size]byte]cachedKey
}

type cachedKey struct {
	key     gate.Key
	refused error // why the secret is not a valid key; nil: it is one
	expires time.Time
}

// known reports whether the secret was a valid key when it was looked up last.
func (c cachedKey) known() bool { return c.refused == nil && c.key.ID != uuid.Nil }

func newKeyCache(now func() time.Time) *keyCache {
	return &keyCache{now: now, entries: map[[sha256.Size]byte]cachedKey{}}
}

// get returns the cached authentication of a secret and whether it is still fresh. An expired entry of a known key says that it was valid.
func (c *keyCache) get(secret string) (entry cachedKey, found bool) {
	hash := sha256.Sum256([]byte(secret))
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, found = c.entries[hash]
	return entry, found && c.now().Before(entry.expires)
}

// put remembers a key until it expires, or with refused why a secret is not a key.
func (c *keyCache) put(secret string, key gate.Key, refused error) {
	hash := sha256.Sum256([]byte(secret))
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= maxCachedKeys {
		c.makeRoom()
	}
	expires := c.now().Add(keyTTL)
	if key.ExpiresAt != nil && key.ExpiresAt.Before(expires) {
		expires = *key.ExpiresAt
	}
	c.entries[hash] = cachedKey{key: key, refused: refused, expires: expires}
}

// makeRoom drops expired entries: those of unknown secrets, then also those of keys. When none is expired, it drops all.
func (c *keyCache) makeRoom() {
	now := c.now()
	for _, known := range []bool{false, true} {
		for hash, entry := range c.entries {
			if entry.known() == known && !now.Before(entry.expires) {
				delete(c.entries, hash)
			}
		}
		if len(c.entries) < maxCachedKeys {
			return
		}
	}
	clear(c.entries)
}

// Forget drops a key, so that its revocation holds here at once.
func (c *keyCache) Forget(id uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for hash, entry := range c.entries {
		if entry.known() && entry.key.ID == id {
			delete(c.entries, hash)
		}
	}
}

const (
	// failureRate bounds how many wrong keys a second one address may try, with bursts of failureBurst: each costs a query.
	failureRate  = 5
	failureBurst = 20
	// maxBuckets bounds the memory of a limiter.
	maxBuckets = 10_000
)

// limiter bounds how often something may happen for each of many names.
type limiter struct {
	rate    rate.Limit // 0: no limit
	burst   int
	now     func() time.Time
	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// newLimiter allows perSecond events, with bursts of burst (at least one); 0 perSecond allows all.
func newLimiter(perSecond float64, burst int, now func() time.Time) *limiter {
	return &limiter{rate: rate.Limit(perSecond), burst: max(1, burst), now: now, buckets: map[string]*rate.Limiter{}}
}

// take reports whether name may go on, and if not, how long it has to wait.
func (l *limiter) take(name string) (wait time.Duration, allowed bool) {
	if l.rate <= 0 {
		return 0, true
	}
	now := l.now()
	reservation := l.bucket(name, now).ReserveN(now, 1)
	wait = reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
		return wait, false
	}
	return 0, true
}

// exhausted reports whether name has nothing left, without taking anything.
func (l *limiter) exhausted(name string) bool {
	now := l.now()
	return l.bucket(name, now).TokensAt(now) < 1
}

func (l *limiter) bucket(name string, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, found := l.buckets[name]; found {
		return b
	}
	if len(l.buckets) >= maxBuckets {
		l.makeRoom(now)
	}
	b := rate.NewLimiter(l.rate, l.burst)
	l.buckets[name] = b
	return b
}

// makeRoom drops buckets that are full again, which are as good as new ones, and all when none is.
func (l *limiter) makeRoom(now time.Time) {
	for name, b := range l.buckets {
		if b.TokensAt(now) >= float64(l.burst) {
			delete(l.buckets, name)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}

// TooMany asks a client to slow down.
func TooMany(wait time.Duration) *fault.Problem {
	seconds := strconv.Itoa(max(1, int(math.Ceil(wait.Seconds()))))
	return fault.New(fault.RateLimited, "Too many requests: wait %s s", seconds).With("Retry-After", seconds)
}

// retryAfterFailures is the Retry-After for an address that tried too many wrong keys.
const retryAfterFailures = time.Second
