package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"reverie/memory"
	"reverie/store"
)

// callerKey is the context key of the caller's store.Key.
type callerKey struct{}

// callerOf is the key that a request was made with. Every operation that needs a role has one.
func callerOf(ctx context.Context) store.Key {
	key, _ := ctx.Value(callerKey{}).(store.Key)
	return key
}

// authenticate lets a request through to its handler when its key allows the operation. Nothing but the key says who
// is calling.
func (s *kernel) authenticate(ctx huma.Context, next func(huma.Context)) {
	need, _ := ctx.Operation().Metadata[metaRole].(memory.Role)
	if need == "" {
		next(ctx)
		return
	}
	key, err := s.keyOf(ctx)
	if err != nil {
		s.refuse(ctx, err)
		return
	}
	trailOf(ctx.Context()).key = key.ID
	if wait, allowed := s.limits.take(key.ID.String()); !allowed {
		s.refuse(ctx, tooMany(wait))
		return
	}
	if !key.Role.Includes(need) {
		s.refuse(ctx, problem(nameForbidden, "this needs a key with the role %s, this one is a %s key", need, key.Role))
		return
	}
	next(huma.WithValue(ctx, callerKey{}, key))
}

// keyOf finds the key that a request carries.
func (s *kernel) keyOf(ctx huma.Context) (store.Key, error) {
	scheme, secret, _ := strings.Cut(ctx.Header("Authorization"), " ")
	if secret = strings.TrimSpace(secret); !strings.EqualFold(scheme, "Bearer") || secret == "" {
		return store.Key{}, unauthorized()
	}
	if entry, found := s.keys.get(secret); found {
		if !entry.known {
			return store.Key{}, unauthorized()
		}
		return entry.key, nil
	}
	address, _, _ := net.SplitHostPort(ctx.RemoteAddr())
	if s.failures.exhausted(address) {
		return store.Key{}, tooMany(retryAfterFailures)
	}
	key, err := s.Store.Authenticate(ctx.Context(), secret)
	switch {
	case errors.Is(err, store.ErrUnauthorized):
		s.failures.take(address)
		s.keys.put(secret, store.Key{}, false)
		return store.Key{}, unauthorized()
	case err != nil:
		return store.Key{}, err
	}
	s.keys.put(secret, key, true)
	return key, nil
}

func unauthorized() *Problem {
	return problem(nameUnauthorized, "send a valid key as Authorization: Bearer <key>").with("WWW-Authenticate", "Bearer")
}

// refuse answers with an error in front of the handler.
func (s *kernel) refuse(ctx huma.Context, err error) {
	var p *Problem
	if !errors.As(s.explain(ctx.Context(), err), &p) {
		p = problem(nameInternal, "the server failed to answer")
	}
	for name, values := range p.GetHeaders() {
		ctx.SetHeader(name, values[0])
	}
	ctx.SetHeader("Content-Type", "application/json")
	ctx.SetStatus(p.Code)
	if err := s.api.Marshal(ctx.BodyWriter(), "application/json", p); err != nil {
		s.Log.DebugContext(ctx.Context(), "The client did not take the answer", "error", err)
	}
}

// isLocal reports whether a request comes from this machine itself, and not through a proxy on it.
func isLocal(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	for _, header := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if r.Header.Get(header) != "" {
			return false
		}
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
