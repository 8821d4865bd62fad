package rest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"reverie/api/fault"
	"reverie/memory"
	"reverie/store"
)

// callerKey is the context key of the caller's store.Key.
type callerKey struct{}

// CallerOf is the key that a request was made with. Every operation that needs a role has one.
func CallerOf(ctx context.Context) store.Key {
	key, _ := ctx.Value(callerKey{}).(store.Key)
	return key
}

// authenticate lets a request through to its handler when its key allows the operation. Nothing but the key says who
// is calling.
func (s *Server) authenticate(ctx huma.Context, next func(huma.Context)) {
	need, _ := ctx.Operation().Metadata[metaRole].(memory.Role)
	if need == "" {
		next(ctx)
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
		s.Refuse(ctx, fault.New(fault.Forbidden, "this needs a key with the role %s, this one is a %s key", need, key.Role))
		return
	}
	next(huma.WithValue(ctx, callerKey{}, key))
}

// KeyOf finds the key that a request carries.
func (s *Server) KeyOf(ctx huma.Context) (store.Key, error) {
	scheme, secret, _ := strings.Cut(ctx.Header("Authorization"), " ")
	if secret = strings.TrimSpace(secret); !strings.EqualFold(scheme, "Bearer") || secret == "" {
		return store.Key{}, unauthorized()
	}
	if entry, found := s.Keys.get(secret); found {
		if !entry.known {
			return store.Key{}, unauthorized()
		}
		return entry.key, nil
	}
	address, _, _ := net.SplitHostPort(ctx.RemoteAddr())
	if s.failures.exhausted(address) {
		return store.Key{}, TooMany(retryAfterFailures)
	}
	key, err := s.Store.Authenticate(ctx.Context(), secret)
	switch {
	case errors.Is(err, store.ErrUnauthorized):
		s.failures.take(address)
		s.Keys.put(secret, store.Key{}, false)
		return store.Key{}, unauthorized()
	case err != nil:
		return store.Key{}, err
	}
	s.Keys.put(secret, key, true)
	return key, nil
}

func unauthorized() *fault.Problem {
	return fault.New(fault.Unauthorized, "send a valid key as Authorization: Bearer <key>").With("WWW-Authenticate", "Bearer")
}

// Refuse answers with an error in front of the handler.
func (s *Server) Refuse(ctx huma.Context, err error) {
	var p *fault.Problem
	if !errors.As(s.Explain(ctx.Context(), err), &p) {
		p = fault.New(fault.Internal, "the server failed to answer")
	}
	for name, values := range p.GetHeaders() {
		ctx.SetHeader(name, values[0])
	}
	ctx.SetHeader("Content-Type", "application/json")
	ctx.SetStatus(p.Code)
	if err := s.API.Marshal(ctx.BodyWriter(), "application/json", p); err != nil {
		s.Log.DebugContext(ctx.Context(), "The client did not take the answer", "error", err)
	}
}

// IsLocal reports whether a request comes from this machine itself, and not through a proxy on it.
func IsLocal(r *http.Request) bool {
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
